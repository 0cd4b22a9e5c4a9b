"""Do two numbers grow together over some points? Pearson's r with its interval and both of its tests (pure)."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..statistics import Interval, Statistic, cluster_bootstrap, student_p


class Pearson(NamedTuple):
    """`value`, -1 to 1, of points that are neither fewer than three nor all the same in one of the two numbers.

    interval  by drawing points again; None where they lie on one line
    drawn_p   of r = 0, two-sided, from the same draws
    student_p of r = 0, two-sided, from Student's t with n - 2 degrees of freedom: what papers print
    """

    value: float
    interval: Interval | None
    drawn_p: float | None
    student_p: float


def differ(values: Any) -> bool:
    """Whether there is any spread that a correlation could speak of."""
    return float(np.ptp(values)) >= 1e-9


def pearson(x: Any, y: Any, *, seed: int, resamples: int) -> Pearson:
    """Of at least three points that differ in x and in y."""
    n = len(x)
    x, y = np.asarray(x) - np.mean(x), np.asarray(y) - np.mean(y)
    sums = np.stack([np.ones(n), x, y, x * x, y * y, x * y], axis=1)
    # Fisher's z, whose error hardly depends on r
    done = cluster_bootstrap(sums, {"z": Statistic(_fisher_z, tuple(range(6)))}, seed=seed, resamples=resamples)["z"]
    z = done.interval((-math.inf, math.inf)) if math.isfinite(done.value) else None
    r = math.tanh(done.value) if not math.isnan(done.value) else math.copysign(1.0, float(x @ y))
    t = r * math.sqrt((n - 2) / (1 - r * r)) if abs(r) < 1 else math.inf
    interval = Interval(math.tanh(z.low), math.tanh(z.high)) if z else None
    return Pearson(r, interval, done.p_value(0), student_p(t, n - 2))


def _fisher_z(n: Any, x: Any, y: Any, xx: Any, yy: Any, xy: Any) -> Any:
    spread = (n * xx - x * x) * (n * yy - y * y)
    return np.arctanh((n * xy - x * y) / np.sqrt(spread))
