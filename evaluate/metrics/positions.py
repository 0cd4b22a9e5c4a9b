"""Position bias: does a model prefer a place in the list, whatever stands there? (pure)

Within rows of one condition, polarity and gold role, the model chooses target, other and unknown at certain
rates. If places did not count, each place would be chosen at the rate of the role that stands in it. What is
chosen beyond that is the position's own. Where each role always stands in one place, the two cannot be told
apart, and there is no figure.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ..statistics import cluster_sums, resampled_sums
from .cuts import Measure, corrected, figures_of, share
from .figure import About, Figure
from .table import Table

_NO_ANSWERS = "no row was answered with an option"
_ONE_PLACE = "each answer always stands in one place: position and content cannot be told apart"


def position_figures(rows: pd.DataFrame, table: Table, *, seed: int, resamples: int) -> list[Figure]:
    """For each position its share and its excess, and one chi-square, over all answered rows."""
    there = (rows["outcome"] == "answer").to_numpy(dtype=bool)
    if not there.any():
        return [Figure("position_chi_square", reason=_NO_ANSWERS)]
    answered, part = rows[there], table.take(there)
    observed = np.eye(3)[answered["answer"].to_numpy(dtype=int)]
    expected = _expected(answered)
    measures = [_SHARE] if expected is None else [_SHARE, _EXCESS]
    found: list[Figure] = []
    for j in range(3):
        counts = {"chosen": observed[:, j], "expected": observed[:, j] if expected is None else expected[:, j]}
        group = {"position": str(j)}
        found += figures_of(part.adding(counts), measures, group=group, seed=seed, resamples=resamples)
    if expected is None:
        return [*found, Figure("position_chi_square", n=len(part), reason=_ONE_PLACE)]
    return [*corrected(found), _chi_square(part, observed, expected, seed=seed, resamples=resamples)]


_SHARE = share("position_share", "chosen", "rows", About("", 0, 1), _NO_ANSWERS)
_EXCESS = Measure(
    "position_excess",
    About("", -1, 1, neutral=0),
    ("chosen", "expected", "rows"),
    "rows",
    _NO_ANSWERS,
    lambda chosen, expected, rows: (chosen - expected) / rows,
)


def _expected(rows: pd.DataFrame) -> Any:
    """Chance of each position (rows, 3) if only roles counted; None where no role ever changes its place."""
    place = rows[["target", "other", "unknown"]].to_numpy(dtype=int)
    chosen = rows["answer"].to_numpy(dtype=int)
    role_at = np.argsort(place, axis=1)
    role = np.take_along_axis(role_at, chosen[:, None], axis=1)[:, 0]
    gold = np.take_along_axis(role_at, rows["label"].to_numpy(dtype=int)[:, None], axis=1)[:, 0]
    strata = rows["context_condition"] + "/" + rows["question_polarity"] + "/" + gold.astype(str)
    expected = np.empty((len(rows), 3))
    moves = False
    for members in rows.groupby(strata.to_numpy()).indices.values():
        rates = np.bincount(role[members], minlength=3) / len(members)
        expected[members] = rates[role_at[members]]
        moves = moves or len(np.unique(place[members], axis=0)) > 1
    return expected if moves else None


def _chi_square(table: Table, observed: Any, expected: Any, *, seed: int, resamples: int) -> Figure:
    """Pearson's statistic; its p by redrawing clusters around the gap that was seen."""
    unit, codes = table.drawn()
    sums = cluster_sums(np.hstack([observed - expected, np.ones((len(table), 1))]), codes)
    total, weight = sums.sum(axis=0), expected.sum(axis=0)
    there = weight > 0
    value = float((total[:3][there] ** 2 / weight[there]).sum())
    drawn = resampled_sums(sums, seed=seed, resamples=resamples)
    gap = drawn[:, :3] - drawn[:, 3:] / total[3] * total[:3]
    extreme = int(((gap[:, there] ** 2 / weight[there]).sum(axis=1) >= value).sum())
    return Figure(
        "position_chi_square",
        value=value,
        n=len(table),
        clusters=len(sums),
        reason="a test, without interval",
        unit=unit,
        p=(extreme + 1) / (resamples + 1) if len(sums) > 1 else None,
    )
