"""What a change does to the rows: two builds, told apart by id. `python -m contrapar.builder.changes BEFORE AFTER`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .expand import Hashes
from .families import FAMILIES
from .tables import row_groups, row_hashes

EXAMPLES = 5
MANIFEST = "manifest.json"


@dataclass(frozen=True)
class Change:
    """Of one dataset: rows before and after, and ids (hashed) by what became of them."""

    before: int
    after: int
    added: Hashes
    removed: Hashes
    changed: Hashes


def compare(before: Path | None, after: Path | None, family: str) -> Change:
    """Two built datasets, either of which may be absent. A row with another text under the same id is changed."""
    old, new = _said(before, family), _said(after, family)
    same, first, second = np.intersect1d(old[0], new[0], assume_unique=True, return_indices=True)
    return Change(
        before=len(old[0]),
        after=len(new[0]),
        added=np.setdiff1d(new[0], old[0]),
        removed=np.setdiff1d(old[0], new[0]),
        changed=same[old[1][first] != new[1][second]],
    )


def _said(folder: Path | None, family: str) -> tuple[Hashes, Hashes]:
    """The id and what it says, of each row, as hashes."""
    ids: list[Hashes] = [np.zeros(0, np.uint64)]
    says: list[Hashes] = [np.zeros(0, np.uint64)]
    if folder is not None:
        for rows in row_groups(folder, ["id", *FAMILIES[family].SAYS]):
            ids.append(row_hashes(rows, ("id",)))
            says.append(row_hashes(rows, FAMILIES[family].SAYS))
    return np.concatenate(ids), np.concatenate(says)


def markdown(before: Path, after: Path) -> Iterator[str]:
    """A table of what changed in each dataset below two folders, then a few rows of each change."""
    yield "| dataset | rows before | rows after | added | removed | changed |"
    yield "|---|---|---|---|---|---|"
    examples: list[str] = []
    for name in sorted({path.parent.name for root in (before, after) for path in root.glob(f"*/{MANIFEST}")}):
        old, new = (root / name if (root / name / MANIFEST).is_file() else None for root in (before, after))
        family = _family(new or old or after)
        change = compare(old, new, family)
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
    return str(json.loads((folder / MANIFEST).read_text(encoding="utf-8"))["family"])


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
