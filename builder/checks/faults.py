"""A fault of a row, and the three shapes of a row rule: of one text, of one row, of all rows together.

A rule is a plain function (or, for all rows, a small class) whose docstring is its help line and whose code
is stable. It says what it found; its severity and its mend are the rule's own and stand beside it.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from ..languages import Language
from ..problems import Severity

Row = Mapping[str, Any]
Columns = Mapping[str, Sequence[Any]]
Span = tuple[int, int]


@dataclass(frozen=True)
class Fault:
    """What is wrong with a text, a row or several rows. `span` is where in the text, in characters."""

    code: str
    message: str
    mend: str = ""
    severity: Severity = "error"
    span: Span | None = field(default=None, compare=False)


class TextRule(Protocol):
    """A rule of one text. `suspect` is an RE2 pattern that holds of every text in which it finds a fault."""

    @property
    def code(self) -> str: ...

    @property
    def severity(self) -> Severity: ...

    @property
    def help(self) -> str: ...

    def suspect(self, language: Language) -> str: ...

    def __call__(self, text: str, language: Language) -> Iterable[Fault]: ...


@dataclass(frozen=True)
class _FoundInText:
    code: str
    mend: str
    severity: Severity
    pattern: str | Callable[[Language], str]
    find: Callable[[str, Language], Iterator[tuple[str, Span]]]

    @property
    def help(self) -> str:
        return _first_line(self.find)

    def suspect(self, language: Language) -> str:
        pattern = self.pattern if isinstance(self.pattern, str) else self.pattern(language)
        return re.sub(r"\\u([0-9a-f]{4})", r"\\x{\1}", pattern)  # RE2 has no \\u

    def __call__(self, text: str, language: Language) -> Iterator[Fault]:
        for message, span in self.find(text, language):
            yield Fault(self.code, message, self.mend, self.severity, span)


def text_rule(
    code: str, mend: str, *, suspect: str | Callable[[Language], str], severity: Severity = "error"
) -> Callable[[Callable[[str, Language], Iterator[tuple[str, Span]]]], TextRule]:
    """Makes a rule of a function that yields a message and where in the text it found it."""

    def make(find: Callable[[str, Language], Iterator[tuple[str, Span]]]) -> TextRule:
        return _FoundInText(code, mend, severity, suspect, find)

    return make


@dataclass(frozen=True)
class ItemRule:
    """A rule of one row: `find` yields a message for each thing that is wrong with it."""

    code: str
    mend: str
    severity: Severity
    find: Callable[[Row, Language], Iterator[str]]

    @property
    def help(self) -> str:
        return _first_line(self.find)

    def __call__(self, row: Row, language: Language) -> Iterator[Fault]:
        for message in self.find(row, language):
            yield self.fault(message)

    def fault(self, message: str) -> Fault:
        return Fault(self.code, message, self.mend, self.severity)


def item_rule(
    code: str, mend: str, *, severity: Severity = "error"
) -> Callable[[Callable[[Row, Language], Iterator[str]]], ItemRule]:
    """Makes a rule of a function that yields a message for each fault of a row."""

    def make(find: Callable[[Row, Language], Iterator[str]]) -> ItemRule:
        return ItemRule(code, mend, severity, find)

    return make


class WholeRule:
    """A rule of all rows: `add` takes them a block at a time, `finish` tells faults and their rows' numbers.

    Rows count from 0 in the order in which they were added. A column that a file lacks is not in the block.
    A fault without rows is one of the file as a whole.
    """

    code: ClassVar[str]
    mend: ClassVar[str]
    severity: ClassVar[Severity] = "error"

    def __init__(self) -> None:
        self.seen = 0

    def add(self, rows: Columns) -> None:
        count = max((len(column) for column in rows.values()), default=0)
        self.look(rows, range(self.seen, self.seen + count))
        self.seen += count

    def look(self, rows: Columns, numbers: range) -> None:
        raise NotImplementedError

    def finish(self) -> Iterator[tuple[Fault, list[int]]]:
        raise NotImplementedError

    def fault(self, message: str) -> Fault:
        return Fault(self.code, message, self.mend, self.severity)

    @classmethod
    def help(cls) -> str:
        return _first_line(cls)


@dataclass(frozen=True)
class RowRules:
    """The rules of a family's rows. `texts` are its columns of running text, `needed` those it must have.

    `lists` hold lists, in a file as JSON. Of rows that have the same in all columns of `contrast`, a build puts one
    before the rules of one row.
    """

    texts: tuple[str, ...]
    needed: tuple[str, ...]
    optional: tuple[str, ...]
    items: tuple[ItemRule, ...]
    wholes: tuple[type[WholeRule], ...]
    contrast: tuple[str, ...]
    lists: tuple[str, ...] = ()


def _first_line(documented: object) -> str:
    return (inspect.getdoc(documented) or "").split("\n")[0]
