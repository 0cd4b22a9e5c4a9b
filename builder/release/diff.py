"""What lies between two versions, for people and for machines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..changes import Change, compare, counted
from ..problems import UsageError
from .manifest import read_manifest
from .versions import following

BY = ("axis", "stereotype", "tier")
KINDS = ("added", "removed", "changed", "graded")


@dataclass(frozen=True)
class Difference:
    """Counts of rows: `by[column][kind]` is one counter a value of the column."""

    before: dict[str, Any]
    after: dict[str, Any]
    change: Change
    by: dict[str, dict[str, Counter[str]]]

    @property
    def follows(self) -> str:
        """The version that follows from it."""
        return following(str(self.before["version"]), self.change.level)

    @property
    def counts(self) -> dict[str, int]:
        return {kind: len(getattr(self.change, kind)) for kind in KINDS}

    def as_dict(self) -> dict[str, Any]:
        return {
            "dataset": self.after["dataset"],
            "before": {"version": self.before["version"], "rows": self.change.before},
            "after": {"version": self.after["version"], "rows": self.change.after},
            **self.counts,
            "level": self.change.level,
            "follows": self.follows,
            "by": {column: {kind: dict(found) for kind, found in kinds.items()} for column, kinds in self.by.items()},
        }


def difference(before: Path, after: Path) -> Difference:
    """Between two built folders of one dataset."""
    old, new = read_manifest(before), read_manifest(after)
    for what in ("dataset", "family"):
        if old[what] != new[what]:
            raise UsageError(f"{before} is of the {what} {old[what]!r}, {after} of {new[what]!r}: nothing to compare")
    change = compare(before, after)
    by = {
        column: {kind: counted(before if kind == "removed" else after, getattr(change, kind), column) for kind in KINDS}
        for column in BY
    }
    return Difference(old, new, change, by)


def lines(found: Difference) -> Iterator[str]:
    """As text."""
    change, counts = found.change, found.counts
    yield f"{found.after['dataset']}: {change.before:,} rows in {found.before['version']}, {change.after:,} now"
    yield f"added {counts['added']:,}, removed {counts['removed']:,}, changed {counts['changed']:,}," + (
        f" other tier or harmfulness {counts['graded']:,}"
    )
    for column, kinds in found.by.items():
        values = sorted({value for counter in kinds.values() for value in counter})
        if not values or values == [""]:
            continue
        yield ""
        width = max(len(column), *(len(value or "none") for value in values))
        yield f"{column:<{width}} " + " ".join(f"{kind:>10}" for kind in KINDS)
        for value in values:
            yield f"{value or 'none':<{width}} " + " ".join(f"{kinds[kind][value]:>10,}" for kind in KINDS)
    yield ""
    yield f"that is a {change.level} change: {found.before['version']} -> {found.follows}"
