"""Rules of the labels that rows carry: the groups that they speak of, and the axis."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import chain
from typing import Any, ClassVar

from ..problems import Severity
from .faults import Columns, Fault, WholeRule
from .text import normalised

RARER = 20
MOST_LABELS = 200


class MisspeltLabel(WholeRule):
    """A label so near to a far more frequent one that it looks misspelt, or one spelt in two ways."""

    code = "misspelt-label"
    mend = "give both one spelling, or leave it if they are two groups"
    severity: ClassVar[Severity] = "warning"

    columns: ClassVar[tuple[str, ...]]

    def __init__(self) -> None:
        super().__init__()
        self.rows: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))

    def look(self, rows: Columns, numbers: range) -> None:
        for name in self.columns:
            for number, label in zip(numbers, rows.get(name, ()), strict=False):
                if label:
                    self.rows[name][label].append(number)

    def finish(self) -> Iterator[tuple[Fault, list[int]]]:
        for name, found in self.rows.items():
            if len(found) > MOST_LABELS:  # free text, no labels
                continue
            frequent = sorted(found, key=lambda label: (-len(found[label]), label))
            spelt: dict[str, str] = {}
            for at, label in enumerate(frequent):
                other: str | None = spelt.setdefault(normalised(label), label)
                if other == label:
                    much = (more for more in frequent[:at] if len(found[label]) * RARER <= len(found[more]))
                    other = next((more for more in much if _near(label, more)), None)
                if other is not None:
                    yield self.fault(f"{name} {label!r} beside {other!r}"), found[label]


def _near(a: str, b: str) -> bool:
    if min(len(a), len(b)) < 4 or any(letter.isdigit() for letter in a + b):
        return False
    return SequenceMatcher(None, a.casefold(), b.casefold(), autojunk=False).ratio() >= 0.85


class OneGroup(WholeRule):
    """An axis whose rows speak of one group only, so that nothing is compared."""

    code = "one-group"
    mend = "add the groups that it contrasts with"
    severity: ClassVar[Severity] = "warning"

    columns: ClassVar[tuple[str, ...]]

    def __init__(self) -> None:
        super().__init__()
        self.groups: dict[str, set[str]] = defaultdict(set)
        self.rows: dict[str, list[int]] = defaultdict(list)

    def look(self, rows: Columns, numbers: range) -> None:
        present = [rows[name] for name in self.columns if name in rows]
        if not present:
            return
        axes = rows.get("axis") or [""] * len(numbers)
        for number, axis, *groups in zip(numbers, axes, *present, strict=True):
            self.groups[axis].update(group for group in groups if group)
            self.rows[axis].append(number)

    def finish(self) -> Iterator[tuple[Fault, list[int]]]:
        for axis, groups in self.groups.items():
            if len(groups) == 1:
                where = f"axis {axis!r}" if axis else "the file"
                yield self.fault(f"{where} names only {next(iter(groups))!r}"), self.rows[axis]


class Opposite(WholeRule):
    """One entry under two opposite stereotypes: the same contrast, with the same groups the other way round.

    `keys` gives, for a block of rows, what is contrasted and which side the stereotype is said of (or None).
    """

    code = "opposite"
    mend = "decide of whom it is said; the other rows are the contrast or have direction 'anti'"

    def __init__(self) -> None:
        super().__init__()
        self.sides: dict[tuple[Any, ...], dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))

    def keys(self, rows: Columns, numbers: range) -> Iterator[tuple[int, tuple[Any, ...], str]]:
        raise NotImplementedError

    def look(self, rows: Columns, numbers: range) -> None:
        for number, key, side in self.keys(rows, numbers):
            self.sides[key][side].append(number)

    def finish(self) -> Iterator[tuple[Fault, list[int]]]:
        for sides in self.sides.values():
            if len(sides) > 1:
                told = ", ".join(f"{side!r} in {len(rows):,}" for side, rows in sorted(sides.items()))
                yield self.fault(f"the stereotype is said of {told}"), sorted(chain(*sides.values()))


class Duplicates(WholeRule):
    """Rows that say the same: equal but for case, punctuation, spaces and the order of what they compare."""

    code = "duplicate"
    mend = "keep one of them"

    def __init__(self) -> None:
        super().__init__()
        self.first: dict[Any, tuple[int, str]] = {}
        self.again: dict[str, list[int]] = defaultdict(list)

    def keys(self, rows: Columns) -> Iterator[Any]:
        raise NotImplementedError

    def look(self, rows: Columns, numbers: range) -> None:
        names = rows.get("place") or rows.get("id") or [f"row {number + 1}" for number in numbers]
        for number, name, key in zip(numbers, names, self.keys(rows), strict=True):
            first, named = self.first.setdefault(key, (number, name))
            if first != number:
                self.again[named].append(number)

    def finish(self) -> Iterator[tuple[Fault, list[int]]]:
        """The rows told are those that repeat; the first of them is named and not counted."""
        for named, numbers in self.again.items():
            yield self.fault(f"says what {named} says"), numbers
