"""A table of words and countries such as VARILEX's (Ueda and Moreno-Fernández 2016) as questions of ours.

One row a variant: which item it is of, what the item is, the word, and in a column a country whether it is usual
there. What the columns are called is ours, for the database is not published with this tool and was not tried; `maps`
says what others call them. Of what the revised version holds we know what Kawasaki 2026 tells, sec. 3.1: an index, a
description in Spanish, an English gloss and the variants of each item, and a sign, + or -, for each of 21 countries.
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
import tempfile
import unicodedata
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from ..checks.text import normalised
from ..csv_files import clean
from ..files import whole_folder, write_whole
from ..problems import Place, Problem, SourceFaults, UsageError, nearest
from ..schema import LONGEST_ID
from ..sources import PACKAGE, read_lexicon
from .tables import Table, read_tables

ITEM, DESCRIPTION, VARIANT, ENGLISH = "item", "description", "variant", "english"
NEEDED = (ITEM, DESCRIPTION, VARIANT)
USUAL, UNUSUAL = "+", ("-", "\u2013", "\u2212")  # hyphen, dash, minus
LANGUAGE = "es"
SOURCE = "VARILEX-R, Ueda and Moreno-Fernández 2016"
_HEADER = ("id", "concept", "description", "country", "doubtful", "form", "source", "note")
_KEPT = {"no-country": "kept as published: it is usual nowhere, and so a wrong answer"}


@dataclass(frozen=True)
class Signs:
    """Which cells say that a word is usual in a country, and which that it is not. An empty text is an empty cell."""

    usual: Collection[str] = (USUAL,)
    unusual: Collection[str] = UNUSUAL

    def __post_init__(self) -> None:
        if both := sorted({*self.usual} & {*self.unusual}):
            raise UsageError(f"--yes and --no both hold {both[0]!r}")


@dataclass
class _Item:
    """What an item is, and its variants: word -> countries where it is usual, and those of no sign."""

    index: str
    line: int
    description: str = ""
    english: str = ""
    words: dict[str, tuple[list[str], list[str]]] = field(default_factory=dict)


def import_varilex(
    file: Path, out: Path, *, maps: Mapping[str, str] | None = None, signs: Signs | None = None, source: str = SOURCE
) -> tuple[int, list[Problem]]:
    """Writes a dataset to `out`; returns how many variants it has, and which columns were left out.

    `maps` gives their columns our names: item, description, variant, english, or the id of a country. Raises
    SourceFaults with all that is wrong with the table, and UsageError where there is none or `out` holds something;
    nothing is written then.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out}: is not empty; name a new folder")
    if not file.exists():
        raise UsageError(f"{file}: there is no such file")
    places = _countries()
    table, columns, told = _read(file, maps or {}, places)
    items = _items(table, columns, signs or Signs())
    countries = [id for id in places if id in columns]
    files = _files(file.stem, items, {id: places[id] for id in countries}, source)
    kept = _findings(files, out.name)
    if kept:
        files["dataset.yaml"] += _yaml({"waivers": kept})
    with whole_folder(out, "dataset.yaml", "a dataset") as work:
        for path, text in files.items():
            write_whole(work / path, text)
    return sum(len(item.words) for item in items.values()), told


# --- which columns are which ----------------------------------------------------------------------------------


def _countries() -> dict[str, str]:
    """Ids of the bundled countries and their names."""
    found = read_lexicon(PACKAGE / "lexicons" / LANGUAGE / "countries.csv", "countries").entries
    return {id: entry.form[""] for id, entry in found.items()}


def _key(text: str) -> str:
    """A name of a column without case and accents."""
    bare = unicodedata.normalize("NFD", clean(text).casefold())
    return "".join(letter for letter in bare if not unicodedata.combining(letter))


