"""Runs that differ in sampling temperature alone: a line for each model (figure 7 of Robles et al. 2025)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from . import panels, summary
from .charts import COLOURS, SHAPES, Line, Mark, lines, scale
from .comparison import Group, Labelled
from .metrics import METRICS
from .run import flat


@dataclass(frozen=True)
class Curves:
    """Lines over temperatures for one half of a run, and their legend."""

    half: str
    svg: str
    names: Sequence[tuple[str, int, str]]
    rows: Sequence[tuple[str, float, panels.Row]]


def temperatures(group: Group) -> list[Curves]:
    """The bias score over temperatures, a line for runs that differ in nothing else."""
    series: dict[str, list[tuple[float, Labelled]]] = {}
    for member in group.members:
        settings = flat(member.run.settings)
        heat = settings.pop("way.temperature", None)
        if isinstance(heat, (int, float)):
            series.setdefault(repr(sorted(settings.items(), key=str)), []).append((float(heat), member))
    several = [sorted(found, key=lambda one: one[0]) for found in series.values() if len(found) > 1]
    if not several:
        return []
    metric = METRICS[group.family].SHOWN[0]
    out = []
    halves = {half: None for found in several for _, member in found for half in summary.main_figures(member.figures)}
    for half in halves:
        drawn, told, rows = [], None, []
        for number, found in enumerate(several):
            name = str(found[0][1].run.settings["model"]["name"])
            marks, heats = [], []
            for heat, member in found:
                figure = next(
                    (f for f in summary.main_figures(member.figures).get(half, []) if f.metric == metric), None
                )
                if figure is None or figure.value is None:
                    continue
                told = summary.about(figure, group.family)
                shape = SHAPES[number % len(SHAPES)]
                marks.append(Mark(figure.value, figure.low, figure.high, shape, number, name))
                heats.append(heat)
                rows.append((name, heat, panels.row(figure, group.family, name)))
            if marks:
                drawn.append(Line(name, heats, marks))
        if told is None:
            continue
        bounds = scale([mark for line in drawn for mark in line.marks], told.low, told.high, told.neutral)
        title = f"{summary.name_of(metric)} over sampling temperature; the table has the same figures"
        legend = [(line.name, line.marks[0].colour % COLOURS, line.marks[0].shape) for line in drawn]
        out.append(Curves(half, lines(drawn, bounds, title, "temperature"), legend, rows))
    return out
