"""From files to models: the only reader of what people write."""

from __future__ import annotations

import hashlib
import math
import os
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

from .csv_files import read_table
from .problems import Place, Problem, SourceFaults, UsageError, nearest
from .schema import FORM, KINDS, Dataset, Entry, Stereotype, Template
from .yaml_files import Document, read_yaml

PACKAGE = Path(__file__).resolve().parent.parent
LARGEST = {".yaml": 1_000_000, ".csv": 50_000_000, ".txt": 1_000_000}
Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True)
class Written(Generic[Model]):
    """A model, the document it was written in, and where in it."""

    model: Model
    document: Document
    location: tuple[str | int, ...]

    def place(self, *location: str | int) -> Place:
        return self.document.place((*self.location, *location))

    def inside(self, location: tuple[str | int, ...], line: int, word: str) -> Place:
        """Of a word in the given line of a text: its own column where it can be found in the file."""
        start = self.place(*location)
        lines = self.document.text.split("\n")
        later = (mark[0] for mark in self.document.marks.values() if mark[0] > start.line)
        last = min(later, default=len(lines) + 1)
        if re.search(r":\s+\|[\d+-]*\s*$", lines[start.line - 1]) and start.line + line < last:
            text = lines[start.line + line - 1]
            start = Place(start.path, start.line + line, len(text) - len(text.lstrip()) + 1)
        bare = rf"(?<!\w){re.escape(word)}(?!\w)"
        for pattern in (rf"\{{[{{%](?:(?![}}%]\}}).){{0,500}}?{bare}", bare) if word else ():
            for number in range(start.line - 1, last - 1):
                skipped = start.column - 1 if number == start.line - 1 else 0
                found = re.compile(pattern).search(lines[number], skipped)
                if found:
                    return Place(start.path, number + 1, found.end() - len(word) + 1)
        return start


@dataclass(frozen=True)
class Lexicon:
    """The entries of one kind, by id, and the place of each."""

    kind: str
    entries: dict[str, Entry]
    places: dict[str, Place]
    own: bool


@dataclass(frozen=True)
class Tier:
    """What a survey said of a stereotype; `tier` None where too few answered, 0 where it is excluded."""

    tier: int | None
    harmfulness: float | None
    place: Place


@dataclass
class Sources:
    """All that one dataset is made of, and the faults found in reading it."""

    name: str
    folder: Path
    dataset: Written[Dataset]
    templates: list[Written[Template]]
    stereotypes: dict[str, Stereotype]
    stereotype_places: dict[str, Place]
    own: dict[str, Lexicon]
    bundled: dict[str, Lexicon]
    tiers: dict[str, Tier]
    sha256: str
    problems: list[Problem] = field(default_factory=list)

    def lexicon(self, kind: str) -> Lexicon | None:
        """The dataset's own lexicon of a kind, or else the bundled one."""
        return self.own.get(kind) or self.bundled.get(kind)

    def entry(self, kind: str, id: str) -> Entry | None:
        """An entry by its id: the dataset's own first, then the bundled ones."""
        for lexicons in (self.own, self.bundled):
            if kind in lexicons and id in lexicons[kind].entries:
                return lexicons[kind].entries[id]
        return None

    def ids(self, kind: str) -> set[str]:
        return {id for lexicons in (self.own, self.bundled) if kind in lexicons for id in lexicons[kind].entries}


def bundled_datasets() -> list[str]:
    return sorted(path.parent.name for path in (PACKAGE / "templates").glob("*/dataset.yaml"))


def dataset_folder(name_or_path: str) -> Path:
    """The folder that holds `dataset.yaml`, from a bundled dataset's name or from a path."""
    path = Path(name_or_path)
    if not path.exists():
        if name_or_path in bundled_datasets():
            return PACKAGE / "templates" / name_or_path
        mend = nearest(name_or_path, bundled_datasets())
        raise UsageError(f"{name_or_path}: neither a bundled dataset nor a folder; {mend}")
    if (path / "dataset.yaml").is_file():
        return path
    inside = sorted(found.parent for found in path.glob("templates/*/dataset.yaml"))
    if len(inside) == 1:
        return inside[0]
    if inside:
        named = ", ".join(str(found) for found in inside)
        raise UsageError(f"{path}: holds several datasets; name one of {named}")
    if name_or_path in bundled_datasets():
        return PACKAGE / "templates" / name_or_path
    raise UsageError(f"{path}: there is no dataset.yaml in it; `contrapar new dataset {path}` makes one")


