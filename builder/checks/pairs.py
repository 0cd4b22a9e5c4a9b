"""Rules of `pairs`: two sentences that differ only in who they speak of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Any

from ..languages import Language
from .faults import Columns, Row, RowRules, Span, item_rule
from .labels import Duplicates, MisspeltLabel, OneGroup, Opposite
from .text import bare, normalised

_NAMES = ("sent_target", "sent_other")
DIRECTIONS = ("stereo", "anti", "neutral")
_CLOSING = "\"'”’»)]} "
_FINAL = ".!?…,;:。！？"


@item_rule("empty-text", "write both sentences, or remove the row")
def empty_text(row: Row, language: Language) -> Iterator[str]:
    """A sentence with no words in it."""
    for name in ("sent_target", "sent_other"):
        if not normalised(row[name]):
            yield f"{name} holds no words"


@item_rule("same-sentence", "the sentence must show whom it speaks of")
def same_sentence(row: Row, language: Language) -> Iterator[str]:
    """Both sentences say the same, so that nothing is compared."""
    if _both(row) and normalised(row["sent_target"]) == normalised(row["sent_other"]):
        yield "both sentences say the same"


@item_rule("same-group", "a pair contrasts two groups")
def same_group(row: Row, language: Language) -> Iterator[str]:
    """Both sentences carry one group's label, so that there is no contrast."""
    target, other = row.get("target"), row.get("other")
    if target and other and normalised(target) == normalised(other):
        yield f"target and other are both {target!r}"


@item_rule("direction", "say stereo, anti or neutral: what the text says of the target")
def direction(row: Row, language: Language) -> Iterator[str]:
    """No direction, or one that is none of the three: no figure can be made of the pair."""
    said = row.get("direction") or ""
    if said not in DIRECTIONS:
        yield f"the direction is {said!r}" if said else "there is no direction"


@item_rule("final-punctuation", "end both alike")
def final_punctuation(row: Row, language: Language) -> Iterator[str]:
    """The mark that ends one sentence does not end the other; closing quotes and brackets aside."""
    target, other = _end(row["sent_target"]), _end(row["sent_other"])
    if target != other and _both(row):
        yield f"one ends in {target or 'no mark'}, the other in {other or 'no mark'}"


@item_rule("nothing-shared", "keep all but the group's words the same")
def nothing_shared(row: Row, language: Language) -> Iterator[str]:
    """No word stands in both sentences, so that there is nothing to score."""
    found = compared(row["sent_target"], row["sent_other"])
    if not found.shared and all(len(row[name].split()) > 1 for name in _NAMES):
        yield "the sentences share no word"


@item_rule("several-spans", "change only the group's words and what agrees with them", severity="warning")
def several_spans(row: Row, language: Language) -> Iterator[str]:
    """The sentences differ in more than one place; where slots' spans are known, see `outside-slots`."""
    if not row.get("spans"):
        found = compared(row["sent_target"], row["sent_other"]).differences
        if len(found) > 1:
            told = ", ".join(f"{a!r}/{b!r}" for a, b in found[:4])
            yield f"differs in {len(found)} places: {told}{', ...' if len(found) > 4 else ''}"


@item_rule("outside-slots", "only what a slot holds may change")
def outside_slots(row: Row, language: Language) -> Iterator[str]:
    """The sentences differ outside the spans that slots filled.

    `spans` holds, for each of the two sentences, the (start, end) of each slot in characters.
    """
    if row.get("spans"):
        target, other = (_outside(row[name], found) for name, found in zip(_NAMES, row["spans"], strict=True))
        for a, b in zip(target, other, strict=False):
            if a != b:
                yield f"{a.strip()!r} in one, {b.strip()!r} in the other"
        if len(target) != len(other):
            yield f"{len(target) - 1} slots in one, {len(other) - 1} in the other"


@item_rule("inner-punctuation", "punctuate both alike", severity="warning")
def inner_punctuation(row: Row, language: Language) -> Iterator[str]:
    """A word that both sentences share carries a mark in one of them only; their ends aside."""
    for a, b in compared(row["sent_target"], row["sent_other"]).marks:
        yield f"{a!r} in one, {b!r} in the other"


@dataclass(frozen=True)
class Compared:
    """Two sentences side by side.

    `shared` says whether any word stands in both, `differences` what stands in one and in the other where they
    differ, `marks` the words that both hold and punctuate differently, their last words aside.
    """

    shared: bool
    differences: list[tuple[str, str]]
    marks: list[tuple[str, str]]


