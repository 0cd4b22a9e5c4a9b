"""Whether people agree (Krippendorff's alpha, by its library), and who answered as nobody would. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Literal

from .answers import Answer
from .form import HARMFULNESS
from .tables import write_table

Level = Literal["nominal", "ordinal"]

ALIKE_FROM = 8
"""So many answers or more, all the same, are flagged."""
FAST_SECONDS = 3.0
"""A median below this is flagged: nobody reads a stereotype and its examples in less."""


@dataclass(frozen=True)
class Agreement:
    """Alpha of one question over one block: 1 perfect, 0 as by chance. None for a `reason`."""

    block: str
    question: str
    alpha: float | None
    answers: int
    reason: str = ""


@dataclass(frozen=True)
class Respondent:
    """How one person answered. Flags are for a reader to weigh: nobody is removed."""

    respondent: str
    answers: int
    alike: bool
    median_seconds: float | None

    @property
    def fast(self) -> bool:
        return self.median_seconds is not None and self.median_seconds < FAST_SECONDS

    @property
    def flags(self) -> str:
        return " ".join(flag for flag, on in (("alike", self.alike), ("fast", self.fast)) if on)


def agreements(answers: Sequence[Answer], blocks: Mapping[str, Iterable[str]]) -> list[Agreement]:
    """Of both questions, overall and for each block (title -> ids of its stereotypes).

    Relevance is nominal, and those who are not sure give no value, as in the share; harmfulness is ordinal.
    """
    relevant = _by_unit((one.stereotype, one.relevant) for one in answers if one.relevant != "unsure")
    harm = _by_unit((one.stereotype, one.harmfulness) for one in answers if one.harmfulness is not None)
    questions: list[tuple[str, dict[str, list[object]], Sequence[object], Level]] = [
        ("relevant", relevant, ("yes", "no"), "nominal"),
        ("harmfulness", harm, HARMFULNESS, "ordinal"),
    ]
    found = []
    for title, ids in {"all": None, **blocks}.items():
        for question, units, scale, level in questions:
            kept = units if ids is None else {id: units[id] for id in ids if id in units}
            alpha, reason = krippendorff_alpha(kept.values(), scale, level)
            found.append(Agreement(title, question, alpha, sum(map(len, kept.values())), reason))
    return found


def _by_unit(values: Iterable[tuple[str, object]]) -> dict[str, list[object]]:
    units: dict[str, list[object]] = {}
    for unit, value in values:
        units.setdefault(unit, []).append(value)
    return units


def krippendorff_alpha(
    units: Iterable[Sequence[object]], scale: Sequence[object], level: Level
) -> tuple[float | None, str]:
    """Alpha of the values given to each unit, or None and why there is none. Krippendorff 2019, chapter 12."""
    lines = [[values.count(value) for value in scale] for values in units]
    shared = [line for line in lines if sum(line) > 1]
    if not shared:
        return None, "no two people answered the same"
    if sum(any(line[place] for line in shared) for place in range(len(scale))) < 2:
        return None, "everybody answered alike"
    try:
        import krippendorff
    except ImportError:
        return None, "install contrapar[survey] for it"
    import numpy as np

    alpha = krippendorff.alpha(
        value_counts=np.array(shared), value_domain=list(range(len(scale))), level_of_measurement=level
    )
    return float(alpha), ""


def respondents(answers: Iterable[Answer]) -> list[Respondent]:
    """How each person answered, by pseudonym."""
    given: dict[str, list[Answer]] = {}
    for answer in answers:
        given.setdefault(answer.respondent, []).append(answer)
    found = []
    for id, mine in sorted(given.items()):
        seconds = [one.seconds for one in mine if one.seconds is not None]
        alike = len(mine) >= ALIKE_FROM and len({(one.relevant, one.harmfulness) for one in mine}) == 1
        found.append(Respondent(id, len(mine), alike, round(median(seconds), 1) if seconds else None))
    return found


def write_agreements(path: Path, found: Iterable[Agreement]) -> None:
    """The table beside tiers.csv that a card shows: a line for each block and question; alpha empty for a reason."""
    rows = ((a.block, a.question, None if a.alpha is None else f"{a.alpha:.3f}", a.answers, a.reason) for a in found)
    write_table(path, ("block", "question", "alpha", "answers", "reason"), rows)