def _read(
    file: Path, maps: Mapping[str, str], places: Mapping[str, str]
) -> tuple[Table, dict[str, str], list[Problem]]:
    """The first table with what is needed, our names to theirs, and the columns that are nothing of ours."""
    ours = {**{name: name for name in (*NEEDED, ENGLISH)}, **{id: id for id in places}}
    known = ours | {_key(name): id for id, name in places.items()}
    for theirs, name in maps.items():
        if name not in ours:
            raise UsageError(f"--map {theirs}={name}: {name!r} is no column of ours; {nearest(name, ours)}")
    missing: list[str] = []
    for table in read_tables(file, {*maps, *known, *places.values()}):
        if lost := next((name for name in maps if table.columns and name not in table.columns), None):
            raise UsageError(f"{file}: there is no column {lost!r}; {nearest(lost, table.columns)}")
        found: dict[str, list[str]] = defaultdict(list)
        told = []
        for theirs in table.columns:
            ours_is = maps.get(theirs) or known.get(_key(theirs))
            if ours_is:
                found[ours_is].append(theirs)
            elif theirs:
                message = f"column {theirs!r} is no country"
                mend = f"if it is one, --map '{theirs}=...'; {nearest(_key(theirs), known)}"
                told.append(Problem(Place(str(file)), "left-out", message, mend, "warning"))
        if doubled := next((columns for columns in found.values() if len(columns) > 1), None):
            raise UsageError(
                f"{file}: columns {doubled[0]!r} and {doubled[1]!r} say the same; a country has one column"
            )
        lacking = [name for name in NEEDED if name not in found]
        if not lacking and len(found.keys() & places.keys()) > 1:
            return table, {name: columns[0] for name, columns in found.items()}, told
        missing = missing or ([*lacking] if table.columns else []) or ["two countries at least"]
    raise UsageError(f"{file}: nothing is {', '.join(missing)}; say --map THEIRS=OURS")


# --- rows -----------------------------------------------------------------------------------------------------


def _items(table: Table, columns: Mapping[str, str], signs: Signs) -> dict[str, _Item]:
    """Items by their ids, in the order of the table. SourceFaults with every fault of every row."""
    places = [name for name in columns if name not in (*NEEDED, ENGLISH)]
    items: dict[str, _Item] = {}
    spelt: dict[tuple[str, str], int] = {}
    strange: dict[str, list[Place]] = defaultdict(list)
    faults: list[Problem] = []

    def fault(line: int, name: str, code: str, message: str, mend: str) -> None:
        place = Place(table.path, line, field=columns.get(name, name))
        faults.append(Problem(place, code, message, mend))

    for row, line in enumerate(table.lines):
        cells = {name: clean(str(table.columns[theirs][row])) for name, theirs in columns.items()}
        id, word = _id(cells[ITEM]), cells[VARIANT]
        if not id:
            fault(line, ITEM, "no-item", f"{cells[ITEM]!r} names no item", "write its index in every row of it")
            continue
        item = items.setdefault(id, _Item(cells[ITEM], line))
        for name in (DESCRIPTION, ENGLISH):
            said, new = getattr(item, name), cells.get(name, "")
            if name == DESCRIPTION and said and new and normalised(said) != normalised(new):
                fault(line, name, "two-descriptions", f"{cells[ITEM]!r} is described otherwise before", "keep one")
            elif not said:
                setattr(item, name, new)
        if not normalised(word):
            fault(line, VARIANT, "no-variant", f"{word!r} holds no word", "write the variant, or remove the row")
            continue
        first = spelt.setdefault((id, normalised(word)), line)
        if first != line:
            fault(line, VARIANT, "doubled-variant", f"{word!r} stands in line {first} too", "keep one of the rows")
            continue
        usual = [place for place in places if cells[place] in signs.usual]
        blank = [place for place in places if not cells[place] and "" not in {*signs.usual, *signs.unusual}]
        for place in places:
            if cells[place] and cells[place] not in {*signs.usual, *signs.unusual}:
                strange[cells[place]].append(Place(table.path, line, field=columns[place]))
        item.words[word] = usual, blank
    faults += _unknown_signs(strange)
    for item in items.values():
        if not item.description:
            fault(item.line, DESCRIPTION, "no-description", f"{item.index!r} is described in no row", "say what it is")
    if faults:
        raise SourceFaults(faults)
    if not any(item.words for item in items.values()):
        raise UsageError(f"{table.path}: holds no variant")
    return items


