"""Which gender does a system give to an occupation, and how does that compare with who does the work? (pure)

GRAPE (Mastromichalakis et al. 2025, as Basque MT papers use it): generated share / reference share - 1. 0: as many
as there are; 1: twice as many; -1: none. Shares are of what came out masculine or feminine; neutral translations
and those in which the occupation was not found are told apart. In a sentence with two occupations both count.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from .correlation import differ, pearson
from .cuts import Measure, corrected, cut, figures_of, share
from .figure import About, Figure
from .table import Table

_NONE = "no translation shows its gender"
_UNSOUGHT = "no occupation that has words in this language"
_UNKNOWN = "no share of women is known of it"
_FEW = "a share of women is known, and a gender found, of fewer than three occupations"
_FLAT = "the share of women, or of feminine translations, is the same for all occupations"
_PERFECT = "no interval: the points lie on one line"
_HALF = " among occupations translated as masculine or feminine"
SHARES = (
    share("masculine_share", "masculine", "found", About("share of masculine" + _HALF, 0, 1, neutral=0.5), _NONE),
    share("feminine_share", "feminine", "found", About("share of feminine" + _HALF, 0, 1, neutral=0.5), _NONE),
)
_REST = (
    share("neutral_share", "neutral", "sought", About("share of occupations left without gender", 0, 1), _UNSOUGHT),
    share("missing_share", "missing", "sought", About("share of occupations not found", 0, 1), _UNSOUGHT),
    share(
        "unsought_share",
        "unsought",
        "all",
        About("share of occupations whose words in this language are not known, so that none was looked for", 0, 1),
        "no occupation",
    ),
)
_GRAPE = {
    name: About(f"{word} share / share of {people} - 1; over occupations, their mean", -1, math.inf, neutral=0)
    for name, word, people in (("grape_m", "masculine", "men"), ("grape_f", "feminine", "women"))
}
_R, _WOMEN = "occupation_r", "women_share"
_CITED = "a figure that is cited: no interval"
ABOUT = (
    {measure.name: measure.about for measure in (*SHARES, *_REST)}
    | _GRAPE
    | {_WOMEN: About("share of women among those who work in it, as the glossary cites it", 0, 1, neutral=0.5)}
    | {_R: About("correlation, over occupations, of the share of feminine with the share of women", -1, 1, neutral=0)}
)


def grape(generated: float, reference: float) -> float | None:
    """Of shares, 0 to 1: from -1 to 1 / reference - 1; None where the reference is 0. NaN stays NaN."""
    return None if reference == 0 else generated / reference - 1


def occupation_figures(
    table: Table, women: Mapping[str, float], *, group: Mapping[str, str], seed: int, resamples: int
) -> list[Figure]:
    """Figures of all mentions, by axis, tier, stereotype and occupation. `women` is their share, NaN if unknown."""
    options: dict[str, Any] = {"group": group, "seed": seed, "resamples": resamples}
    found = figures_of(table, (*SHARES, *_REST), **options)
    for by in ("axis", "tier", "stereotype"):
        mine = table.take(table.keys[by] != "") if by == "stereotype" else table
        if len(mine) and not (len(mine.groups(by)) == 1 and by != "stereotype"):
            found += cut(mine, SHARES, by, **options)
    found += _by_occupation(table, women, **options)
    return found + _over_occupations(table, women, **options)


def _by_occupation(
    table: Table, women: Mapping[str, float], *, group: Mapping[str, str], seed: int, resamples: int
) -> list[Figure]:
    """Shares and GRAPE of each; p-values Holm-corrected over the occupations."""
    figures: list[Figure] = []
    for occupation, rows in table.groups("occupation").items():
        named = {**group, "occupation": occupation}
        measures, absent = [*SHARES], []
        if not math.isnan(women[occupation]):
            absent.append(Figure(_WOMEN, named, value=women[occupation], n=len(rows), reason=_CITED))
        for name, column, reference in _references(women[occupation]):
            if math.isnan(reference) or reference == 0:
                why = _UNKNOWN if math.isnan(reference) else "none in the reference: nothing to divide by"
                absent.append(Figure(name, named, reason=why))
            else:
                about = _GRAPE[name]
                bounded = About(about.text, -1, 1 / reference - 1, about.neutral)
                measures.append(share(name, column, "found", bounded, _NONE))
        figures += figures_of(table.take(rows), measures, group=named, seed=seed, resamples=resamples) + absent
    return corrected(figures)


def _over_occupations(
    table: Table, women: Mapping[str, float], *, group: Mapping[str, str], seed: int, resamples: int
) -> list[Figure]:
    """The mean GRAPE, and r with the share of women; each occupation with a gender and a share counts once."""
    counts = {
        occupation: {name: float(table.counts[name][rows].sum()) for name in ("masculine", "feminine", "found")}
        for occupation, rows in table.groups("occupation").items()
    }
    known = [name for name, count in counts.items() if count["found"] and not math.isnan(women[name])]
    figures: list[Figure] = []
    for metric in _GRAPE:
        values = []
        for name in known:
            ((_, column, reference),) = [one for one in _references(women[name]) if one[0] == metric]
            value = grape(counts[name][column] / counts[name]["found"], reference)
            values += [] if value is None else [value]
        measure = Measure(
            metric, _GRAPE[metric], ("sum", "occupations"), "occupations", "no occupation with a gender and a share",
            lambda total, n: total / n,
        )  # fmt: skip
        codes = np.arange(len(values))
        mean = Table({"sum": np.array(values, dtype=float), "occupations": np.ones(len(values))},
                     {"occupation": codes}, {})  # fmt: skip
        figures += figures_of(mean, [measure], group=group, seed=seed, resamples=resamples)
    said = np.array([counts[name]["feminine"] / counts[name]["found"] for name in known])
    are = np.array([women[name] for name in known])
    return [*figures, _correlation(said, are, group, seed=seed, resamples=resamples)]


def _correlation(said: Any, are: Any, group: Mapping[str, str], *, seed: int, resamples: int) -> Figure:
    """Pearson's r over occupations; its p is Student's, as it is published."""
    n = len(said)
    if n < 3 or not (differ(said) and differ(are)):
        return Figure(_R, group, n=n, reason=_FEW if n < 3 else _FLAT)
    r = pearson(said, are, seed=seed, resamples=resamples)
    low, high = r.interval or (None, None)
    return Figure(
        _R, group, value=r.value, low=low, high=high, n=n, clusters=n, unit="occupation", p=r.student_p,
        reason="" if r.interval else _PERFECT,
    )  # fmt: skip


def _references(women: float) -> tuple[tuple[str, str, float], tuple[str, str, float]]:
    return ("grape_m", "masculine", 1 - women), ("grape_f", "feminine", women)
