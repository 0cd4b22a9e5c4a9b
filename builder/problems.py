"""A fault: where it is, what it is, and how to mend it. And the errors that carry faults to the user.

ContraparError          one line for the user
├── UsageError          the command was used wrongly (exit code 2)
└── SourceFaults        what was read is faulty; holds every fault found (exit code 1)
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

# a note is doubtful, or says what was not looked at: it never fails a check
Severity = Literal["error", "warning", "note"]
LONGEST = 60  # characters of somebody else's word in a message of ours
LONGEST_MESSAGE = 1_000


@dataclass(frozen=True, order=True)
class Place:
    """Where a fault is. Lines and columns count from 1; `field` is the name of a table's column."""

    path: str
    line: int = 0
    column: int = 0
    field: str = ""

    def __str__(self) -> str:
        parts = [self.path]
        if self.line:
            parts.append(str(self.line))
        if self.field:
            parts.append(self.field)
        elif self.column:
            parts.append(str(self.column))
        return ":".join(parts)


@dataclass(frozen=True, order=True)
class Problem:
    """One fault, told once, with its mend. `rows` is how many rows it touches, 0 where that is not known."""

    place: Place
    code: str
    message: str
    mend: str = ""
    severity: Severity = "error"
    rows: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"{self.place}: {self.severity} {self.code}: {self.said}"

    @property
    def said(self) -> str:
        """Message and mend, of a length that can be read."""
        message = self.message if len(self.message) <= LONGEST_MESSAGE else f"{self.message[:LONGEST_MESSAGE]}..."
        return f"{message}; {self.mend}" if self.mend else message

    def as_dict(self) -> dict[str, str | int]:
        """The fault as flat JSON."""
        return {
            "path": self.place.path,
            "line": self.place.line,
            "column": self.place.column,
            "field": self.place.field,
            "severity": self.severity,
            "code": self.code,
            "message": self.message,
            "mend": self.mend,
            "rows": self.rows,
        }

    def as_github(self) -> str:
        """The fault as an annotation command of GitHub Actions."""
        where = f"file={_property(self.place.path)}"
        if self.place.line:
            where += f",line={self.place.line}"
        if self.place.column:
            where += f",col={self.place.column}"
        level = "notice" if self.severity == "note" else self.severity
        return f"::{level} {where},title={_property(self.code)}::{_data(self.said)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


class ContraparError(Exception):
    """Something that a user can mend, said in one line."""


class UsageError(ContraparError):
    """The command was used wrongly."""


class SourceFaults(ContraparError):
    """What was read has faults; `problems` holds all of them."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = sorted(problems)
        super().__init__("\n".join(map(str, self.problems)))


def nearest(word: str, known: Iterable[str]) -> str:
    """A mend that names the nearest known word, or lists a few."""
    choices = sorted(known)
    close = difflib.get_close_matches(word[:LONGEST], choices, n=1, cutoff=0.6)
    if close:
        return f"did you mean {close[0][:LONGEST]!r}?"
    if not choices:
        return "there is none yet"
    shown = ", ".join(choice[:LONGEST] for choice in choices[:8])
    return f"known: {shown}" + (", ..." if len(choices) > 8 else "")
