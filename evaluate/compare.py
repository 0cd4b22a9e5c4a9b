"""One page that compares runs, and its tables as CSV and LaTeX."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import heatmap, latex, summary
from .comparison import Group, Matrix, by_axis, groups, side_by_side, triangles
from .figure_tables import csv_of
from .journal import write_whole
from .matched import languages
from .orders import orders
from .report import render
from .run import Run
from .temperatures import temperatures


def write_comparison(runs: Sequence[Run], out: Path) -> list[Path]:
    """compare.html, compare.csv and compare.tex in a folder; where they are."""
    found = groups(runs)
    matrices = [(group, by_axis(group)) for group in found]
    out.mkdir(parents=True, exist_ok=True)
    files = {
        "compare.html": page(found),
        "compare.csv": csv_of([(member.name, member.run, member.figures) for g in found for member in g.members]),
        "compare.tex": latex.document(
            [_table(group, matrix) for group, mine in matrices for matrix in mine],
            [run.signature for run in runs],
            sorted({run.manifest["canary"] for run in runs}),
        ),
    }
    for name, text in files.items():
        write_whole(out / name, text.encode())
    return [out / name for name in files]


def page(found: Sequence[Group]) -> str:
    """The page as HTML; all that a dataset or a model says is escaped."""
    warnings = {member.run.manifest["content_warning"]: member.data["language"] for g in found for member in g.members}
    views: list[dict[str, Any]] = [
        {
            "group": group,
            "halves": side_by_side(group),
            "matrices": [matrix for matrix in by_axis(group) if len(matrix.rows) > 1],
            "triangles": triangles(group),
            "curves": temperatures(group),
            "heats": [(heatmap.html(heat), orders(heat)) for heat in _heats(group)],
        }
        for group in found
    ]
    return render("compare.html", views=views, languages=languages(found), warnings=warnings, number=summary.number)


def _heats(group: Group) -> list[heatmap.Heat]:
    return heatmap.of_runs([(member.name, member.figures) for member in group.members], group.family)


def _table(group: Group, matrix: Matrix) -> latex.Table:
    rows = [
        [axis, *(f"{value} ({interval})" if interval and value != "–" else value for value, interval in cells)]
        for axis, cells in matrix.rows
    ]
    data = group.members[0].data
    half = matrix.title.rpartition(", ")[2] if ", " in matrix.title else "all"
    return latex.Table(
        f"{group.title}: {matrix.title}, with 95 % intervals by a cluster bootstrap.",
        f"tab:{data['dataset']}-{half}",
        ["axis", *matrix.names],
        rows,
    )
