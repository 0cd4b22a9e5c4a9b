"""Contrapar: templates and lexicons in, checked bias benchmarks out."""

from ._version import __version__

__all__ = ["__version__"]
