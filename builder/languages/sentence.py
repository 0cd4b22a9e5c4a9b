"""Sentence case: the first letter of a sentence, and where a sentence begins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

ENDING = ".!?…"
OPENING = "¿¡«“„‘\"'([—–"
# Marks of OPENING whose sentence begins inside them. A dash or a bracket may open an aside instead.
_STARTING = '¿¡«“„‘"'
MARKS = frozenset(ENDING + _STARTING)


def first_letter(text: str) -> int:
    """Index of the first character after spaces and opening marks; len(text) if there is none."""
    at = 0
    while at < len(text) and (text[at] in OPENING or text[at].isspace()):
        at += 1
    return at


def capitalise(text: str) -> str:
    """Upper-case the first letter, behind opening marks. *iPhone* and *eBay* stay as they are.

    Title case, not upper case, is asked of Unicode: Georgian has no capital at the start of a sentence.
    """
    at = first_letter(text)
    letter = text[at : at + 1]
    if not letter.islower() or text[at + 1 : at + 2].isupper():
        return text
    capital = letter.title()
    return text[:at] + capital + text[at + 1 :] if len(capital) == 1 else text


def lower_first(text: str) -> str:
    """Lower-case the first letter, behind opening marks. *ONU* and a word of one letter before another stay."""
    at = first_letter(text)
    letter, following = text[at : at + 1], text[at + 1 : at + 2]
    if not (letter.isupper() or letter.istitle()) or following.isupper():
        return text
    small = letter.lower()
    return text[:at] + small + text[at + 1 :] if len(small) == 1 else text


@dataclass(frozen=True)
class Casing:
    """How a language begins a sentence.

    `abbreviations`: lower case, with their full stop; none of them ends a sentence.
    `ordinals`: a number with a full stop is an ordinal (Basque *3. kapitulua*), not the end of a sentence.
    """

    abbreviations: frozenset[str] = frozenset()
    ordinals: bool = False
    capitalise: Callable[[str], str] = capitalise

    def begins(self, before: str, words: list[str]) -> bool:
        """Whether a sentence begins after `before`, whose last words are `words`.

        A closing quote after the full stop decides nothing (« "Stop!" she said »), so no case changes there.
        """
        if not words:
            return True
        last, spaced = words[-1], before[-1].isspace()
        if last[-1] in ENDING:
            return spaced and self._ends(last)
        if last.strip(OPENING) or (spaced and last[-1] != "«"):
            return False
        return len(words) == 1 or self._ends(words[-2])

    def _ends(self, word: str) -> bool:
        if word[-1] not in ENDING:
            return False
        if word[-1] != "." or word.endswith(".."):
            return True
        bare = word.lstrip(OPENING)[:-1]
        if len(bare) == 1 and bare.isalpha():
            return False  # an initial: *J. Pérez*, *p. ej.*
        if "." in bare and not bare[-1:].isdigit():
            return False  # *e.g.*, *EE.UU.*, *d.w.z.*
        if self.ordinals and bare.isdigit():
            return False
        return f"{bare.lower()}." not in self.abbreviations
