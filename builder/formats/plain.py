"""Plain files of any family's rows: Parquet, JSON lines, and a CSV that a spreadsheet opens without harm.

In the CSV every cell is text. A cell that a spreadsheet might run (it begins with = + - @, or with white space
before them), or that begins with an apostrophe, gets an apostrophe in front; an empty text is a single apostrophe,
and an empty cell is none at all. Lists are JSON. `read_csv` takes all of that back, exactly.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

Tables = Iterator[pa.Table]
CSV, JSONL = "data.csv", "data.jsonl"
_RUN = ("=", "+", "-", "@", "'", "＝", "＋", "－", "＠")  # the wide forms too, which some spreadsheets take


def write_parquet(tables: Tables, schema: pa.Schema, folder: Path, about: dict[str, str]) -> int:
    """Parts below `data`; the number of rows."""
    from ..tables import Writer

    (folder / "data").mkdir()
    writer = Writer(folder / "data", schema, about)
    try:
        for table in tables:
            writer.add(table)
    finally:
        writer.close()
    return writer.rows


def write_jsonl(tables: Tables, schema: pa.Schema, folder: Path, about: dict[str, str]) -> int:
    return write_lines(rows(tables), folder / JSONL)


def rows(tables: Tables) -> Iterator[dict[str, Any]]:
    """One by one."""
    for table in tables:
        yield from table.to_pylist()


def write_lines(objects: Iterator[dict[str, Any]], path: Path) -> int:
    """A JSON object a line; how many."""
    count = 0
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for row in objects:
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
            count += 1
    return count


def write_csv(tables: Tables, schema: pa.Schema, folder: Path, about: dict[str, str]) -> int:
    """UTF-8 with its mark, which spreadsheets need."""
    count = 0
    with (folder / CSV).open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(schema.names)
        for row in rows(tables):
            writer.writerow([cell(row[name]) for name in schema.names])
            count += 1
    return count


def cell(value: Any) -> str:
    """A value as a cell that says all of it and runs nothing."""
    if value is None:
        return ""
    if isinstance(value, list):
        return json.dumps(value, ensure_ascii=False)
    text = str(value).lower() if isinstance(value, bool) else repr(value) if isinstance(value, float) else str(value)
    if not text or text.lstrip()[:1] in _RUN or text[0].isspace() or text[0] < " ":
        return f"'{text}"
    return text


def read_csv(path: Path, schema: pa.Schema) -> pa.Table:
    """The rows that `write_csv` wrote. Raises ValueError where the columns are others."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file)
        names = next(reader)
        if names != schema.names:
            raise ValueError(f"{path}: columns {', '.join(names)}, not {', '.join(schema.names)}")
        columns: list[list[Any]] = [[] for _ in names]
        for row in reader:
            for column, field, text in zip(columns, schema, row, strict=True):
                column.append(_value(text, field.type))
    return pa.table([pa.array(c, f.type) for c, f in zip(columns, schema, strict=True)], schema=schema)


def _value(text: str, kind: pa.DataType) -> Any:
    if text == "":
        return None
    text = text.removeprefix("'")
    if pa.types.is_list(kind):
        return json.loads(text)
    if pa.types.is_boolean(kind):
        return text == "true"
    if pa.types.is_integer(kind):
        return int(text)
    return float(text) if pa.types.is_floating(kind) else text
