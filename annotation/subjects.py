"""What a survey asks about: the stereotypes of a dataset, the groups they speak of, and example sentences."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pydantic import ValidationError

from ..builder.problems import Place, Problem, SourceFaults, UsageError
from ..builder.schema import Dataset, Stereotype
from ..builder.yaml_files import read_yaml
from .tables import rows_of, text_of

if TYPE_CHECKING:
    import pyarrow as pa

EXAMPLES = 3


class Said(NamedTuple):
    """Of a family: which rows say the stereotype, their texts, and the column of those that they speak of."""

    where: Mapping[str, str]
    texts: tuple[str, ...]
    group: str


_SAID = {
    "lexical": Said({"format": "yes_no"}, ("question",), "country"),
    "pairs": Said({"direction": "stereo"}, ("sent_target",), "target"),
    "qa": Said({"question_polarity": "neg", "context_condition": "ambig"}, ("context", "question"), "target_group"),
    "translation": Said({}, ("text",), "entity"),
}


@dataclass(frozen=True)
class Subject:
    """A stereotype as people see it. `groups` are ids of a lexicon, as a built dataset names them."""

    id: str
    axis: str
    text: str
    groups: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()

    @property
    def group(self) -> str:
        """The one group that it speaks of, or the axis where it speaks of several or of none by name."""
        return self.groups[0] if len(self.groups) == 1 else self.axis


def settings(folder: Path) -> Dataset:
    """`dataset.yaml` of a dataset's folder. Raises SourceFaults."""
    path = folder / "dataset.yaml"
    document = read_yaml(str(path), text_of(path))
    try:
        return Dataset.model_validate(document.value)
    except ValidationError as error:
        problems = []
        for detail in error.errors(include_url=False):
            steps = detail["loc"]
            message = f"{'.'.join(map(str, steps))}: {detail['msg'].removeprefix('Value error, ')}"
            problems.append(Problem(document.place(steps), "bad-value", message, "see `contrapar schema`"))
        raise SourceFaults(problems) from None


def subjects(folder: Path, built: Path | None = None) -> list[Subject]:
    """The stereotypes in use of a dataset's folder, by id; with groups and examples from a built dataset."""
    path = folder / "stereotypes.csv"
    known: dict[str, Stereotype] = {}
    problems: list[Problem] = []
    for row in rows_of(path, ("id", "axis", "text")):
        try:
            stereotype = Stereotype.model_validate({key: cell for key, cell in row.cells.items() if key})
        except ValidationError as error:
            for detail in error.errors(include_url=False):
                place = Place(str(path), row.line, field=".".join(map(str, detail["loc"])))
                message = detail["msg"].removeprefix("Value error, ")
                problems.append(Problem(place, "bad-value", message, "see `contrapar schema`"))
            continue
        if stereotype.id in known:
            place = Place(str(path), row.line, field="id")
            problems.append(Problem(place, "doubled-id", f"{stereotype.id!r} stands twice", "keep one of them"))
        known[stereotype.id] = stereotype
    if problems:
        raise SourceFaults(problems)
    used = [stereotype for stereotype in known.values() if stereotype.state != "retired"]
    if not used:
        raise UsageError(f"{path}: there is no stereotype in use; a survey needs one")
    shown = examples(built) if built else {}
    return [
        Subject(one.id, one.axis, one.text, *shown.get(one.id, ((), ()))) for one in sorted(used, key=lambda s: s.id)
    ]


def examples(built: Path) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
    """Of each stereotype in a built dataset: its groups, and up to three sentences of different templates."""
    import pyarrow.parquet as pq

    parts = sorted((built / "data").glob("*.parquet"))
    if not parts:
        raise UsageError(f"{built}: no built dataset; `contrapar build` makes one")
    groups: dict[str, set[str]] = {}
    chosen: dict[str, dict[str, list[tuple[str, str]]]] = {}
    for part in parts:
        try:
            file = pq.ParquetFile(part)
        except (OSError, ValueError) as error:
            raise UsageError(f"{part}: cannot be read as Parquet; {str(error).splitlines()[0]}") from None
        with file:
            columns = set(file.schema_arrow.names)
            said = next((one for one in _SAID.values() if {*one.where, *one.texts, one.group} <= columns), None)
            if said is None:
                raise UsageError(f"{part}: a survey shows examples of {', '.join(_SAID)}; these columns are of none")
            for number in range(file.num_row_groups):
                for stereotype, template, group, id, text in _rows_that_say(file, number, said):
                    groups.setdefault(stereotype, set()).add(group)
                    kept = chosen.setdefault(stereotype, {}).setdefault(template, [])
                    kept.append((id, text))
                    # row ids are hashes: the smallest are a draw that does not change from run to run
                    if len(kept) > 50:
                        kept[:] = sorted(kept)[:EXAMPLES]
    return {
        stereotype: (tuple(sorted(groups[stereotype] - {""})), tuple(_first(chosen[stereotype].values())))
        for stereotype in groups
    }


def _rows_that_say(file: pa.parquet.ParquetFile, number: int, said: Said) -> Iterator[tuple[str, str, str, str, str]]:
    import pyarrow as pa
    import pyarrow.compute as pc

    wanted = ["stereotype", "template", said.group, "id", *said.texts]
    table = file.read_row_group(number, columns=[*wanted, *said.where])
    for column, value in said.where.items():
        table = table.filter(pc.equal(table[column].cast(pa.string()), value))
    columns = [table[name].cast(pa.string()).to_pylist() for name in wanted]
    for stereotype, template, of, id, *parts in zip(*columns, strict=True):
        yield stereotype, template, of or "", id, " ".join(parts)


def _first(by_template: Iterable[list[tuple[str, str]]]) -> list[str]:
    """One of each template first, then a second of each, until there are enough that differ."""
    ranked = [sorted(kept) for kept in by_template]
    order = sorted((place, *one) for kept in ranked for place, one in enumerate(kept))
    return list(dict.fromkeys(text for _, _, text in order))[:EXAMPLES]


def comparable(text: str) -> str:
    """Words alone: no case, accents or punctuation."""
    plain = unicodedata.normalize("NFD", text.casefold())
    plain = "".join(mark for mark in plain if not unicodedata.combining(mark))
    return " ".join("".join(mark if mark.isalnum() else " " for mark in plain).split())


def by_name(known: Iterable[Subject]) -> dict[str, str]:
    """Ids by id, and by each text that only one stereotype has: forms and spreadsheets often hold texts."""
    named: dict[str, str] = {}
    doubled: set[str] = set()
    subjects = list(known)
    for subject in subjects:
        text = comparable(subject.text)
        if text in named:
            doubled.add(text)
        named[text] = subject.id
    for text in doubled:
        del named[text]
    return named | {subject.id: subject.id for subject in subjects}
