"""Rows in the layouts that other people's tools read, cut by tier, axis and language. A folder, whole or not at all."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from .families import FAMILIES
from .files import whole_folder
from .formats import bbq, crows_pairs, harnesses, plain, winoqueer
from .problems import UsageError, nearest
from .release.manifest import read_manifest
from .tables import fields, row_groups

ABOUT = "ABOUT.md"
BATCH = 1 << 14
Write = Callable[..., int]
Row = dict[str, Any]


@dataclass(frozen=True)
class Cut:
    """What is kept; nothing named keeps everything. Values of one column are alternatives."""

    tiers: Sequence[int] = ()
    axes: Sequence[str] = ()
    languages: Sequence[str] = ()

    @property
    def wanted(self) -> dict[str, pa.Array]:
        named = {
            "tier": pa.array(self.tiers, pa.int8()),
            "axis": pa.array(self.axes, pa.string()),
            "language": pa.array(self.languages, pa.string()),
        }
        return {column: values for column, values in named.items() if len(values)}

    def __str__(self) -> str:
        return ", ".join(f"{column} {' '.join(map(str, values.to_pylist()))}" for column, values in self.wanted.items())


@dataclass(frozen=True)
class Exported:
    folder: Path
    rows: int
    of: int


def _csv(name: str, columns: Sequence[str], written: Callable[[Row], Row | None]) -> Write:
    """A table as a script of somebody else's reads it: plain cells, no apostrophes."""

    def write(tables: plain.Tables, schema: pa.Schema, folder: Path, about: dict[str, str]) -> int:
        count = 0
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, columns, lineterminator="\n")
            writer.writeheader()
            for row in plain.rows(tables):
                found = written(row)
                if found is not None:
                    writer.writerow(found)
                    count += 1
        return count

    return write


def _bbq(tables: plain.Tables, schema: pa.Schema, folder: Path, about: dict[str, str]) -> int:
    return plain.write_lines(map(bbq.written, plain.rows(tables)), folder / plain.JSONL)


# format -> family (or '' for any) -> how it is written
FORMATS: dict[str, dict[str, Write]] = {
    "parquet": {"": plain.write_parquet},
    "jsonl": {"": plain.write_jsonl},
    "csv": {"": plain.write_csv},
    "crows-pairs": {crows_pairs.LAYOUT.family: _csv("crows_pairs.csv", crows_pairs.COLUMNS, crows_pairs.written)},
    "winoqueer": {winoqueer.LAYOUT.family: _csv("winoqueer.csv", winoqueer.COLUMNS, winoqueer.written)},
    "bbq": {bbq.LAYOUT.family: _bbq},
    "lm-eval": {
        crows_pairs.LAYOUT.family: harnesses.write_lm_eval_pairs,
        bbq.LAYOUT.family: harnesses.write_lm_eval_qa,
    },
    "inspect": {bbq.LAYOUT.family: harnesses.write_inspect},
}


def export(
    built: Path, to: str, out: Path | None = None, cut: Cut = Cut(), completion: Callable[..., str] | None = None
) -> Exported:
    """Writes a built dataset in a format. `completion`: what an option follows, for formats that put questions.

    Raises UsageError where a format cannot hold the family, nothing is left, or the folder holds something else.
    """
    manifest = read_manifest(built)
    family = str(manifest["family"])
    writers = FORMATS[to]
    if family not in writers and "" not in writers:
        able = [name for name, of in FORMATS.items() if "" in of or family in of]
        raise UsageError(f"--to {to}: holds no rows of the family {family}; these do: {', '.join(able)}")
    write = writers.get(family) or writers[""]
    if write is harnesses.write_lm_eval_qa:
        write = partial(harnesses.write_lm_eval_qa, completion=completion)
    _known(built, cut)
    out = out or Path("out") / f"{manifest['dataset']}-{to}"
    about = {key: str(manifest.get(key, "")) for key in (*_ABOUT, "content_sha256")}
    schema = fields(FAMILIES[family].FIELDS)
    with whole_folder(out, ABOUT, "an export") as work:
        rows = write(_kept(built, schema, cut), schema, work, about)
        if not rows:
            raise UsageError(f"no row is left{f' of {cut}' if str(cut) else ''}; nothing was written")
        (work / ABOUT).write_text(_about(about, to, rows, int(manifest["rows"]), cut), encoding="utf-8")
    return Exported(out, rows, int(manifest["rows"]))


_ABOUT = ("title", "dataset", "version", "language", "licence", "content_warning", "canary")


def _known(built: Path, cut: Cut) -> None:
    """Raises UsageError for an axis or a language that no row has."""
    wanted = {column: set(values.to_pylist()) for column, values in cut.wanted.items() if column != "tier"}
    if not wanted:
        return
    there: dict[str, set[str]] = {column: set() for column in wanted}
    for rows in row_groups(built, list(wanted)):
        for column in wanted:
            there[column] |= set(pc.unique(rows.column(column)).to_pylist())
    for column, values in wanted.items():
        for value in sorted(values - there[column]):
            raise UsageError(f"--{column} {value}: no row has it; {nearest(value, there[column])}")


def _kept(built: Path, schema: pa.Schema, cut: Cut) -> Iterator[pa.Table]:
    """The rows that are kept, a bounded number at a time."""
    for rows in row_groups(built):
        for column, values in cut.wanted.items():
            rows = rows.filter(pc.is_in(rows.column(column), value_set=values))
        rows = rows.select(schema.names).cast(schema)
        for start in range(0, rows.num_rows, BATCH):
            yield rows.slice(start, BATCH)


def _about(about: Mapping[str, str], to: str, rows: int, of: int, cut: Cut) -> str:
    return "\n".join(
        (
            f"# {about['title']}",
            "",
            f"> {' '.join(about['content_warning'].split())}",
            "",
            f"Benchmark data, not training data. Canary: `{about['canary']}`",
            "",
            f"{about['dataset']} {about['version']} as {to}: {rows:,} of {of:,} rows{f' ({cut})' if str(cut) else ''}.",
            f"Rows (sha256): `{about['content_sha256']}`. Licence: {about['licence']}.",
            "",
        )
    )
