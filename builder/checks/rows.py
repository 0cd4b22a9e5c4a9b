"""The row rules as a build applies them: to texts that hold words side by side not seen before, and to one row of
each contrast. Only where something was found is every text looked at, to tell how many rows have it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..languages import Language
from ..problems import Place, Problem
from ..rows import Block
from .faults import Fault, RowRules
from .text import suspect, text_faults

MOST_A_TEMPLATE = 20
LARGEST_TABLE = 1 << 22
FEW = 8  # texts that are looked at sooner than a pattern for all rules is compiled


@dataclass
class Found:
    """How many rows have a fault, and a text that shows it."""

    rows: int = 0
    example: str = ""


@dataclass
class RowCheck:
    """Gathers the faults of rows by template, so that what a template repeats is told once."""

    rules: RowRules
    language: Language
    found: dict[tuple[str, Fault], Found] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.suspect = suspect(self.language)

    def add(self, template: str, block: Block) -> bool:
        """Looks at a block; True where a closer look at all rows of the template is owed (see `count`)."""
        numbers = _contrasts(block.table, self.rules.contrast)
        for number, row in zip(numbers, block.table.take(pa.array(numbers, pa.int64())).to_pylist(), strict=True):
            row.update(block.about(number))
            for rule in self.rules.items:
                for fault in rule(row, self.language):
                    self._count(template, fault, 1, " / ".join(str(row[name]) for name in self.rules.texts[:2]))
        if block.new is None:
            self.count(template, block.table)
            return False
        texts = pa.chunked_array([*block.new.values()])
        if len(texts) <= FEW:
            return any(text_faults(text, self.language) for text in texts.to_pylist())
        return bool( pc.any(pc.match_substring_regex(texts, self.suspect)).as_py())

    def count(self, template: str, table: pa.Table) -> None:
        """Finds the faults of all texts, and how many rows have each."""
        for name in self.rules.texts:
            for chunk in table.column(name).chunks:
                self._texts(template, chunk)

    def _texts(self, template: str, column: pa.DictionaryArray) -> None:
        hits = np.flatnonzero(pc.match_substring_regex(column.dictionary, self.suspect).to_numpy(zero_copy_only=False))
        if not len(hits):
            return
        counts = np.bincount(column.indices.to_numpy(zero_copy_only=False), minlength=len(column.dictionary))
        for hit in hits:
            text = column.dictionary[int(hit)].as_py()
            for fault in text_faults(text, self.language):
                self._count(template, fault, int(counts[hit]), text)

    def _count(self, template: str, fault: Fault, rows: int, example: str) -> None:
        found = self.found.setdefault((template, fault), Found())
        found.rows += rows
        found.example = found.example or example

    def problems(self, places: dict[str, Place]) -> Iterator[Problem]:
        """One problem a template and fault; where a template has very many, the first of them."""
        told: dict[tuple[str, str], int] = {}
        for (template, fault), found in self.found.items():
            key = (template, fault.code)
            told[key] = told.get(key, 0) + 1
            if told[key] <= MOST_A_TEMPLATE and found.rows:
                rows = "1 row" if found.rows == 1 else f"{found.rows:,} rows"
                message = f"{fault.message} ({rows} of {template!r}: {found.example!r})"
                yield Problem(places[template], fault.code, message, fault.mend, fault.severity, found.rows)


def _contrasts(table: pa.Table, names: Sequence[str]) -> list[int]:
    """One row of each that differ in these columns."""
    key = np.zeros(table.num_rows, np.int64)
    size = 1
    for name in names:
        for chunk in table.column(name).chunks:
            key = key * len(chunk.dictionary) + chunk.indices.to_numpy(zero_copy_only=False)
            size *= len(chunk.dictionary)
    if size > LARGEST_TABLE:
        return sorted(map(int, np.unique(key, return_index=True)[1]))
    one = np.full(size, -1, np.int64)
    one[key] = np.arange(len(key))
    return [int(number) for number in one[one >= 0]]
