"""Answers: one line each, whether a server gave them or people gathered them elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..builder.csv_files import Row
from ..builder.problems import Place, Problem, nearest
from .form import HARMFULNESS, relevance_words
from .subjects import Subject, by_name, comparable
from .tables import guarded, rows_of, unguarded, write_table

FEWEST = 5
"""A group of fewer respondents is told as 'fewer than 5'."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What one person, known by a keyed hash alone, said of one stereotype. `seconds` is how long it took."""

    respondent: str
    stereotype: str
    relevant: str
    harmfulness: int | None = None
    seconds: float | None = None


@dataclass(frozen=True, order=True)
class Proposal:
    """A stereotype that people miss, in their words; `people` is how many wrote it."""

    axis: str
    group: str
    text: str
    people: int = 1


@dataclass(frozen=True)
class Tally:
    """The answers to one stereotype: how many said what, and the harm that they see, -1 to 4."""

    stereotype: str
    yes: int = 0
    no: int = 0
    unsure: int = 0
    harm_mean: float | None = None
    harm_sd: float | None = None
    harm_n: int = 0

    @property
    def answers(self) -> int:
        return self.yes + self.no + self.unsure


def write_answers(path: Path, answers: Iterable[Answer]) -> None:
    write_table(
        path,
        ("respondent", "stereotype", "relevant", "harmfulness", "seconds"),
        ((one.respondent, one.stereotype, one.relevant, one.harmfulness, one.seconds) for one in answers),
    )


def read_answers(path: Path, known: Iterable[Subject]) -> tuple[list[Answer], list[Problem]]:
    """Answers of a file, and what was left out of it: columns respondent, stereotype, relevant, harmfulness.

    A stereotype is told by its id or by its text; relevant in any of our languages. The last answer of a
    respondent to a stereotype counts.
    """
    named, words = by_name(known), relevance_words()
    problems: list[Problem] = []
    found: dict[tuple[str, str], Answer] = {}
    earlier = 0
    for row in rows_of(path, ("respondent", "stereotype", "relevant")):
        fault = _Faults(path, row, problems)
        stereotype = fault.stereotype(named)
        respondent = row.cells["respondent"]
        if not respondent:
            fault("respondent", "no-respondent", "nobody gave this answer")
        relevant = words.get(row.cells["relevant"].casefold())
        if relevant is None:
            known_words = ", ".join(sorted(set(words)))
            fault("relevant", "impossible-answer", f"{row.cells['relevant']!r} is none of {known_words}")
        harm = fault.number("harmfulness", HARMFULNESS[0], HARMFULNESS[-1])
        seconds = fault.number("seconds", 0, float("inf"))
        if fault.found or stereotype is None or relevant is None:
            continue
        if harm is not None and harm != int(harm):
            fault("harmfulness", "impossible-answer", f"{harm} is no whole number")
            continue
        earlier += (respondent, stereotype) in found
        whole = None if harm is None else int(harm)
        found[respondent, stereotype] = Answer(respondent, stereotype, relevant, whole, seconds)
    if earlier:
        message = f"{earlier} earlier answers of the same respondents were set aside"
        problems.append(Problem(Place(str(path)), "earlier-answers", message, severity="warning"))
    return list(found.values()), problems


def read_counts(path: Path, known: Iterable[Subject]) -> tuple[list[Tally], list[Problem]]:
    """Counts of a file, and what was left out of it: columns stereotype, yes, no, unsure (or not_sure)."""
    named = by_name(known)
    problems: list[Problem] = []
    found: dict[str, Tally] = {}
    for row in rows_of(path, ("stereotype", "yes", "no")):
        fault = _Faults(path, row, problems)
        stereotype = fault.stereotype(named)
        unsure = next((name for name in ("unsure", "not_sure", "not sure") if name in row.cells), "unsure")
        counts = [fault.number(name, 0, float("inf")) for name in ("yes", "no", unsure)]
        mean = fault.number("harmfulness_mean", HARMFULNESS[0], HARMFULNESS[-1])
        sd = fault.number("harmfulness_sd", 0, float("inf"))
        heard = fault.number("harmfulness_n", 0, float("inf"))
        if stereotype in found:
            fault("stereotype", "doubled-id", f"{stereotype!r} stands twice")
        whole = [0 if count is None else int(count) for count in (*counts, heard)]
        if whole != [count or 0 for count in (*counts, heard)]:
            fault("yes", "impossible-answer", "a count is a whole number")
        if not fault.found and stereotype is not None:
            yes, no, not_sure, harm_n = whole
            found[stereotype] = Tally(stereotype, yes, no, not_sure, mean, sd, harm_n)
    return list(found.values()), problems


class _Faults:
    """Tells what is wrong with one row."""

    def __init__(self, path: Path, row: Row, problems: list[Problem]) -> None:
        self.path, self.row, self.problems = path, row, problems
        self.found = False

    def __call__(self, column: str, code: str, message: str, mend: str = "the row is left out") -> None:
        self.found = True
        place = Place(str(self.path), self.row.line, field=column)
        self.problems.append(Problem(place, code, message, mend, "warning"))

    def stereotype(self, named: Mapping[str, str]) -> str | None:
        cell = self.row.cells["stereotype"]
        id = named.get(cell) or named.get(comparable(cell))
        if id is None:
            message = f"{cell!r} is no stereotype of the dataset"
            self("stereotype", "unknown-stereotype", message, f"the row is left out; {nearest(cell, named)}")
        return id

    def number(self, column: str, low: float, high: float) -> float | None:
        cell = self.row.cells.get(column, "").replace(",", ".")
        if not cell:
            return None
        try:
            value = float(cell)
        except ValueError:
            value = float("nan")
        if not low <= value <= high or value == float("inf"):
            self(column, "impossible-answer", f"{cell!r} is no number from {low:g} to {high:g}")
            return None
        return value


def write_proposals(path: Path, proposals: Iterable[Proposal]) -> None:
    rows = ((one.axis, one.group, guarded(one.text), one.people) for one in proposals)
    write_table(path, ("axis", "group", "text", "people"), rows)


def read_proposals(path: Path) -> list[Proposal]:
    """What `write_proposals` wrote. Raises SourceFaults."""
    return [
        Proposal(row.cells["axis"], row.cells["group"], unguarded(row.cells["text"]), int(row.cells["people"] or 1))
        for row in rows_of(path, ("axis", "group", "text", "people"))
    ]


def belonging(belong: Counter[str], groups: Sequence[str]) -> list[tuple[str, str]]:
    """How many respondents say they belong to a group, as text; small groups are not told exactly."""
    return [(group, str(belong[group]) if belong[group] >= FEWEST else f"fewer than {FEWEST}") for group in groups]
