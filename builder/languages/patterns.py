"""The pieces that patterns of wrong text are made of.

RE2's `\\b` knows ASCII only: it would see a word *a* at the end of *había*. So a word's ends are spelled out.
"""

from __future__ import annotations

from collections.abc import Iterable

from .contract import Pattern

START = r"(?:^|[\s\u00a0¿¡(\[«“„‘\"'’—–])".replace(r"\u00a0", "\u00a0")
END = r"(?:$|[\s\u00a0.,;:!?…)\]»”’\"'—–])".replace(r"\u00a0", "\u00a0")


def whole(regex: str) -> str:
    """`regex` as whole words."""
    return START + regex + END


def any_of(words: Iterable[str]) -> str:
    """One of these words, in a stable order."""
    return "(?:" + "|".join(sorted(words)) + ")"


def doubled(words: str, *more: str) -> Pattern:
    """A function word twice in a row.

    `words`: those that never rightly follow themselves, split on spaces. `more`: regular expressions for words
    that do in some places (*de la a a la zeta*, *la la la*).
    """
    return Pattern(
        code="doubled-word",
        regex=whole(any_of([*(f"{word} {word}" for word in words.split()), *more])),
        message="a function word stands twice",
        mend="take one away: slot and frame both bring it",
    )