def root_of(folder: Path) -> Path:
    """The folder that a dataset may read from: the one that holds `templates/` and `lexicons/`, or its own."""
    folder = folder.absolute()
    return folder.parent.parent if folder.parent.name == "templates" else folder


def shown(path: Path) -> str:
    """A path as messages show it: short where it can be, never through the package's own folder."""
    path = path.absolute()
    for base in (Path.cwd(), PACKAGE):
        if path.is_relative_to(base):
            path = path.relative_to(base)
            break
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in path.as_posix())


def read_sources(name_or_path: str, models: Mapping[str, type[Template]]) -> Sources:
    """Reads a whole dataset. `models` says what a template of each family looks like.

    Raises SourceFaults where `dataset.yaml` cannot be read; all other faults are in `problems`.
    """
    folder = dataset_folder(name_or_path)
    reader = _Reader(root_of(folder))
    document = reader.yaml(folder / "dataset.yaml")
    dataset = reader.model(Dataset, document, ()) if document else None
    if dataset is None:
        raise SourceFaults(reader.problems)
    family = dataset.model.family
    if family not in models:
        message = f"{family!r} is no family"
        place = dataset.place("family")
        raise SourceFaults([*reader.problems, Problem(place, "family", message, nearest(family, models))])

    templates: list[Written[Template]] = []
    seen: dict[str, Place] = {}
    for path in sorted(folder.glob("*.yaml")):
        if path.name in ("dataset.yaml", dataset.model.prompt):
            continue
        document = reader.yaml(path)
        if document is None:
            continue
        if not isinstance(document.value, list):
            reader.fault(document.place(()), "templates", "a file of templates is a list", "begin with '- id: ...'")
            continue
        for number in range(len(document.value)):
            written = reader.model(models[family], document, (number,))
            if written is None:
                continue
            place = written.place("id")
            if written.model.id in seen:
                message = f"template {written.model.id!r} stands in {seen[written.model.id]} too"
                reader.fault(place, "doubled-id", message, "give one of them another id")
                continue
            seen[written.model.id] = place
            templates.append(written)
    for path in sorted(path for path in folder.iterdir() if path.suffix.lower() in (".yml", ".yaml")):
        if path.suffix != ".yaml":
            message = "files of templates end in .yaml"
            reader.fault(Place(shown(path)), "file-name", message, f"call it {shown(path.with_suffix('.yaml'))}")
    templates.sort(key=lambda written: written.model.id)

    stereotypes, stereotype_places = reader.table(folder / "stereotypes.csv", Stereotype)
    tiers = reader.tiers(folder / "tiers.csv")
    own = reader.lexicons(dataset.model.language, own=True)
    if reader.root == PACKAGE:
        own, bundled = {}, own
    else:
        other = _Reader(PACKAGE)
        bundled = other.lexicons(dataset.model.language, own=False)
        reader.problems += other.problems
        reader.read.update(other.read)
    return Sources(
        name=folder.absolute().name,
        folder=folder,
        dataset=dataset,
        templates=templates,
        stereotypes=stereotypes,
        stereotype_places=stereotype_places,
        own=own,
        bundled=bundled,
        tiers=tiers,
        sha256=reader.digest(),
        problems=reader.problems,
    )


def read_lexicon(path: Path, kind: str) -> Lexicon:
    """One table by itself. Raises SourceFaults, or UsageError where it is not there."""
    if not path.is_file():
        raise UsageError(f"{path}: there is no such file")
    reader = _Reader(path.parent)
    entries, places = reader.table(path, KINDS[kind])
    if faults := [problem for problem in reader.problems if problem.severity == "error"]:
        raise SourceFaults(faults)
    return Lexicon(kind, entries, places, own=True)


