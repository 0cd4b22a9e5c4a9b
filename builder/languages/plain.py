"""A language without a module: sentence case, and its words as its lexicon gives them."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType

from .boundary import Joiner
from .contract import Language
from .sentence import Casing, capitalise, first_letter, lower_first


def _dotted(text: str) -> str:
    """Turkish and Azerbaijani: *i* has a dot in upper case too (*istanbul*, *İstanbul*)."""
    at = first_letter(text)
    return text[:at] + "İ" + text[at + 1 :] if text[at : at + 1] == "i" else capitalise(text)


def _dotless(text: str) -> str:
    at = first_letter(text)
    letter, following = text[at : at + 1], text[at + 1 : at + 2]
    if letter not in ("I", "İ") or following.isupper():
        return lower_first(text)
    return text[:at] + {"I": "ı", "İ": "i"}[letter] + text[at + 1 :]


def plain(code: str) -> Language:
    """The language `code` with the filters that any script allows. A number with a full stop may be an ordinal."""
    upper: Callable[[str], str] = capitalise
    lower: Callable[[str], str] = lower_first
    if code.split("-")[0] in ("az", "tr"):
        upper, lower = _dotted, _dotless
    return Language(
        code=code,
        filters=MappingProxyType({"sentence": upper, "lower_first": lower}),
        join=Joiner(Casing(ordinals=True, capitalise=upper), {}),
        patterns=(),
    )
