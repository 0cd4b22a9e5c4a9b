"""A row as lines to be looked at, with the words marked that say whom it speaks of. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any

TARGET, OTHER = "t", "o"
SHORTEST = 3  # shorter forms, such as articles, stand everywhere
_WORD = re.compile(r"\w+(?:['’\-]\w+)*|[^\w\s]")
Row = Mapping[str, Any]
Span = tuple[int, int]
# the surface forms of what fills a slot of a row
Forms = Callable[[Row, str], Iterable[str]]


@dataclass(frozen=True)
class Line:
    """A text with its label. `parts` are its stretches, each with whom it names: target, other or nobody."""

    label: str
    parts: list[tuple[str, str]]
    role: str = ""
    right: bool = False


@dataclass(frozen=True)
class Shown:
    lines: list[Line]
    tags: list[str] = field(default_factory=list)


def pair(row: Row, forms: Forms) -> Shown:
    target, other = differing(row["sent_target"], row["sent_other"])
    lines = [
        Line(f"target: {row['target']}", cut(row["sent_target"], target, TARGET)),
        Line(f"other: {row['other']}", cut(row["sent_other"], other, OTHER)),
    ]
    return Shown(lines, [row["direction"]])


def question(row: Row, forms: Forms) -> Shown:
    answers = [row["ans0"], row["ans1"], row["ans2"]]
    roles = {row["target"]: "target", row["other"]: "other", row["unknown"]: "unknown"}
    spans = differing(answers[row["target"]], answers[row["other"]])
    names = {
        kind: {*forms(row, role), *(answers[row[role]][a:b] for a, b in found)}
        for kind, role, found in ((TARGET, "target", spans[0]), (OTHER, "other", spans[1]))
    }
    lines = [Line("context", named(row["context"], names)), Line("question", named(row["question"], names))]
    for number, text in enumerate(answers):
        role = roles.get(number, "")
        lines.append(Line(f"answer {'ABC'[number]}", _answer(text, role, spans, names), role, number == row["label"]))
    condition = {"ambig": "ambiguous", "disambig": "disambiguated"}[row["context_condition"]]
    polarity = {"neg": "negative", "nonneg": "non-negative"}[row["question_polarity"]]
    return Shown(lines, [condition, polarity])


def _answer(
    text: str, role: str, spans: tuple[list[Span], list[Span]], names: Mapping[str, set[str]]
) -> list[tuple[str, str]]:
    """By the names of its group, or else by how it differs from the other's answer."""
    if role not in ("target", "other"):
        return [(text, "")]
    kind, found = (TARGET, spans[0]) if role == "target" else (OTHER, spans[1])
    parts = named(text, {kind: names[kind]})
    return parts if any(marked for _, marked in parts) else cut(text, found, kind)


def sentence(row: Row, forms: Forms) -> Shown:
    words = {TARGET: {row["entity_text"]}, OTHER: {row["entity2_text"]}}
    lines = [Line(f"{row['gender'] or 'text'}: {row['entity']}".removesuffix(": "), named(row["text"], words))]
    if row["reference"]:
        lines.append(Line(f"reference: {row['reference_language']}", [(row["reference"], "")]))
    notes = [name.replace("_", " ") for name in ("several_people", "proper_name", "unmarked_masculine") if row[name]]
    return Shown(lines, [tag for tag in (row["kind"], row["direction"], *notes) if tag])


def words_of_a_country(row: Row, forms: Forms) -> Shown:
    lines = [Line("question", named(row["question"], {TARGET: {*forms(row, "variant")}}))]
    for number, option in enumerate(row["options"]):
        lines.append(Line(f"option {number + 1}", [(option, "")], right=number in row["gold"]))
    return Shown(lines, [row["format"].replace("_", " or "), row["country"]])


# how the rows of a family are shown; nothing else of the preview names a family
LAYOUTS: dict[str, Callable[[Row, Forms], Shown]] = {
    "lexical": words_of_a_country,
    "pairs": pair,
    "qa": question,
    "translation": sentence,
}


def differing(one: str, two: str) -> tuple[list[Span], list[Span]]:
    """Spans, in characters, of the words by which two texts differ."""
    a, b = list(_WORD.finditer(one)), list(_WORD.finditer(two))
    matcher = SequenceMatcher(None, [word[0] for word in a], [word[0] for word in b], autojunk=False)
    left: list[Span] = []
    right: list[Span] = []
    for kind, i, j, k, m in matcher.get_opcodes():
        if kind != "equal":
            left += [(a[i].start(), a[j - 1].end())] if j > i else []
            right += [(b[k].start(), b[m - 1].end())] if m > k else []
    return _joined(one, left), _joined(two, right)


def _joined(text: str, spans: Sequence[Span]) -> list[Span]:
    """Spans with nothing but spaces between them are one."""
    found: list[Span] = []
    for start, end in spans:
        if found and not text[found[-1][1] : start].strip():
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found


def cut(text: str, spans: Iterable[Span], kind: str) -> list[tuple[str, str]]:
    """A text in stretches, of which the spans are of this kind."""
    return _stretches(text, ((start, end, kind) for start, end in spans))


def named(text: str, names: Mapping[str, set[str]]) -> list[tuple[str, str]]:
    """A text in stretches, where the names of each kind are marked wherever they stand as words."""
    kinds: dict[str, str] = {}
    for kind, words in names.items():
        for word in words:
            folded = word.casefold()
            if len(word) >= SHORTEST:
                # what names both tells nobody apart
                kinds[folded] = "" if kinds.get(folded, kind) != kind else kind
    wanted = sorted((word for word, kind in kinds.items() if kind), key=lambda word: (-len(word), word))
    if not wanted:
        return [(text, "")]
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, wanted))})(?!\w)", re.IGNORECASE)
    found = ((m.start(), m.end(), kinds.get(m[0].casefold(), "")) for m in pattern.finditer(text))
    return _stretches(text, found)


def _stretches(text: str, spans: Iterable[tuple[int, int, str]]) -> list[tuple[str, str]]:
    parts: list[tuple[str, str]] = []
    at = 0
    for start, end, kind in spans:
        if start > at:
            parts.append((text[at:start], ""))
        parts.append((text[start:end], kind))
        at = end
    if at < len(text) or not parts:
        parts.append((text[at:], ""))
    return parts
