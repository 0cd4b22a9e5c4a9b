"""Tables and files of a survey: read as all of the house's tables are, written whole or not at all."""

from __future__ import annotations

import contextlib
import csv
import io
import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ..builder.csv_files import Row, read_table
from ..builder.problems import Place, Problem, SourceFaults

LARGEST = 50_000_000
_FORMULA = ("=", "+", "-", "@", "'")


def rows_of(path: Path, required: Sequence[str]) -> list[Row]:
    """The rows of a CSV file or of a workbook's first sheet. Raises SourceFaults with all that is wrong."""
    rows, problems = read_table(str(path), _text(path), required)
    errors = [problem for problem in problems if problem.severity == "error"]
    if errors:
        raise SourceFaults(errors)
    return rows


def text_of(path: Path) -> str:
    """A text file as UTF-8. Raises SourceFaults where it is absent, too large or something else."""
    place = Place(str(path))
    try:
        if path.stat().st_size > LARGEST:
            message = f"{path.stat().st_size:,} bytes; at most {LARGEST:,} are read"
            raise SourceFaults([Problem(place, "file-size", message, "look whether it is what you meant")])
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        message = f"byte {error.start + 1} is not UTF-8 text"
        raise SourceFaults([Problem(place, "encoding", message, "save the file as UTF-8")]) from None
    except OSError as error:
        message = f"cannot be read: {error.strerror}"
        raise SourceFaults([Problem(place, "file", message, "look at its name and rights")]) from None
    if "\0" in text:
        raise SourceFaults([Problem(place, "encoding", "a NUL byte: this is no text", "save it as text")])
    return text


def _text(path: Path) -> str:
    if path.suffix.lower() != ".xlsx":
        return text_of(path)
    import openpyxl

    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
    except Exception:  # whatever the file is, it is no workbook
        message = "this is no workbook that can be read"
        raise SourceFaults([Problem(Place(str(path)), "file", message, "save it as .xlsx or as CSV")]) from None
    sheet = book.worksheets[0]
    lines = [[_cell(value) for value in row] for row in sheet.iter_rows(values_only=True)]
    book.close()
    return _written(lines)


def _cell(value: object) -> str:
    """A workbook keeps 3 as 3.0."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return "" if value is None else str(value)


def _written(lines: Iterable[Sequence[str]]) -> str:
    out = io.StringIO()
    csv.writer(out, delimiter=";", lineterminator="\n").writerows(lines)
    return out.getvalue()


def write_table(path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Semicolons and UTF-8; None is an empty cell."""
    write_whole(path, _written([columns, *([_cell(value) for value in row] for row in rows)]))


def write_whole(path: Path, text: str) -> None:
    """The file as it was, or as it is to be: never a part of it."""
    with _beside(path) as temporary:
        temporary.write_bytes(text.encode("utf-8"))
        os.replace(temporary, path)


@contextlib.contextmanager
def _beside(path: Path) -> Iterator[Path]:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        # mkstemp makes a private file; these tables are as open as any other file that the user makes
        mask = os.umask(0)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)


def guarded(text: str) -> str:
    """Strangers' words as a cell that no spreadsheet takes for a formula; `unguarded` gives them back."""
    return f"'{text}" if text.startswith(_FORMULA) else text


def unguarded(cell: str) -> str:
    return cell.removeprefix("'")