def read_words(folder: Path) -> tuple[dict[str, Place], list[Problem]]:
    """The words of a dataset's `words.txt`, one a line with `#` before a comment, and what is wrong with the file."""
    path = folder / "words.txt"
    reader = _Reader(root_of(folder))
    text = reader.text(path) if os.path.lexists(path) else None
    words: dict[str, Place] = {}
    for number, line in enumerate((text or "").lstrip("\ufeff").splitlines(), 1):
        for word in unicodedata.normalize("NFC", line.partition("#")[0]).split():
            words.setdefault(word, Place(shown(path), number))
    return words, reader.problems


class _Reader:
    """Reads files below one folder, and gathers faults and digests as it goes."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.problems: list[Problem] = []
        self.read: dict[str, bytes] = {}

    def fault(self, place: Place, code: str, message: str, mend: str) -> None:
        self.problems.append(Problem(place, code, message, mend))

    def digest(self) -> str:
        """Of the names and contents of all files read, in any order."""
        whole = hashlib.sha256()
        for name in sorted(self.read):
            whole.update(f"{name}\0".encode() + self.read[name])
        return whole.hexdigest()

    def text(self, path: Path) -> str | None:
        place = Place(shown(path))
        try:
            if not path.resolve(strict=True).is_relative_to(self.root.resolve()):
                message = "this link leads out of the dataset's folder"
                self.fault(place, "link", message, "put the file itself here")
                return None
            if not path.is_file():
                self.fault(place, "file", "this is no file", "put a file here, or take it away")
                return None
            largest = LARGEST[path.suffix]
            if (size := path.stat().st_size) > largest:
                message = f"{size:,} bytes; at most {largest:,} are read"
                self.fault(place, "file-size", message, "split it, or look whether it is what you meant")
                return None
            data = path.read_bytes()
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = data.count(b"\n", 0, error.start) + 1
            message = f"byte {error.start + 1} is not UTF-8 text"
            self.fault(Place(shown(path), line), "encoding", message, "save the file as UTF-8")
            return None
        except (OSError, RuntimeError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else "a link to itself"
            self.fault(place, "file", f"cannot be read: {reason}", "look at its name and rights")
            return None
        if (at := text.find("\0")) >= 0:
            line = text.count("\n", 0, at) + 1
            self.fault(Place(shown(path), line), "encoding", "a NUL byte: this is no text", "save it as text")
            return None
        self.read[os.path.relpath(path.absolute(), self.root)] = hashlib.sha256(data).digest()
        return text

    def yaml(self, path: Path) -> Document | None:
        text = self.text(path)
        if text is None:
            return None
        try:
            return read_yaml(shown(path), text)
        except SourceFaults as faults:
            self.problems += faults.problems
            return None

    def model(self, model: type[Model], document: Document, location: tuple[str | int, ...]) -> Written[Model] | None:
        value = document.value
        for step in location:
            value = value[step]
        if not isinstance(value, dict):
            message = "'key: value' lines belong here"
            self.fault(document.place(location), "bad-value", message, "see `contrapar schema`")
            return None
        try:
            return Written(model.model_validate(value), document, location)
        except ValidationError as error:
            for code, message, mend, steps in told(error, model):
                self.fault(document.place((*location, *steps)), code, message, mend)
            return None

    def table(self, path: Path, model: type[Model]) -> tuple[dict[str, Model], dict[str, Place]]:
        """The rows of a table by their id, and where each stands."""
        entries: dict[str, Model] = {}
        places: dict[str, Place] = {}
        text = self.text(path) if os.path.lexists(path) else None
        if text is None:
            return entries, places
        where = shown(path)
        required = [name for name, field in model.model_fields.items() if field.is_required()]
        rows, problems = read_table(where, text, required, lambda name: _unknown_column(name, model))
        self.problems += problems
        for row in rows:
            values: dict[str, object] = {}
            forms: dict[str, str] = {}
            for name, cell in row.cells.items():
                if name == "form" or name.startswith("form."):
                    forms[name.removeprefix("form").removeprefix(".")] = cell
                else:
                    values[name] = cell
            if forms:
                values["form"] = {name: cell for name, cell in forms.items() if cell}
            try:
                entry = model.model_validate(values)
            except ValidationError as error:
                for code, message, mend, steps in told(error, model):
                    column = ".".join(str(step) for step in steps if not isinstance(step, int))
                    self.fault(Place(where, row.line, field=column), code, message, mend)
                continue
            place = Place(where, row.line, field="id")
            id = str(getattr(entry, "id", ""))
            if id in entries:
                message = f"{id!r} stands in line {places[id].line} too"
                self.fault(place, "doubled-id", message, "give one of them another id")
                continue
            entries[id], places[id] = entry, place
        return entries, places

    def lexicons(self, language: str, own: bool) -> dict[str, Lexicon]:
        """Of `es-CO`, the tables of `es-CO` before those of `es`."""
        found: dict[str, Lexicon] = {}
        for code in dict.fromkeys((language, language.split("-")[0])):
            for path in sorted((self.root / "lexicons" / code).glob("*.csv")):
                kind = path.stem
                if kind not in KINDS:
                    message = f"{kind!r} is no kind of lexicon"
                    self.fault(Place(shown(path)), "lexicon-kind", message, nearest(kind, KINDS))
                    continue
                entries, places = self.table(path, KINDS[kind])
                known = found.setdefault(kind, Lexicon(kind, {}, {}, own))
                for id in entries:
                    known.entries.setdefault(id, entries[id])
                    known.places.setdefault(id, places[id])
        return found

    def tiers(self, path: Path) -> dict[str, Tier]:
        text = self.text(path) if os.path.lexists(path) else None
        if text is None:
            return {}
        rows, problems = read_table(shown(path), text, ("stereotype", "tier"))
        self.problems += problems
        tiers: dict[str, Tier] = {}
        for row in rows:
            tier, harm = row.cells["tier"], row.cells.get("harmfulness_mean", "")
            id, place = row.cells["stereotype"], Place(shown(path), row.line, field="stereotype")
            if id in tiers:
                message = f"{id[:60]!r} stands in line {tiers[id].place.line} too"
                self.fault(place, "doubled-id", message, "keep one of them")
                continue
            try:
                known = {"": None, "excluded": 0, "1": 1, "2": 2, "3": 3}[tier]
                mean = float(harm) if harm else None
                if mean is not None and not math.isfinite(mean):
                    raise ValueError
                tiers[id] = Tier(known, mean, place)
            except (KeyError, ValueError):
                place = Place(shown(path), row.line, field="tier")
                message = f"tier {tier[:60]!r}, harmfulness {harm[:60]!r}"
                self.fault(place, "tier", message, "tiers are 1, 2, 3, excluded or empty; harmfulness is a number")
        return tiers


def _unknown_column(name: str, model: type[BaseModel]) -> tuple[str, str, str] | None:
    if not name:
        return "unknown-column", "a column has no name", "name it, or remove it"
    form = name.removeprefix("form.")
    if name != form and "form" in model.model_fields:
        if FORM.fullmatch(form) and form.split(".")[0] not in model.model_fields:
            return None
        return "form-name", f"{form[:60]!r} cannot name a form", "use small letters, such as form.sg.f"
    if name in model.model_fields:
        return None
    return "unknown-column", f"there is no column {name[:60]!r} in this table", nearest(name, model.model_fields)


def told(error: ValidationError, model: type[BaseModel]) -> list[tuple[str, str, str, tuple[str | int, ...]]]:
    """What pydantic found, as code, message, mend and location."""
    found = []
    for detail in error.errors(include_url=False):
        steps = tuple(step for step in detail["loc"] if step not in ("function-before", "list[str]", "constrained-str"))
        key = str(steps[-1])[:60] if steps else ""
        if detail["type"] == "extra_forbidden":
            known = {name.alias or key for key, name in model.model_fields.items()}
            found.append(("unknown-key", f"{key!r} is not known here", nearest(key, known), steps))
        elif detail["type"] == "missing":
            found.append(("missing-key", f"{key!r} is missing", "add it", steps[:-1]))
        else:
            message = detail["msg"].removeprefix("Value error, ")
            message = message[:1].lower() + message[1:]
            found.append(("bad-value", f"{key}: {message}" if key else message, "", steps))
    return found
