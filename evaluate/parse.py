"""A reply -> the option that it chose, a refusal, or nothing that can be told (pure, strict, in the open).

A reply chooses an option by its label ("Option 1", "1.", "(B)"), by its text, or by both. Two options named,
or a label and a text that differ, are a conflict and are never decided by which comes first. Reasoning is
taken out before. `read` says how a reply was read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal, NamedTuple

from .phrases import normal, phrases_of, wording

Kind = Literal["option", "refusal", "empty", "unparsable", "conflict"]


@dataclass(frozen=True)
class Answer:
    """What a reply says. `option` is the index of the chosen option, only where `kind` is "option"."""

    kind: Kind
    option: int | None = None
    read: str = ""

    @property
    def outcome(self) -> str:
        """As the column `outcome` has it."""
        return "answer" if self.kind == "option" else self.kind


class _Mention(NamedTuple):
    start: int
    end: int
    option: int | None  # None: a number that is no option's
    denied: bool
    how: str


_TAGS = ("think|thinking|thought|reasoning|reflection|analysis", "think|thinking", "think")
_REASONING = tuple(
    tuple(re.compile(p, re.DOTALL | re.IGNORECASE) for p in (f"{opening}.*?{closing}", opening, closing))
    for opening, closing in (
        (f"<(?:{_TAGS[0]})>", f"</(?:{_TAGS[0]})>"),
        (rf"\[(?:{_TAGS[1]})\]", rf"\[/(?:{_TAGS[1]})\]"),
        (f"◁(?:{_TAGS[2]})▷", f"◁/(?:{_TAGS[2]})▷"),
        (r"<\|channel\|>(?:analysis|commentary)", r"<\|channel\|>final<\|message\|>"),
    )
)
_LETTERS = "ABCDEFGHIJ"


def without_reasoning(reply: str) -> str:
    """The reply less its reasoning: closed, cut off before its end, or begun in the prompt and only closed."""
    if not re.search(r"[<\[◁]", reply):
        return reply
    for whole, opening, closing in _REASONING:
        reply = whole.sub(" ", reply)
        begun = opening.search(reply)
        reply = closing.split(reply[: begun.start()] if begun else reply)[-1]
    return re.sub(r"<\|[a-z_]+\|>", " ", reply)


def parse(
    reply: str | None,
    options: Sequence[str],
    *,
    language: str = "",
    unknown: int | None = None,
    labels: Sequence[str] | None = None,
    phrases: Path | None = None,
) -> Answer:
    """Read one reply.

    options   the texts as the prompt gave them, in its order
    unknown   the index of the option that says "unknown"; its other wordings are then read as that option
    labels    what the prompt called the options: numbers from 0 if not given; letters A, B, C are always read;
              none are where it is empty
    phrases   a table like phrases.csv, read beside it
    ValueError where two options cannot be told apart.
    """
    if reply is None or not reply.strip():
        return Answer("empty", read="no reply")
    text = normal(without_reasoning(reply))
    if not text:
        return Answer("empty", read="only reasoning")
    labels = tuple(map(str, range(len(options)))) if labels is None else tuple(labels)
    reader = _reader(language, labels, phrases)
    texts = _option_patterns(tuple(options))
    found = _read(text, reader, texts, unknown)
    if found.kind == "conflict":
        declared = reader.declares.search(text)
        if declared:
            final = _read(text[declared.end() :].strip(), reader, texts, unknown)
            if final.kind == "option":
                return Answer("option", final.option, f"declared {final.read}")
    return found


class _Reader(NamedTuple):
    """The patterns of one language and one set of labels."""

    label: dict[str, int]
    mentions: tuple[re.Pattern[str], ...]
    joined: re.Pattern[str]
    head: re.Pattern[str] | None
    declares: re.Pattern[str]
    denial: re.Pattern[str]
    unknown: re.Pattern[str]
    refusal: re.Pattern[str]


@lru_cache(maxsize=256)
def _reader(language: str, labels: tuple[str, ...], extra: Path | None) -> _Reader:
    phrases = phrases_of(language, extra)
    label = {label.upper(): i for i, label in enumerate(labels)}
    for i in range(len(labels)):
        label.setdefault(_LETTERS[i], i)
    # a number of any size, so that "Option 7" is seen to be none; a letter only if it is an option's, in capitals
    letters = "".join(sorted({*label, *labels} & set(_LETTERS + _LETTERS.lower())))
    others = "|".join(re.escape(name) for name in labels if not name.isdigit() and len(name) > 1) or "(?!)"
    any_one = rf"(?-i:\d+|[{letters or '-'}]|{others})(?![\w%])(?![.,]\d)"
    one = rf"(?P<label>{any_one})"
    ours = "|".join(map(re.escape, labels)) or "(?!)"
    opening, closing = r"[\"'«“(\[{<#]*", r"[\"'»”)\]}>.:]*"
    marker = wording(phrases["marker"])
    conjunction = wording(phrases["conjunction"])
    joint = rf"\s*(?:[,/&+;]|{conjunction})\s*(?:{marker})?\s*{opening}"
    flags = re.IGNORECASE | re.MULTILINE
    mentions = (
        rf"(?:{marker})[\"']?\s*[:=#.\-]?\s*{opening}{one}",
        rf"(?<![\w.,-]){one}{closing}\s*(?:{wording(phrases['marker_after'])})",
        rf"^\s*{opening}{one}{closing}\s*$",
        rf"\A\s*{opening}{one}\s*[\"')\]}}]*[:.)\],;\-–—](?!\d)",
        rf"\A\s*{opening}{one}(?={closing}{joint}{any_one})",
        rf"\A\s*{opening}(?P<label>[{letters.lower() or '-'}]){closing}\s*\Z",
    )
    return _Reader(
        label,
        tuple(re.compile(p, flags) for p in mentions) if labels else (),
        re.compile(f"{closing}{joint}{one}", flags),
        re.compile(rf"\A\s*{opening}(?P<label>(?-i:{ours})){closing}\s+", flags) if labels else None,
        re.compile(wording(phrases["declares"]), flags),
        re.compile(rf"(?:{wording(phrases['negation'])})[ \"'«“(]+(?:\w{{1,3}} +)?\Z", flags),
        re.compile(wording(phrases["unknown"]), flags),
        re.compile(wording(phrases["refusal"]), flags),
    )


@lru_cache(maxsize=4096)
def _option_patterns(options: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    words = [tuple(re.findall(r"\w+", normal(option).casefold())) for option in options]
    for i, some in enumerate(words):
        if not some:
            raise ValueError(f"option {i} has no word: {options[i]!r}")
        if some in words[:i]:
            raise ValueError(f"options {words.index(some)} and {i} read the same: {options[i]!r}")
    return tuple(re.compile(wording([normal(option)]), re.IGNORECASE) for option in options)


def _read(text: str, reader: _Reader, options: Sequence[re.Pattern[str]], unknown: int | None) -> Answer:
    texts, unknown_wording, refused = _texts(text, reader, options, unknown)
    numbers = _numbers(text, reader, texts)
    named = {m.option for m in numbers}
    said = {m.option for m in texts}
    if len(named) > 1:
        return Answer("conflict", read="two options named")
    if named:
        return _labelled(numbers, texts, refused)
    if len(said) > 1:
        return Answer("conflict", read="two options named")
    if said:
        if refused:
            return Answer("conflict", read="refusal and an option named")
        if all(m.denied for m in texts):
            return Answer("unparsable", read="option denied")
        return Answer("option", texts[0].option, min(m.how for m in texts))
    if refused:
        return Answer("refusal", read="refusal wording")
    read = "unknown wording without such an option" if unknown_wording else "not understood"
    return Answer("unparsable", read=read)


def _labelled(numbers: list[_Mention], texts: list[_Mention], refused: bool) -> Answer:
    """The reading where the label of one option is named, once or more."""
    first, said = numbers[0], {m.option for m in texts}
    differ = f"{first.how} and text differ"
    if first.option is None:
        return Answer("conflict", read=differ) if said else Answer("unparsable", read="no such option")
    if all(m.denied for m in numbers):
        return Answer("unparsable", read="option denied")
    read = first.how
    if said:
        # "1. The woman, because the man had left": the label's own text is the one next to it
        attached = any(0 <= t.start - n.end <= 4 and t.option == first.option for n in numbers for t in texts)
        if said != {first.option} and not attached:
            return Answer("conflict", read=differ)
        read += " and text" if said == {first.option} else " and text; another option's text later"
    return Answer("option", first.option, read + ("; refusal wording too" if refused else ""))


def _texts(
    text: str, reader: _Reader, options: Sequence[re.Pattern[str]], unknown: int | None
) -> tuple[list[_Mention], int, bool]:
    """Options named by text or, for the unknown one, by other wordings: longest first, none inside another."""
    candidates = [(m.span(), i) for i, p in enumerate(options) for m in p.finditer(text)]
    candidates += [(m.span(), -1) for m in reader.unknown.finditer(text)]
    candidates += [(m.span(), -2) for m in reader.refusal.finditer(text)]
    # an option's own text before a wording of equal length
    candidates.sort(key=lambda c: (c[0][0] - c[0][1], -c[1]))
    taken: list[tuple[int, int]] = []
    mentions: list[_Mention] = []
    unknown_wordings, refused = 0, False
    for (start, end), what in candidates:
        if any(start < e and s < end for s, e in taken):
            continue
        taken.append((start, end))
        if what == -2:
            refused = True
            continue
        unknown_wordings += what == -1
        option = unknown if what == -1 else what
        if option is not None:
            how = "unknown wording" if what == -1 else "text"
            mentions.append(_Mention(start, end, option, bool(reader.denial.search(text[:start])), how))
    return sorted(mentions), unknown_wordings, refused


def _numbers(text: str, reader: _Reader, texts: Sequence[_Mention]) -> list[_Mention]:
    """Options named by label, outside of the options' own texts."""
    matches = [m for pattern in reader.mentions for m in pattern.finditer(text)]
    if reader.head:
        head = reader.head.match(text)
        if head and any(t.start == head.end() for t in texts):
            matches.append(head)
    found: dict[int, _Mention] = {}
    for match in matches:
        following: re.Match[str] | None = match
        while following:
            match = following
            start, end = match.span("label")
            if not any(t.start <= start < t.end for t in texts):
                denied = bool(reader.denial.search(text[: match.start()]))
                name = match.group("label")
                how = "letter" if name.isalpha() else "number"
                found[start] = _Mention(start, end, reader.label.get(name.upper()), denied, how)
            following = reader.joined.match(text, end)
    return [found[start] for start in sorted(found)]
