"""What the rules of an editor look at: a dataset, what its rows say, and where a word of them was written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ..problems import Place, Problem
from ..render import Text
from .draft import Draft, at
from .said import Said

Progress = Callable[[str, int, int], None]


@dataclass
class Reading(Draft):
    """`skipped` holds the codes of rules that could not look, for want of a dictionary or a tagger."""

    said: Said
    progress: Progress
    skipped: set[str] = field(default_factory=set)

    def place(self, plan: Any, word: str) -> Place:
        """Where a word of a template's rows was written: in a text of its own, in an entry, or else in the template."""
        for location, text in plan.texts.items():
            if found := in_text(text, word):
                return plan.written.inside(location, *found)  # type: ignore[no-any-return]
        pattern = whole(word)
        for slot, entries in plan.filled.entries.items():
            for entry in entries:
                for form, said in entry.form.items():
                    if pattern.search(said):
                        return self._entry(plan, slot, entry.id, form, word)
        for lexicon in self.lexicons:
            for entry in lexicon.entries.values():
                if lexicon.kind == "unknown" and any(pattern.search(said) for said in entry.form.values()):
                    return at(lexicon, entry, "form")
        return plan.written.place("id")  # type: ignore[no-any-return]

    def _entry(self, plan: Any, slot: str, id: str, form: str, word: str) -> Place:
        for kind in plan.filled.kinds.get(slot, ()):
            for lexicons in (self.sources.own, self.sources.bundled):
                if kind in lexicons and id in lexicons[kind].entries:
                    return at(lexicons[kind], lexicons[kind].entries[id], f"form.{form}" if form else "form")
        location = ("slots", slot) if slot in plan.written.model.slots else ("together",)
        return plan.written.inside(location, 1, word)  # type: ignore[no-any-return]

    def origin(self, plan: Any, sentence: str) -> Place:
        """The text of a template that a sentence of its rows was made of, by the words that they share."""
        words = set(sentence.casefold().split())
        shared = {location: len(words & set(text.source.casefold().split())) for location, text in plan.texts.items()}
        best = max(shared, key=lambda location: shared[location], default=("id",))
        return plan.written.place(*best)  # type: ignore[no-any-return]


ReadingRule = Callable[[Reading], Iterable[Problem]]


def code_of(rule: ReadingRule) -> str:
    return rule.__name__.replace("_", "-")


def whole(word: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(word)}(?!\w)", re.IGNORECASE)


def in_text(text: Text, word: str) -> tuple[int, str] | None:
    """The line of a text, from 1, in which a word stands outside what slots show, and the word as it is written."""
    bare = re.sub(r"\{\{.*?\}\}|\{%.*?%\}", lambda found: re.sub(r"[^\n]", " ", found[0]), text.source, flags=re.S)
    found = whole(word).search(bare)
    return (bare.count("\n", 0, found.start()) + 1, found[0]) if found else None


def read(reading: Reading, rules: Iterable[ReadingRule]) -> Iterator[Problem]:
    """What the rules find, with each rule's name as progress."""
    listed = list(rules)
    for number, rule in enumerate(listed):
        reading.progress(code_of(rule), number, len(listed))
        yield from rule(reading)
    reading.progress("", len(listed), len(listed))
