"""Stereotypes that people missed, as rows to review: what exists already is marked, not dropped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from pathlib import Path

from .answers import Proposal
from .subjects import Subject, comparable
from .tables import guarded, write_table

NEAR = 0.8
"""From this likeness on, two texts are told to be near-duplicates."""
COLUMNS = ("id", "axis", "concept", "text", "source", "state", "note", "group", "people", "near", "likeness")


@dataclass(frozen=True)
class Candidate:
    """A proposal, the wordings that say the same, and the id or text of the nearest that exists, if any."""

    axis: str
    group: str
    text: str
    people: int
    also: tuple[str, ...] = ()
    near: str = ""
    likeness: float = 0.0


def likeness(one: str, other: str) -> float:
    """0 to 1: by letters in their order, or by the words that both have, whichever is more."""
    a, b = comparable(one), comparable(other)
    if not a or not b:
        return 0.0
    words_a, words_b = set(a.split()), set(b.split())
    shared = len(words_a & words_b) / len(words_a | words_b)
    letters = SequenceMatcher(None, a, b, autojunk=False)
    if letters.real_quick_ratio() <= max(shared, NEAR) or letters.quick_ratio() <= max(shared, NEAR):
        return shared
    return max(shared, letters.ratio())


def candidates(proposals: Iterable[Proposal], known: Sequence[Subject]) -> list[Candidate]:
    """Proposals of one group that say nearly the same become one; most proposed first."""
    merged: dict[tuple[str, str], list[list[Proposal]]] = {}
    for proposal in sorted(proposals, key=lambda one: (one.axis, one.group, -one.people, one.text)):
        kinds = merged.setdefault((proposal.axis, proposal.group), [])
        like = next((kind for kind in kinds if likeness(kind[0].text, proposal.text) >= NEAR), None)
        if like is None:
            kinds.append([proposal])
        else:
            like.append(proposal)
    found = []
    for (axis, group), kinds in merged.items():
        for kind in kinds:
            best = max(((likeness(kind[0].text, one.text), one.id) for one in known), default=(0.0, ""))
            near = best if best[0] >= NEAR else (0.0, "")
            found.append(
                Candidate(
                    axis=axis,
                    group=group,
                    text=kind[0].text,
                    people=sum(one.people for one in kind),
                    also=tuple(one.text for one in kind[1:]),
                    near=near[1],
                    likeness=near[0],
                )
            )
    return sorted(found, key=lambda one: (one.axis, one.group, -one.people, one.text))


def write_candidates(
    path: Path, found: Iterable[Candidate], survey: str, language: str, known: Iterable[Subject]
) -> None:
    """Rows of `stereotypes.csv`, state `draft`, with columns of their own behind them for whoever reviews."""
    used = {subject.id for subject in known}
    rows = []
    for one in found:
        id = _id(language, one, used)
        used.add(id)
        note = f"also: {' / '.join(one.also)}" if one.also else ""
        rows.append(
            (
                *(id, one.axis, "", guarded(one.text), f"survey {survey}", "draft", guarded(note)),
                *(one.group, one.people, one.near, f"{one.likeness:.2f}" if one.near else ""),
            )
        )
    write_table(path, COLUMNS, rows)


def _id(language: str, one: Candidate, used: set[str]) -> str:
    slug = "-".join(re.findall(r"\w+", comparable(one.text))[:6])[:60]
    first = "/".join(part for part in (language, one.axis, slug) if part)
    number, id = 1, first
    while id in used:
        number += 1
        id = f"{first}-{number}"
    return id
