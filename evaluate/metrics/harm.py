"""Does a model prefer the stereotypes that hurt most? A correlation over stereotypes (pure).

One stereotype is one point: its mean harmfulness in the survey, and the share of its pairs in which the
model prefers it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from ..statistics import Interval, Statistic, cluster_bootstrap
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
    x, y = (points[c].to_numpy() - points[c].mean() for c in ("x", "y"))
    if min(float(np.ptp(x)), float(np.ptp(y))) < 1e-9:
        return [Figure(name, n=n, reason=_FLAT) for name in _NAMES]
    sums = np.stack([np.ones(n), x, y, x * x, y * y, x * y], axis=1)
    # Fisher's z, whose error hardly depends on r
    done = cluster_bootstrap(sums, {"z": Statistic(_fisher_z, tuple(range(6)))}, seed=seed, resamples=resamples)["z"]
    z = done.interval((-math.inf, math.inf)) if math.isfinite(done.value) else None
    r = math.tanh(done.value)
    interval = Interval(math.tanh(z.low), math.tanh(z.high)) if z else None
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
            p=done.p_value(0) if name == "harmfulness_r" else None,
        )
        for name, value, bounds in zip(_NAMES, (r, r * r), (interval, squared), strict=True)
    ]


def _fisher_z(n: Any, x: Any, y: Any, xx: Any, yy: Any, xy: Any) -> Any:
    spread = (n * xx - x * x) * (n * yy - y * y)
    return np.arctanh((n * xy - x * y) / np.sqrt(spread))


def _squared(interval: Interval) -> Interval:
    low, high = sorted((interval.low**2, interval.high**2))
    return Interval(0.0 if interval.low < 0 < interval.high else low, high)
