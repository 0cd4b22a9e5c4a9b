"""Runs of words that texts of ours share with files of published benchmarks."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(__file__).parents[1].parent / "shared"
LENGTH = 8


def words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.casefold())


def runs(text: str, length: int = LENGTH) -> Iterator[str]:
    """Every run of so many words; punctuation and case set aside."""
    found = words(text)
    yield from (" ".join(found[n : n + length]) for n in range(len(found) - length + 1))


def shared_runs(ours: Iterable[str], theirs: Iterable[str], quoted: Iterable[str] = ()) -> dict[str, str]:
    """Run -> one of our texts, for each run of eight words that stands in both.

    A run that lies within a saying in `quoted` is nobody's own and is left out.
    """
    said = {run: text for text in ours for run in runs(text)}
    free = [f" {' '.join(words(saying))} " for saying in quoted]
    found = {run for text in theirs for run in runs(text) if run in said}
    return {run: said[run] for run in sorted(found) if not any(f" {run} " in saying for saying in free)}


def published_texts() -> Iterator[str]:
    """Every text in the files of published benchmarks; skips the test where there are none."""
    if not (SHARED / "data").is_dir():
        pytest.skip(f"needs the published benchmarks in {SHARED.name}/data")
    openpyxl = pytest.importorskip("openpyxl", reason="needs openpyxl to read the workbooks")
    for path in sorted((SHARED / "data").rglob("*")):
        if path.suffix == ".xlsx":
            book = openpyxl.load_workbook(path, read_only=True)
            cells = (c for sheet in book for line in sheet.iter_rows(values_only=True) for c in line)
            yield from {cell for cell in cells if isinstance(cell, str)}
        elif path.suffix == ".jsonl":
            yield from _strings([json.loads(line) for line in path.read_text("utf-8").splitlines() if line])
        elif path.suffix == ".csv":
            with path.open(encoding="utf-8", errors="replace", newline="") as file:
                yield from {cell for row in csv.reader(file) for cell in row}
        elif path.is_file():
            yield from path.read_text("utf-8", errors="replace").splitlines()


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _strings(inner)
