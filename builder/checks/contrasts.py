"""Whom a dataset compares, and on what it stands: groups of one kind, groups heard alike, a saying or a source."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..problems import Place, Problem
from ..schema import Entry
from .draft import at, warning
from .thorough import Reading

LARGEST_SHARE = 0.5  # of an axis's rows, for one target group of three or more
LARGEST_OF_TWO = 0.75
LEAST_ROWS = 30
COMPARED = (("target", "other"), ("identity", "other"))


def unfounded_template(reading: Reading) -> Iterator[Problem]:
    """A template on which neither a saying nor a source stands: not its own, not its stereotype's."""
    stereotypes = reading.sources.stereotypes
    for plan in reading.plans:
        template = plan.written.model
        if not template.judged or template.source or getattr(template, "saying", ""):
            continue
        entries = [entry for listed in plan.filled.entries.values() for entry in listed if entry.has("stereotype")]
        named = {template.stereotype} if template.stereotype else {str(entry.stereotype) for entry in entries}
        bare = sorted(id for id in named if id not in stereotypes or not stereotypes[id].source)
        sourced = {str(entry.stereotype) for entry in entries if entry.source} if not template.stereotype else set()
        if bare and not set(bare) <= sourced:
            message = f"{template.id!r} stands on no saying and no source ({bare[0]!r} has none)"
            mend = "name a saying or a source, or say where the stereotype is documented"
            yield warning(plan.written.place("id"), "unfounded-template", message, mend)


def mixed_contrast(reading: Reading) -> Iterator[Problem]:
    """Groups that are compared are not of one kind, such as an occupation and a nationality."""
    both = _kinds_of_both_roles(reading)
    for plan in reading.plans:
        filled = plan.filled
        for one, other in COMPARED:
            slot = getattr(plan.written.model, "contrast", one) if one == "identity" else one
            if slot not in filled.entries or other not in filled.entries:
                continue
            for mine, theirs in _compared(plan, slot, other):
                unlike = _unlike(mine, theirs, both)
                if unlike:
                    message = f"{mine.id!r} is compared with {theirs.id!r}: {unlike}"
                    place = plan.written.place("slots", slot)
                    mend = "compare groups of one kind: `like: kind`, a filter, or the column `contrast`"
                    yield warning(place, "mixed-contrast", message, mend)
                    break
            break


def _unlike(mine: Entry, theirs: Entry, both: set[str]) -> str:
    """What sets two entries apart that are compared, or ""."""
    if type(mine) is not type(theirs):
        return f"one is of {type(mine).__name__.lower()}, the other of {type(theirs).__name__.lower()}"
    for column in ("axis", "kind"):
        kinds = str(getattr(mine, column, "")), str(getattr(theirs, column, ""))
        if all(kinds) and kinds[0] != kinds[1] and (column == "axis" or both & set(kinds)):
            return f"{column} {kinds[0]!r} and {kinds[1]!r}"
    return ""


def _kinds_of_both_roles(reading: Reading) -> set[str]:
    """Kinds that hold targets and others alike, so that there is something to compare with inside each.

    A kind of one role only, such as one for each origin, is the group itself.
    """
    roles: dict[str, set[str]] = defaultdict(set)
    for lexicons in (reading.sources.own, reading.sources.bundled):
        for lexicon in lexicons.values():
            for entry in lexicon.entries.values():
                if entry.has("role") and entry.has("kind") and entry.state != "retired":
                    roles[str(getattr(entry, "kind", ""))].add(str(getattr(entry, "role", "")))
    return {kind for kind, found in roles.items() if kind and {"target", "other"} <= found}


def _compared(plan: Any, slot: str, other: str) -> Iterator[tuple[Entry, Entry]]:
    """Pairs of entries that go together, one for each pair of (lexicon, axis, kind)."""
    filled = plan.filled
    a, b = filled.home[slot], filled.home[other]
    mine, theirs = filled.entries[slot], filled.entries[other]
    if a == b:
        pairs = [(n, n) for n in range(min(len(mine), len(theirs)))]
    else:
        low, high = min(a, b), max(a, b)
        allowed = filled.allowed.get((low, high))
        matrix = np.ones((len(mine), len(theirs)), bool) if allowed is None else allowed if a < b else allowed.T
        pairs = [(int(m), int(t)) for m, t in np.argwhere(matrix)]
    seen: set[tuple[object, ...]] = set()
    for m, t in pairs:
        key = (*_sort(mine[m]), *_sort(theirs[t]))
        if key not in seen:
            seen.add(key)
            yield mine[m], theirs[t]


def _sort(entry: Entry) -> tuple[object, ...]:
    return type(entry), getattr(entry, "axis", ""), getattr(entry, "kind", "")


def dominant_group(reading: Reading) -> Iterator[Problem]:
    """One target group has more than half of the rows of an axis with several (three quarters, of two)."""
    for axis, groups in sorted(reading.said.groups.items()):
        total = groups.total()
        most = LARGEST_OF_TWO if len(groups) == 2 else LARGEST_SHARE
        group, rows = groups.most_common(1)[0]
        if len(groups) > 1 and total >= LEAST_ROWS and rows > most * total:
            share = f"{rows:,} of {total:,} rows ({100 * rows / total:.0f} %)"
            message = f"{group!r} is the target in {share} of axis {axis!r}, which has {len(groups)} target groups"
            mend = "write as much about the others, or draw a sample by the group (`sampling`)"
            yield warning(_place(reading, group), "dominant-group", message, mend)


def _place(reading: Reading, group: str) -> Place:
    for lexicon, entry in reading.entries():
        if entry.id == group and entry.has("role"):
            return at(lexicon, entry)
    return reading.sources.dataset.place()
