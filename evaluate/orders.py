"""Do runs put groups, countries say, in one order? Spearman's rho between each two of them (pure).

Kawasaki 2026 asks so of models: those that agree know the same countries well. p is by permutation of the groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from . import summary
from .heatmap import Heat
from .metrics.ranks import spearman

PERMUTATIONS = 2000


@dataclass(frozen=True)
class Orders:
    """A table of runs by runs: rho, and its p with the number of groups; a dash beside itself."""

    title: str
    names: list[str]
    rows: list[tuple[str, list[tuple[str, str]]]]


def orders(heat: Heat) -> Orders | None:
    """Of a map of groups by runs; None where there is but one run."""
    names = [column.name for column in heat.columns]
    if len(names) < 2:
        return None
    values = [[None if cell is None else cell.value for cell in column.cells] for column in heat.columns]
    cells = {pair: _told(values[pair[0]], values[pair[1]]) for pair in combinations(range(len(names)), 2)}
    rows = [
        (name, [("–", "") if one == other else cells[min(one, other), max(one, other)] for other in range(len(names))])
        for one, name in enumerate(names)
    ]
    first = heat.first.replace("_", " ")
    return Orders(f"{heat.title}: Spearman's rho between runs, by the value of each {first}", names, rows)


def _told(mine: Sequence[float | None], theirs: Sequence[float | None]) -> tuple[str, str]:
    both = [(x, y) for x, y in zip(mine, theirs, strict=True) if x is not None and y is not None]
    found = spearman([x for x, _ in both], [y for _, y in both], seed=0, permutations=PERMUTATIONS)
    if found.p is None:
        return "no figure", "no order among what is ranked"
    return summary.number(found.value), f"{summary.p_value(found.p)}, n = {found.n}"
