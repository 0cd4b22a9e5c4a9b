"""Layouts of published benchmarks, in and out."""

from __future__ import annotations

from collections.abc import Collection

from . import bbq, crows_pairs, sesgo, winoqueer
from .layout import Layout, nested

LAYOUTS: tuple[Layout, ...] = (bbq.LAYOUT, sesgo.LAYOUT, crows_pairs.LAYOUT, winoqueer.LAYOUT)


def recognised(columns: Collection[str]) -> Layout | None:
    """The layout that has these columns (and perhaps more), or None."""
    return next((layout for layout in LAYOUTS if layout.columns <= set(columns)), None)


__all__ = ["LAYOUTS", "Layout", "nested", "recognised"]
