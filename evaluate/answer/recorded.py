"""Answers made elsewhere, from CSV, JSONL, Parquet or XLSX, joined to the rows by their id.

Text stays text ("NA", "null", "None" are words); numbers stay numbers; a blank is no answer. Whatever does not
match is told at once, never guessed.
"""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...builder.problems import Place, Problem, SourceFaults, UsageError, nearest

Value = str | int | float | None
Table = tuple[list[str], Iterator[tuple[int, Sequence[Any]]]]
"""The column names, and each row with the number of its line."""


@dataclass(frozen=True)
class Recorded:
    """The wanted fields of a file, one value a row, and the line of each row in the file."""

    path: str
    fields: Mapping[str, list[Value]]
    lines: list[int]


def read_recorded(path: Path, columns: Mapping[str, str], *, sheet: str | None = None) -> Recorded:
    """Read the columns that `columns` maps fields to, {"id": "prompt", "answer": "GPT-4o mini"}.

    UsageError where the file, the sheet or a column is not there; SourceFaults where a cell cannot be read.
    """
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise UsageError(f"{path}: answers are read from {', '.join(_READERS)}")
    if sheet is not None and reader is not _xlsx:
        raise UsageError(f"{path}: only a workbook has sheets; leave out the sheet {sheet!r}")
    if not path.is_file():
        raise UsageError(f"{path}: there is no such file")
    names, rows = reader(path, sheet)
    lacking = [c for c in columns.values() if names.count(c) != 1]
    if lacking:
        raise UsageError("; ".join(_no_column(path, column, names) for column in lacking))
    places = {field: names.index(column) for field, column in columns.items()}
    fields: dict[str, list[Value]] = {field: [] for field in columns}
    lines, problems = [], []
    for line, cells in rows:
        lines.append(line)
        if reader is _csv and len(cells) != len(names):
            message = f"{len(cells)} cells under {len(names)} column names"
            mend = "put quotes around a cell that holds the separator"
            problems.append(Problem(Place(str(path), line=line), "uneven-row", message, mend))
        for field, j in places.items():
            cell = cells[j] if j < len(cells) else None
            if isinstance(cell, list | dict):
                place = Place(str(path), line=line, field=columns[field])
                problems.append(Problem(place, "not-a-value", "neither text nor number", "give one value a row"))
            fields[field].append(_value(cell))
    if problems:
        raise SourceFaults(problems)
    return Recorded(str(path), fields, lines)


def join(recorded: Recorded, ids: Sequence[str], *, by_order: bool = False) -> dict[str, list[Value]]:
    """The recorded fields in the order of `ids`, by the field "id", or by row order where that is asked for.

    SourceFaults tells all that does not match: ids that no row has, ids given twice, rows without an answer.
    """
    if by_order and "id" in recorded.fields:
        raise UsageError(f"{recorded.path}: joined either by id or by row order, not by both")
    if by_order:
        if len(recorded.lines) != len(ids):
            raise UsageError(
                f"{recorded.path}: {len(recorded.lines)} answers for {len(ids)} rows; "
                "row order joins only as many as there are"
            )
        return dict(recorded.fields)
    if "id" not in recorded.fields:
        raise UsageError(f"{recorded.path}: say which column holds the id, or ask to join by row order")
    given = [reply(value) or "" for value in recorded.fields["id"]]
    known, place_of, unknown, doubled = set(ids), dict[str, int](), [], []
    for i, name in enumerate(given):
        if name not in known:
            unknown.append(i)
        elif name in place_of:
            doubled.append(i)
        else:
            place_of[name] = i
    missing = [name for name in ids if name not in place_of]
    problems = [
        *_told(recorded, "unknown-id", "no row of the dataset has", unknown, given),
        *_told(recorded, "id-twice", "given twice", doubled, given),
    ]
    if missing:
        text = f"no answer for {_some(missing)}"
        problems.append(Problem(Place(recorded.path), "missing-answer", text, rows=len(missing)))
    if problems:
        raise SourceFaults(problems)
    return {
        field: [values[place_of[name]] for name in ids] for field, values in recorded.fields.items() if field != "id"
    }


