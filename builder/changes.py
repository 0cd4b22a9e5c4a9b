"""What a change does to the rows: two builds, told apart by id. `python -m contrapar.builder.changes BEFORE AFTER`."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .expand import Hashes
from .families import FAMILIES
from .release.manifest import MANIFEST, read_manifest
from .tables import read_schema, row_groups, row_hashes

EXAMPLES = 5
GRADES = ("tier", "harmfulness")
BESIDES = frozenset({"id", "dataset", "canary"})  # not what a row says
Level = Literal["major", "minor", "patch"]


@dataclass(frozen=True)
class Change:
    """Of one dataset: rows before and after, and ids (hashed) by what became of them."""

    before: int
    after: int
    added: Hashes
    removed: Hashes
    changed: Hashes
    graded: Hashes  # the same row, of another tier or harmfulness

    @property
    def level(self) -> Level:
        """What it means for the version number."""
        if len(self.removed) or len(self.changed):
            return "major"
        return "minor" if len(self.added) or len(self.graded) else "patch"


def compare(before: Path | None, after: Path | None) -> Change:
    """Two built datasets, either of which may be absent. Under the same id, a row that says else is changed."""
    kept = [name for name in _columns(before or after) if name in _columns(after or before)]
    old, new = _said(before, kept), _said(after, kept)
    same, first, second = np.intersect1d(old[0], new[0], assume_unique=True, return_indices=True)
    changed = old[1][first] != new[1][second]
    if set(_columns(before or after)) != set(_columns(after or before)):
        changed[:] = True
    return Change(
        before=len(old[0]),
        after=len(new[0]),
        added=np.setdiff1d(new[0], old[0]),
        removed=np.setdiff1d(old[0], new[0]),
        changed=same[changed],
        graded=same[~changed & (old[2][first] != new[2][second])],
    )


def counted(folder: Path, ids: Hashes, by: str) -> Counter[str]:
    """How many of these rows there are of each value of a column; '' where it has none."""
    found: Counter[str] = Counter()
    for rows in row_groups(folder, ["id", by]) if len(ids) else ():
        chosen = rows.column(by).filter(pa.array(np.isin(row_hashes(rows, ("id",)), ids)))
        for value in pc.value_counts(chosen).to_pylist():
            found["" if value["values"] is None else str(value["values"])] += value["counts"]
    return found


def _columns(folder: Path | None) -> list[str]:
    return [] if folder is None else list(read_schema(folder).names)


def _said(folder: Path | None, columns: Sequence[str]) -> tuple[Hashes, Hashes, Hashes]:
    """The id, what the row is, and how it is graded, of each row, as hashes."""
    none: Hashes = np.zeros(0, np.uint64)
    ids, says, grades = [none], [none], [none]
    said = [name for name in columns if name not in GRADES and name not in BESIDES]
    if folder is not None:
        for rows in row_groups(folder, columns):
            ids.append(row_hashes(rows, ("id",)))
            says.append(row_hashes(rows, said))
            grades.append(row_hashes(rows, [name for name in GRADES if name in columns]))
    return np.concatenate(ids), np.concatenate(says), np.concatenate(grades)


def markdown(before: Path, after: Path) -> Iterator[str]:
    """A table of what changed in each dataset below two folders, then a few rows of each change."""
    yield "| dataset | rows before | rows after | added | removed | changed |"
    yield "|---|---|---|---|---|---|"
    examples: list[str] = []
    for name in sorted({path.parent.name for root in (before, after) for path in root.glob(f"*/{MANIFEST}")}):
        old, new = (root / name if (root / name / MANIFEST).is_file() else None for root in (before, after))
        family = _family(new or old or after)
        change = compare(old, new)
        counts = (change.before, change.after, len(change.added), len(change.removed), len(change.changed))
        yield f"| {name} | " + " | ".join(f"{count:,}" for count in counts) + " |"
        for what, folder, ids in (
            ("added", new, change.added),
            ("removed", old, change.removed),
            ("changed from", old, change.changed),
            ("changed to", new, change.changed),
        ):
            if len(ids) and folder is not None:
                examples += ["", f"**{name}**, {what}:", *_shown(folder, family, ids[:EXAMPLES])]
    yield from examples


def _family(folder: Path) -> str:
    return str(read_manifest(folder)["family"])


def _shown(folder: Path, family: str, ids: Hashes) -> Iterator[str]:
    columns = FAMILIES[family].SAYS
    for rows in row_groups(folder, ["id", *columns]):
        for number in np.flatnonzero(np.isin(row_hashes(rows, ("id",)), ids)):
            said = " / ".join(str(rows.column(name)[int(number)].as_py()) for name in columns)
            yield f"- `{' '.join(said.split()).replace('`', chr(39))}`"


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("use: python -m contrapar.builder.changes BEFORE AFTER (two folders of built datasets)")
    print("\n".join(markdown(Path(sys.argv[1]), Path(sys.argv[2]))))
