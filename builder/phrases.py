"""A text bound to the entries of its slots: each stretch is rendered once for each distinct set of words in it,
and whole sentences are put together from stretches by Arrow. Pure.

Grammar at slot boundaries is applied inside a stretch: a stretch is a slot's text with the words beside it that
a boundary may change. Where two slots touch and a rule acts between them, they become one stretch.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .codes import Codes, codes, joined
from .languages import Language
from .render import Part, Text
from .stretches import Classes, Indices, Stretch, classes_of
from .windows import Windows

MOST_TRIED = 20_000
_TAIL = re.compile(r"(?:\S+\s+)?\S*\s*\Z")
_HEAD = re.compile(r"\s*\S*")


@dataclass(frozen=True)
class Filling:
    """The entries of one slot, as words: for each form used, one word an entry."""

    size: int
    words: Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Made:
    """Texts, the code of each, and the numbers of those that hold words side by side that were not seen before."""

    texts: pa.Array
    codes: Codes
    new: Indices


class Phrase:
    """A text and what fills it. With `language` None the text is put together as it stands."""

    def __init__(self, text: Text, fillings: Mapping[str, Filling], language: Language | None) -> None:
        self.text, self.language = text, language
        self.fillings = {slot: fillings[slot] for slot in text.slots}
        # what each part shows: its variables and the words of each, one an entry
        self._shown = {
            id(part): [(v, v.slot, self.fillings[v.slot].words[v.form]) for v in part.variables] for part in text.parts
        }
        self._tried: dict[tuple[object, ...], list[str] | None] = {}
        self.pieces: list[str | Stretch] = self._bind()
        self._tried.clear()
        self.windows = Windows(self.pieces)

    @property
    def slots(self) -> tuple[str, ...]:
        return self.text.slots

    # -- one by one: the plain way, which the fast way must equal ------------------------------------------

    def one(self, entries: Mapping[str, int]) -> str:
        """The text for one entry a slot, put together from left to right."""
        return self._run(self.text.parts, entries, opens=True)

    def _run(
        self, parts: Sequence[Part], entries: Mapping[str, int], before: str = "", after: str = "", opens: bool = False
    ) -> str:
        """`before` and `after` are the neighbours that a rule may change; both come back in the result.

        `opens`: nothing stands before `before`. Elsewhere an empty `before` is not the start of a sentence.
        """
        done = before
        previous_literal = True
        for part in (*parts, Part(after)) if after else parts:
            literal = part.render is None or not part.variables
            if part.render is None:
                new = part.literal
            else:
                shown = self._shown[id(part)]
                if part.plain:
                    new = shown[0][2][entries[shown[0][1]]]
                else:
                    new = part.render({v: words[entries[slot]] for v, slot, words in shown})
            boundary = not literal or not previous_literal
            if new and self.language and boundary and (opens or done.strip()):
                at = _TAIL.search(done)
                start = at.start() if at else len(done)
                left, new = self.language.join(done[start:], new)
                done = done[:start] + left
            if new:
                previous_literal = literal
            done += new
        return done

    # -- all at once --------------------------------------------------------------------------------------

    def made(self, entries: Mapping[str, Indices], count: int) -> Made:
        """One text a row. `entries[slot]` holds the slot's entry of each row."""
        columns: list[pa.Array | pa.Scalar] = []
        state = np.zeros(count, np.uint64)
        keys: list[Indices | None] = []
        for piece in self.pieces:
            if isinstance(piece, str):
                columns.append(pa.scalar(piece))
                code, power = codes(pa.array([piece]))
                keys.append(None)
            else:
                key = piece.keys(entries)
                index = piece.index(key, partial(self._text, piece))
                columns.append(piece.arrow().take(pa.array(index)))
                code, power = (values[index] for values in piece.codes())
                keys.append(key)
            state = joined(state, code, power)
        if not columns:
            columns.append(pa.scalar(""))
        if all(isinstance(column, pa.Scalar) for column in columns):
            texts = pa.repeat("".join(column.as_py() for column in columns), count)
        else:
            texts = columns[0] if len(columns) == 1 else pc.binary_join_element_wise(*columns, "")
        return Made(texts, state, self.windows.new(keys, count))

    def spans(self, entries: Mapping[str, int], slots: frozenset[str]) -> list[tuple[int, int]]:
        """(start, end), in characters, of the stretches that show one of these slots."""
        found, at = [], 0
        for piece in self.pieces:
            if isinstance(piece, str):
                at += len(piece)
                continue
            text = self._text(piece, {slot: entries[slot] for slot in piece.classes})
            if slots & piece.classes.keys():
                found.append((at, at + len(text)))
            at += len(text)
        return found

    def _text(self, stretch: Stretch, entries: dict[str, int]) -> str:
        return self._run(stretch.parts, entries, stretch.before, stretch.after, stretch.opens)

    def _classes(self, parts: Sequence[Part]) -> dict[str, Classes]:
        shown: dict[str, list[Sequence[str]]] = {}
        for part in parts:
            for _, slot, words in self._shown.get(id(part), ()):
                shown.setdefault(slot, []).append(words)
        return {slot: classes_of(shown[slot]) for slot in sorted(shown)}

    # -- where a text may be cut --------------------------------------------------------------------------

    def _bind(self) -> list[str | Stretch]:
        """Literals and stretches, in order."""
        runs = self._runs()
        pieces: list[str | Stretch] = []
        for number, (parts, literal) in enumerate(runs):
            if not parts:
                pieces.append(literal)
                continue
            stretch = Stretch(parts, self._classes(parts), opens=number == 1)
            if self.language:
                if number and isinstance(pieces[-1], str):
                    tail = _TAIL.search(pieces[-1])
                    assert tail
                    stretch.before = tail.group()
                    pieces[-1] = pieces[-1][: tail.start()]
                if self._changes_after(stretch, literal):
                    head = _HEAD.match(literal)
                    assert head
                    stretch.after, literal = head.group(), literal[head.end() :]
            known = self._all(stretch.parts, stretch.before, stretch.after, stretch.opens)
            if known is not None:
                stretch.strings, stretch.table = known, np.arange(len(known))
            pieces += [stretch, literal]
        return [piece for piece in pieces if piece != ""]

    def _runs(self) -> list[tuple[tuple[Part, ...], str]]:
        """(slot parts, the literal after them); slots that cannot be told apart at a boundary share a run."""
        runs: list[tuple[tuple[Part, ...], str]] = [((), "")]
        for part in self.text.parts:
            parts, literal = runs[-1]
            if part.render is None or not part.variables:
                if part.render is None:
                    runs[-1] = (parts, literal + part.literal)
                else:
                    runs[-1] = (parts, literal + part.render({}))
            elif not self.language or self._apart(parts, literal, part):
                runs.append(((part,), ""))
            else:
                between = (Part(literal),) if literal else ()
                runs[-1] = ((*parts, *between, part), "")
        return runs

    def _apart(self, parts: tuple[Part, ...], literal: str, part: Part) -> bool:
        """Whether a text may be cut between these parts: no rule acts across the literal between them."""
        if not parts:
            return True
        words = literal.split()
        if len(words) >= 3:
            return True
        left, right = self._values(parts), self._values((part,))
        if left is None or right is None or len(left) * len(right) > MOST_TRIED:
            return False
        assert self.language
        lefts = {tail.group() for value in left if (tail := _TAIL.search(value))}
        rights = {head.group() for value in right if (head := _HEAD.match(value))}
        if any(not value for value in left) or any(not value for value in right):
            return False
        if not words:
            pairs = itertools.product((value + literal for value in lefts), rights)
            return all(self.language.join(a, b) == (a, b) for a, b in pairs)
        # the words between may be changed from the left, or be read from the right beyond the slot
        if any(self.language.join(value, literal) != (value, literal) for value in lefts):
            return False
        if len(words) >= 2:
            return True
        pairs = itertools.product(lefts, rights)
        return all(self.language.join(a + literal, b) == (a + x, y) for a, b in pairs
                   for x, y in [self.language.join(literal, b)])  # fmt: skip

    def _changes_after(self, stretch: Stretch, literal: str) -> bool:
        if not literal.strip():
            return False
        values = self._all(stretch.parts, stretch.before, "", stretch.opens)
        if values is None:
            return True
        assert self.language
        tails = {tail.group() for value in values if (tail := _TAIL.search(value))}
        return any(self.language.join(tail, literal) != (tail, literal) for tail in tails)

    def _values(self, parts: tuple[Part, ...]) -> set[str] | None:
        """Every text that these parts can have by themselves, or None where they are too many to try."""
        known = self._all(parts, "", "", False)
        return None if known is None else set(known)

    def _all(self, parts: tuple[Part, ...], before: str, after: str, opens: bool) -> list[str] | None:
        """The text for each combination of classes, in the order of their keys; None where they are too many."""
        key = (*map(id, parts), before, after, opens)
        if key not in self._tried:
            classes = self._classes(parts)
            self._tried[key] = None
            if math.prod(len(found.one) for found in classes.values()) <= MOST_TRIED:
                self._tried[key] = [
                    self._run(parts, dict(zip(classes, entries, strict=True)), before, after, opens)
                    for entries in itertools.product(*(found.one for found in classes.values()))
                ]
        return self._tried[key]
