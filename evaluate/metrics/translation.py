"""Figures of translations: the gender that occupations are given, and the quality of men's and women's versions (pure).

Occupations: what share comes out masculine and feminine, against who does the work (`grape`), and whether a gender
that the sentence tells is kept (`winomt`). Versions of one sentence: chrF++ and TER (`contrasts`).
"""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from . import contrasts, grape, winomt
from .contrasts import contrast_figures
from .cuts import figures_of, share
from .figure import About, Figure
from .grape import occupation_figures
from .quality import signatures as signatures  # of the scores, as sacrebleu writes them
from .translation_rows import REQUIRED as REQUIRED  # as every family has it
from .translation_rows import gold, mentions, replies, sound
from .winomt import winomt_figures

_EMPTY = share("empty_share", "empty", "all", About("share of sentences without a translation", 0, 1), "no rows")
ABOUT = {**grape.ABOUT, **winomt.ABOUT, **contrasts.ABOUT, _EMPTY.name: _EMPTY.about}
NAMES = {
    "masculine_share": "masculine",
    "feminine_share": "feminine",
    "neutral_share": "without gender",
    "missing_share": "occupation not found",
    "unsought_share": "occupation without words",
    "grape_m": "GRAPE-M",
    "grape_f": "GRAPE-F",
    "women_share": "women who work in it",
    "occupation_r": "r with share of women",
    "winomt_accuracy": "WinoMT accuracy",
    "winomt_f1_masculine": "F1 of masculine",
    "winomt_f1_feminine": "F1 of feminine",
    "winomt_delta_g": "ΔG (WinoMT)",
    "winomt_delta_s": "ΔS (WinoMT)",
    "chrf_masculine": "chrF++, masculine",
    "chrf_feminine": "chrF++, feminine",
    "chrf_difference": "Δ chrF++",
    "chrf_interaction": "interaction, chrF++",
    "ter_masculine": "TER, masculine",
    "ter_feminine": "TER, feminine",
    "ter_difference": "Δ TER",
    "ter_interaction": "interaction, TER",
    "unpaired_share": "versions without a pair",
    "empty_share": "empty",
}
HALVES = {
    "target_language": {
        "ca": "into Catalan",
        "en": "into English",
        "es": "into Spanish",
        "eu": "into Basque",
        "fr": "into French",
        "gl": "into Galician",
        "nl": "into Dutch",
    }
}
SHOWN = (
    "masculine_share",
    "grape_m",
    "grape_f",
    "chrf_difference",
    "ter_difference",
    "chrf_interaction",
    "ter_interaction",
)
CUTS = {
    "axis": "By axis",
    "tier": "By relevance tier",
    "occupation": "By occupation",
    "several_people": "By whether several people occur",
    "proper_name": "By whether a name tells the gender",
    "unmarked_masculine": "By whether the masculine may speak of everybody",
    "annotation": "Where an annotation is true, less where it is not",
}
FAILED = ("missing_share", "unsought_share", "unpaired_share", "empty_share")
STRATA = ("kind", "entity")
# a picture of groups: which they are, and the metrics from left to right and from below
SCATTER = ("occupation", "women_share", "feminine_share")
RANKING = None


def figures(frame: pd.DataFrame, *, seed: int, resamples: int) -> list[Figure]:
    """All figures of the translated rows `frame` (REQUIRED columns); by target language where there are several.

    `found` is the gender that the translation gives to `entity`: masculine, feminine, neutral or missing, or "" where
    it was not looked for; `share` is the share of women in the occupation. SourceFaults where a row is not sound.
    """
    rows = sound(frame)
    languages = sorted(rows["target_language"].unique())
    if len(languages) < 2:
        return _into_one(rows, {}, seed=seed, resamples=resamples)
    return [
        figure
        for language in languages
        for figure in _into_one(
            rows[rows["target_language"] == language].reset_index(drop=True),
            {"target_language": language},
            seed=seed,
            resamples=resamples,
        )
    ]


def _into_one(rows: pd.DataFrame, group: Mapping[str, str], *, seed: int, resamples: int) -> list[Figure]:
    """Of what the rows ask: of occupations, of genders that are told, of versions."""
    found = figures_of(replies(rows), [_EMPTY], group=group, seed=seed, resamples=resamples)
    contrast = rows["kind"] == "contrast"
    table, women = mentions(rows)
    if len(table):
        found += occupation_figures(table, women, group=group, seed=seed, resamples=resamples)
    if (rows.loc[~contrast, "gender"] != "").any():
        found += winomt_figures(gold(rows), group=group, seed=seed, resamples=resamples)
    if contrast.any():
        found += contrast_figures(rows, group=group, seed=seed, resamples=resamples)
    return found
