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
from .cuts import Measure, corrected, figures_of, share, unit_codes
from .figure import About, Figure

_NO_ANSWERS = "no row was answered with an option"
_ONE_PLACE = "each answer always stands in one place: position and content cannot be told apart"


def position_figures(rows: pd.DataFrame, *, seed: int, resamples: int) -> list[Figure]:
    """For each position its share and its excess, and one chi-square, over all answered rows."""
    answered = rows[rows["outcome"] == "answer"].reset_index(drop=True)
    if answered.empty:
        return [Figure("position_chi_square", reason=_NO_ANSWERS)]
    chosen = answered["answer"].to_numpy(dtype=int)
    expected = _expected(answered, chosen)
    found: list[Figure] = []
    for j in range(3):
        answered["chosen"] = (chosen == j).astype(float)
        measures = [share("position_share", "chosen", "rows", About("", 0, 1), _NO_ANSWERS)]
        if expected is not None:
            answered["expected"] = expected[:, j]
            measures.append(_EXCESS)
        group = {"position": str(j)}
        found += figures_of(answered, measures, group=group, seed=seed, resamples=resamples)
    if expected is None:
        return [*found, Figure("position_chi_square", reason=_ONE_PLACE)]
    observed = np.eye(3)[chosen]
    return [*corrected(found), _chi_square(answered, observed, expected, seed=seed, resamples=resamples)]


_EXCESS = Measure(
    "position_excess",
    About("", -1, 1, neutral=0),
    ("chosen", "expected", "rows"),
    "rows",
    _NO_ANSWERS,
    lambda chosen, expected, rows: (chosen - expected) / rows,
)


def _expected(rows: pd.DataFrame, chosen: Any) -> Any:
    """Chance of each position (rows, 3) if only roles counted; None where no role ever changes its place."""
    place = rows[["target", "other", "unknown"]].to_numpy(dtype=int)
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


def _chi_square(rows: pd.DataFrame, observed: Any, expected: Any, *, seed: int, resamples: int) -> Figure:
    """Pearson's statistic; its p by redrawing clusters around the gap that was seen."""
    unit, codes = unit_codes(rows)
    sums = cluster_sums(np.hstack([observed - expected, np.ones((len(rows), 1))]), codes)
    total, weight = sums.sum(axis=0), expected.sum(axis=0)
    there = weight > 0
    value = float((total[:3][there] ** 2 / weight[there]).sum())
    drawn = resampled_sums(sums, seed=seed, resamples=resamples)
    gap = drawn[:, :3] - drawn[:, 3:] / total[3] * total[:3]
    extreme = int(((gap[:, there] ** 2 / weight[there]).sum(axis=1) >= value).sum())
    return Figure(
        "position_chi_square",
        value=value,
        n=len(rows),
        clusters=len(sums),
        reason="a test, without interval",
        unit=unit,
        p=(extreme + 1) / (resamples + 1) if len(sums) > 1 else None,
    )
