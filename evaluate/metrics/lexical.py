"""Figures of questions on the words of a country: does it use this word, which of these words does it use (pure).

Kawasaki 2026: accuracy, precision, recall and F1 of yes and no, sec. 3.3; the Jaccard coefficient of the answered
set and the right one, and what it is beyond chance. As there, replies that are no valid answer are left out, and
the share of valid ones is told. What is marked "invalid wrong" counts them: who answers only what is easy gains
nothing there. A country's score is over its questions; all rows together are one more.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from ..statistics import Interval
from .cuts import Intervals, Measure, cut, figures_of, share
from .figure import About, Figure
from .lexical_rows import FORMATS, OUTCOMES, counted, sound
from .lexical_rows import REQUIRED as REQUIRED  # as every family has it
from .ranks import Correlation, spearman
from .table import Table

_NO_ROWS = "no rows"
_NO_VALID = "no valid answer"


def _harmonic(first: float, second: float) -> float:
    return 2 * first * second / (first + second) if first + second else 0.0


def _f1_at_most(earlier: Intervals) -> Interval | None:
    """F1 grows with precision and with recall. Without a yes there is no precision, and recall is 0."""
    recall = earlier.get("recall")
    if recall is None:
        return None
    precision = earlier.get("precision") or Interval(0.0, 1.0)
    return Interval(_harmonic(precision.low, recall.low), _harmonic(precision.high, recall.high))


def _f1(right_yes: Any, wrong_yes: Any, missed_yes: Any) -> Any:
    return 2 * right_yes / (2 * right_yes + wrong_yes + missed_yes)


def _mean(sum_of: Any, rows: Any) -> Any:
    return sum_of / rows


_VALID = share("valid_ratio", "valid", "rows", About("share of replies that are a valid answer", 0, 1), _NO_ROWS)
_ALL = About("share of rows answered right; what is no valid answer is wrong", 0, 1)
_FAILURES = tuple(
    share(f"{outcome}_share", outcome, "rows", About(f"share of rows with outcome {outcome}", 0, 1), _NO_ROWS)
    for outcome in OUTCOMES[1:]
)
_YES_NO = (
    _VALID,
    share("accuracy", "right", "valid", About("share of valid answers that are right", 0, 1), _NO_VALID),
    share(
        "precision",
        "right_yes",
        "said_yes",
        About("share of the words said to be used that are used", 0, 1),
        "no valid answer is yes",
    ),
    share(
        "recall",
        "right_yes",
        "valid_yes",
        About("share of the words in use that are said to be used", 0, 1),
        "no valid answer to a question with the answer yes",
    ),
    Measure(
        "f1",
        About("harmonic mean of precision and recall of yes", 0, 1),
        ("right_yes", "wrong_yes", "missed_yes"),
        "any_yes",
        "no yes, neither answered nor right, among the valid answers",
        _f1,
        widest=_f1_at_most,
    ),
    share("yes_share", "said_yes", "valid", About("share of valid answers that are yes", 0, 1), _NO_VALID),
    share("accuracy_all", "right", "rows", _ALL, _NO_ROWS),
    Measure(
        "f1_all",
        About("F1 over all rows; what is no valid answer says yes to nothing", 0, 1),
        ("right_yes", "wrong_yes", "all_missed_yes"),
        "all_any_yes",
        "no yes, neither answered nor right",
        _f1,
    ),
    *_FAILURES,
)
_CHOICE = (
    _VALID,
    share("exact_share", "exact", "valid", About("share of valid answers that are the right set", 0, 1), _NO_VALID),
    share(
        "jaccard",
        "jaccard",
        "valid",
        About("mean overlap of the answered set and the right one, over valid answers", 0, 1),
        _NO_VALID,
    ),
    Measure(
        "jaccard_adjusted",
        About("that overlap beyond chance, with the paper's approximation of chance; 1 = the right set", -1, 1, 0),
        ("adjusted", "valid"),
        "valid",
        _NO_VALID,
        _mean,
    ),
    Measure(
        "jaccard_adjusted_exactly",
        About("that overlap beyond chance, with the exact expectation: 0 is what chance gives", -1, 1, 0),
        ("adjusted_exactly", "valid"),
        "valid",
        _NO_VALID,
        _mean,
    ),
    Measure(
        "jaccard_adjusted_all",
        About("the paper's over all rows; what is no valid answer is at chance, 0", -1, 1, 0),
        ("adjusted", "rows"),
        "rows",
        _NO_ROWS,
        _mean,
    ),
    *_FAILURES,
)
MEASURES = {"yes_no": _YES_NO, "choice": _CHOICE}
MAIN = {"yes_no": "f1", "choice": "jaccard_adjusted"}
ABOUT = {measure.name: measure.about for measures in MEASURES.values() for measure in measures} | {
    "options_rho": About("rank correlation, over concepts, of their number of options with their mean score", -1, 1, 0),
    "formats_rho": About("rank correlation, over countries, of their F1 with their adjusted Jaccard", -1, 1, 0),
}
NAMES = {
    "valid_ratio": "valid ratio",
    "accuracy": "accuracy",
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
    "yes_share": "answered yes",
    "accuracy_all": "accuracy, invalid wrong",
    "f1_all": "F1, invalid wrong",
    "exact_share": "the right set",
    "jaccard": "Jaccard",
    "jaccard_adjusted": "adjusted Jaccard",
    "jaccard_adjusted_exactly": "adjusted Jaccard, exact",
    "jaccard_adjusted_all": "adj. J., invalid at chance",
    "refusal_share": "refused",
    "empty_share": "empty",
    "invalid_share": "invalid",
    "options_rho": "rho with number of options",
    "formats_rho": "rho between formats",
}
HALVES = {"format": FORMATS}
SHOWN = tuple(MAIN.values())
HEAT = "country"  # what the rows of the shaded tables are
CUTS = {"country": "By country", "concept_id": "By concept"}
# how what is no answer counts
COUNTED = "They are left out of the scores, as published; what is marked invalid wrong counts them as wrong."
FAILED = ("refusal_share", "empty_share", "invalid_share")
STRATA = ("format", "country", "concept_id")
RANKING = None


def figures(frame: pd.DataFrame, *, seed: int, resamples: int) -> list[Figure]:
    """All figures of the answered rows `frame` (REQUIRED columns), whole concepts being drawn for intervals.

    `gold` and `answer` are positions among `n_options`; of a yes-no row 0 is yes. `answer` is null where `outcome`
    is not "answer". SourceFaults where a row is not sound.
    """
    rows = sound(frame)
    found: list[Figure] = []
    for name in FORMATS:
        mine = rows[rows["format"] == name].reset_index(drop=True)
        if len(mine):
            found += _of_format(counted(mine, name, tuple(CUTS)), name, seed=seed, resamples=resamples)
    if set(FORMATS) <= set(rows["format"]):
        scores = [by_country(found, name) for name in FORMATS]
        both = sorted(set(scores[0]) & set(scores[1]))
        result = spearman(
            *([score[country] for country in both] for score in scores), seed=seed, permutations=resamples
        )
        found.append(_correlated("formats_rho", result, {}, "country"))
    return found


def by_country(found: Sequence[Figure], format: str) -> dict[str, float]:
    """The main figure of each country in one format, where it has a value: what rankings and regressions take."""
    return {
        figure.group["country"]: figure.value
        for figure in found
        if figure.metric == MAIN[format]
        and dict(figure.group).keys() == {"format", "country"}
        and figure.group["format"] == format
        and figure.value is not None
    }


def _of_format(table: Table, name: str, *, seed: int, resamples: int) -> list[Figure]:
    options: dict[str, Any] = {"seed": seed, "resamples": resamples}
    group, measures = {"format": name}, MEASURES[name]
    found = figures_of(table, measures, group=group, **options)
    for by in CUTS:
        found += cut(table, measures if by == "country" else _brief(name), by, group=group, **options)
    if name == "choice":
        found.append(_with_options(table, seed=seed, permutations=resamples))
    return found


def _brief(name: str) -> list[Measure]:
    """The main measure, and what its interval needs."""
    needed = (MAIN[name], "valid_ratio", "precision", "recall")
    return [measure for measure in MEASURES[name] if measure.name in needed]


def _with_options(table: Table, *, seed: int, permutations: int) -> Figure:
    """Are concepts with more words harder? Over concepts, which are independent where rows are not."""
    valid = table.take(table.counts["valid"] == 1)
    means = pd.DataFrame(
        {"options": valid.counts["options"], "score": valid.counts["adjusted"], "concept": valid.keys["concept_id"]}
    )
    means = means.groupby("concept")[["options", "score"]].mean()
    result = spearman(means["options"].tolist(), means["score"].tolist(), seed=seed, permutations=permutations)
    return _correlated("options_rho", result, {"format": "choice"}, "concept")


def _correlated(metric: str, result: Correlation, group: dict[str, str], unit: str) -> Figure:
    if result.p is None:
        why = "fewer than three" if result.n < 3 else "no order"
        return Figure(metric, group, n=result.n, reason=f"{why} among what is ranked")
    return Figure(
        metric, group, value=result.value, n=result.n, clusters=result.n, unit=unit, p=result.p,
        reason="p by permutation, without interval",
    )  # fmt: skip
