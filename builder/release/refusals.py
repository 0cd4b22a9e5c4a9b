"""What forbids a release: what is missing, what is not committed, a number that does not follow."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

from ..problems import Place, Problem
from ..sources import Sources, shown
from .card import unfit as missing
from .diff import Difference, difference
from .hub import Head, Repository
from .versions import following, latest, number


def unfit(sources: Sources) -> Iterator[Problem]:
    place = sources.dataset.place()
    for key, mend in missing(sources.dataset.model):
        yield Problem(place, "release", f"{key} is missing: a release cannot do without it", f"write {mend}")


def _git(folder: Path, *arguments: str) -> str | None:
    """What git says of a folder in a repository; None where it cannot be asked."""
    try:
        done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def _kept(folder: Path) -> bool:
    """Whether a folder is in a git repository."""
    return any((above / ".git").exists() for above in (folder, *folder.parents))


def dirty(sources: Sources) -> Iterator[Problem]:
    own = sources.folder.resolve()
    for folder in (own, own.parents[1] / "lexicons"):
        if not folder.is_dir() or not _kept(folder):
            continue
        place = Place(shown(folder))
        found = _git(folder, "status", "--porcelain", "--untracked-files=all", "--", ".")
        if found is None:
            yield Problem(place, "dirty", "git cannot say whether it is committed", "see `git status` there")
        changed = [line[3:] for line in (found or "").splitlines()]
        if changed:
            some = ", ".join(changed[:3]) + (f" and {len(changed) - 3} more" if len(changed) > 3 else "")
            yield Problem(place, "dirty", f"changed since the last commit: {some}", "commit it, then publish")


def revision(sources: Sources) -> str:
    """The commit that the sources are of; '' where they are in no repository."""
    return (_git(sources.folder, "rev-parse", "HEAD") or "").strip() if _kept(sources.folder.resolve()) else ""


def since(
    repository: Repository, head: Head | None, built: Path, sources: Sources, version: str
) -> tuple[str | None, Difference | None, list[Problem]]:
    """The last version before this one, what changed since, and what is wrong with this one's number."""
    if head is None:
        return None, None, []
    place = sources.dataset.place("version")
    tags = [tag for tag in head.tags if tag != f"v{version}"]
    last = latest(tags)
    if last is None:
        return None, None, []
    before, now = number(last), number(version)
    if before is None or now is None or now < before:
        message = f"version {version} is older than {last}, which is released"
        return last, None, [Problem(place, "version", message, "see `contrapar diff` for the number that follows")]
    found = difference(repository.folder(last), built)
    wanted = following(last.removeprefix("v"), found.change.level)
    if version != wanted:
        counts = ", ".join(f"{count:,} {kind}" for kind, count in found.counts.items() if count) or "no row"
        message = f"version {version} does not follow from what changed since {last} ({counts})"
        return last, found, [Problem(place, "version", message, f"write version: {wanted}")]
    return last, found, []
