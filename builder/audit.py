"""The row rules on a benchmark made elsewhere."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .checks import ROW_RULES, RowRules, suspect, text_faults
from .checks.faults import Columns
from .findings import Report, excerpt, summary
from .formats import LAYOUTS, Layout, nested, recognised
from .formats.tables import Table, read_tables
from .formats.tongue import told_language
from .languages import Language, language
from .problems import UsageError, nearest

Progress = Callable[[str, int, int], None]
ROWS_A_BLOCK = 10_000


def _quiet(what: str, done: int, of: int) -> None:
    """Progress that nobody looks at."""


def audit(
    path: Path,
    family: str | None = None,
    mapping: Mapping[str, str] | None = None,
    code: str | None = None,
    progress: Progress = _quiet,
) -> Report:
    """Looks at every row of a file. `mapping` gives their columns our names; `code` is the language of the text.

    Raises UsageError where the file cannot be read or its columns are not known.
    """
    if family is not None and family not in ROW_RULES:
        raise UsageError(f"{family!r} is no family; {nearest(family, ROW_RULES)}")
    table, layout = _chosen(path, family, mapping or {})
    rules = ROW_RULES[layout.family]
    rows = {name: _cells(column, name in rules.lists) for name, column in layout.read(table.columns).items()}
    said = code or _said_language(rows)
    code = said or told_language(text for name in rules.texts[:2] for text in rows[name])
    unit = "line" if path.suffix.lower() in (".csv", ".tsv", ".txt", ".jsonl", ".ndjson") else "row"
    report = Report(str(path), layout.name, layout.family, code, not said, table.lines, unit, table.sheet)
    if table.lines:
        at = language(code or "und")
        _look_at_texts(report, rows, rules, at, layout)
        _look_at_rows(report, rows, rules, at, progress)
    return report


def _look_at_texts(report: Report, rows: Columns, rules: RowRules, at: Language, layout: Layout) -> None:
    """Only texts that the combined pattern suspects are looked at closely, and equal texts once."""
    pattern = suspect(at)
    for name in rules.texts:
        column = pa.array(rows[name], pa.string()).dictionary_encode()
        hits = np.flatnonzero(pc.match_substring_regex(column.dictionary, pattern).to_numpy(zero_copy_only=False))
        if not len(hits):
            continue
        codes = column.indices.to_numpy(zero_copy_only=False)
        order = np.argsort(codes, kind="stable")
        starts = np.searchsorted(codes, np.arange(len(column.dictionary) + 1), sorter=order)
        for hit in hits.tolist():
            text = column.dictionary[hit].as_py()
            where = order[starts[hit] : starts[hit + 1]].tolist()
            for fault in text_faults(text, at):
                report.add(fault, where, layout.names.get(name, name), text)


def _look_at_rows(report: Report, rows: Columns, rules: RowRules, at: Language, progress: Progress) -> None:
    """Row by row, and all together. A block at a time, so that what was made of a text is still at hand."""
    placed = {**rows, "place": [f"{report.unit} {line}" for line in report.lines]}
    shown, names, count = rules.texts[:2], list(rows), len(report.lines)
    wholes = [make() for make in rules.wholes]
    for first in range(0, count, ROWS_A_BLOCK):
        block = {name: column[first : first + ROWS_A_BLOCK] for name, column in placed.items()}
        for number, values in enumerate(zip(*(block[name] for name in names), strict=True), first):
            row = dict(zip(names, values, strict=True))
            for rule in rules.items:
                for message in rule.find(row, at):
                    text = " / ".join(excerpt(row[name], None) for name in shown)
                    report.add(rule.fault(message), [number], " / ".join(shown), text)
        for whole in wholes:
            whole.add(block)
        progress(Path(report.path).name, min(first + ROWS_A_BLOCK, count), count)
    for whole in wholes:
        for fault, numbers in whole.finish():
            report.add(fault, numbers)


# --- which columns are which --------------------------------------------------------------------------------


def _chosen(path: Path, family: str | None, mapping: Mapping[str, str]) -> tuple[Table, Layout]:
    """The first table of a file whose columns are known, with their layout."""
    known = {*mapping, *(name for layout in LAYOUTS for name in layout.columns)}
    known.update(name for rules in ROW_RULES.values() for name in (*rules.needed, *rules.optional))
    first: Table | None = None
    for table in read_tables(path, known):
        found = _layout(path, table, mapping)
        if found is not None:
            if family is not None and found.family != family:
                raise UsageError(f"{path}: {found.name} is a layout of {found.family}, not of {family}")
            return table, found
        first = first or (table if table.columns else None)
    if first is None:
        raise UsageError(f"{path}: holds no table")
    columns = ", ".join(name or "(no name)" for name in list(first.columns)[:12])
    if family is None:
        raise UsageError(f"{path}: no known layout; say --family and --map theirs=ours; its columns are {columns}")
    have = {mapping.get(name, name) for name in first.columns}
    missing = ", ".join(name for name in ROW_RULES[family].needed if name not in have)
    raise UsageError(f"{path}: nothing is {missing}; say --map theirs=ours; its columns are {columns}")


def _layout(path: Path, table: Table, mapping: Mapping[str, str]) -> Layout | None:
    for theirs, ours in mapping.items():
        if theirs not in table.columns:
            if table.columns:
                raise UsageError(f"{path}: there is no column {theirs!r}; {nearest(theirs, table.columns)}")
            return None
        if not any(ours in (*rules.needed, *rules.optional) for rules in ROW_RULES.values()):
            every = {name for rules in ROW_RULES.values() for name in (*rules.needed, *rules.optional)}
            raise UsageError(f"--map {theirs}={ours}: {ours!r} is no column of ours; {nearest(ours, every)}")
    layout = None if mapping else recognised(table.columns)
    return layout or _own(table, mapping)


def _own(table: Table, mapping: Mapping[str, str]) -> Layout | None:
    """Our own columns, some of them under other names."""
    theirs = {name: name for name in table.columns} | {ours: name for name, ours in mapping.items()}
    for family, rules in ROW_RULES.items():
        if all(name in theirs for name in rules.needed):
            held = {name: theirs[name] for name in (*rules.needed, *rules.optional) if name in theirs}
            name = "mapped" if mapping else "Contrapar"
            return Layout(name, family, frozenset(held.values()), partial(_renamed, held), held)
    return None


def _renamed(held: Mapping[str, str], columns: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
    return {ours: columns[theirs] for ours, theirs in held.items()}


def _cells(column: list[Any], lists: bool) -> list[Any]:
    """A column of ours: text, but for the few that hold lists."""
    if lists:
        return [found if isinstance(found := nested(cell), list) else [] for cell in column]
    return [cell if isinstance(cell, str) else json.dumps(cell, ensure_ascii=False) for cell in column]


def _said_language(rows: Columns) -> str:
    """What all rows say their language is, or ""."""
    said = set(rows.get("language", ()))
    return str(said.pop()) if len(said) == 1 else ""


# --- the verb -----------------------------------------------------------------------------------------------


def audit_command(
    files: Sequence[Path],
    family: str | None,
    maps: Sequence[str],
    code: str | None,
    form: str,
    progress: Progress = _quiet,
) -> int:
    """Audits files and tells what was found. Returns 0: no error; 1: errors found; 2: a file could not be read."""
    import click

    mapping = mapped(maps)
    reports: list[Report] = []
    failed: list[str] = []
    for path in files:
        try:
            reports.append(audit(path, family, mapping, code, progress))
        except UsageError as error:
            failed.append(str(error))
            click.echo(f"contrapar: {error}", err=True)
    if form == "json":
        told = {"files": [report.as_dict() for report in reports], "failed": failed}
        click.echo(json.dumps(told, ensure_ascii=False, indent=2))
    else:
        for report in reports:
            if form == "github":
                for problem in report.problems():
                    click.echo(problem.as_github())
            else:
                click.echo(report.as_text())
        if form == "text" and len(reports) > 1:
            click.echo(summary(reports))
    if failed:
        return 2
    return int(any(report.errors for report in reports))


def mapped(maps: Sequence[str]) -> dict[str, str]:
    """`theirs=ours` as theirs to ours."""
    return dict(map(_map, maps))


def _map(text: str) -> tuple[str, str]:
    theirs, mark, ours = text.rpartition("=")
    if not mark or not theirs or not ours:
        raise UsageError(f"--map {text}: write theirs=ours, such as --map sentence1=sent_target")
    return theirs, ours
