"""From answers to figures. A family is one module, with `REQUIRED`, `ABOUT` and `figures(frame, ...)`."""

from __future__ import annotations

from types import ModuleType

from . import pairs, qa
from .figure import About, Figure, to_frame

METRICS: dict[str, ModuleType] = {"pairs": pairs, "qa": qa}

__all__ = ["METRICS", "About", "Figure", "to_frame"]
