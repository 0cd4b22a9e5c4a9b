"""A text bound to the entries of its slots: each stretch is rendered once for each distinct set of words in it,
and whole sentences are put together from stretches by Arrow. Pure.

Grammar at slot boundaries is applied inside a stretch: a stretch is a slot's text with the words beside it that
a boundary may change. Where two slots touch and a rule acts between them, they become one stretch.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Mapping, Sequence
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

MOST_TRIED = 100_000
_HEAD = re.compile(r"\s*\S*")
_WHOLE = re.compile(r"(?<=\s)\S+")
# parts that are made together, and the literal after them; the first has no parts
Run = tuple[tuple[Part, ...], str]


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
                tail = _tail(done)
                left, new = self.language.join(tail, new)
                done = done[: len(done) - len(tail)] + left
            if new:
                previous_literal = literal
            done += new
        return done

    # -- all at once --------------------------------------------------------------------------------------

    def made(self, entries: Mapping[str, Indices], count: int) -> Made:
        """One text a row. `entries[slot]` holds the slot's entry of each row."""
        columns: list[pa.Array | pa.Scalar] = []
        state: Codes = np.zeros(count, np.uint64)
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

    def shown(self, entries: Mapping[str, int], slot: str) -> str:
        """What the first part that shows the slot gives by itself, before any rule at its boundaries."""
        part = next(part for part in self.text.parts if any(v.slot == slot for v in part.variables))
        assert part.render
        return part.render({v: words[entries[name]] for v, name, words in self._shown[id(part)]})

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
                    stretch.before = _tail(pieces[-1])
                    pieces[-1] = pieces[-1][: len(pieces[-1]) - len(stretch.before)]
                if self._changes_after(stretch, literal):
                    head = _HEAD.match(literal)
                    assert head
                    stretch.after, literal = head.group(), literal[head.end() :]
            known = self._all(stretch.parts, stretch.before, stretch.after, stretch.opens)
            if known is not None:
                stretch.strings, stretch.table = known, np.arange(len(known))
            pieces += [stretch, literal]
        return [piece for piece in pieces if piece != ""]

    def _runs(self) -> list[Run]:
        """(slot parts, the literal after them); slots that cannot be told apart at a boundary share a run."""
        runs: list[Run] = [((), "")]
        for part in self.text.parts:
            parts, literal = runs[-1]
            if part.render is None or not part.variables:
                runs[-1] = (parts, literal + (part.literal if part.render is None else part.render({})))
            elif not self.language or self._apart(runs, part):
                self._settle(runs)
                runs.append(((part,), ""))
            else:
                while not self._closed(runs):
                    _merge(runs)
                runs.append(((part,), ""))
                _merge(runs)
        self._settle(runs)
        return runs

    def _apart(self, runs: Sequence[Run], part: Part) -> bool:
        """Whether a text may be cut before this part: no rule acts across the literal that stands there."""
        parts, literal = runs[-1]
        whole = len(_WHOLE.findall(literal))
        if not parts or whole >= 3:
            return True
        own, right = self._values(parts), self._values((part,))
        if own is None or right is None or "" in own or "" in right:
            return False
        assert self.language
        if not self._acts(own) and not (literal.strip() and self.language.acts(_tail(literal))):
            return True
        left = self._contexts(runs)
        if left is None:
            return False
        if literal and any(self.language.join(tail, literal) != (tail, literal) for tail in map(_tail, left)):
            return False
        if whole == 2:
            return True
        lefts = {tail for value in left if self.language.acts(tail := _tail(value + literal))}
        rights = {head.group() for value in right if (head := _HEAD.match(value))}
        if len(lefts) * len(rights) > MOST_TRIED:
            return False
        near = _tail(literal)
        for a, b in itertools.product(lefts, rights):
            seen, after = self.language.join(near, b) if near.strip() else (near, b)
            if self.language.join(a, b) != (a[: len(a) - len(near)] + seen, after):
                return False
        return True

    def _acts(self, values: Iterable[str]) -> bool:
        """Whether a rule might act on what follows one of these."""
        assert self.language
        return any(self.language.acts(_tail(value)) for value in values)

    def _contexts(self, runs: Sequence[Run]) -> set[str] | None:
        """What may stand at the end of the last run's slots, so far back that its last two words are whole."""
        parts: tuple[Part, ...] = ()
        for number in range(len(runs) - 1, 0, -1):
            before = runs[number - 1][1]
            parts = (*runs[number][0], *parts)
            values = self._all(parts, before, "", number == 1)
            if values is None or number == 1 or all(map(_is_closed, values)):
                return None if values is None else set(values)
            parts = (Part(before), *parts) if before else parts
        return {runs[0][1]}

    def _closed(self, runs: Sequence[Run]) -> bool:
        """Whether a rule that looks back from the end of the last run sees nothing of the run before it."""
        if len(runs) <= 2 or len(_WHOLE.findall(runs[-2][1])) >= 2:
            return True
        values = self._all(runs[-1][0], runs[-2][1], "", False)
        return values is not None and all(map(_is_closed, values))

    def _settle(self, runs: list[Run]) -> None:
        """A run whose slots may change the literal after them takes in what decides that."""
        literal = runs[-1][1]
        while self.language and literal.strip() and not self._closed(runs):
            own = self._values(runs[-1][0])
            if own is not None and "" not in own and not self._acts(own):
                return
            near, far = self._all(runs[-1][0], runs[-2][1], "", False), self._contexts(runs)
            if near is not None and far is not None:
                tails = set(map(_tail, (*near, *far)))
                if all(self.language.join(tail, literal) == (tail, literal) for tail in tails):
                    return
            _merge(runs)

    def _changes_after(self, stretch: Stretch, literal: str) -> bool:
        if not literal.strip():
            return False
        values = self._all(stretch.parts, stretch.before, "", stretch.opens)
        if values is None:
            return True
        assert self.language
        return any(self.language.join(tail, literal) != (tail, literal) for tail in set(map(_tail, values)))

    def _values(self, parts: tuple[Part, ...]) -> set[str] | None:
        """Every text that these parts can have by themselves, or None where they are too many to try."""
        known = self._all(parts, "", "", False)
        return None if known is None else set(known)

    def _all(self, parts: tuple[Part, ...], before: str, after: str, opens: bool) -> list[str] | None:
        """The text for each combination of classes, in the order of their keys; None where they are too many."""
        key = (parts, before, after, opens)
        if key not in self._tried:
            classes = self._classes(parts)
            self._tried[key] = None
            if math.prod(len(found.one) for found in classes.values()) <= MOST_TRIED:
                self._tried[key] = [
                    self._run(parts, dict(zip(classes, entries, strict=True)), before, after, opens)
                    for entries in itertools.product(*(found.one for found in classes.values()))
                ]
        return self._tried[key]


def _tail(text: str) -> str:
    """The last two words of a text, with the space after them: what a rule may look back at."""
    bare = text.rstrip()
    if not bare:
        return text
    *before, last = bare.rsplit(None, 1)
    if not before or not before[0].strip():
        return text[len(bare) - len(last) :]
    return text[len(before[0]) - len(before[0].rsplit(None, 1)[-1]) :]


def _is_closed(text: str) -> bool:
    """Whether the last two words are whole, whatever stands before the text."""
    at = len(text) - len(_tail(text))
    return at > 0 and text[at - 1].isspace()


def _merge(runs: list[Run]) -> None:
    """The last two runs as one."""
    (first, between), (second, after) = runs[-2:]
    runs[-2:] = [((*first, *((Part(between),) if between else ()), *second), after)]
