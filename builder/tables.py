"""Rows as Arrow tables: the columns of every family, what identifies their content, and Parquet in and out."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from queue import Queue
from threading import Thread

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from .codes import codes
from .expand import Hashes, mixed, word_hash
from .problems import UsageError

COMMON = (
    pa.field("id", pa.string()),
    pa.field("dataset", pa.string()),
    pa.field("language", pa.string()),
    pa.field("axis", pa.string()),
    pa.field("stereotype", pa.string()),
    pa.field("concept", pa.string()),
    pa.field("template", pa.string()),
    pa.field("slots", pa.list_(pa.string())),
    pa.field("tier", pa.int8()),
    pa.field("harmfulness", pa.float32()),
    pa.field("source", pa.string()),
    pa.field("canary", pa.string()),
)
ROWS_A_PART = 5_000_000
ROWS_A_GROUP = 1 << 17


def fields(own: Sequence[pa.Field]) -> pa.Schema:
    """The columns of a family: the common ones, then its own; the same for all its datasets."""
    return pa.schema([*COMMON, *own])


def coded(indices: object, values: Sequence[str | None] | pa.Array, known: Hashes | None = None) -> pa.DictionaryArray:
    """A column that holds each distinct value once; the Parquet writer relies on that.

    `known` are codes of the values, by which it is seen at once that all are distinct.
    """
    values = values if isinstance(values, pa.Array) else pa.array(values, pa.string())
    index = pa.array(np.asarray(indices, np.int32))
    if len(values) == 1:
        return pa.DictionaryArray.from_arrays(index, values)
    if known is not None:
        ordered = np.sort(known)
        if not (ordered[1:] == ordered[:-1]).any():
            return pa.DictionaryArray.from_arrays(index, values)
    once = values.dictionary_encode()
    if len(once.dictionary) == len(values):
        return pa.DictionaryArray.from_arrays(index, values)
    return pa.DictionaryArray.from_arrays(once.indices.take(index), once.dictionary)


def constant(value: str, count: int) -> pa.DictionaryArray:
    return coded(np.zeros(count, np.int32), [value])


# --- content ----------------------------------------------------------------------------------------------


def column_hashes(column: pa.Array) -> Hashes:
    """64 bits of each value of a column."""
    if isinstance(column, pa.DictionaryArray):
        known = codes(column.dictionary)[0]
        if len(known) == 1 and not column.null_count:
            return np.broadcast_to(known, (len(column),))
        indices: npt.NDArray[np.int32] = column.indices.to_numpy(zero_copy_only=False)
        return known[indices]
    if pa.types.is_string(column.type):
        return codes(column)[0]
    if pa.types.is_list(column.type):
        state = np.zeros(len(column), np.uint64)
        lengths = np.diff(column.offsets.to_numpy())
        values = column_hashes(column.flatten())
        starts = np.concatenate(([0], np.cumsum(lengths)[:-1]))
        for step in range(int(lengths.max(initial=0))):
            longer = lengths > step
            state[longer] = mixed(state[longer], values[starts[longer] + step])
        return state
    wide = column.cast(pa.float64()).fill_null(float("-inf")).to_numpy(zero_copy_only=False)
    return np.ascontiguousarray(wide).view(np.uint64)


def row_hashes(table: pa.Table, columns: Sequence[str]) -> Hashes:
    """64 bits of each row, over the named columns."""
    values = {}
    for name in columns:
        parts = [column_hashes(chunk) for chunk in table.column(name).chunks]
        values[name] = parts[0] if len(parts) == 1 else np.concatenate([np.zeros(0, np.uint64), *parts])
    return mixed_columns(values, table.num_rows)


def mixed_columns(values: Mapping[str, Hashes], count: int) -> Hashes:
    """64 bits of each row from those of its columns."""
    state: Hashes = np.zeros(count, np.uint64)
    for name, column in values.items():
        state = mixed(state ^ np.uint64(word_hash(name)), column)
    return state


# --- files ------------------------------------------------------------------------------------------------


@dataclass
class Writer:
    """Writes tables of one schema as Parquet parts, in a thread of its own so that the next block can be made.

    Dictionaries stay dictionaries in the file and are plain text to every reader.
    """

    folder: Path
    schema: pa.Schema
    metadata: Mapping[str, str]
    rows: int = 0
    files: list[Path] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._queue: Queue[pa.Table | None] = Queue(maxsize=2)
        self._failed: list[BaseException] = []
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def add(self, table: pa.Table) -> None:
        if self._failed:
            raise self._failed[0]
        self.rows += table.num_rows
        self._queue.put(table)

    def close(self) -> None:
        self._queue.put(None)
        self._thread.join()
        if self._failed:
            raise self._failed[0]

    def _run(self) -> None:
        writer: pq.ParquetWriter | None = None
        held = 0
        try:
            while (table := self._queue.get()) is not None:
                if writer is None or held >= ROWS_A_PART:
                    self._close(writer)
                    writer, held = self._open(table.schema), 0
                writer.write_table(table, row_group_size=ROWS_A_GROUP)
                held += table.num_rows
            if writer is None:
                writer = self._open(self.schema)
            self._close(writer)
        except BaseException as error:  # told to the thread that makes the tables
            self._failed.append(error)
            while self._queue.get() is not None:
                pass

    def _close(self, writer: pq.ParquetWriter | None) -> None:
        if writer is not None:
            # without the Arrow schema, which would make dictionaries of plain text, metadata is added by hand
            writer.add_key_value_metadata(dict(self.metadata))
            writer.close()

    def _open(self, schema: pa.Schema) -> pq.ParquetWriter:
        self.files.append(self.folder / f"part-{len(self.files):05d}.parquet")
        return pq.ParquetWriter(
            self.files[-1],
            schema,
            compression="zstd",
            use_dictionary=[_leaf(field) for field in schema if field.name != "id" and _is_text(field.type)],
            dictionary_pagesize_limit=1 << 28,
            write_statistics=False,
            store_schema=False,
        )


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_dictionary(kind) or pa.types.is_string(kind) or pa.types.is_list(kind))


def _leaf(field: pa.Field) -> str:
    return f"{field.name}.list.element" if pa.types.is_list(field.type) else str(field.name)


def file_sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def parquet_files(folder: Path) -> list[Path]:
    """The parts of a built dataset. Raises UsageError where there is none."""
    found = sorted((folder / "data").glob("*.parquet"))
    if not found:
        raise UsageError(f"{folder}: no built dataset; `contrapar build` makes one")
    return found


def read_schema(folder: Path) -> pa.Schema:
    """The columns of a built dataset."""
    return pq.read_schema(parquet_files(folder)[0]).remove_metadata()


def read_rows(folder: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """All rows of a built dataset, as plain columns."""
    return pa.concat_tables(pq.read_table(path, columns=columns) for path in parquet_files(folder))


def row_groups(folder: Path, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
    """The rows of a built dataset, a bounded number at a time."""
    for path in parquet_files(folder):
        with pq.ParquetFile(path) as file:
            for number in range(file.num_row_groups):
                yield file.read_row_group(number, columns=columns)
