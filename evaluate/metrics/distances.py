"""How far the words of countries are from those of one of them, by the answers that are right (pure)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .jaccard import jaccard


def lexical_distances(used: Mapping[str, Mapping[str, Iterable[str]]], reference: str) -> dict[str, float]:
    """Of each country the mean Jaccard distance from the reference, over the concepts that both have; 0 to 1.

    `used`: country -> concept -> the words in use. A country that shares no concept with the reference is left out.
    Kawasaki 2026, sec. 5.2.1, as for its multiple choice; there the reference is Spain.
    """
    own = {concept: set(words) for concept, words in used[reference].items()}
    found = {}
    for country, concepts in used.items():
        gaps = []
        for concept in sorted(own.keys() & concepts.keys()):
            words = set(concepts[concept])
            gaps.append(1 - jaccard(len(words & own[concept]), len(words), len(own[concept])))
        if gaps:
            found[country] = sum(gaps) / len(gaps)
    return found


def words_in_use(rows: Iterable[Mapping[str, object]]) -> dict[str, dict[str, set[str]]]:
    """Country -> concept -> the right options of rows of multiple choice (country, concept_id, options, gold)."""
    found: dict[str, dict[str, set[str]]] = {}
    for row in rows:
        options, gold = list(row["options"]), list(row["gold"])  # type: ignore[call-overload]
        found.setdefault(str(row["country"]), {})[str(row["concept_id"])] = {options[int(at)] for at in gold}
    return found
