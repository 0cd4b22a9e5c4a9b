"""The page of a preview: all of it in one file that asks for nothing from anywhere. Pure but for its own assets."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any

import pyarrow as pa

from .preview_rows import LAYOUTS, Row
from .problems import Problem
from .sample import Sample

PAGES = Path(__file__).resolve().parent / "pages"
MOST_FINDINGS = 500
WARNING = "The rows state stereotypes about groups of people, to find out whether models repeat them."


@dataclass
class Look:
    """What the page shows. `about` holds what dataset.yaml or the manifest says."""

    name: str
    about: Mapping[str, Any]
    sample: Sample
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    said: Mapping[str, tuple[str, int | None]] = field(default_factory=dict)
    findings: Sequence[Problem] | None = None
    found: Callable[[Problem, Sequence[Row]], list[int]] = lambda problem, rows: []
    forms: Callable[[Row, str], Iterable[str]] = lambda row, slot: ()

    def count(self, table: pa.Table) -> None:
        """Rows of each axis and stereotype."""
        grouped = table.select(["axis", "stereotype"]).group_by(["axis", "stereotype"]).aggregate([([], "count_all")])
        for row in grouped.to_pylist():
            self.counts[row["axis"], row["stereotype"]] += row["count_all"]


def page_of(look: Look) -> str:
    """The HTML of the page."""
    about, rows = look.about, look.sample.rows()
    style, script = asset("page.css"), asset("preview.js")
    findings = sorted(look.findings or (), key=lambda problem: problem.severity)[:MOST_FINDINGS]  # errors first
    found = [look.found(problem, rows) for problem in findings]
    shown = Counter(row["stereotype"] for row in rows)
    axes = len({axis for axis, _ in look.counts if axis})
    stereotypes = sum(id != "" for _, id in look.counts)
    facts = {
        "rows": f"{look.sample.total:,}",
        "stereotypes": f"{stereotypes:,}" if stereotypes else "",
        "axes": f"{axes:,}" if axes else "",
        "templates": f"{len(look.sample.seen):,}",
        "family": about["family"],
        "language": about["language"],
        "version": about.get("version", ""),
        "licence": about.get("licence", ""),
    }
    return filled(
        "preview.html",
        STYLE=style,
        SCRIPT=script,
        STYLE_HASH=hash_of(style),
        SCRIPT_HASH=hash_of(script),
        NAME=escape(look.name),
        TITLE=escape(about["title"]),
        FACTS="".join(f"<div><dt>{name}</dt><dd>{escape(value)}</dd></div>" for name, value in facts.items() if value),
        WARNING=_paragraph(about.get("content_warning") or WARNING),
        ABOUT=_about(about.get("description", ""), about.get("intended_use", "")),
        FINDINGS=_findings(look, findings, found),
        COUNTS=_counts(look, shown),
        SAMPLE=_sample(look.sample, len(rows)),
        LEGEND="; <strong>\u2713 right answer</strong> stands at the answer that is right" if _asks(look, rows) else "",
        FOOTER=f"Benchmark data, no training data. {escape(about.get('canary', ''))}",
        DATA=_data(look, rows, findings, found),
    )


def asset(name: str) -> str:
    return (PAGES / name).read_text(encoding="utf-8")


def filled(name: str, **values: str) -> str:
    """A page in which each @@NAME@@ is replaced, once: what a value holds is left alone."""
    return re.sub(r"@@([A-Z_]+)@@", lambda found: values[found[1]], asset(name))


def hash_of(text: str) -> str:
    """For the page's policy: this style, this script, and nothing else."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>" if text else ""


def _about(description: str, use: str) -> str:
    """In a fold, so that the findings and rows are near."""
    said = _paragraph(description) + _paragraph(f"Intended use: {use}" if use else "")
    return f"<details><summary>About this dataset</summary>{said}</details>" if said else ""


def _asks(look: Look, rows: Sequence[Row]) -> bool:
    return any(line.right for row in rows[:1] for line in LAYOUTS[look.about["family"]](row, look.forms).lines)


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _sample(sample: Sample, shown: int) -> str:
    if shown == sample.total:
        return f"All {_many(shown, 'row')} of the dataset are on this page."
    return (
        f"A sample: {shown:,} of {_many(sample.total, 'row')}, as many of each template as can be. "
        "The same sources give the same sample."
    )