def _unknown_signs(strange: Mapping[str, Sequence[Place]]) -> Iterator[Problem]:
    """Once a sign, however many cells have it."""
    for sign, where in strange.items():
        mend = f"say what it means: --yes {sign!r} or --no {sign!r}"
        yield Problem(where[0], "sign", f"{sign!r} is no sign ({len(where):,} cells)", mend, rows=len(where))


def _id(text: str, fallback: str = "") -> str:
    """A text as a part of an id: its letters and digits, in small letters, with '-' between."""
    return "-".join(re.findall(r"\w+", unicodedata.normalize("NFC", text).casefold().replace("_", " "))) or fallback


def _ids(item: str, words: Collection[str]) -> dict[str, str]:
    """An id a variant. What is too long, or another's, gets some digits of its own, whatever else there is."""
    plain = {word: f"{item}/{_id(word, 'x')}" for word in words}
    taken = [*plain.values()]
    return {
        word: id if taken.count(id) == 1 and len(id) <= LONGEST_ID else f"{id[: LONGEST_ID - 9]}-{_digest(word)}"
        for word, id in plain.items()
    }


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:8]


# --- files ----------------------------------------------------------------------------------------------------


def _files(name: str, items: Mapping[str, _Item], countries: Mapping[str, str], source: str) -> dict[str, str]:
    """What a dataset is made of: path -> text. Its templates are the bundled ones."""
    rows = []
    for id, item in items.items():
        ids = _ids(id, item.words)
        once = {"description": item.description, "note": item.english}
        for word, (usual, blank) in item.words.items():
            signs = {"country": "|".join(usual), "doubtful": "|".join(blank)}
            rows.append(
                {"id": ids[word], "concept": id, "form": word, "source": f"{source}, {item.index}"} | signs | once
            )
            once = {}
    dataset = {
        "family": "lexical",
        "language": LANGUAGE,
        "title": f"{name}, imported",
        "description": "Imported from a table of variants; signs and descriptions stand as in it.",
        "sampling": {"keep": 1, "per": ["country", "concept"]},
    }
    bundled = PACKAGE / "templates" / "palabras" / "preguntas.yaml"
    return {
        f"lexicons/{LANGUAGE}/countries.csv": _csv(
            ("id", "form"), [{"id": id, "form": name} for id, name in countries.items()]
        ),
        f"lexicons/{LANGUAGE}/variants.csv": _csv(_HEADER, rows),
        "questions.yaml": bundled.read_text(encoding="utf-8"),
        "stereotypes.csv": "id;axis;text\n",
        "dataset.yaml": _yaml(dataset),
    }


def _csv(header: Sequence[str], rows: Iterable[Mapping[str, str]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, header, delimiter=";", lineterminator="\n", restval="")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _findings(files: Mapping[str, str], name: str) -> list[dict[str, str]]:
    """Waivers of what the checks find in the table as it was published."""
    from ..chain import check

    with tempfile.TemporaryDirectory() as folder:
        own = Path(folder) / (name or "imported")
        for path, text in files.items():
            write_whole(own / path, text)
        chain = check(str(own))
        found = chain.problems(complete=True)
    if not sum(chain.templates.values()):
        raise UsageError("nothing can be asked: no item has a word that a country uses and one that it does not")
    codes = {problem.code for problem in found if problem.severity == "error" or problem.code in _KEPT}
    return [{"code": code, "where": "*", "reason": _KEPT.get(code, "kept as published")} for code in sorted(codes)]


def _yaml(value: Any) -> str:
    text: str = yaml.safe_dump(value, allow_unicode=True, sort_keys=False, width=10_000)
    return text
