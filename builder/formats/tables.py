"""Tables of others, whatever kind of file they are in, read so that text stays text.

A cell is text; a nested cell of JSON or Parquet stays a dict or a list. What is absent is the empty text. A value
such as `null`, `NA` or `None` that is written in the file is a word like any other.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
import warnings
import zipfile
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

from ..problems import UsageError

LARGEST_CELL = 10_000_000
_ABSENT = ""
_LONE = re.compile("[\ud800-\udfff]")  # half a character, which no file can hold


@dataclass(frozen=True)
class Table:
    """One table. `lines` says where each row stands: the line of the file, or the row of the sheet, from 1."""

    path: str
    columns: dict[str, list[Any]]
    lines: list[int]
    sheet: str = ""


def read_tables(path: Path, known: Collection[str] = ()) -> Iterator[Table]:
    """The tables of a file: one, or one a sheet. `known` are columns that help to tell the separator.

    Raises UsageError, one line, where the file cannot be read.
    """
    kind = path.suffix.lower()
    if path.is_dir():
        raise UsageError(f"{path}: is a folder; name the files in it")
    if kind not in _READERS:
        raise UsageError(f"{path}: {kind or 'no ending'} is not read; give {', '.join(_READERS)}")
    try:
        yield from _READERS[kind](path, known)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror or error}") from error


# --- text ---------------------------------------------------------------------------------------------------


def _text(path: Path) -> str:
    data = path.read_bytes()
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UsageError(f"{path}:{line}: byte {error.start + 1} is not UTF-8; save the file as UTF-8") from error
    if (at := text.find("\0")) >= 0:
        raise UsageError(f"{path}:{text.count(chr(10), 0, at) + 1}: a NUL byte: this is no text")
    return text


def _delimited(path: Path, known: Collection[str]) -> Iterator[Table]:
    text = _text(path)
    csv.field_size_limit(LARGEST_CELL)
    separator = _separator(text, known)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    header: list[str] | None = None
    rows: list[list[str]] = []
    lines: list[int] = []
    last = 0
    try:
        for cells in reader:
            line, last = last + 1, reader.line_num
            if not any(cells):
                continue
            if header is None:
                header = _header(path, cells)
                continue
            if len(cells) > len(header):
                if any(cells[len(header) :]):
                    message = f"{len(cells)} cells under {len(header)} columns"
                    raise UsageError(f"{path}:{line}: {message}; put quotes round a cell that holds {separator!r}")
                cells = cells[: len(header)]
            rows.append(cells + [_ABSENT] * (len(header) - len(cells)))
            lines.append(line)
    except csv.Error as error:
        raise UsageError(f"{path}:{last + 1}: {error}; a quote inside a quoted cell is written twice") from error
    yield _table(path, header, rows, lines)


def _separator(text: str, known: Collection[str]) -> str:
    """The mark that cuts the header into the most columns that are known, or else into the most columns."""
    head = next((line for line in text.splitlines() if line.strip()), "")
    others = {mark for mark in head if not mark.isalnum() and mark not in " \"'_-.()/\\"}

    def score(mark: str) -> tuple[int, int]:
        try:
            cells = next(csv.reader([head], delimiter=mark))
        except csv.Error:
            return 0, 0
        return sum(cell.strip() in known for cell in cells), len(cells) if mark in ",;\t|" else 0

    candidates: list[str] = [*",;\t|", *sorted(others)]
    return max(candidates, key=score)


def _json_lines(path: Path, known: Collection[str]) -> Iterator[Table]:
    records = []
    for number, line in enumerate(_text(path).split("\n"), 1):
        if line.strip():
            records.append((number, _json(f"{path}:{number}", line)))
    yield _records(path, records)


def _json_list(path: Path, known: Collection[str]) -> Iterator[Table]:
    found = _json(str(path), _text(path))
    if not isinstance(found, list):
        raise UsageError(f"{path}: a list of rows belongs here, or one row a line in a file that ends in .jsonl")
    yield _records(path, list(enumerate(found, 1)))


def _json(where: str, text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else "nested too deeply"
        raise UsageError(f"{where}: no JSON: {reason}") from error


def _records(path: Path, records: list[tuple[int, Any]]) -> Table:
    for line, record in records:
        if not isinstance(record, dict):
            raise UsageError(f'{path}:{line}: a row is an object, such as {{"context": ...}}')
    header = list(dict.fromkeys(name for _, record in records for name in record))
    rows = [[plain(record.get(name)) for name in header] for _, record in records]
    return _table(path, _header(path, header) if header else None, rows, [line for line, _ in records])


# --- workbooks and Parquet ----------------------------------------------------------------------------------


def _workbook(path: Path, known: Collection[str]) -> Iterator[Table]:
    import openpyxl
    from openpyxl.utils.exceptions import InvalidFileException

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # openpyxl tells of styles and extensions that hold no text
        try:
            book = openpyxl.load_workbook(path, read_only=True, data_only=True)
        except (InvalidFileException, zipfile.BadZipFile, KeyError, ValueError) as error:
            raise UsageError(f"{path}: this is no workbook; save it again as .xlsx") from error
        try:
            for sheet in book.worksheets:
                yield _sheet(path, sheet.title, sheet.iter_rows(values_only=True))
        finally:
            book.close()


def _sheet(path: Path, title: str, found: Iterable[tuple[Any, ...]]) -> Table:
    header: list[str] | None = None
    rows: list[list[Any]] = []
    lines: list[int] = []
    for number, values in enumerate(found, 1):
        cells = [plain(value) for value in values]
        if not any(cells):
            continue
        if header is None:
            while cells and not cells[-1]:
                cells.pop()
            header = _header(path, [str(cell) for cell in cells])
            continue
        cells = cells[: len(header)]
        rows.append(cells + [_ABSENT] * (len(header) - len(cells)))
        lines.append(number)
    table = _table(path, header, rows, lines)
    return Table(table.path, table.columns, table.lines, title)


def _parquet(path: Path, known: Collection[str]) -> Iterator[Table]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        found = pq.read_table(path)
    except pa.ArrowException as error:
        raise UsageError(f"{path}: this is no Parquet file") from error
    columns = {name: [plain(value) for value in found.column(name).to_pylist()] for name in found.column_names}
    yield Table(str(path), columns, list(range(1, found.num_rows + 1)))


# --- cells --------------------------------------------------------------------------------------------------


def plain(value: Any) -> Any:
    """A cell as text; a nested one as it is."""
    if value is None:
        return _ABSENT
    if isinstance(value, str):
        return value if value.isascii() else _LONE.sub("\ufffd", value)
    if isinstance(value, float):
        if math.isnan(value):
            return _ABSENT
        return str(int(value)) if value.is_integer() else repr(value)
    if isinstance(value, (dict, list)):
        return value
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    return str(value)


def _header(path: Path, cells: list[str]) -> list[str]:
    header = [cell.strip() for cell in cells]
    doubled = sorted({name for name in header if name and header.count(name) > 1})
    if doubled:
        raise UsageError(f"{path}: column {doubled[0]!r} stands twice; give one of them another name")
    return header


def _table(path: Path, header: list[str] | None, rows: list[list[Any]], lines: list[int]) -> Table:
    if header is None:
        return Table(str(path), {}, [])
    columns = zip(*rows, strict=True) if rows else ([] for _ in header)
    return Table(str(path), {name: list(column) for name, column in zip(header, columns, strict=True)}, lines)


_READERS = {
    ".csv": _delimited,
    ".tsv": _delimited,
    ".txt": _delimited,
    ".jsonl": _json_lines,
    ".ndjson": _json_lines,
    ".json": _json_list,
    ".xlsx": _workbook,
    ".xlsm": _workbook,
    ".parquet": _parquet,
}