def reply(value: Value) -> str | None:
    """A recorded answer as a reply: 1, 1.0, "1" and "1.0" are "1"; a blank is None; text is as it was."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, str):
        whole = re.fullmatch(r"\s*(-?\d+)\.0+\s*", value)
        return whole.group(1) if whole else value
    return None if value is None else str(value)


def scores(recorded: Recorded, field: str) -> list[float | None]:
    """A field of log-likelihoods, nats; a blank or NaN is None. SourceFaults tells every cell that is no number."""
    found: list[float | None] = []
    problems = []
    for line, value in zip(recorded.lines, recorded.fields[field], strict=True):
        try:
            number = math.nan if value is None else float(value)
        except ValueError:
            place = Place(recorded.path, line=line, field=field)
            problems.append(Problem(place, "not-a-number", f"{value!r} is no number"))
            continue
        found.append(None if math.isnan(number) else number)
    if problems:
        raise SourceFaults(problems)
    return found


def _value(cell: Any) -> Value:
    if isinstance(cell, float) and math.isnan(cell):
        return None
    if isinstance(cell, int | float) and not isinstance(cell, bool):
        return cell
    return None if cell is None or not str(cell).strip() else str(cell)


def _told(recorded: Recorded, code: str, what: str, at: list[int], given: list[str]) -> list[Problem]:
    if not at:
        return []
    place = Place(recorded.path, line=recorded.lines[at[0]], field="id")
    return [Problem(place, code, f"{what}: {_some([given[i] for i in at])}", rows=len(at))]


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - 5} more" if len(names) > 5 else ""
    return ", ".join(name or "(blank)" for name in names[:5]) + more


def _no_column(path: Path, column: str, names: list[str]) -> str:
    if column in names:
        return f"{path}: two columns are named {column!r}"
    return f"{path}: no column {column!r}; {nearest(column, names)}"


def _csv(path: Path, _: str | None) -> Table:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as fault:
        raise UsageError(f"{path}: not UTF-8 at byte {fault.start}; save it as UTF-8") from None
    head = text.split("\n", 1)[0]
    separator = max(",;\t", key=head.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    names = [name.strip() for name in next(reader, [])]
    return names, ((reader.line_num, cells) for cells in reader if cells)


def _jsonl(path: Path, _: str | None) -> Table:
    objects: list[tuple[int, dict[str, Any]]] = []
    problems = []
    with path.open(encoding="utf-8-sig") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                found = json.loads(line)
            except ValueError as fault:
                problems.append(Problem(Place(str(path), line=number), "not-json", str(fault)))
                continue
            if isinstance(found, dict):
                objects.append((number, found))
            else:
                problems.append(Problem(Place(str(path), line=number), "not-an-object", "a line is one object"))
    if problems:
        raise SourceFaults(problems)
    names = list(dict.fromkeys(name for _, one in objects for name in one))
    return names, ((number, [one.get(name) for name in names]) for number, one in objects)


def _parquet(path: Path, _: str | None) -> Table:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path)
    except (pa.ArrowInvalid, OSError) as fault:
        raise UsageError(f"{path}: cannot be read as Parquet: {str(fault).splitlines()[0]}") from None
    columns = [column.to_pylist() for column in table.columns]
    return table.column_names, enumerate(zip(*columns, strict=True), start=1)


def _xlsx(path: Path, sheet: str | None) -> Table:
    from zipfile import BadZipFile

    import openpyxl
    from openpyxl.utils.exceptions import InvalidFileException

    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    except (InvalidFileException, BadZipFile, OSError, KeyError, ValueError) as fault:
        raise UsageError(f"{path}: cannot be read as a workbook: {fault}") from None
    try:
        if sheet is None and len(book.sheetnames) > 1:
            raise UsageError(f"{path}: several sheets; name one of {', '.join(book.sheetnames)}")
        if sheet is not None and sheet not in book.sheetnames:
            raise UsageError(f"{path}: no sheet {sheet!r}; {nearest(sheet, book.sheetnames)}")
        rows = list(book[sheet or book.sheetnames[0]].iter_rows(values_only=True))
    finally:
        book.close()
    while rows and all(cell is None for cell in rows[-1]):
        rows.pop()
    names = ["" if cell is None else str(cell).strip() for cell in (rows[0] if rows else ())]
    return names, enumerate(rows[1:], start=2)


_READERS: dict[str, Callable[[Path, str | None], Table]] = {
    ".csv": _csv,
    ".tsv": _csv,
    ".jsonl": _jsonl,
    ".ndjson": _jsonl,
    ".parquet": _parquet,
    ".xlsx": _xlsx,
}
