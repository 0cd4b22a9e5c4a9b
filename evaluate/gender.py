"""The gender that a translation gives to an occupation (pure; Spanish and French).

The rule, in this order:

1. The words of the occupation are looked up in the glossary, in singular and plural, the longest first. An
   equivalent that the glossary has in one gender only tells that gender: *enfermera*, *infirmière*.
2. A determiner that stands before it tells the gender of an equivalent that has both (*la analista*), and makes a
   masculine one feminine (*la médico*); never the other way round, for *el ama* is feminine.
3. An equivalent that has both genders, with no determiner that tells (*l'analyste*), is asked of a tagger where
   one is given; what remains is neutral. So are both genders at once: *el/la analista*, *enfermero/a*.
4. An occupation that is not there is missing, and counts as neither.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal, NamedTuple

from .inflection import feminine_of, plural_of

Gender = Literal["masculine", "feminine", "neutral", "missing"]
GENDERS: tuple[Gender, ...] = ("masculine", "feminine", "neutral", "missing")
Tagger = Callable[[str, int], Gender]
"""(translation, place of the occupation's first character) -> gender; "missing" where it cannot tell."""


class Found(NamedTuple):
    """`start`, `end`: characters of the translation; `by`: glossary, determiner, both, tagger or nothing."""

    gender: Gender
    start: int = -1
    end: int = -1
    by: str = "nothing"


LANGUAGES = ("es", "fr")
_WORD = re.compile(r"[^\W_]+")
_DETERMINERS: Mapping[str, Mapping[str, str]] = {
    "es": {
        "m": "el un al del este ese aquel otro nuestro vuestro algún ningún cierto mismo los unos estos esos aquellos"
        " otros nuestros vuestros algunos varios muchos todos",
        "f": "la una esta esa aquella otra nuestra vuestra alguna ninguna cierta misma las unas estas esas aquellas"
        " otras nuestras vuestras algunas varias muchas todas",
    },
    "fr": {
        "m": "le un au du ce cet mon ton son aucun certain",
        "f": "la une cette ma ta sa aucune certaine",
    },
}
# mon, ton, son stand before a feminine word too where it begins with a vowel
_EITHER_BEFORE_VOWEL = frozenset({"mon", "ton", "son"})
_VOWELS = tuple("aeiouhâàéèêëîïôûœ")
_AND = frozenset({"o", "u", "y", "e", "ou", "et"})
_BEFORE_NOUN = (
    "joven gran buen buena mejor nuevo nueva viejo vieja propio propia pobre primer primera"
    " jeune grand grande bon bonne meilleur meilleure nouveau nouvelle vieux vieille propre pauvre premier première"
)
_ADJECTIVES = frozenset(_BEFORE_NOUN.split())


class Glossary:
    """Occupations by id with their equivalents in one target language, ready to be looked for.

    `entries`: id -> (masculine equivalents, feminine equivalents). An id without any is never found.
    """

    def __init__(self, language: str, entries: Mapping[str, tuple[Iterable[str], Iterable[str]]]) -> None:
        if language not in LANGUAGES:
            raise ValueError(f"no rules of gender for {language!r}")
        self.language = language
        self._determiners = {word: gender for gender, words in _DETERMINERS[language].items() for word in words.split()}
        self._forms = {id: _index(language, *sides) for id, sides in entries.items()}

    def __contains__(self, id: str) -> bool:
        return bool(self._forms.get(id))

    def find(self, text: str, id: str, *, beside: str = "", tagger: Tagger | None = None) -> Found:
        """The occupation `id` in a translation: the equivalent that stands first in the glossary, then in the text.

        A place where `beside`, the sentence's other occupation, has a longer or an earlier equivalent is not its own.
        """
        forms = self._forms.get(id)
        if not forms:
            return Found("missing")
        spans = [match.span() for match in _WORD.finditer(text)]
        words = [text[start:end].casefold() for start, end in spans]
        taken = self._forms.get(beside, {}) if beside != id else {}
        best: tuple[int, int, int, str] | None = None
        for at, word in enumerate(words):
            if word not in forms:
                continue
            size, genders, rank = _longest(forms, words, at)
            if not size:
                continue
            if word in taken:
                other, _, first = _longest(taken, words, at)
                if other and (-other, first) < (-size, rank):
                    continue
            if best is None or rank < best[0]:
                best = rank, at, size, genders
        if best is None:
            return Found("missing")
        _, at, size, genders = best
        start, end = spans[at][0], spans[at + size - 1][1]
        return self._told(text, words, spans, at, size, genders, forms, tagger)._replace(start=start, end=end)

    def _told(
        self,
        text: str,
        words: Sequence[str],
        spans: Sequence[tuple[int, int]],
        at: int,
        size: int,
        genders: str,
        forms: _Forms,
        tagger: Tagger | None,
    ) -> Found:
        if self._also(text, words, spans, at + size, genders, forms):
            return Found("neutral", by="both")
        before = self._before(text, words, spans, at)
        if before == "mf":
            return Found("neutral", by="both")
        if genders == "f":
            return Found("feminine", by="glossary")
        if before:
            return Found("masculine" if before == "m" else "feminine", by="determiner" if genders == "mf" or
                         before == "f" else "glossary")  # fmt: skip
        if genders == "m":
            return Found("masculine", by="glossary")
        told = tagger(text, spans[at][0]) if tagger else "missing"
        return Found("neutral") if told == "missing" else Found(told, by="tagger")

    def _before(self, text: str, words: Sequence[str], spans: Sequence[tuple[int, int]], at: int) -> str:
        """The gender that the determiner tells: m, f, mf (el/la) or nothing."""
        place = at - 1
        if place > 0 and words[place] in _ADJECTIVES:
            place -= 1
        if place < 0:
            return ""
        told = self._determiners.get(words[place], "")
        if words[place] in _EITHER_BEFORE_VOWEL and self.language == "fr" and words[place + 1].startswith(_VOWELS):
            return ""
        if told and place and text[spans[place - 1][1] : spans[place][0]].strip() in ("/", "(", "o"):
            other = self._determiners.get(words[place - 1], "")
            if other and other != told:
                return "mf"
        return told

    def _also(
        self,
        text: str,
        words: Sequence[str],
        spans: Sequence[tuple[int, int]],
        after: int,
        genders: str,
        forms: _Forms,
    ) -> bool:
        """Whether the other gender follows: *enfermero/a*, *enfermera o enfermero*, *infirmier(ère)*."""
        if after >= len(words) or genders == "mf":
            return False
        between = text[spans[after - 1][1] : spans[after][0]]
        if between.strip() in ("/", "(", "·", "(-", "/-"):
            return True
        place = after
        if words[place] not in _AND:
            return False
        place += 1
        if place < len(words) and words[place] in self._determiners:
            place += 1
        if place >= len(words) or words[place] not in forms:
            return False
        return _longest(forms, words, place)[1] not in ("", genders)


_Forms = dict[str, list[tuple[tuple[str, ...], str, int]]]
"""First word -> (all words, genders that it may have, its place in the glossary's list)."""


def _index(language: str, masculine: Iterable[str], feminine: Iterable[str]) -> _Forms:
    """The forms, longest first; with plurals, and feminine forms where none is given."""
    men = list(masculine)
    women = list(feminine) or [derived for form in men if (derived := feminine_of(form, language))]
    genders: dict[tuple[str, ...], set[str]] = {}
    ranks: dict[tuple[str, ...], int] = {}
    for gender, forms in (("m", men), ("f", women)):
        for rank, form in enumerate(forms):
            for one in (form, plural_of(form, language)):
                words = tuple(_WORD.findall(one.casefold()))
                if words:
                    genders.setdefault(words, set()).add(gender)
                    ranks[words] = min(rank, ranks.get(words, rank))
    index: _Forms = {}
    for words, found in genders.items():
        index.setdefault(words[0], []).append((words, "mf" if len(found) == 2 else min(found), ranks[words]))
    for listed in index.values():
        listed.sort(key=lambda one: -len(one[0]))
    return index


def _longest(forms: _Forms, words: Sequence[str], at: int) -> tuple[int, str, int]:
    for form, genders, rank in forms.get(words[at], ()):
        if len(form) == 1 or tuple(words[at : at + len(form)]) == form:
            return len(form), genders, rank
    return 0, "", 0


def glossary_of(rows: Iterable[Mapping[str, str]], language: str) -> Glossary:
    """From lexicon rows with `id`, `form.<language>.m` and `.f`, whose equivalents are split by `|`."""

    def split(row: Mapping[str, str], gender: str) -> list[str]:
        return [part.strip() for part in (row.get(f"form.{language}.{gender}") or "").split("|") if part.strip()]

    return Glossary(language, {row["id"]: (split(row, "m"), split(row, "f")) for row in rows})
