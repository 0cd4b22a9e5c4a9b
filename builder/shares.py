"""A share of a whole, and how sure it is."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import NamedTuple


class Interval(NamedTuple):
    """A confidence interval, in the unit of its figure."""

    low: float
    high: float


def wilson(successes: float, n: float, level: float = 0.95) -> Interval | None:
    """Interval of a share, 0 to 1; None where n is 0. n may be an effective count. Wilson 1927."""
    if n <= 0:
        return None
    z = NormalDist().inv_cdf(0.5 + level / 2)
    share = successes / n
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return Interval(max(0.0, middle - half), min(1.0, middle + half))
