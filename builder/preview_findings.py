"""Which rows a finding is about, so that it can be seen where it stands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .chain import Chain
from .checks import ROW_RULES, TEXT_RULES, suspect, text_faults
from .languages import language
from .problems import Place, Problem

MOST = 20  # rows kept of each template and fault, besides the sample
Row = Mapping[str, Any]


@dataclass
class Locator:
    """Knows where a dataset's templates, entries and stereotypes stand."""

    chain: Chain
    seen: Counter[tuple[str, str]] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        model = self.chain.sources.dataset.model
        self.rules = ROW_RULES[model.family]
        self.language = language(model.language)
        self.suspect = suspect(self.language)
        self.row_codes = {rule.code for rule in self.rules.items} | {rule.code for rule in TEXT_RULES}
        self.row_codes |= {pattern.code for pattern in self.language.patterns}
        self.known: dict[str, frozenset[tuple[str, str]]] = {}
        self.kinds = {plan.written.model.id: plan.filled.kinds for plan in self.chain.plans}
        self.entries = {
            (place.path, place.line): (lexicon.kind, id)
            for lexicons in (self.chain.sources.own, self.chain.sources.bundled)
            for lexicon in lexicons.values()
            for id, place in lexicon.places.items()
        }
        self.stereotypes = {(place.path, place.line): id for id, place in self.chain.sources.stereotype_places.items()}

    def faulty(self, template: str, table: pa.Table) -> list[int]:
        """Rows, by their number in the table, with a text that a rule finds fault with: the first of each."""
        found: dict[int, None] = {}
        for name in self.rules.texts:
            start = 0
            for chunk in table.column(name).chunks:
                for hit in np.flatnonzero(pc.match_substring_regex(chunk.dictionary, self.suspect)):
                    codes = {fault.code for fault in text_faults(chunk.dictionary[int(hit)].as_py(), self.language)}
                    for number in np.flatnonzero(chunk.indices.to_numpy(zero_copy_only=False) == hit):
                        codes = {code for code in codes if self.seen[template, code] < MOST}
                        if not codes:
                            break
                        self.seen.update((template, code) for code in codes)
                        found[start + int(number)] = None
                start += len(chunk)
        return sorted(found)

    def rows_of(self, problem: Problem, rows: Sequence[Row]) -> list[int]:
        """Which of the rows the problem is about, by their number."""
        matches = self._matcher(problem)
        return [number for number, row in enumerate(rows) if matches(row)]

    def _matcher(self, problem: Problem) -> Callable[[Row], bool]:
        place = problem.place
        for written in self.chain.sources.templates:
            if problem.rows and place == written.place("id"):
                shows = self._shows if problem.code in self.row_codes else _any
                return partial(_both, written.model.id, partial(shows, problem))
        if (path_line := (place.path, place.line)) in self.entries:
            return partial(self._holds, *self.entries[path_line])
        if path_line in self.stereotypes:
            return partial(_is, "stereotype", self.stereotypes[path_line])
        return partial(_is, "template", self._template_at(place))

    def _shows(self, problem: Problem, row: Row) -> bool:
        if row["id"] not in self.known:
            faults = [fault for name in self.rules.texts for fault in text_faults(row[name], self.language)]
            faults += [fault for rule in self.rules.items for fault in rule(row, self.language)]
            self.known[row["id"]] = frozenset((fault.code, fault.message) for fault in faults)
        return any(
            code == problem.code and problem.message.startswith(message) for code, message in self.known[row["id"]]
        )

    def _holds(self, kind: str, id: str, row: Row) -> bool:
        kinds = self.kinds[row["template"]]
        return any(kind in listed and f"{slot}={id}" in row["slots"] for slot, listed in kinds.items())

    def _template_at(self, place: Place) -> str:
        """The template in whose lines a place is; '' where there is none."""
        before = [
            (written.place().line, written.model.id)
            for written in self.chain.sources.templates
            if written.document.path == place.path and written.place().line <= place.line
        ]
        return max(before)[1] if before else ""


def _any(problem: Problem, row: Row) -> bool:
    return True


def _is(column: str, value: str, row: Row) -> bool:
    return bool(row[column] == value)


def _both(template: str, shows: Callable[[Row], bool], row: Row) -> bool:
    return bool(row["template"] == template) and shows(row)
