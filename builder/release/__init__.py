"""Versions: what changed, which number follows, and one commit and one tag on the Hub."""
