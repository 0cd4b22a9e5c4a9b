"""The texts that a new dataset begins with, and how several files are written: all of them, or none."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from .files import write_whole
from .problems import UsageError
from .yaml_files import read_yaml

TEXTS = Path(__file__).resolve().parent / "skeletons"


def fill(name: str, /, **words: str) -> str:
    """A skeleton with `${word}` replaced. Raises KeyError where a word is not given."""
    return re.sub(r"\$\{(\w+)\}", lambda found: words[found[1]], raw(name))


def raw(name: str) -> str:
    return (TEXTS / name).read_text(encoding="utf-8")


def example(language: str) -> dict[str, Any]:
    """The words of the example in a language, or else in English."""
    known = read_yaml("examples.yaml", raw("examples.yaml")).value
    words: dict[str, Any] = known.get(language.split("-")[0], known["en"])
    return words


def quoted(value: Any) -> str:
    """A value as YAML on one line. JSON is YAML."""
    return json.dumps(value, ensure_ascii=False)


def listing(value: Any) -> str:
    """A value as JSON that people can read."""
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def table(columns: Sequence[str], rows: Iterable[Mapping[str, str]] = (), separator: str = ";") -> str:
    """A table as our reader reads it."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([row.get(column, "") for column in columns] for row in rows)
    return text.getvalue()


def append_row(path: Path, columns: Sequence[str], row: Mapping[str, str], needed: Iterable[str]) -> str:
    """The text of a table with one more row, in the table's own columns, separator and line ends.

    A table that is not there begins with `columns`. Raises UsageError where it lacks a column that is needed.
    """
    try:
        text = path.read_bytes().decode("utf-8") if path.exists() else ""
    except UnicodeDecodeError:
        raise UsageError(f"{path}: is not UTF-8 text; save it as UTF-8") from None
    if not text.strip():
        return table(columns, [row])
    end = "\r\n" if "\r\n" in text else "\n"
    head = next(line for line in text.removeprefix("\ufeff").splitlines() if line.strip())
    separator = max(";,\t", key=head.count)
    own = [name.strip() for name in next(csv.reader([head], delimiter=separator))]
    if missing := sorted(set(needed) - set(own)):
        raise UsageError(f"{path}: there is no column {missing[0]!r}; `contrapar check` tells more")
    line = table(own, [row], separator).split("\n", 1)[1].removesuffix("\n")
    return text + ("" if text.endswith("\n") else end) + line + end


def write_all(files: Mapping[Path, str], replace: Iterable[Path] = ()) -> list[Path]:
    """Writes every file whole, or none. Raises UsageError where one exists that is not in `replace`."""
    replaced = set(replace)
    for path in files:
        if os.path.lexists(path) and path not in replaced:
            raise UsageError(f"{path}: is there already and is not written over; move it, or choose another name")
    made: list[Path] = []
    folders: list[Path] = []
    before = {path: path.read_bytes() for path in replaced if path.exists()}
    try:
        for path, text in files.items():
            folders += reversed([folder for folder in path.parents if not folder.exists()])
            write_whole(path, text)
            made.append(path)
    except BaseException:
        for path in made:
            if path in before:
                write_whole(path, before[path])
            else:
                path.unlink(missing_ok=True)
        for folder in reversed(folders):
            if folder.is_dir() and not any(folder.iterdir()):
                folder.rmdir()
        raise
    return made
