"""One page of a run, in itself whole: no script, no request, for a phone and for a voice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import charts, examples, heatmap, panels, results, summary
from .charts import Mark, Point
from .figure_tables import latex_of
from .journal import write_whole
from .metrics import FAILED, HALVES, METRICS, Figure
from .run import Run, said, tells

if TYPE_CHECKING:
    import pandas as pd

PAGES = Path(__file__).parent
LISTED = 5  # stereotypes at either end
FEWEST_DOTS = 3  # of a picture


def write_report(run: Run, out: Path | None = None) -> list[Path]:
    """The page, into the run's folder or elsewhere, and figures.tex beside it; where they are."""
    path = out or run.folder / "report.html"
    files = {path: page(run), path.with_name("figures.tex"): latex_of(run, results.figures_of(run))}
    for name, text in files.items():
        write_whole(name, text.encode())
    return [*files, run.folder / "figures.csv"]


def page(run: Run) -> str:
    """The page as HTML. All that a dataset or a model says is escaped."""
    figures = results.figures_of(run)
    rows = results.answered(run)
    worst, best = panels.stereotypes(figures, run.family)
    few = min(LISTED, (len(worst) + 1) // 2)
    return render(
        "report.html",
        run=run,
        data=run.settings["dataset"],
        language=run.settings["dataset"]["language"],
        main=panels_of_main(figures, run),
        none=summary.none_of(figures),
        cuts=panels.cuts(figures, run.family),
        heats=[heatmap.html(heat) for heat in heatmap.of_run(figures, run.family)],
        triangles=triangles(figures, run.family),
        scatters=scatters(figures, run.family),
        found=examples.found(rows) if "found" in rows else None,
        ranking=METRICS[run.family].RANKING,
        worst=[_told(one, run, rows, worst=True) for one in worst[:few]],
        best=[_told(one, run, rows, worst=False) for one in best[:few]],
        every=panels.panel(summary.name_of(worst[0].metric), worst, run.family, [f.group["stereotype"] for f in worst])
        if worst
        else None,
        unread=examples.unread(rows) if "outcome" in rows else None,
        counted=getattr(METRICS[run.family], "COUNTED", ""),
        positions=_positions(figures, run),
        texts=run.texts(),
        tests=[f for f in figures if f.metric == "position_chi_square"],
        total=len(rows),
    )


def render(template: str, **values: Any) -> str:
    """A page of ours, strict and escaped."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(PAGES), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["tick"] = lambda value: f"{value:.3g}".replace("-", "−")
    environment.filters["p"] = summary.p_value
    environment.filters["said"] = said
    environment.tests["telling"] = tells
    environment.filters["nats"] = lambda value: f"{value:.2f}".replace("-", "−")
    return environment.get_template(template).render(**values)


def panels_of_main(figures: Sequence[Figure], run: Run) -> Mapping[str, Sequence[panels.Panel]]:
    """For each half, a panel of what leans to either side, and one of shares; shares of none are left out."""
    found: dict[str, list[panels.Panel]] = {}
    for half, mine in summary.main_figures(figures).items():
        groups: dict[bool, list[Figure]] = {True: [], False: []}
        for figure in mine:
            told = summary.about(figure, run.family)
            if told.high != float("inf") and not (figure.metric in FAILED and figure.value == 0):
                groups[not (told.low == 0 and told.high == 1)].append(figure)
        found[half] = [_main_panel(members, run.family) for members in groups.values() if members]
    return found


def _main_panel(figures: Sequence[Figure], family: str) -> panels.Panel:
    rows = [
        panels.row(figure, family, summary.name_of(figure.metric), told=summary.about(figure, family).text)
        for figure in figures
    ]
    abouts = [summary.about(figure, family) for figure in figures]
    neutral = next((one.neutral for one in abouts if one.neutral is not None), None)
    marks = [mark for one in rows for mark in one.marks]
    bounds = min(one.low for one in abouts), max(one.high for one in abouts)
    return panels.Panel("", "", charts.scale(marks, *bounds, neutral), rows)


def _told(figure: Figure, run: Run, rows: pd.DataFrame, *, worst: bool) -> dict[str, Any]:
    id = figure.group["stereotype"]
    mine = rows[rows["stereotype"] == id].reset_index(drop=True)
    return {
        "id": id,
        "row": panels.row(figure, run.family, id),
        "examples": examples.examples(mine, run.family, worst=worst),
    }


def triangles(figures: Sequence[Figure], family: str) -> list[dict[str, Any]]:
    """For each half the triangle of figure 2, with the whole run and each axis as numbered points."""
    found = []
    for half, mine in panels.by_half(figures):
        points: list[dict[str, Any]] = []
        for key in ("", *sorted({f.group["axis"] for f in mine if "axis" in f.group})):
            group = [f for f in mine if f.group.get("axis", "") == key and set(f.group) <= {"axis", *HALVES}]
            by_name = {f.metric: f for f in group}
            point = point_of(by_name, key or "all", len(points))
            if point:
                points.append({"point": point, "bias": panels.row(by_name["bias_score"], family, key or "all")})
        if points:
            title = f"Accuracy against F(Target) - F(Other), {half} contexts; the table below has the same figures"
            found.append({"half": half, "points": points, "svg": charts.triangle([p["point"] for p in points], title)})
    return found


def scatters(figures: Sequence[Figure], family: str) -> list[dict[str, str]]:
    """For each half a picture of two shares of the groups that a family's metrics name, where three have both."""
    key, across, up = getattr(METRICS[family], "SCATTER", ("", "", ""))
    found = []
    for half, mine in panels.by_half(figure for figure in figures if key in figure.group):
        value = {(f.group[key], f.metric): f for f in mine if f.value is not None}
        dots = []
        for name in sorted({name for name, _ in value}):
            x, y = value.get((name, across)), value.get((name, up))
            if x is not None and y is not None and x.value is not None and y.value is not None:
                dots.append(charts.Dot(name, x.value, y.value, y.n))
        if len(dots) >= FEWEST_DOTS:
            below, aside = summary.name_of(across), summary.name_of(up)
            title = f"{aside} against {below}, of each {key}; the table below has the same figures"
            found.append({"half": half, "key": key, "svg": charts.scatter(dots, title, below, aside)})
    return found


def point_of(by_name: Mapping[str, Figure], name: str, number: int) -> Point | None:
    """A point of the triangle; None where a figure is missing."""
    marks = []
    for metric in ("f_difference", "accuracy"):
        figure = by_name.get(metric)
        if figure is None or figure.value is None:
            return None
        # intervals of the axes are in the tables; here they would hide each other
        bounds = (figure.low, figure.high) if number == 0 else (None, None)
        marks.append(Mark(figure.value, *bounds, charts.SHAPES[min(number, 1)], number))
    return Point(name, marks[0], marks[1])


def _positions(figures: Sequence[Figure], run: Run) -> list[panels.Panel]:
    found = []
    for metric in ("position_share", "position_excess"):
        mine = [f for f in figures if f.metric == metric and f.value is not None]
        if mine:
            names = {"0": "first option", "1": "second option", "2": "third option"}
            found.append(
                panels.panel(summary.name_of(metric), mine, run.family, [names[f.group["position"]] for f in mine])
            )
    return found
