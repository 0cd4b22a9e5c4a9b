"""Tables that people edit in a spreadsheet, read so that nothing is lost or guessed."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .problems import Place, Problem, nearest

LONGEST_CELL = 10_000
WIDEST = 1_000
# what is wrong with a column's name, as code, message and mend; None where it is known
Known = Callable[[str], "tuple[str, str, str] | None"]
_INVISIBLE = str.maketrans({"\u00a0": " ", "\u202f": " ", "\u200b": "", "\u2060": "", "\ufeff": "", "\u00ad": ""})


@dataclass(frozen=True)
class Row:
    line: int
    cells: dict[str, str]


def clean(text: str) -> str:
    """NFC, one ordinary space between words, none at the ends, nothing invisible."""
    return " ".join(unicodedata.normalize("NFC", text).translate(_INVISIBLE).split())


def read_table(
    path: str, text: str, required: Sequence[str], known: Known = lambda name: None
) -> tuple[list[Row], list[Problem]]:
    """Rows of a comma-, semicolon- or tab-separated table, and what was wrong or was put right in it.

    Cells are text and stay text. What is put right (spaces, composition of letters) is told as a warning.
    A column that is not `known` is told once and left out.
    """
    problems: list[Problem] = []

    def fault(line: int, name: str, code: str, message: str, mend: str, warning: bool = False) -> None:
        place = Place(path, line, field=name)
        problems.append(Problem(place, code, message, mend, "warning" if warning else "error"))

    text = text.removeprefix("\ufeff")
    head = next((line for line in text.splitlines() if line.strip()), "")
    if not head:
        fault(1, "", "empty-table", "there is no header line", f"begin with: {';'.join(required)}")
        return [], problems
    counts = {mark: head.count(mark) for mark in ";,\t"}
    separator = max(counts, key=lambda mark: counts[mark])
    if sum(count > 0 for count in counts.values()) > 1:
        fault(1, "", "separator", "the header mixes ',', ';' and tabs", "use one of them throughout")
        return [], problems
    # csv reads a cell up to a limit of its own; ours is told with its place
    csv.field_size_limit(max(len(text) + 1, 131_072))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    header: list[str] = []
    refused: set[str] = set()
    rows: list[Row] = []
    last = 0
    try:
        for cells in reader:
            line, last = last + 1, reader.line_num
            if not any(cell.strip() for cell in cells):
                continue
            if not header:
                if len(cells) > WIDEST:
                    fault(line, "", "cells", f"{len(cells):,} columns", f"at most {WIDEST:,}")
                    return [], problems
                if (longest := max(map(len, cells))) > LONGEST_CELL:
                    message = f"a column's name of {longest:,} characters"
                    fault(line, "", "long-cell", message, "is the header line missing?")
                    return [], problems
                header = [clean(cell) for cell in cells]
                while header and not header[-1]:
                    header.pop()
                doubled = sorted(name for name, count in Counter(header).items() if count > 1)
                for name in doubled:
                    fault(line, name[:60], "doubled-column", f"column {name[:60]!r} stands twice", "keep one of them")
                for name in required:
                    if name not in header:
                        fault(line, "", "missing-column", f"there is no column {name!r}", nearest(name, header))
                if doubled or any(name not in header for name in required):
                    return [], problems
                for name in header:
                    if (wrong := known(name)) is not None:
                        refused.add(name)
                        fault(line, name[:60], *wrong)
                continue
            if any(cell.strip() for cell in cells[len(header) :]):
                message = f"{len(cells)} cells under {len(header)} columns"
                fault(line, "", "cells", message, f"put quotes round a cell that holds '{separator}'")
                continue
            found: dict[str, str] = {}
            for name, cell in zip(header, cells, strict=False):
                if name in refused:
                    continue
                if len(cell) > LONGEST_CELL:
                    message = f"a cell of {len(cell):,} characters"
                    fault(line, name, "long-cell", message, f"at most {LONGEST_CELL:,}; is a quote left open?")
                    break
                found[name] = clean(cell)
                if found[name] != cell:
                    message = f"{_shown(cell)} was read as {_shown(found[name])}"
                    fault(line, name, "normalised", message, "remove stray spaces and marks", warning=True)
            else:
                rows.append(Row(line, {name: found.get(name, "") for name in header if name not in refused}))
    except csv.Error as error:
        fault(last + 1, "", "csv", str(error), "a quote inside a quoted cell is written twice")
    return rows, problems


def _shown(cell: str) -> str:
    return ascii(cell) if len(cell) <= 60 else ascii(cell[:57]) + "..."
