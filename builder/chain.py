"""The chain up to the files: sources, plans, rules, rows that have been checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fnmatch import fnmatch
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .checks import ROW_RULES, THOROUGH_RULES
from .checks.doubles import Doubles
from .checks.draft import Draft, Rule
from .checks.lexicons import RULES as LEXICON_RULES
from .checks.rows import RowCheck
from .checks.said import Said
from .checks.templates import RULES as TEMPLATE_RULES
from .checks.thorough import Reading, code_of, read
from .checks.variants import RULES as VARIANT_RULES
from .expand import Hashes
from .families import FAMILIES, TEMPLATE_MODELS
from .languages import language
from .problems import Problem
from .render import TemplateFault
from .rows import Block
from .sources import Sources, read_sources
from .tables import fields

SOURCE_RULES: tuple[Rule, ...] = (*LEXICON_RULES, *VARIANT_RULES, *TEMPLATE_RULES)
Progress = Callable[[str, int, int], None]
FEW = 64  # rows of a template whose codes are kept


def quiet(what: str, done: int, of: int) -> None:
    """Progress that nobody looks at."""


@dataclass
class Chain:
    """One dataset on its way. `problems` are all findings so far, waived ones left out.

    `fatal` are those for which rows are left out: no waiver covers them, or a build would lack the rows unseen.
    `unread` are the codes of rules that did not look: their waivers are not idle.
    """

    sources: Sources
    plans: list[Any]
    found: list[Problem] = field(default_factory=list)
    fatal: set[Problem] = field(default_factory=set)
    templates: dict[str, int] = field(default_factory=dict)
    stereotypes: set[str] = field(default_factory=set)
    unread: set[str] = field(default_factory=lambda: set(map(code_of, THOROUGH_RULES)))

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
                if waiver.code == problem.code and problem not in self.fatal and self._covers(waiver.where, problem)
            ]
            used.update(covering)
            if not covering:
                left.append(problem)
        if complete:
            for number, waiver in enumerate(dataset.model.waivers):
                if number not in used and waiver.code not in self.unread:
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
    sources = read_sources(name_or_path, TEMPLATE_MODELS)
    family = FAMILIES[sources.dataset.model.family]
    chain = Chain(sources, [])
    chain.found += (problem for problem in sources.problems if problem.severity != "error")
    chain.fatal.update(problem for problem in sources.problems if problem.severity == "error")
    for written in sources.templates:
        try:
            plan = family.Plan(written, sources)
        except TemplateFault as fault:
            chain.fatal.add(Problem(written.place(), fault.code, fault.message, fault.mend))
            continue
        chain.plans.append(plan)
        chain.fatal.update(plan.problems)
    chain.found += chain.fatal
    draft = Draft(sources, chain.plans)
    for rule in SOURCE_RULES:
        chain.found += rule(draft)
    return chain


def blocks(chain: Chain, progress: Progress = quiet, tiers: Sequence[int] = ()) -> Iterator[Block]:
    """Every row, checked, a block at a time; what the checks find is added to `chain.found`."""
    rows = RowCheck(ROW_RULES[chain.sources.dataset.model.family], language(chain.sources.dataset.model.language))
    places = {written.model.id: written.place("id") for written in chain.sources.templates}
    ready = [plan for plan in chain.plans if not plan.problems]
    schema = fields(chain.family.FIELDS)
    for number, plan in enumerate(ready):
        id = plan.written.model.id
        progress(id, number, len(ready))
        chain.templates[id] = 0
        closer = False
        try:
            for made in plan.made():
                closer |= rows.add(id, made)
                block = _cut(replace(made, table=made.table.select(schema.names)), tiers)
                chain.templates[id] += block.table.num_rows
                chain.stereotypes.update(_values(block.table.column("stereotype")) - {""})
                if block.table.num_rows:
                    yield block
            for table in plan.tables() if closer else ():
                rows.count(id, table)
        except TemplateFault as fault:
            problem = Problem(plan.written.place(), fault.code, fault.message, fault.mend)
            chain.found.append(problem)
            chain.fatal.add(problem)
        if not chain.templates[id] and not tiers:
            message = f"no entries of its slots go together: {plan.explanation()}"
            chain.found.append(Problem(places[id], "no-rows", message, "look at agree, like, groups and contrast"))
    progress("", len(ready), len(ready))
    chain.found += rows.problems(places)


def tables(chain: Chain, progress: Progress = quiet) -> Iterator[pa.Table]:
    """Every row, checked, as tables."""
    return (block.table for block in blocks(chain, progress))


def _cut(block: Block, tiers: Sequence[int]) -> Block:
    """The rows of some tiers only."""
    if not tiers:
        return block
    kept = pc.is_in(block.table.column("tier"), pa.array(tiers, pa.int8())).combine_chunks()
    mask = kept.to_numpy(zero_copy_only=False)
    return replace(block, table=block.table.filter(kept), ids=block.ids[mask], said=block.said[mask])


def _values(column: pa.ChunkedArray) -> set[str]:
    """The values that really occur in a coded column."""
    found: set[str] = set()
    for chunk in column.chunks:
        occurs = np.bincount(chunk.indices.to_numpy(zero_copy_only=False), minlength=len(chunk.dictionary)) > 0
        found.update(chunk.dictionary.filter(pa.array(occurs)).to_pylist())
    return found


@contextmanager
def doubles(chain: Chain) -> Iterator[Callable[[Block], None]]:
    """Gives what notes the blocks; at its end, rows that say the same are added to `chain.found`."""
    few: dict[str, Hashes | None] = {}  # what a template of few rows says, by which it is known to say nothing twice
    with Doubles() as ids, Doubles() as said:

        def note(block: Block) -> None:
            ids.add(block.ids)
            said.add(block.said)
            template = str(block.table.column("template")[0].as_py())
            few[template] = block.said if template not in few and len(block.said) <= FEW else None

        yield note
        chain.found += _doubled(chain, ids, said, few)


def check(name_or_path: str, progress: Progress = quiet, *, thorough: bool = False) -> Chain:
    """Everything that a build does but the writing; `thorough` also what an editor looks at."""
    chain = prepare(name_or_path)
    said = Said(ROW_RULES[chain.sources.dataset.model.family].texts)
    with doubles(chain) as note:
        for block in blocks(chain, progress):
            note(block)
            if thorough:
                said.add(block)
    if thorough:
        reading = Reading(chain.sources, [plan for plan in chain.plans if not plan.problems], said, progress)
        chain.found += read(reading, THOROUGH_RULES)
        chain.unread = reading.skipped
    return chain


def _doubled(chain: Chain, ids: Doubles, said: Doubles, few: Mapping[str, Hashes | None]) -> list[Problem]:
    """Rows that say the same, told by the templates that make them; a second pass names them."""
    twice, clashes = said.find(), ids.find()
    problems: list[Problem] = []
    if len(clashes):
        message = f"{len(clashes):,} ids stand for two rows"
        problems.append(Problem(chain.sources.dataset.place(), "doubled-row-id", message, "give an entry another id"))
    if not len(twice):
        return problems
    first: dict[int, tuple[tuple[Any, ...], str, str]] = {}  # texts, template and slots of the first row of a code
    rows: dict[tuple[str, str], int] = {}
    example: dict[tuple[str, str], str] = {}
    for plan in chain.plans:
        id = plan.written.model.id
        codes = few.get(id)
        if plan.problems or (codes is not None and not np.isin(codes, twice).any()):
            continue
        for block in plan.made():
            for number in map(int, np.flatnonzero(np.isin(block.said, twice))):
                shown = " ".join(block.table.column("slots")[number].as_py())
                texts = tuple(block.table.column(name)[number].as_py() for name in chain.family.SAYS)
                code = int(block.said[number])
                if code not in first:
                    first[code] = (texts, id, shown)
                    continue
                known, before, others = first[code]
                if known == texts:
                    rows[id, before] = rows.get((id, before), 0) + 1
                    example.setdefault((id, before), f"{others} and {shown}")
    places = {written.model.id: written.place("id") for written in chain.sources.templates}
    for (id, other), count in rows.items():
        message = f"{count:,} rows say what rows of {other!r} say: {example[id, other]}"
        mend = "retire an entry, or let the text show what tells them apart"
        problems.append(Problem(places[id], "doubled-row", message, mend, rows=count))
    return problems
