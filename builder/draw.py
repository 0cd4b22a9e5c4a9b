"""Rows drawn at random for someone to read one by one, and the sheet on which they write what they think."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from .expand import Hashes, mixed, word_hash
from .preview_rows import LAYOUTS
from .problems import UsageError
from .release.manifest import read_manifest
from .tables import row_groups, row_hashes

SHEET = ("seed", "id", "template", "text", "natural", "correct", "note")
Row = dict[str, Any]


def draw(folder: Path, rows: int, seed: int) -> list[Row]:
    """So many rows of a built dataset, each as likely as any other, in an order that is chance too.

    Which ones depends on the ids and the seed alone: an edit of the wording draws the same rows again. All of them
    where there are fewer. Raises UsageError where `rows` is less than 1.
    """
    if rows < 1:
        raise UsageError(f"{rows} rows cannot be read; draw 1 or more")
    best: list[pa.Table] = []
    keys: Hashes = np.empty(0, np.uint64)
    start = np.full(1, word_hash(f"draw {seed}"), np.uint64)
    for group in row_groups(folder):
        keys = np.concatenate((keys, mixed(row_hashes(group, ("id",)), start)))
        kept = np.argsort(keys, kind="stable")[:rows]
        best = [pa.concat_tables([*best, group]).take(pa.array(kept))]
        keys = keys[kept]
    return best[0].to_pylist() if best else []


def lines(row: Row, family: str) -> Iterator[str]:
    """A row as it is read: a line for each text, the right answer marked by an asterisk."""
    shown = LAYOUTS[family](row, lambda row, slot: ())
    yield f"{row['id']} {row['template']} ({', '.join(shown.tags)})"
    for line in shown.lines:
        yield f"{'*' if line.right else ' '} {line.label}: {''.join(text for text, _ in line.parts)}"


def family_of(folder: Path) -> str:
    """The family of a built dataset; raises UsageError where its rows cannot be shown one by one."""
    family = str(read_manifest(folder)["family"])
    if family not in LAYOUTS:
        raise UsageError(f"{folder}: rows of the family {family!r} cannot be shown one by one")
    return family


def sheet(rows: list[Row], family: str, seed: int) -> str:
    """A table with the rows' texts and empty columns for a reader: is it natural, is it correct, and what else."""
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, SHEET, delimiter=";", lineterminator="\n", restval="")
    writer.writeheader()
    for row in rows:
        text = " / ".join(line.strip() for line in list(lines(row, family))[1:])
        writer.writerow({"seed": seed, "id": row["id"], "template": row["template"], "text": text})
    return out.getvalue()
