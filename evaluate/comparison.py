"""Several runs side by side: names that tell them apart, and their figures on one scale."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import panels, results, summary
from .charts import SHAPES, Mark, Point, scale, triangle
from .metrics import HALVES, METRICS, Figure
from .run import Run, flat, said


@dataclass(frozen=True)
class Labelled:
    """A run with a name that tells it from the others, its figures, and its place among the colours."""

    name: str
    run: Run
    figures: Sequence[Figure]
    number: int

    @property
    def shape(self) -> str:
        return SHAPES[self.number % len(SHAPES)]

    @property
    def data(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.run.settings["dataset"]
        return found


@dataclass(frozen=True)
class Group:
    """Runs over the very same rows."""

    title: str
    family: str
    members: Sequence[Labelled]


def groups(runs: Sequence[Run]) -> list[Group]:
    """Runs by the rows they asked, each named for its model and for what else tells it apart."""
    by_rows: dict[str, list[Run]] = {}
    for run in runs:
        data = run.settings["dataset"]
        by_rows.setdefault(f"{data['content_sha256']}/{data['ids_sha256']}", []).append(run)
    found = []
    for members in by_rows.values():
        data = members[0].settings["dataset"]
        cut = [f"{name} {said(data[name])}" for name in ("tiers", "axes", "limit") if data[name] not in (None, [])]
        title = f"{data['dataset']} {data['version']}" + (f" ({', '.join(cut)})" if cut else "")
        labelled = [
            Labelled(name, run, results.figures_of(run), number)
            for number, (name, run) in enumerate(zip(names(members), members, strict=True))
        ]
        found.append(Group(title, members[0].family, labelled))
    return found


def names(runs: Sequence[Run]) -> list[str]:
    """A name a run: its model, and the settings in which it differs from other runs of that model."""
    own = [{key: value for key, value in flat(run.settings).items() if not key.startswith("dataset.")} for run in runs]
    models = [str(settings["model.name"]) for settings in own]
    found = []
    for settings, model in zip(own, models, strict=True):
        same = [other for other, name in zip(own, models, strict=True) if name == model]
        keys = sorted({key for other in same for key in {*settings, *other} if settings.get(key) != other.get(key)})
        keys = [key for key in keys if not key.endswith("_sha256")] or keys
        parts = [f"{key.split('.')[-1].replace('_', ' ')} {said(settings.get(key))[:40]}" for key in keys]
        found.append(f"{model} ({', '.join(parts)})" if parts else model)
    return found


def side_by_side(group: Group) -> list[tuple[str, list[panels.Panel]]]:
    """For each half, a panel a main metric with a row a run."""
    halves: dict[str, dict[str, list[tuple[Labelled, Figure]]]] = {}
    for member in group.members:
        for half, found in summary.main_figures(member.figures).items():
            for figure in found:
                if figure.metric != "position_chi_square":
                    halves.setdefault(half, {}).setdefault(figure.metric, []).append((member, figure))
    return [
        (
            half,
            [_panel(metric, rows, group.family) for metric, rows in metrics.items() if any(f.value for _, f in rows)],
        )
        for half, metrics in halves.items()
    ]


def _panel(metric: str, found: Sequence[tuple[Labelled, Figure]], family: str) -> panels.Panel:
    told = summary.about(found[0][1], family)
    rows = [
        panels.row(figure, family, member.name, colour=member.number, shape=member.shape) for member, figure in found
    ]
    marks = [mark for row in rows for mark in row.marks]
    return panels.Panel(summary.name_of(metric), told.text, scale(marks, told.low, told.high, told.neutral), rows)


@dataclass(frozen=True)
class Matrix:
    """Values of one metric: a row a group of rows, a column a run; cells are (value, interval)."""

    title: str
    names: Sequence[str]
    rows: Sequence[tuple[str, Sequence[tuple[str, str]]]]


def by_axis(group: Group) -> list[Matrix]:
    """The bias score by axis, as the seed's tables have it: one matrix a half."""
    metric = METRICS[group.family].SHOWN[0]
    halves: dict[str, dict[str, dict[int, Figure]]] = {}
    for member in group.members:
        mine = [f for f in member.figures if f.metric == metric and set(f.group) <= {"axis", *HALVES}]
        for half, found in panels.by_half(mine):
            for figure in found:
                halves.setdefault(half, {}).setdefault(figure.group.get("axis", "all"), {})[member.number] = figure
    out = []
    for half, rows in halves.items():
        cells = [
            (axis, [_cell(by_run.get(member.number), group.family) for member in group.members])
            for axis, by_run in sorted(rows.items(), key=lambda item: (item[0] == "all", item[0]))
        ]
        title = summary.name_of(metric) + (f", {half}" if half else "")
        out.append(Matrix(title, [member.name for member in group.members], cells))
    return out


def _cell(figure: Figure | None, family: str) -> tuple[str, str]:
    if figure is None or figure.value is None:
        return "–", figure.reason if figure else ""
    wide = summary.is_wide(summary.about(figure, family))
    return summary.number(figure.value, wide), summary.interval(figure, wide)


def triangles(group: Group) -> list[tuple[str, str]]:
    """For each half the triangle with a numbered point a run (figures 3 and 4 of the seed)."""
    found = []
    for half in {half: None for member in group.members for half in summary.main_figures(member.figures)}:
        points = []
        for member in group.members:
            figures = {f.metric: f for f in summary.main_figures(member.figures).get(half, [])}
            pair = [figures.get(metric) for metric in ("f_difference", "accuracy")]
            marks = [
                Mark(f.value, f.low, f.high, member.shape, member.number) for f in pair if f and f.value is not None
            ]
            if len(marks) == 2:
                points.append(Point(member.name, marks[0], marks[1]))
        if points:
            title = f"Accuracy against F(Target) - F(Other) in {half} contexts; the tables have the same figures"
            found.append((half, triangle(points, title)))
    return found
