"""Is a sentence translated better where it speaks of a man? Masculine and feminine versions against references (pure).

Seed of the method: a difference Δ is above 0 where the masculine versions are translated better, for TER too, of
which less is better: Δ chrF++ = masculine - feminine, Δ TER = feminine - masculine. Scores are of whole corpora. Its
p is of paired approximate randomization, its interval of a bootstrap; both take whole stereotypes, or templates, or
pairs, since pairs of one template are alike. Where each pair has its own template this is the published test.

The interaction with an annotation is Δ where it is true less Δ where it is not. Its p is of the same test: versions
change sides within pairs, and the annotation stays where it is. Sentences with a name, say, are longer and vary more,
so that shuffling the annotation over sentences would not keep its level; changing sides keeps it however unlike the
two parts are, and where men gain as much in both parts it rejects less often than it may, never more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from ..statistics import Array, cluster_sums
from .cuts import Measure, corrected, figures_of
from .figure import About, Figure
from .quality import SCORES, Score, statistics
from .randomization import Gap, randomized
from .table import Table
from .translation_rows import NOTES, contrasts, paired

SIDES = ("masculine", "feminine")
WORDS = {
    "several_people": "several people",
    "proper_name": "a proper name",
    "unmarked_masculine": "an unmarked masculine",
}
_NO_PAIRS = "no two versions of a sentence with a reference in this language"
_NO_SACREBLEU = "sacrebleu is not installed: pip install 'contrapar[translation]'"
UNPAIRED = "unpaired_share"


def _about(key: str, score: Score) -> dict[str, About]:
    low, order = (-score.high if np.isfinite(score.high) else -np.inf), "more" if score.better > 0 else "less"
    return {
        **{f"{key}_{side}": About(f"{score.name} of {side} versions, {order} is better", 0, score.high)
           for side in SIDES},
        f"{key}_difference": About(f"{score.name}: above 0, masculine versions are translated better",
                                   low, score.high, neutral=0),
        f"{key}_interaction": About(f"{score.name}: that difference where the annotation is true less where it is not",
                                    2 * low, 2 * score.high, neutral=0),
    }  # fmt: skip


ABOUT = {name: told for key, score in SCORES.items() for name, told in _about(key, score).items()} | {
    UNPAIRED: About("share of versions without the other one, or without a reference in this language", 0, 1),
}
_MAIN = tuple(f"{key}_difference" for key in SCORES)


def contrast_figures(rows: pd.DataFrame, *, group: Mapping[str, str], seed: int, resamples: int) -> list[Figure]:
    """Scores of both sides and their difference, over all pairs and by annotation, and the interactions."""
    masculine, feminine, left_out = contrasts(rows)
    number = len(masculine)
    told = [_unpaired(left_out, left_out + 2 * number, group)]
    if not number:
        return told + [Figure(metric, group, reason=_NO_PAIRS) for metric in _MAIN]
    replies = [*masculine["reply"], *feminine["reply"]]
    try:
        both = statistics(replies, [*masculine["reference"], *feminine["reference"]])
    except ImportError:
        return told + [Figure(metric, group, n=number, reason=_NO_SACREBLEU) for metric in _MAIN]
    counts = {name: values for key, of in both.items() for name, values in _named(key, of, number).items()}
    table = paired(masculine, {"pairs": np.ones(number), **counts})
    options: dict[str, int] = {"seed": seed, "resamples": resamples}
    figures = told + _differences(table, [*_sides(), *_gaps()], group, **options)
    interactions: list[Figure] = []
    for note in NOTES:
        known = masculine[note].notna().to_numpy()
        if not known.any():
            continue
        true = masculine[note].fillna(False).to_numpy(dtype=bool)
        parts = {"true": known & true, "false": known & ~true}
        figures += corrected(
            [f for value, part in parts.items() for f in _part(table, part, {**group, note: value}, **options)]
        )
        interactions += _interaction(table, parts, {**group, "annotation": WORDS[note]}, **options)
    return figures + corrected(interactions)


def _named(key: str, of: Array, number: int) -> dict[str, Array]:
    """The sums of one score by name, those of the masculine versions first."""
    sides = {"masculine": of[:number], "feminine": of[number:]}
    return {name: sides[side][:, j] for side in SIDES for j, name in enumerate(_columns(key, side))}


def _columns(key: str, side: str, part: str = "") -> tuple[str, ...]:
    return tuple(f"{key} {side} {j}{part}" for j in range(SCORES[key].width))


def _sides() -> list[Measure]:
    return [
        Measure(name := f"{key}_{side}", ABOUT[name], _columns(key, side), "pairs", _NO_PAIRS, score.formula)
        for key, score in SCORES.items()
        for side in SIDES
    ]


def _gaps() -> list[Measure]:
    return [
        Measure(
            name := f"{key}_difference",
            ABOUT[name],
            (*_columns(key, "masculine"), *_columns(key, "feminine")),
            "pairs",
            _NO_PAIRS,
            _gap(score),
        )
        for key, score in SCORES.items()
    ]


def _gap(score: Score) -> Callable[..., Any]:
    """The difference, from the sums of the masculine versions and then of the feminine ones."""

    def gap(*sums: Any) -> Any:
        return score.better * (score.formula(*sums[: score.width]) - score.formula(*sums[score.width :]))

    return gap


def _interacting(score: Score) -> Callable[..., Any]:
    """Both differences' difference, from the sums of the true part's sides, and then of the false part's."""
    gap = _gap(score)

    def interacting(*sums: Any) -> Any:
        return gap(*sums[: 2 * score.width]) - gap(*sums[2 * score.width :])

    return interacting


