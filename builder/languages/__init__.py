"""Grammar at slot boundaries, one small module a language; a language without one works too."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from .contract import Filter, Join, Language, Pattern
from .en import ENGLISH
from .es import SPANISH
from .eu import BASQUE
from .fr import FRENCH
from .nl import DUTCH
from .plain import plain

__all__ = ["KNOWN", "Filter", "Join", "Language", "Pattern", "language"]


@lru_cache
def language(code: str) -> Language:
    """The language of a BCP 47 code: "es-CO" is Spanish; without a module, generic filters only."""
    subtag = code.replace("_", "-").lower().split("-")[0]
    return _LANGUAGES.get(subtag) or _remembering(plain(code))


def _remembering(found: Language) -> Language:
    """The same words meet in many templates, and twice in each pair."""
    acts = getattr(found.join, "acts", found.acts)
    return replace(found, join=lru_cache(maxsize=1 << 16)(found.join), acts=acts)


_LANGUAGES = {one.code: _remembering(one) for one in (ENGLISH, SPANISH, BASQUE, FRENCH, DUTCH)}
KNOWN = tuple(sorted(_LANGUAGES))
