"""The configurations of a release: everything, its tiers, and its languages, each with files of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from ..tables import Writer, parquet_files, read_schema, row_groups

DEFAULT = "default"
SPLIT = "test"
TIERS = {"tier1": (1,), "tier1_2": (1, 2)}
Filter = Callable[[pa.Table], pa.Array]


@dataclass(frozen=True)
class Config:
    """A subset that people load by name: its files (below the release's folder) and how many rows they hold."""

    name: str
    rows: int
    files: Sequence[str]
    bytes: int


def write_configs(built: Path, about: dict[str, str], out: Path) -> list[Config]:
    """`default` is what was built, byte by byte; a subset that would be empty is left out."""
    parts = parquet_files(built)
    schema = read_schema(built)
    tiers: set[int] = set()
    languages: set[str] = set()
    total = 0
    for rows in row_groups(built, ["tier", "language"]):
        total += rows.num_rows
        tiers |= set(pc.unique(rows.column("tier")).to_pylist())
        languages |= set(pc.unique(rows.column("language")).to_pylist())
    found = [Config(DEFAULT, total, [f"data/{part.name}" for part in parts], sum(p.stat().st_size for p in parts))]
    wanted: dict[str, Filter] = {
        name: _among("tier", pa.array(of, pa.int8())) for name, of in TIERS.items() if tiers & set(of)
    }
    if len(languages) > 1:
        wanted |= {code: _among("language", pa.array([code])) for code in sorted(languages)}
    for name, chosen in wanted.items():
        found.append(_subset(built, out / name, name, chosen, schema, about))
    return found


def _among(column: str, values: pa.Array) -> Filter:
    return lambda rows: pc.is_in(rows.column(column), value_set=values)


def _subset(built: Path, folder: Path, name: str, chosen: Filter, schema: pa.Schema, about: dict[str, str]) -> Config:
    folder.mkdir(parents=True)
    writer = Writer(folder, schema, about)
    try:
        for rows in row_groups(built):
            writer.add(rows.filter(chosen(rows)))
    finally:
        writer.close()
    files = [f"{name}/{path.name}" for path in writer.files]
    return Config(name, writer.rows, files, sum(path.stat().st_size for path in writer.files))
