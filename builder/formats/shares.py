"""An office's table of occupations by sex, into the columns `share...` of a lexicon of occupations."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..csv_files import Row, read_table
from ..files import write_whole
from ..problems import Place, Problem, SourceFaults, UsageError, nearest
from ..schema import Entry
from ..sources import read_lexicon

SHARE_COLUMNS = ("share", "share_source", "share_place", "share_year")


@dataclass(frozen=True)
class Columns:
    """What the office calls its columns: the occupation, and women with men or all, or the share of women."""

    occupation: str
    women: str = ""
    men: str = ""
    all: str = ""
    share: str = ""

    def __post_init__(self) -> None:
        counts = bool(self.women) and bool(self.men) != bool(self.all)
        if counts == bool(self.share):
            raise UsageError("say --women with --men or --all, or say --share")

    @property
    def named(self) -> list[str]:
        return [name for name in (self.occupation, self.women, self.men, self.all, self.share) if name]


def import_shares(
    file: Path, lexicon: Path, columns: Columns, *, source: str, place: str, year: str, codes: Path | None = None
) -> tuple[int, list[Problem]]:
    """Fills the shares of the occupations that the office's table has; returns how many, and what fits none.

    An occupation of the office is one of ours by its id or by any of its words, or as `codes` says, a table with the
    columns `office` and `id`; counts of several that are one of ours are added up. The lexicon's file keeps its other
    cells. Raises SourceFaults with every cell that is no number, and writes nothing.
    """
    if not source.strip():
        raise UsageError("--source: say who published the figures; a share without a source is not kept")
    entries = read_lexicon(lexicon, "occupations").entries
    meant = _codes(codes, entries) if codes else {}
    by_words = _by_words(entries)
    women: dict[str, float] = defaultdict(float)
    every: dict[str, float] = defaultdict(float)
    told: list[Problem] = []
    faults: list[Problem] = []
    for row in _table(file, columns.named):
        name = row.cells.get(columns.occupation, "")
        id = meant.get(_key(name)) or by_words.get(_key(name))
        if id is None:
            mend = f"map it with --codes, or leave it; {nearest(name, by_words)}" if name else "name the occupation"
            told.append(Problem(Place(str(file), row.line), "no-occupation", f"{name!r} is none", mend, "warning"))
            continue
        try:
            of_women, of_all = _counts(row, columns)
        except ValueError as error:
            faults.append(
                Problem(Place(str(file), row.line), "no-number", str(error), "write a number, or leave it out")
            )
            continue
        if columns.share and id in every:
            message = f"{id!r} has a share already; shares cannot be added up"
            faults.append(Problem(Place(str(file), row.line), "doubled-share", message, "keep one of the rows"))
        women[id] += of_women
        every[id] += of_all
    if faults:
        raise SourceFaults(faults)
    shares = {id: women[id] / every[id] for id in every if every[id] > 0}
    if shares:
        filled = {"share_source": source.strip(), "share_place": place.strip(), "share_year": year.strip()}
        _fill(lexicon, {id: {"share": f"{share:.6g}", **filled} for id, share in shares.items()})
    return len(shares), told


def _counts(row: Row, columns: Columns) -> tuple[float, float]:
    """Women, and all; of a share in per cent or of 1, as parts of 1. Raises ValueError."""
    if columns.share:
        share = _number(row, columns.share)
        if "%" in row.cells[columns.share] or share > 1:
            share /= 100
        if not 0 <= share <= 1:
            raise ValueError(f"{row.cells[columns.share]!r} is no share")
        return share, 1.0
    women = _number(row, columns.women)
    every = _number(row, columns.all) if columns.all else women + _number(row, columns.men)
    if women > every:
        raise ValueError(f"{women:g} women of {every:g}")
    return women, every


def _number(row: Row, column: str) -> float:
    """A count or a share. A point or comma before three digits parts thousands, any other is decimal."""
    text = row.cells.get(column, "").replace("%", "").replace("\u00a0", "").replace(" ", "")
    parts = text.replace(",", ".").split(".")
    if len(parts) > 1 and all(len(part) == 3 for part in parts[1:]) and parts[0].lstrip("0"):
        text = "".join(parts)
    else:
        text = ".".join(parts)
    try:
        value = float(text)
    except ValueError:
        raise ValueError(f"{column!r} is {row.cells.get(column, '')!r}, which is no number") from None
    if not 0 <= value < float("inf"):
        raise ValueError(f"{column!r} is {row.cells.get(column, '')!r}")
    return value


def _key(text: str) -> str:
    return " ".join(text.casefold().split())


def _by_words(entries: Mapping[str, Entry]) -> dict[str, str]:
    """Our ids by themselves and by every word of theirs that is no other's."""
    found: dict[str, str] = {}
    doubled: set[str] = set()
    for id, entry in entries.items():
        words = {part for cell in entry.form.values() for part in cell.split("|")}
        for key in {_key(word) for word in words if word.strip()}:
            if found.setdefault(key, id) != id:
                doubled.add(key)
    return {key: id for key, id in found.items() if key not in doubled} | {_key(id): id for id in entries}


def _codes(path: Path, entries: Mapping[str, Entry]) -> dict[str, str]:
    found: dict[str, str] = {}
    faults: list[Problem] = []
    for row in _table(path, ("office", "id")):
        id = row.cells["id"]
        if id and id not in entries:
            place = Place(str(path), row.line, field="id")
            faults.append(Problem(place, "unknown-id", f"{id!r} is no occupation", nearest(id, entries)))
        elif id:
            found[_key(row.cells["office"])] = id
    if faults:
        raise SourceFaults(faults)
    return found


def _table(path: Path, needed: Sequence[str]) -> list[Row]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise UsageError(f"{path}: there is no such file") from None
    except (OSError, UnicodeDecodeError):
        raise UsageError(f"{path}: cannot be read as UTF-8 text; save it as CSV in UTF-8") from None
    rows, problems = read_table(str(path), text, needed)
    if faults := [problem for problem in problems if problem.severity == "error"]:
        raise SourceFaults(faults)
    return rows


def _fill(lexicon: Path, cells: Mapping[str, Mapping[str, str]]) -> None:
    """Puts cells into rows by their ids; columns that are not there are added at the end."""
    text = lexicon.read_text(encoding="utf-8-sig")
    separator = max(";,\t", key=text.split("\n", 1)[0].count)
    reader = csv.DictReader(io.StringIO(text), delimiter=separator)
    names = [*(reader.fieldnames or [])]
    names += [name for name in SHARE_COLUMNS if name not in names]
    out = io.StringIO()
    writer = csv.DictWriter(out, names, delimiter=separator, lineterminator="\n", restval="")
    writer.writeheader()
    writer.writerows({**row, **cells.get(row["id"] or "", {})} for row in reader)
    write_whole(lexicon, out.getvalue())
