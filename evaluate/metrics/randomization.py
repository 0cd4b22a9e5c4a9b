"""Is a difference between two sides of a pair more than chance? Paired approximate randomization (pure).

Riezler & Maxwell 2005: were the sides alike, exchanging them within a pair would change nothing. So each unit (a
pair, or the pairs of one template together, which are alike) keeps its sides or exchanges them, with probability
1/2, and the score is made anew from the sums. p is the share of shuffles with a gap as large as the one seen, that
one counted too: (larger or equal + 1) / (shuffles + 1), two-sided.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from ..statistics import Array

PERMUTATIONS = 10_000
Gap = Callable[[Array, Array], Array]
_CELLS = 4_000_000  # shuffles x units held at once: about 32 MB


def randomized(
    first: Array, second: Array, gaps: Mapping[str, Gap], *, seed: int, permutations: int = PERMUTATIONS
) -> dict[str, float | None]:
    """p of each gap; None of fewer than two units.

    `first`, `second`: what the two sides of each unit add to the sums, (units, k). A gap takes the sums of both
    sides, (..., k), and must change its sign alone when they are exchanged. All gaps see the same shuffles.
    """
    units = len(first)
    if units < 2:
        return dict.fromkeys(gaps)
    left, right, moved = first.sum(axis=0), second.sum(axis=0), second - first
    # what rounding leaves must not tell equal gaps apart
    least = {name: abs(float(gap(left, right))) * (1 - 1e-9) - 1e-12 for name, gap in gaps.items()}
    extreme = dict.fromkeys(gaps, 0)
    rng = np.random.default_rng(seed)
    block = max(1, _CELLS // units)
    for start in range(0, permutations, block):
        size = min(block, permutations - start)
        shift = rng.integers(0, 2, (size, units), dtype=np.int8).astype(np.float64) @ moved
        for name, gap in gaps.items():
            extreme[name] += int(np.count_nonzero(np.abs(gap(left + shift, right - shift)) >= least[name]))
    return {name: (count + 1) / (permutations + 1) for name, count in extreme.items()}
