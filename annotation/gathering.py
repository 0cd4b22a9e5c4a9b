"""Which answers a verb works on: those of the last pull, or files and counts from elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..builder.problems import Problem, UsageError
from .answers import Answer, Tally, read_answers, read_counts
from .store import Store
from .subjects import Subject
from .tiers import tally


def gather(
    store: Store, known: Sequence[Subject], files: Sequence[Path] = (), counts: Path | None = None
) -> tuple[list[Answer], list[Tally], list[Problem]]:
    """Answers (none where there are only counts), a tally for each stereotype, and what was left out.

    Of a respondent who is in several files the last file's answer counts. Raises UsageError, SourceFaults.
    """
    ids = [subject.id for subject in known]
    if counts and files:
        raise UsageError("take --counts or --answers: what is in both would count twice")
    if counts:
        tallies, problems = read_counts(counts, known)
        counted = {one.stereotype: one for one in tallies}
        return [], [counted.get(id, Tally(id)) for id in ids], problems
    given: dict[tuple[str, str], Answer] = {}
    problems = []
    for path in files or (pulled(store.answers),):
        found, faults = read_answers(path, known)
        problems += faults
        given |= {(one.respondent, one.stereotype): one for one in found}
    return list(given.values()), tally(given.values(), ids), problems


def pulled(path: Path) -> Path:
    if not path.is_file():
        raise UsageError(f"{path}: nothing came back yet; `contrapar survey pull` brings it")
    return path


def blocks_of(store: Store) -> dict[str, list[str]]:
    """Title of each block of the plan, if there is one -> its stereotypes."""
    plan = store.plan()
    return {block.title: [item.stereotype for item in block.items] for block in plan.blocks} if plan else {}
