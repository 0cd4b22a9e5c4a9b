"""Where literal text meets a slot's text: one edge, the few ways to mend it, and the join made of rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from .sentence import ENDING, MARKS, OPENING, Casing

_QUOTES = "\"'“”‘’«»„"
_CLOSING = _QUOTES + ".,;:!?…)]"
# Marks that may be glued to the front of a rule's word: "¿A", "(de", "—Y".
_OPENERS = ("", *OPENING, *(mark + question for mark in '«“"(—¿¡' for question in "¿¡"))


class Edge(NamedTuple):
    """A boundary with a space in it, and a word on either side.

    before == stem + opener + last + trailing;  after == leading + body
    """

    stem: str
    opener: str
    last: str
    trailing: str
    leading: str
    body: str

    @property
    def previous(self) -> str:
        """The word before the last, without what opens it; "" if there is none."""
        words = self.stem.rsplit(None, 1)
        return "" if self.opener or not words else words[-1].lstrip(OPENING)

    @property
    def initial(self) -> bool:
        """Whether the last word opens a sentence, so that its capital is not a label's (*grade A*)."""
        stem = self.stem.rstrip()
        return bool(self.opener) or not stem or stem[-1] in ENDING

    @property
    def following(self) -> str:
        """The first word of `body`, as it stands."""
        return self.body.split(None, 1)[0]

    @property
    def word(self) -> str:
        """The first word of `body` without quotes and punctuation around it; may be ""."""
        return self.following.lstrip(_QUOTES).rstrip(_CLOSING)

    def become(self, last: str) -> tuple[str, str]:
        """*a* + *apple* -> *an* + *apple*."""
        return self.stem + self.opener + last + self.trailing, self.leading + self.body

    def elide(self, last: str) -> tuple[str, str]:
        """*le* + *homme* -> *l'* + *homme*: the space goes."""
        return self.stem + self.opener + last, self.body

    def swallow(self, last: str) -> tuple[str, str]:
        """*de* + *el hombre* -> *del* + *hombre*: the first word of `body` goes, and one space."""
        rest = self.body[len(self.following) :]
        if not rest.strip():
            return self.stem + self.opener + last, rest
        return self.stem + self.opener + last + self.trailing, self.leading + rest[1:]

    def contract(self, both: str) -> tuple[str, str]:
        """*de la* + *agua* -> *del* + *agua*: the last two words become one."""
        stem = self.stem.rstrip()
        return stem[: len(stem) - len(self.previous)] + both + self.trailing, self.leading + self.body


Rule = Callable[[Edge], "tuple[str, str] | None"]


class Joiner:
    """The join of a language. `rules`: the last word before a boundary -> its rule, which may decline (None).

    Nearly every boundary ends after one look-up.
    """

    def __init__(self, casing: Casing, rules: Mapping[str, Rule]) -> None:
        self._casing = casing
        self._rules = {opener + word: rule for opener in _OPENERS for word, rule in rules.items()}

    def acts(self, before: str) -> bool:
        """Whether a rule looks at what follows."""
        words = before.rsplit(None, 2)
        return not words or words[-1][-1] in MARKS or words[-1] in self._rules

    def __call__(self, before: str, after: str) -> tuple[str, str]:
        words = before.rsplit(None, 2)
        if not words or words[-1][-1] in MARKS:
            return before, self._casing.capitalise(after) if self._casing.begins(before, words) else after
        rule = self._rules.get(words[-1])
        if rule is None:
            return before, after
        kept, body = before.rstrip(), after.lstrip()
        trailing, leading = before[len(kept) :], after[: len(after) - len(body)]
        if not body or not (trailing or leading):
            return before, after
        last = words[-1].lstrip(OPENING)
        stem = kept[: len(kept) - len(words[-1])]
        opener = words[-1][: len(words[-1]) - len(last)]
        return rule(Edge(stem, opener, last, trailing, leading, body)) or (before, after)


def both_cases(words: Mapping[str, Rule]) -> dict[str, Rule]:
    """Rules for a word as it stands and with a capital: *de*, *De*."""
    return {**words, **{word[:1].upper() + word[1:]: rule for word, rule in words.items()}}


def like(model: str, word: str) -> str:
    """`word` with a capital if `model` has one."""
    return word[:1].upper() + word[1:] if model[:1].isupper() else word
