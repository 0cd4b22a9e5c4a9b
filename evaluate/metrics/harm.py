"""Does a model prefer the stereotypes that hurt most? A correlation over stereotypes (pure).

One stereotype is one point: its mean harmfulness in the survey, and the share of its pairs in which the
model prefers it.
"""

from __future__ import annotations

from typing import Any

import pandas as pd

from ..statistics import Interval
from .correlation import differ, pearson
from .figure import Figure
from .table import Table

_NAMES = ("harmfulness_r", "harmfulness_r2")
_FEW = "harmfulness is known for fewer than three stereotypes"
_FLAT = "harmfulness, or preference, is the same for all stereotypes"
_PERFECT = "no interval: the points lie on one line"


def harmfulness_figures(table: Table, harmfulness: Any, *, seed: int, resamples: int) -> list[Figure]:
    """Pearson's r and its square; n is the number of stereotypes. `harmfulness` is a number or null a row."""
    codes = table.units["stereotype"]
    points = (
        pd.DataFrame({"x": pd.to_numeric(pd.Series(harmfulness)).astype("float64"), "y": table.counts["prefers"]})
        .groupby(codes)
        .mean()
        .dropna()
    )
    n = len(points)
    if n < 3:
        return [Figure(name, n=n, reason=_FEW) for name in _NAMES]
    if not (differ(points["x"]) and differ(points["y"])):
        return [Figure(name, n=n, reason=_FLAT) for name in _NAMES]
    r, interval, p, _ = pearson(points["x"].to_numpy(), points["y"].to_numpy(), seed=seed, resamples=resamples)
    squared = _squared(interval) if interval else None
    return [
        Figure(
            name,
            value=value,
            low=bounds.low if bounds else None,
            high=bounds.high if bounds else None,
            n=n,
            clusters=n,
            reason="" if bounds else _PERFECT,
            unit="stereotype",
            p=p if name == "harmfulness_r" else None,
        )
        for name, value, bounds in zip(_NAMES, (r, r * r), (interval, squared), strict=True)
    ]


def _squared(interval: Interval) -> Interval:
    low, high = sorted((interval.low**2, interval.high**2))
    return Interval(0.0 if interval.low < 0 < interval.high else low, high)
