"""A reply to a question on words -> the options that it chose, or why it is no answer (pure, strict).

A reply answers only where it does what was asked (Kawasaki 2026, sec. 4.1): yes or no and nothing more, or numbers
of options, from 1 on, with "/" between them. Case, quotation marks and a full stop are of no account, nor is the
order of numbers. Anything else is invalid, be it ever so clear: a number given twice or of no option, words beside
it, an answer in another language. Reasoning is taken out before.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from .parse import without_reasoning
from .phrases import normal, phrases_of, wording

_AROUND = " \n\t.,;:!¡\"'«»“”‘’„‹›()[]{}<>"
_ONE = "(?:0|[1-9][0-9]{0,5})"
_NUMBERS = re.compile(rf"{_ONE}(?:\s*/\s*{_ONE})*")


@dataclass(frozen=True)
class Reading:
    """What a reply says: positions of the chosen options, ascending, where `outcome` is "answer", else None."""

    outcome: Literal["answer", "refusal", "empty", "invalid"]
    answer: tuple[int, ...] | None = None
    read: str = ""


def parse_lexical(
    reply: str | None,
    options: Sequence[str],
    *,
    format: str,
    language: str,
    phrases: Path | None = None,
) -> Reading:
    """Read one reply.

    options   the texts in the order in which they were shown; of yes and no, the yes first
    format    "yes_no" or "choice"
    language  of the rows; its words of yes and no hold beside the options' own
    phrases   a table like phrases.csv, read beside it
    """
    if reply is None or not reply.strip():
        return Reading("empty", read="no reply")
    text = normal(without_reasoning(reply))
    if not text:
        return Reading("empty", read="only reasoning")
    bare = text.strip(_AROUND)
    if format == "yes_no":
        found = _words(tuple(options), language, phrases).get(bare.casefold())
        if found is not None:
            return Reading("answer", (found,), "word")
    elif _NUMBERS.fullmatch(bare):
        return _numbers([int(number) for number in bare.split("/")], len(options))
    if _refusal(language, phrases).search(text):
        return Reading("refusal", read="refusal wording")
    return Reading("invalid", read=_why(bare, format))


def _numbers(numbers: Sequence[int], options: int) -> Reading:
    if min(numbers) < 1 or max(numbers) > options:
        return Reading("invalid", read="no such option")
    if len(set(numbers)) < len(numbers):
        return Reading("invalid", read="an option twice")
    return Reading("answer", tuple(sorted(number - 1 for number in numbers)), "numbers")


def _why(bare: str, format: str) -> str:
    if format == "yes_no":
        return "more than yes or no" if len(bare.split()) > 1 else "neither yes nor no"
    if not re.search(r"\d", bare):
        return "no number"
    if re.search(r"[^\W\d_]", bare):
        return "text beside numbers"
    return "not joined by /"


@lru_cache(maxsize=64)
def _words(options: tuple[str, ...], language: str, phrases: Path | None) -> dict[str, int]:
    known = phrases_of(language, phrases)
    return {
        normal(word).strip(_AROUND).casefold(): at
        for at, kind in enumerate(("yes", "no"))
        for word in (*known[kind], *options[at : at + 1])
    }


@lru_cache(maxsize=16)
def _refusal(language: str, phrases: Path | None) -> re.Pattern[str]:
    return re.compile(wording(phrases_of(language, phrases)["refusal"]), re.IGNORECASE)
