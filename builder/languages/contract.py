"""What a language is to the rest of the house: filters, a join, and patterns of what is wrong in its text."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from jinja2.exceptions import FilterArgumentError

Filter = Callable[..., str]
Join = Callable[[str, str], tuple[str, str]]


@dataclass(frozen=True)
class Pattern:
    """Something that is wrong in running text. `regex` means the same to Python's `re` and to RE2."""

    code: str
    regex: str
    message: str
    mend: str


def always(before: str) -> bool:
    """Of a language that does not say where its rules act."""
    return True


@dataclass(frozen=True)
class Language:
    """The grammar of one language at slot boundaries.

    `filters`: name to Jinja filter; pure, and total on any string that is piped in.
    `join`: (before, after) -> the same two, mended where they meet. `before` is up to the last two words
    left of the boundary, with its trailing space ("" at the start of a text); of `after` the first word may change.
    `acts`: whether `join` might change anything after this `before`; where it says no, no `after` matters.
    `patterns`: what the checks and the audit look for in anybody's text.
    """

    code: str
    filters: Mapping[str, Filter]
    join: Join
    patterns: tuple[Pattern, ...]
    acts: Callable[[str], bool] = always


def one_of(value: str, known: Collection[str], what: str) -> str:
    """`value`, if it is known; else Jinja's error for a wrong argument, so that it is told at its line."""
    if value in tuple(known):
        return value
    raise FilterArgumentError(f"{what} is {value!r}; it may be {', '.join(known)}")


def word_list(words: str) -> frozenset[str]:
    """A closed list of words, written with spaces between them."""
    return frozenset(words.split())