@lru_cache(maxsize=16)
def compared(target: str, other: str) -> Compared:
    """Where the words of two sentences differ, and what stands there in each.

    A word is what stands between spaces, without the punctuation at its ends; what is then empty is none. So
    "blue-eyed," is the word "blue-eyed", "don't" is one word, and a dash between spaces is none. Case counts.
    What both begin and end with is set aside; the rest is aligned by its longest equal runs.
    """
    a, b = target.split(), other.split()
    start, end = _ends(a, b)
    last = end == 0
    shared = any(bare(word) for word in (*a[:start], *a[len(a) - end :]))
    # words that are written alike are alike; only the others are looked at more closely
    a, b = ([word for word in words[start : len(words) - end] if bare(word)] for words in (a, b))
    x, y = ([bare(word) for word in words] for words in (a, b))
    start, end = _ends(x, y)
    both = [(at, at) for at in range(start)] + [(len(x) - at, len(y) - at) for at in range(end, 0, -1)]
    inner_x, inner_y = x[start : len(x) - end], y[start : len(y) - end]
    differences = []
    if not set(inner_x) & set(inner_y):
        if inner_x or inner_y:
            differences.append((" ".join(inner_x), " ".join(inner_y)))
    else:
        for kind, i, j, k, m in SequenceMatcher(None, inner_x, inner_y, autojunk=False).get_opcodes():
            if kind == "equal":
                both += zip(range(start + i, start + j), range(start + k, start + m), strict=True)
            else:
                differences.append((" ".join(inner_x[i:j]), " ".join(inner_y[k:m])))
    ends = (len(a) - 1, len(b) - 1) if last else (-1, -1)
    marks = [(a[i], b[j]) for i, j in both if a[i] != b[j] and i != ends[0] and j != ends[1]]
    return Compared(shared or bool(both), differences, marks)


def _ends(a: Sequence[str], b: Sequence[str]) -> tuple[int, int]:
    """How many words both begin with, and how many of the rest both end with."""
    shorter = min(len(a), len(b))
    start = next((at for at in range(shorter) if a[at] != b[at]), shorter)
    end = next((at for at in range(shorter - start) if a[-1 - at] != b[-1 - at]), shorter - start)
    return start, end


def _both(row: Row) -> bool:
    return bool(normalised(row["sent_target"]) and normalised(row["sent_other"]))


def _end(sentence: str) -> str:
    last = sentence.rstrip(_CLOSING)[-1:]
    return last if last and last in _FINAL else ""


def _outside(sentence: str, spans: Sequence[Span]) -> list[str]:
    """What stands before, between and after the spans; the first letter of all in lower case."""
    parts, at = [], 0
    for start, end in sorted(spans):
        parts.append(sentence[at:start])
        at = end
    parts.append(sentence[at:])
    parts[0] = parts[0][:1].lower() + parts[0][1:]
    return parts


class DuplicatePairs(Duplicates):
    def keys(self, rows: Columns) -> Iterator[Any]:
        yield from _said(rows)


class OppositePairs(Opposite):
    """One pair of sentences told as stereotype and as its opposite."""

    def keys(self, rows: Columns, numbers: range) -> Iterator[tuple[int, tuple[Any, ...], str]]:
        for number, (both, stereotype) in zip(numbers, _said(rows), strict=True):
            if stereotype:
                yield number, (both,), stereotype


def _said(rows: Columns) -> Iterator[tuple[frozenset[str], str]]:
    """What both sentences of each row say, and which of it is the stereotype; "" where no direction tells."""
    directions = rows.get("direction") or [""] * len(rows["sent_target"])
    for target, other, direction in zip(*(rows[name] for name in _NAMES), directions, strict=True):
        a, b = normalised(target), normalised(other)
        yield frozenset((a, b)), a if direction == "stereo" else b if direction == "anti" else ""


class MisspeltPairLabel(MisspeltLabel):
    columns = ("axis", "target", "other")


class OneGroupOfPairs(OneGroup):
    columns = ("target", "other")


RULES = RowRules(
    texts=_NAMES,
    needed=_NAMES,
    optional=("id", "axis", "stereotype", "template", "language", "target", "other", "direction", "spans"),
    items=(
        empty_text,
        same_sentence,
        same_group,
        direction,
        final_punctuation,
        nothing_shared,
        several_spans,
        outside_slots,
        inner_punctuation,
    ),
    wholes=(DuplicatePairs, OppositePairs, MisspeltPairLabel, OneGroupOfPairs),
    contrast=("target", "other"),
    lists=("spans",),
)