def _findings(look: Look, findings: Sequence[Problem], found: Sequence[Sequence[int]]) -> str:
    if look.findings is None:
        return "<p>This page was made of built data. <code>contrapar check</code> tells the findings.</p>"
    if not findings:
        return "<p>Nothing was found.</p>"
    errors = sum(problem.severity == "error" for problem in look.findings)
    told = [f"<p>{_many(errors, 'error')}, {_many(len(look.findings) - errors, 'warning')}.</p>"]
    if len(look.findings) > len(findings):
        told.append(f"<p>The first {len(findings)} are here; <code>contrapar check</code> tells all.</p>")
    told.append('<ol class="findings" role="list">')
    for number, (problem, rows) in enumerate(zip(findings, found, strict=True)):
        see = f'<button type="button" data-finding="{number}">Show its rows ({len(rows):,})</button>' if rows else ""
        told.append(
            f'<li id="finding-{number + 1}"><p><span class="severity {problem.severity}">{problem.severity}</span>'
            f" {number + 1}: <strong>{escape(problem.code)}</strong></p><p>{escape(problem.message)}</p>"
            f"{_paragraph(f'To mend it: {problem.mend}' if problem.mend else '')}"
            f'<p class="place"><code>{escape(str(problem.place))}</code></p>{see}</li>'
        )
    return "".join([*told, "</ol>"])


def _counts(look: Look, shown: Mapping[str, int]) -> str:
    language = escape(look.about["language"])
    by_axis: Counter[str] = Counter()
    lines = []
    named = {key: count for key, count in look.counts.items() if any(key)}
    for (axis, id), count in sorted(named.items()):
        by_axis[axis] += count
        text, tier = look.said.get(id, ("", None))
        graded = {None: "", 0: "excluded"}.get(tier, str(tier))
        lines.append(
            f'<tr><th scope="row"><code>{escape(id)}</code></th>'
            f'<td class="text" lang="{language}" dir="auto">{escape(text)}</td>'
            f'<td>{escape(axis)}</td><td>{graded}</td><td class="n">{count:,}</td><td class="n">{shown[id]:,}</td></tr>'
        )
    axes = [f'<tr><th scope="row">{escape(a)}</th><td class="n">{n:,}</td></tr>' for a, n in sorted(by_axis.items())]
    templates = [
        f'<tr><th scope="row"><code>{escape(id)}</code></th><td class="n">{count:,}</td></tr>'
        for id, count in look.sample.seen.items()
    ]
    rows = ('<th scope="col" class="n">rows</th>',)
    heads = ("stereotype", "what it says", "axis", "tier")
    here = '<th scope="col" class="n">on this page</th>'
    tables = (
        ("Rows by axis", [_head("axis"), *rows], axes),
        ("Rows by stereotype", [*map(_head, heads), *rows, here], lines),
        ("Rows by template", [_head("template"), *rows], templates),
    )
    return "".join(_table(*table) for table in tables if table[2])


def _head(name: str) -> str:
    return f'<th scope="col">{name}</th>'


def _table(title: str, heads: Iterable[str], lines: Sequence[str]) -> str:
    return (
        f'<details><summary>{title} ({len(lines):,})</summary><div class="wide" role="region" aria-label="{title}"'
        f' tabindex="0"><table><thead><tr>{"".join(heads)}</tr></thead><tbody>{"".join(lines)}</tbody></table></div>'
        "</details>"
    )


def _data(look: Look, rows: Sequence[Row], findings: Sequence[Problem], found: Sequence[Sequence[int]]) -> str:
    """The rows for the script, in short keys; `<` is written so that no text can end the element."""
    layout = LAYOUTS[look.about["family"]]
    names: dict[str, dict[str, int]] = {"axis": {}, "stereotype": {}, "template": {}, "tag": {}}

    def number(kind: str, name: str) -> int:
        return names[kind].setdefault(name, len(names[kind]))

    having: dict[int, list[int]] = {}
    for which, listed in enumerate(found):
        for at in listed:
            having.setdefault(at, []).append(which)
    made = []
    for at, row in enumerate(rows):
        shown = layout(row, look.forms)
        lines = [{"d": one.label, "p": one.parts, "r": one.role, "y": int(one.right)} for one in shown.lines]
        made.append(
            {
                "id": row["id"],
                "a": number("axis", row["axis"]),
                "s": number("stereotype", row["stereotype"]),
                "t": number("template", row["template"]),
                "g": [number("tag", tag) for tag in shown.tags],
                "k": ", ".join(row["slots"]),
                "f": having.get(at, []),
                "l": lines,
            }
        )
    page = {
        "language": look.about["language"],
        "axes": [*names["axis"]],
        "stereotypes": [*names["stereotype"]],
        "meanings": [look.said.get(id, ("", None))[0] for id in names["stereotype"]],
        "templates": [*names["template"]],
        "tags": [*names["tag"]],
        "findings": [{"code": problem.code} for problem in findings],
        "rows": made,
    }
    return json.dumps(page, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
