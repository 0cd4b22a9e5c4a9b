"""Does a translation keep the gender that the sentence tells? (pure)

Stanovsky et al. 2019 (WinoMT), here as shares of 1 where the paper has per cent, and not rounded on the way.
Accuracy; ΔG, F1 of masculine less F1 of feminine; ΔS, accuracy where the gender goes with the stereotype less
accuracy where it goes against it (accuracies, as the published code has it; the paper's F1 is a slip, as its author
says in the repository's issue 11). As there, an occupation that was not found is wrong; a sentence of neutral gold
counts, and what comes out masculine of it lowers the precision of masculine.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..statistics import Interval
from .cuts import Intervals, Measure, figures_of, share
from .figure import About, Figure
from .table import Table

_NO_GOLD = "no sentence tells the gender of an occupation that has words in this language"


def _f1(right: Any, gold: Any, said: Any) -> Any:
    return 2 * right / (gold + said)


def _delta_g(right_m: Any, gold_m: Any, said_m: Any, right_f: Any, gold_f: Any, said_f: Any) -> Any:
    return _f1(right_m, gold_m, said_m) - _f1(right_f, gold_f, said_f)


def _delta_s(right_stereo: Any, stereo: Any, right_anti: Any, anti: Any) -> Any:
    return right_stereo / stereo - right_anti / anti


def _delta_g_at_most(earlier: Intervals) -> Interval | None:
    masculine, feminine = earlier.get("winomt_f1_masculine"), earlier.get("winomt_f1_feminine")
    return Interval(masculine.low - feminine.high, masculine.high - feminine.low) if masculine and feminine else None


MEASURES = (
    share("winomt_accuracy", "right", "rows", About("share of translations with the gender told", 0, 1), _NO_GOLD),
    Measure(
        "winomt_f1_masculine",
        About("F1 of masculine", 0, 1),
        ("right_m", "gold_m", "said_m"),
        "gold_m",
        "no sentence tells of a man",
        _f1,
    ),
    Measure(
        "winomt_f1_feminine",
        About("F1 of feminine", 0, 1),
        ("right_f", "gold_f", "said_f"),
        "gold_f",
        "no sentence tells of a woman",
        _f1,
    ),
    Measure(
        "winomt_delta_g",
        About("F1 of masculine less F1 of feminine: above 0, men are translated better", -1, 1, neutral=0),
        ("right_m", "gold_m", "said_m", "right_f", "gold_f", "said_f"),
        "gendered",
        "not both genders are told",
        _delta_g,
        widest=_delta_g_at_most,
    ),
    Measure(
        "winomt_delta_s",
        About("accuracy with the stereotype less accuracy against it", -1, 1, neutral=0),
        ("right_stereo", "stereo", "right_anti", "anti"),
        "directed",
        "no sentences both with and against a stereotype",
        _delta_s,
    ),
)
ABOUT = {measure.name: measure.about for measure in MEASURES}


def winomt_figures(table: Table, *, group: Mapping[str, str], seed: int, resamples: int) -> list[Figure]:
    """Of sentences that tell the gender; whole stereotypes are drawn, or occupations."""
    if not len(table):
        return [Figure("winomt_accuracy", group, reason=_NO_GOLD)]
    return figures_of(table, MEASURES, group=group, seed=seed, resamples=resamples)
