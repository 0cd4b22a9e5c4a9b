"""Ratios against plain loops and peers, side by side in one run."""
