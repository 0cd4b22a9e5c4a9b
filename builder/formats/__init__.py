"""Layouts of published benchmarks, in and out."""
