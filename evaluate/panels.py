"""Figures arranged for reading: panels of rows that share a scale, and stereotypes from worst to best (pure)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from .charts import Mark, Scale, scale
from .metrics import HALVES, METRICS, Figure
from .summary import about, interval, is_wide, name_of, number, units


@dataclass(frozen=True)
class Row:
    """A line of a panel: numbers as they are shown, and marks on the panel's scale."""

    name: str
    marks: Sequence[Mark]
    value: str
    interval: str
    n: int
    units: str
    p: float | None
    reason: str
    told: str = ""


@dataclass(frozen=True)
class Panel:
    """Rows of one metric. `told` says what the metric is."""

    title: str
    told: str
    scale: Scale
    rows: Sequence[Row]


def row(figure: Figure, family: str, name: str, *, colour: int = 0, shape: str = "circle", told: str = "") -> Row:
    wide = is_wide(about(figure, family))
    marks = [Mark(figure.value, figure.low, figure.high, shape, colour, name)] if figure.value is not None else []
    return Row(
        name,
        marks,
        number(figure.value, wide) or "no figure",
        interval(figure, wide),
        figure.n,
        units(figure),
        figure.p,
        figure.reason,
        told.removeprefix(f"{name}: "),
    )


def panel(title: str, figures: Sequence[Figure], family: str, names: Sequence[str]) -> Panel:
    """A panel of figures of one metric, in their order, with a name each."""
    told = about(figures[0], family)
    rows = [row(figure, family, name) for figure, name in zip(figures, names, strict=True)]
    marks = [mark for one in rows for mark in one.marks]
    return Panel(title, told.text, scale(marks, told.low, told.high, told.neutral), rows)


@dataclass(frozen=True)
class Cut:
    """A cut of a run, by axis say: for each half and metric a panel."""

    key: str
    title: str
    halves: Mapping[str, Sequence[Panel]]


def cuts(figures: Sequence[Figure], family: str) -> list[Cut]:
    """The cuts that the figures have, largest values first within each panel.

    Of axes, which are few, all metrics are shown that are; of other cuts only the first that the half has.
    """
    found, shown = [], METRICS[family].SHOWN
    for key, title in METRICS[family].CUTS.items():
        halves: dict[str, list[Panel]] = {}
        for half, mine in by_half(figure for figure in figures if key in figure.group):
            there = [metric for metric in shown if any(figure.metric == metric for figure in mine)]
            for metric in there if key == "axis" else there[:1]:
                of_metric = [figure for figure in mine if figure.metric == metric]
                if not of_metric:
                    continue
                ordered = of_metric if key == "tier" else ranked(of_metric)
                halves.setdefault(half, []).append(
                    panel(name_of(metric), ordered, family, [figure.group[key] for figure in ordered])
                )
        if halves:
            found.append(Cut(key, title, halves))
    return found


def by_half(figures: Iterable[Figure]) -> list[tuple[str, list[Figure]]]:
    """Figures by the half of the run that they are about."""
    found: dict[str, list[Figure]] = {}
    for figure in figures:
        name = ", ".join(HALVES[key].get(value, value) for key, value in figure.group.items() if key in HALVES)
        found.setdefault(name, []).append(figure)
    return list(found.items())


def ranked(figures: Iterable[Figure]) -> list[Figure]:
    """Largest first; those without a value last."""
    return sorted(figures, key=lambda f: (f.value is None, -(f.value or 0), sorted(f.group.items())))


def stereotypes(figures: Sequence[Figure], family: str) -> tuple[list[Figure], list[Figure]]:
    """Figures of stereotypes that have a value: from the worst on, and from the best on."""
    ranking = METRICS[family].RANKING
    if ranking is None:
        return [], []

    def of(metric: str) -> list[Figure]:
        return [
            f
            for f in figures
            if f.metric == metric
            and f.value is not None
            and set(f.group) == {"stereotype", *ranking.half}
            and all(f.group[key] == value for key, value in ranking.half.items())
        ]

    worst = ranked(of(ranking.metric))
    distance = {f.group["stereotype"]: _distance(f, family) for f in of(ranking.closeness)}
    best = sorted(worst, key=lambda f: (distance.get(f.group["stereotype"], 9.0), f.group["stereotype"]))
    return worst, best


def _distance(figure: Figure, family: str) -> float:
    neutral = about(figure, family).neutral
    return abs((figure.value or 0.0) - (neutral or 0.0))
