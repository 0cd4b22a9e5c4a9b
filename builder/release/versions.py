"""Which version number follows from what changed. Pure.

rows removed or changed   major   1.2.3 -> 2.0.0
rows or tiers added       minor   1.2.3 -> 1.3.0
wording of the card only  patch   1.2.3 -> 1.2.4
"""

from __future__ import annotations

from collections.abc import Iterable

from ..changes import Level
from ..schema import VERSION

Number = tuple[int, int, int]


def number(version: str) -> Number | None:
    """`1.2.0` or `v1.2.0` as numbers; None where it is no version."""
    found = VERSION.fullmatch(version.removeprefix("v"))
    return None if found is None else (int(found[1]), int(found[2]), int(found[3]))


def latest(tags: Iterable[str]) -> str | None:
    """The highest version among tags, as the tag stands; None where none is one."""
    known = [(found, tag) for tag in tags if tag.startswith("v") and (found := number(tag))]
    return max(known)[1] if known else None


def following(version: str, level: Level) -> str:
    """The one version that follows."""
    found = number(version)
    if found is None:
        raise ValueError(f"{version!r} is no version")
    major, minor, patch = found
    return {"major": f"{major + 1}.0.0", "minor": f"{major}.{minor + 1}.0", "patch": f"{major}.{minor}.{patch + 1}"}[
        level
    ]