def _part(table: Table, part: Any, group: Mapping[str, str], *, seed: int, resamples: int) -> list[Figure]:
    if not part.any():
        ((key, value),) = [item for item in group.items() if item[0] in NOTES]
        return [Figure(metric, group, reason=f"no pair with {key} {value}") for metric in _MAIN]
    return _differences(table.take(part), _gaps(), group, seed=seed, resamples=resamples)


def _differences(
    table: Table, measures: Sequence[Measure], group: Mapping[str, str], *, seed: int, resamples: int
) -> list[Figure]:
    """Figures of the measures; the p of differences by exchanging the sides of pairs."""
    gaps = {f"{key}_difference": (key, _gap(score)) for key, score in SCORES.items()}
    found = figures_of(table, measures, group=group, seed=seed, resamples=resamples)
    return _tested(table, found, gaps, ("",), seed=seed)


def _interaction(
    table: Table, parts: Mapping[str, Any], group: Mapping[str, str], *, seed: int, resamples: int
) -> list[Figure]:
    if not all(part.any() for part in parts.values()):
        why = "the annotation is the same for all pairs"
        return [Figure(f"{key}_interaction", group, reason=why) for key in SCORES]
    marks = tuple(f" {value}" for value in parts)
    split = {
        f"{name}{mark}": values * part
        for name, values in table.counts.items()
        for mark, part in zip(marks, parts.values(), strict=True)
    }
    known = table.adding(split).take(parts["true"] | parts["false"])
    measures = [
        Measure(
            name := f"{key}_interaction",
            ABOUT[name],
            tuple(column for mark in marks for side in SIDES for column in _columns(key, side, mark)),
            "pairs",
            _NO_PAIRS,
            _interacting(score),
        )
        for key, score in SCORES.items()
    ]
    found = figures_of(known, measures, group=group, seed=seed, resamples=resamples)
    gaps = {f"{key}_interaction": (key, _interacting(score)) for key, score in SCORES.items()}
    return _tested(known, found, gaps, marks, seed=seed)


def _tested(
    table: Table,
    figures: Sequence[Figure],
    gaps: Mapping[str, tuple[str, Callable[..., Any]]],
    marks: Sequence[str],
    *,
    seed: int,
) -> list[Figure]:
    """The figures, with p by randomization for those in `gaps`. `marks` end the names of each part's columns."""
    _, codes = table.drawn()
    p: dict[str, float | None] = {}
    for name, (key, formula) in gaps.items():
        first, second = (
            cluster_sums(
                np.stack([table.counts[column] for mark in marks for column in _columns(key, side, mark)], axis=1),
                codes,
            )
            for side in SIDES
        )
        p |= randomized(first, second, {name: _of_sides(formula, SCORES[key].width)}, seed=seed)
    return [replace(figure, p=p[figure.metric]) if figure.metric in p else figure for figure in figures]


def _of_sides(formula: Callable[..., Any], width: int) -> Gap:
    """A formula over sums that are ordered by part and then by side, as a gap between two sides."""

    def gap(first: Array, second: Array) -> Array:
        sums: list[Array] = []
        for start in range(0, first.shape[-1], width):
            sums += [side[..., j] for side in (first, second) for j in range(start, start + width)]
        value: Array = formula(*sums)
        return value

    return gap


def _unpaired(left_out: int, rows: int, group: Mapping[str, str]) -> Figure:
    if not rows:
        return Figure(UNPAIRED, group, reason="no sentences in two versions")
    return Figure(UNPAIRED, group, value=left_out / rows, n=rows, reason="a count, without interval")
