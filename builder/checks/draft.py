"""What the source rules look at: a dataset that has been read and whose templates have been planned."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..problems import Place, Problem, Severity
from ..schema import Entry
from ..sources import Lexicon, Sources


@dataclass
class Draft:
    """`plans` holds, for each template in the order of `sources.templates`, its plan."""

    sources: Sources
    plans: list[Any]

    @cached_property
    def used(self) -> dict[str, set[str]]:
        """Kind -> ids of the entries that some template can be filled with."""
        found: dict[str, set[str]] = {}
        for plan in self.plans:
            for slot, entries in plan.filled.entries.items():
                for kind in plan.filled.kinds.get(slot, []):
                    found.setdefault(kind, set()).update(entry.id for entry in entries)
        return found

    @cached_property
    def lexicons(self) -> list[Lexicon]:
        """The lexicons that this dataset draws on."""
        own, bundled = self.sources.own, self.sources.bundled
        return [*own.values(), *(lexicon for kind, lexicon in bundled.items() if kind in self.used and kind not in own)]

    def entries(self) -> Iterator[tuple[Lexicon, Entry]]:
        """Entries in use, and all of the dataset's own."""
        for lexicon in self.lexicons:
            for id, entry in lexicon.entries.items():
                if entry.state != "retired" and (lexicon.own or id in self.used[lexicon.kind]):
                    yield lexicon, entry


Rule = Callable[[Draft], Iterable[Problem]]


def at(lexicon: Lexicon, entry: Entry, field: str = "id") -> Place:
    place = lexicon.places[entry.id]
    return Place(place.path, place.line, field=field)


def warning(place: Place, code: str, message: str, mend: str) -> Problem:
    severity: Severity = "warning"
    return Problem(place, code, message, mend, severity)
