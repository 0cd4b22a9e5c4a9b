"""What the plans of all families share: compiled texts, combinations in blocks, and how many there are."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np
import pyarrow as pa

from ..expand import Hashes, Indices, combination_hashes, combinations, sampled
from ..filling import Filled, fill, form_problems
from ..languages import Language, language
from ..phrases import Made, Phrase
from ..problems import Problem
from ..render import TemplateFault, Text, compile_text
from ..rows import Block
from ..schema import Template
from ..sources import Sources, Written
from ..stretches import LARGEST_KEY

# names that texts, or the columns of combinations, use themselves
RESERVED = {"first", "second", "who", "row", "together", "template"}


class Bound:
    """A text of a template with what it shows: a name of the text may show another slot's entries."""

    def __init__(self, phrase: Phrase, filled: Filled, shows: Mapping[str, str]) -> None:
        self.phrase = phrase
        self.columns = {name: filled.home[shows.get(name, name)] for name in phrase.slots}

    def made(self, rows: Indices) -> tuple[Indices, Made]:
        """For each combination which text it has, and the texts: one for each distinct filling of their slots."""
        key: Indices = np.zeros(len(rows), np.int64)
        size = 1
        for column in sorted(set(self.columns.values())):
            low = int(rows[:, column].min())
            width = int(rows[:, column].max()) - low + 1
            if size * width > LARGEST_KEY:  # more than one number can tell apart: tell apart what there is
                key, size = np.unique(key, return_inverse=True)[1], len(rows)
            key = key * width + (rows[:, column] - low)
            size *= width
        first, index = distinct(key, size)
        entries = {name: rows[first, column] for name, column in self.columns.items()}
        return index, self.phrase.made(entries, len(first))

    def spans(self, row: Indices, names: frozenset[str]) -> list[tuple[int, int]]:
        """Where in the text of one combination these names of it are shown, in characters."""
        return self.phrase.spans(self._entries(row), names)

    def place(self, row: Indices, name: str) -> tuple[int, int] | None:
        """Where the words of this name stand first, in characters, without those beside them."""
        found = self.spans(row, frozenset({name})) if name in self.columns else []
        if not found:
            return None
        entries = self._entries(row)
        start, end = found[0]
        stretch, words = self.phrase.one(entries)[start:end].casefold(), self.phrase.shown(entries, name).casefold()
        at = stretch.find(words.strip())
        return (start + at, start + at + len(words.strip())) if at >= 0 else (start, end)

    def _entries(self, row: Indices) -> dict[str, int]:
        return {name: int(row[column]) for name, column in self.columns.items()}


def distinct(key: Indices, size: int) -> tuple[Indices, Indices]:
    """One row of each distinct key, and for each row which of them it has; by a table where that is small."""
    if size > 8 * len(key) + 1024:
        _, first, index = np.unique(key, return_index=True, return_inverse=True)
        return first, index
    one = np.full(size, -1, np.int64)
    one[key] = np.arange(len(key))
    used = np.flatnonzero(one >= 0)
    number = np.empty(size, np.int64)
    number[used] = np.arange(len(used))
    return one[used], number[key]


class BasePlan:
    """A template, its slots filled. `problems` is empty where it can be expanded."""

    def __init__(self, written: Written[Template], sources: Sources) -> None:
        self.written, self.sources = written, sources
        self.language = language(sources.dataset.model.language)
        self.filled: Filled = fill(written, sources)
        self.problems: list[Problem] = self.filled.problems
        for name in RESERVED & written.model.slots.keys():
            self.filled.fault(("slots", name), "reserved-slot", f"{name!r} has a meaning of its own", "rename the slot")
        self.texts: dict[tuple[str, ...], Text] = {}

    @property
    def grammar(self) -> Language | None:
        return self.language if self.sources.dataset.model.grammar else None

    def compile(self, location: tuple[str, ...], source: str, slots: Mapping[str, tuple[str, ...]]) -> Text | None:
        """`slots` maps each name that the text may use to the slots whose entries it may show."""
        try:
            text = compile_text(source, frozenset(slots), self.language.code)
        except TemplateFault as fault:
            place = self.written.inside(location, fault.line, fault.word)
            self.problems.append(Problem(place, fault.code, fault.message, fault.mend))
            return None
        problems = form_problems(self.filled, text, slots, self.sources, location)
        self.problems += problems
        if problems:
            return None
        self.texts[location] = text
        return text

    def bound(self, text: Text, shows: Mapping[str, str] | None = None) -> Bound:
        """To be called after `order_columns`."""
        shows = shows or {}
        forms: dict[str, set[str]] = {}
        for part in text.parts:
            for variable in part.variables:
                forms.setdefault(variable.slot, set()).add(variable.form)
        fillings = {name: self.filled.filling(shows.get(name, name), forms[name]) for name in forms}
        return Bound(Phrase(text, fillings, self.grammar), self.filled, shows)

    def unused_slots(self, names: Mapping[str, tuple[str, ...]]) -> list[str]:
        """Slots that no text of the template shows."""
        shown = {slot for text in self.texts.values() for name in text.slots for slot in names[name]}
        return [slot for slot in self.filled.entries if slot in self.written.model.slots and slot not in shown]

    @property
    def seed(self) -> str:
        return f"{self.sources.name}/{self.written.model.id}"

    def blocks(self) -> Iterator[tuple[Indices, Hashes]]:
        """Combinations and their hashes, a bounded number at a time, sampled as dataset.yaml says."""
        names, hashes, columns = self.filled.hashes()
        made = (
            (rows, combination_hashes(self.seed, names, hashes, rows[:, columns]))
            for rows in combinations(self.filled.sizes, self.filled.allowed)
        )
        sampling = self.sources.dataset.model.sampling
        if sampling is None:
            yield from made
        else:
            yield from sampled(made, self.strata(), sampling.keep)

    def strata(self) -> int:
        """How many leading columns name a stratum; the columns are put in that order before expansion."""
        sampling = self.sources.dataset.model.sampling
        if sampling is None:
            return 0
        named = {self.filled.home[slot] for slot in sampling.per if slot in self.filled.home}
        return len(named)

    def order_columns(self) -> None:
        """Columns that name a stratum come first, so that a stratum is one run of combinations."""
        sampling = self.sources.dataset.model.sampling
        filled = self.filled
        named = [filled.home[slot] for slot in (sampling.per if sampling else []) if slot in filled.home]
        first = list(dict.fromkeys(named))
        order = first + [column for column in range(len(filled.columns)) if column not in first]
        new = {old: at for at, old in enumerate(order)}
        filled.columns = [filled.columns[old] for old in order]
        filled.home = {slot: new[old] for slot, old in filled.home.items()}
        allowed = filled.allowed
        filled.allowed = {}
        for (a, b), matrix in allowed.items():
            if new[a] < new[b]:
                filled.allowed[new[a], new[b]] = matrix
            else:
                filled.allowed[new[b], new[a]] = matrix.T

    def made(self) -> Iterator[Block]:
        """The rows, a bounded number at a time."""
        raise NotImplementedError

    def tables(self) -> Iterator[pa.Table]:
        """The rows by themselves."""
        return (block.table for block in self.made())

    def count(self) -> int:
        """Combinations, by going through all of them without making a text."""
        return sum(len(rows) for rows, _ in self.blocks())

    def explanation(self) -> str:
        """What multiplies the rows: the sizes of the columns, before agreement."""
        filled = self.filled
        sizes = [f"{'+'.join(column.slots)} {column.size:,}" for column in filled.columns]
        return " x ".join(sizes) + (f" = {math.prod(filled.sizes):,}" if sizes else "")
