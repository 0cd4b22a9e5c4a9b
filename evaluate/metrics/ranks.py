"""Do two lists put the same things in the same order? Spearman's coefficient, with ties (pure)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_CELLS = 2_000_000  # numbers shuffled at once


class Correlation(NamedTuple):
    """`value` from -1 to 1, NaN where either list is all the same or of fewer than three; `p` by permutation."""

    value: float
    p: float | None
    n: int


def ranks(values: Sequence[float]) -> NDArray[np.float64]:
    """Ranks from 1; equal values share the mean of theirs."""
    _, place, counts = np.unique(np.asarray(values, dtype=np.float64), return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    return np.asarray((ends - (counts - 1) / 2)[place], dtype=np.float64)


def spearman(first: Sequence[float], second: Sequence[float], *, seed: int, permutations: int) -> Correlation:
    """Pearson's coefficient of the ranks.

    p is two-sided: the share of shuffles, the lists as they are counted as one, that lie as far from 0. The things
    that are ranked must be independent of each other.
    """
    x, y = (_standard(ranks(values)) for values in (first, second))
    n = len(x)
    if n < 3 or not (x.any() and y.any()):
        return Correlation(math.nan, None, n)
    value = float(x @ y)
    rng, extreme, left = np.random.default_rng(seed), 0, permutations
    while left:
        block = min(left, max(1, _CELLS // n))
        shuffled = rng.permuted(np.broadcast_to(y, (block, n)), axis=1)
        extreme += int(np.count_nonzero(np.abs(shuffled @ x) >= abs(value) - 1e-12))
        left -= block
    return Correlation(min(1.0, max(-1.0, value)), (extreme + 1) / (permutations + 1), n)


def _standard(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Centred, of length 1; zeros where all are the same."""
    centred = values - values.mean() if len(values) else values
    length = float(np.sqrt(centred @ centred))
    return centred / length if length > 1e-9 else np.zeros_like(centred)
