"""The chain: sources, plans, checks, rows, files."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fnmatch import fnmatch
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pyarrow as pa

from .._version import __version__
from .checks import ROW_RULES
from .checks.doubles import Doubles
from .checks.draft import Draft, Rule
from .checks.lexicons import RULES as LEXICON_RULES
from .checks.rows import RowCheck
from .checks.templates import RULES as TEMPLATE_RULES
from .families import FAMILIES
from .languages import language
from .problems import Problem, SourceFaults, UsageError
from .render import TemplateFault
from .sources import Sources, read_sources
from .tables import Writer, fields, file_sha256, row_hashes

SOURCE_RULES: tuple[Rule, ...] = (*LEXICON_RULES, *TEMPLATE_RULES)
Progress = Callable[[str, int, int], None]


def quiet(what: str, done: int, of: int) -> None:
    """Progress that nobody looks at."""


@dataclass
class Chain:
    """One dataset on its way. `problems` are all findings so far, waived ones left out."""

    sources: Sources
    plans: list[Any]
    found: list[Problem] = field(default_factory=list)
    templates: dict[str, int] = field(default_factory=dict)
    stereotypes: set[str] = field(default_factory=set)

    @property
    def family(self) -> Any:
        return FAMILIES[self.sources.dataset.model.family]

    def problems(self, complete: bool) -> list[Problem]:
        """Findings that no waiver covers. Where everything was looked at, idle waivers are findings too."""
        dataset = self.sources.dataset
        used: set[int] = set()
        left: list[Problem] = []
        for problem in self.found:
            covering = [
                number
                for number, waiver in enumerate(dataset.model.waivers)
                if waiver.code == problem.code and self._covers(waiver.where, problem)
            ]
            used.update(covering)
            if not covering:
                left.append(problem)
        if complete:
            for number, waiver in enumerate(dataset.model.waivers):
                if number not in used:
                    message = f"nothing is left of {waiver.code!r} in {waiver.where!r} to waive"
                    left.append(Problem(dataset.place("waivers", number), "idle-waiver", message, "remove the waiver"))
        return sorted(set(left))

    def _covers(self, where: str, problem: Problem) -> bool:
        if where == "*" or fnmatch(problem.place.path, f"*{where}"):
            return True
        return any(where == w.model.id and self._within(w, problem) for w in self.sources.templates)

    def _within(self, written: Any, problem: Problem) -> bool:
        first = written.place().line
        later = [w.place().line for w in self.sources.templates if w.document is written.document]
        end = min((line for line in later if line > first), default=1 << 60)
        return bool(problem.place.path == written.document.path and first <= problem.place.line < end)


def prepare(name_or_path: str) -> Chain:
    """Reads and plans a dataset, and applies the rules on sources."""
    sources = read_sources(name_or_path, {name: module.TEMPLATE for name, module in FAMILIES.items()})
    family = FAMILIES[sources.dataset.model.family]
    chain = Chain(sources, [])
    chain.found += sources.problems
    for written in sources.templates:
        try:
            plan = family.Plan(written, sources)
        except TemplateFault as fault:
            chain.found.append(Problem(written.place(), fault.code, fault.message, fault.mend))
            continue
        chain.plans.append(plan)
        chain.found += plan.problems
    draft = Draft(sources, chain.plans)
    for rule in SOURCE_RULES:
        chain.found += rule(draft)
    return chain


def tables(
    chain: Chain, progress: Progress = quiet, keep: Callable[[pa.Table], pa.Table] | None = None
) -> Iterator[pa.Table]:
    """Every row, checked, a block at a time; what the checks find is added to `chain.found`."""
    rows = RowCheck(ROW_RULES[chain.sources.dataset.model.family], language(chain.sources.dataset.model.language))
    places = {written.model.id: written.place("id") for written in chain.sources.templates}
    ready = [plan for plan in chain.plans if not plan.problems]
    schema = fields(chain.family.FIELDS)
    for number, plan in enumerate(ready):
        progress(plan.written.model.id, number, len(ready))
        id = plan.written.model.id
        chain.templates[id] = 0
        try:
            for made in plan.tables():
                table = made.select(schema.names)
                rows.add(id, table)
                table = keep(table) if keep else table
                chain.templates[id] += table.num_rows
                chain.stereotypes.update(_values(table.column("stereotype")))
                if table.num_rows:
                    yield table
        except TemplateFault as fault:
            chain.found.append(Problem(plan.written.place(), fault.code, fault.message, fault.mend))
        if not chain.templates[id] and keep is None:
            message = f"no entries of its slots go together: {plan.explanation()}"
            chain.found.append(Problem(places[id], "no-rows", message, "look at agree, like, groups and contrast"))
    progress("", len(ready), len(ready))
    chain.found += rows.problems(places)


def _values(column: pa.ChunkedArray) -> set[str]:
    """The values that really occur in a coded column."""
    found: set[str] = set()
    for chunk in column.chunks:
        found.update(chunk.dictionary.take(pa.array(np.unique(chunk.indices.to_numpy()))).to_pylist())
    return found


def check(name_or_path: str, progress: Progress = quiet) -> Chain:
    """Everything that a build does but the writing."""
    chain = prepare(name_or_path)
    with Doubles() as ids, Doubles() as said:
        for table in tables(chain, progress):
            _note(chain, table, ids, said)
        chain.found += _doubled(chain, ids, said)
    return chain


def _note(chain: Chain, table: pa.Table, ids: Doubles, said: Doubles) -> np.ndarray[Any, np.dtype[np.uint64]]:
    hashes = row_hashes(table, chain.family.SAYS)
    ids.add(row_hashes(table, ("id",)) if table.num_rows else hashes)
    said.add(hashes)
    return hashes


def _doubled(chain: Chain, ids: Doubles, said: Doubles) -> list[Problem]:
    """Rows that say the same, told by the templates that make them; a second pass names them."""
    twice, clashes = said.find(), ids.find()
    problems: list[Problem] = []
    if len(clashes):
        message = f"{len(clashes):,} ids stand for two rows"
        problems.append(Problem(chain.sources.dataset.place(), "doubled-row-id", message, "give an entry another id"))
    if not len(twice):
        return problems
    first: dict[int, tuple[str, str]] = {}  # template and slots of the first row that says it
    rows: dict[tuple[str, str], int] = {}
    example: dict[tuple[str, str], str] = {}
    for plan in chain.plans:
        if plan.problems:
            continue
        id = plan.written.model.id
        for table in plan.tables():
            hashes = row_hashes(table, chain.family.SAYS)
            for number in np.flatnonzero(np.isin(hashes, twice)):
                shown = " ".join(table.column("slots")[int(number)].as_py())
                same = int(hashes[number])
                if same in first:
                    before, others = first[same]
                    rows[id, before] = rows.get((id, before), 0) + 1
                    example.setdefault((id, before), f"{others} and {shown}")
                else:
                    first[same] = (id, shown)
    places = {written.model.id: written.place("id") for written in chain.sources.templates}
    for (id, other), count in rows.items():
        message = f"{count:,} rows say what rows of {other!r} say: {example[id, other]}"
        mend = "retire an entry, or let the text show what tells them apart"
        problems.append(Problem(places[id], "doubled-row", message, mend, rows=count))
    return problems


@dataclass(frozen=True)
class Built:
    """A dataset that was written: where, what is in it, what was found, how long it took."""

    folder: Path
    manifest: dict[str, Any]
    problems: list[Problem]
    seconds: float


def build(
    name_or_path: str,
    out: Path | None = None,
    *,
    strict: bool = False,
    tiers: Sequence[int] = (),
    progress: Progress = quiet,
) -> Built:
    """Writes `out/data/*.parquet` and `out/manifest.json`, whole or not at all.

    Raises SourceFaults where an error was found, or with `strict` a warning.
    """
    started = perf_counter()
    chain = prepare(name_or_path)
    _stop_at_errors(chain.problems(complete=False), strict=False)
    dataset = chain.sources.dataset.model
    out = out or Path("out") / chain.sources.name
    if out.exists() and not (out / "manifest.json").is_file() and any(out.iterdir() if out.is_dir() else [out]):
        raise UsageError(f"{out}: holds something else than a built dataset; name another folder with --out")
    made = [folder for folder in out.parents if not folder.exists()]
    out.parent.mkdir(parents=True, exist_ok=True)
    schema = fields(chain.family.FIELDS)
    content = _Content()
    work = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
    try:
        (work / "data").mkdir()
        keep = _tier_filter(tiers) if tiers else None
        about = {"canary": dataset.canary, "content_warning": dataset.content_warning, "dataset": chain.sources.name}
        writer = Writer(work / "data", schema, about)
        with Doubles() as ids, Doubles() as said:
            try:
                for table in tables(chain, progress, keep):
                    content.add(table, _note(chain, table, ids, said), chain.family.SAYS)
                    writer.add(table)
            finally:
                writer.close()
            chain.found += _doubled(chain, ids, said)
        problems = chain.problems(complete=not tiers)
        _stop_at_errors(problems, strict)
        manifest = {
            "dataset": chain.sources.name,
            "title": dataset.title,
            "family": dataset.family,
            "language": dataset.language,
            "version": dataset.version,
            "licence": dataset.licence,
            "canary": dataset.canary,
            "content_warning": dataset.content_warning,
            "tiers": sorted(tiers) if tiers else "all",
            "rows": writer.rows,
            "stereotypes": len(chain.stereotypes),
            "templates": chain.templates,
            "content_sha256": content.digest(),
            "source_sha256": chain.sources.sha256,
            "tool": f"contrapar {__version__}",
            "files": {f"data/{path.name}": file_sha256(path) for path in writer.files},
            "features": {field.name: str(field.type) for field in schema},
        }
        text = json.dumps(manifest, ensure_ascii=False, indent=2, sort_keys=True) + "\n"
        (work / "manifest.json").write_text(text, encoding="utf-8")
        os.chmod(work, 0o755)
        _replace(work, out)
    except BaseException:
        shutil.rmtree(work, ignore_errors=True)
        for folder in made:
            with suppress(OSError):  # it holds what somebody else put there meanwhile
                folder.rmdir()
        raise
    return Built(out, manifest, problems, perf_counter() - started)


def _stop_at_errors(problems: list[Problem], strict: bool) -> None:
    if strict:
        problems = [replace(problem, severity="error") for problem in problems]
    if any(problem.severity == "error" for problem in problems):
        raise SourceFaults(problems)


def _tier_filter(tiers: Sequence[int]) -> Callable[[pa.Table], pa.Table]:
    wanted = pa.array(tiers, pa.int8())
    return lambda table: table.filter(pa.compute.is_in(table.column("tier"), wanted))


def _replace(work: Path, out: Path) -> None:
    """Puts a finished folder in the place of an older one."""
    if not out.exists():
        os.replace(work, out)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{out.name}-old-", dir=out.parent))
    os.replace(out, old / "was")
    os.replace(work, out)
    shutil.rmtree(old, ignore_errors=True)


class _Content:
    """A digest of what the rows say, in their order, whatever wrote the files."""

    def __init__(self) -> None:
        self._whole = hashlib.sha256()

    def add(self, table: pa.Table, said: np.ndarray[Any, np.dtype[np.uint64]], columns: Sequence[str]) -> None:
        others = [name for name in table.column_names if name not in columns]
        self._whole.update(np.ascontiguousarray(said).astype("<u8").tobytes())
        self._whole.update(row_hashes(table, others).astype("<u8").tobytes())

    def digest(self) -> str:
        return self._whole.hexdigest()
