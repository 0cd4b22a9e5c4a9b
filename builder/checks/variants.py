"""Rules on the words of countries: `countries` and `variants`. The docstring of a rule is its line of help."""

from __future__ import annotations

from collections.abc import Iterator

from ..problems import Problem, nearest
from ..schema import Variant
from ..sources import Lexicon
from .draft import Draft, Rule, at, warning
from .text import normalised

EVERYWHERE = "*"


def _variants(draft: Draft) -> Iterator[tuple[Lexicon, Variant]]:
    for lexicon, entry in draft.entries():
        if isinstance(entry, Variant):
            yield lexicon, entry


def unknown_country(draft: Draft) -> Iterator[Problem]:
    """A variant names a country that the lexicon of countries does not have."""
    known = draft.sources.ids("countries")
    for lexicon, variant in _variants(draft):
        for column in ("country", "doubtful"):
            for id in getattr(variant, column):
                if id not in known and (column, id) != ("doubtful", EVERYWHERE):
                    place = at(lexicon, variant, column)
                    yield Problem(place, "unknown-country", f"{id!r} is no country", nearest(id, known))


def no_country(draft: Draft) -> Iterator[Problem]:
    """A variant that no country is said to use: it can only be a wrong answer."""
    for lexicon, variant in _variants(draft):
        if not variant.country:
            message = f"{variant.id!r} has the sign of no country"
            yield warning(at(lexicon, variant, "country"), "no-country", message, "say where it is used, or retire it")


def both_signs(draft: Draft) -> Iterator[Problem]:
    """A country where a variant is used and doubtful at once."""
    for lexicon, variant in _variants(draft):
        for id in sorted(set(variant.country) & set(variant.doubtful)):
            message = f"{variant.id!r} is used in {id!r} and doubtful there"
            yield Problem(at(lexicon, variant, "doubtful"), "both-signs", message, "keep one of the two signs")


def no_description(draft: Draft) -> Iterator[Problem]:
    """A concept that no variant describes: nobody could tell what is asked."""
    described = {variant.concept for _, variant in _variants(draft) if variant.description}
    for lexicon, variant in _variants(draft):
        if variant.concept not in described:
            described.add(variant.concept)
            message = f"concept {variant.concept!r} is described nowhere"
            place = at(lexicon, variant, "description")
            yield Problem(place, "no-description", message, "write it in a row of the concept")


def two_descriptions(draft: Draft) -> Iterator[Problem]:
    """A concept that two variants describe in other words: only one would be shown."""
    said: dict[str, Variant] = {}
    for lexicon, variant in _variants(draft):
        if not variant.description:
            continue
        first = said.setdefault(variant.concept, variant)
        if normalised(first.description) != normalised(variant.description):
            message = f"concept {variant.concept!r} is described otherwise in {first.id!r}"
            place = at(lexicon, variant, "description")
            yield Problem(place, "two-descriptions", message, "describe it once, or make two concepts")


def unsourced_sign(draft: Draft) -> Iterator[Problem]:
    """A variant whose countries stand on no source."""
    for lexicon, variant in _variants(draft):
        if not variant.source:
            message = f"the signs of {variant.id!r} have no source"
            yield warning(at(lexicon, variant, "source"), "unsourced-sign", message, "say where it is documented")


RULES: tuple[Rule, ...] = (
    unknown_country, no_country, both_signs, no_description, two_descriptions, unsourced_sign,
)  # fmt: skip
