"""How much an answered set and the right one overlap, beyond what chance gives (pure).

Of N options t are right and s are answered; X are both. J = X / (s + t - X). Under chance s of the N are drawn
and X is hypergeometric. Kawasaki 2026, sec. 3.3, takes E[X] / E[s + t - X] for E[J]: the first term of its
expansion around E[X]. J is convex in X, so that is too little (Jensen), and who draws at random stands a little
above 0. The exact expectation, a sum over X, puts chance at 0 for every s, t and N.
"""

from __future__ import annotations

from functools import cache
from math import comb

SHARE_USED = 286  # per mille of an item's variants that a country uses, in the median: sec. 4.1 of the same


def jaccard(common: int, answered: int, right: int) -> float:
    """J of two sets of which `common` elements are in both; 1 where both are empty."""
    union = answered + right - common
    return common / union if union else 1.0


def expected(answered: int, right: int, options: int) -> float:
    """E[J] as the paper takes it, st / (N(s + t) - st); 0 where a set is empty."""
    product = answered * right
    return product / (options * (answered + right) - product) if product else 0.0


@cache
def expected_exactly(answered: int, right: int, options: int) -> float:
    """E[J] under the hypergeometric distribution itself."""
    first, last = max(0, answered + right - options), min(answered, right)
    draws = comb(options, answered)
    return sum(
        comb(right, x) * comb(options - right, answered - x) / draws * jaccard(x, answered, right)
        for x in range(first, last + 1)
    )


def adjusted(value: float, chance: float) -> float:
    """(J - E[J]) / (1 - E[J]): 1 where the sets are equal, 0 at chance, under 0 below it.

    1 too where chance itself is always right, as it is where all options are answered and all are right.
    """
    return 1.0 if value == 1 else (value - chance) / (1 - chance)


def usual_size(options: int) -> int:
    """How many of so many options are right, as a rule: k = round(0.286 N), and at least one."""
    return max(1, (SHARE_USED * options + 500) // 1000)
