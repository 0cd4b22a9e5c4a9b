"""What goes with a score over things such as countries: ordinary least squares on standardised predictors (pure).

Kawasaki 2026, sec. 5.2: an intercept and predictors that are brought to mean 0 and variance 1, so that their
coefficients can be compared: each is what the score changes by over one standard deviation of the predictor, the
others being held. With few countries that is an association and no cause.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..statistics import student_p

INTERCEPT = "intercept"


@dataclass(frozen=True)
class Coefficient:
    """`value` in the unit of the score, its standard error, and the two-sided p of Student's t; None if no freedom."""

    name: str
    value: float
    error: float | None
    p: float | None


@dataclass(frozen=True)
class Regression:
    """`r2` and `adjusted_r2`: the share of variance explained, and the same less what chance explains.

    Both are NaN where the score does not vary, the adjusted one also where no freedom is left.
    """

    coefficients: Sequence[Coefficient]
    r2: float
    adjusted_r2: float
    n: int


def regress(scores: Mapping[str, float], predictors: Mapping[str, Mapping[str, float]]) -> Regression:
    """Scores on predictors, over the things that have a score and every predictor. ValueError where that cannot be.

    It cannot where these are no more than the predictors, where a predictor is the same for all of them, and where
    predictors follow from each other.
    """
    things = sorted(thing for thing in scores if all(thing in values for values in predictors.values()))
    n, k = len(things), len(predictors)
    if n <= k + 1:
        raise ValueError(f"{n} have a score and every predictor; {k} predictors need at least {k + 2}")
    columns = [np.ones(n)]
    for name, values in predictors.items():
        raw = np.array([values[thing] for thing in things], dtype=np.float64)
        spread = float(raw.std())
        if not spread > 1e-12 * max(1.0, float(np.abs(raw).max())):
            raise ValueError(f"{name!r} is the same for all {n}; it explains nothing")
        columns.append((raw - raw.mean()) / spread)
    design, y = np.column_stack(columns), np.array([scores[thing] for thing in things], dtype=np.float64)
    found, _, rank, _ = np.linalg.lstsq(design, y, rcond=1e-9)
    if rank < k + 1:
        raise ValueError("the predictors follow from each other; leave one of them out")
    residual = float(((y - design @ found) ** 2).sum())
    total = float(((y - y.mean()) ** 2).sum())
    freedom = n - k - 1
    errors = np.sqrt(residual / freedom * np.diag(np.linalg.inv(design.T @ design)))
    varies = total > 1e-24 * max(1.0, float(y @ y))
    r2 = 1 - residual / total if varies else math.nan
    return Regression(
        [
            Coefficient(name, float(value), float(error), student_p(float(value / error), freedom) if error else None)
            for name, value, error in zip((INTERCEPT, *predictors), found, errors, strict=True)
        ],
        r2,
        1 - (1 - r2) * (n - 1) / freedom,
        n,
    )
