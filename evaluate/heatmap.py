"""Tables whose cells are shaded by their value: rows are countries, say, and columns metrics or models.

Each cell shows its number, so that the shade adds and never replaces; the ink on it is black or white, whichever
stands out more. A shade goes from pale to dark within one hue, which holds for any sight, in light and dark pages.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from . import summary
from .charts import Mark, Scale, scale
from .metrics import HALVES, METRICS, Figure

_RAMP = ((240, 237, 226), (126, 181, 196), (31, 111, 139), (9, 46, 69))  # from the least value to the largest
_FEWEST = 2  # rows from which on shades tell more than numbers


@dataclass(frozen=True)
class Column:
    """A metric or a run: its cells in the order of the rows, and the scale of its shades."""

    name: str
    cells: Sequence[Figure | None]
    scale: Scale


@dataclass(frozen=True)
class Heat:
    """`first` says what rows are."""

    title: str
    first: str
    rows: Sequence[str]
    columns: Sequence[Column]


def of_run(figures: Sequence[Figure], family: str) -> list[Heat]:
    """For each half of a run a map of groups by metrics, where the family's metrics name such groups in HEAT."""
    key: str = getattr(METRICS[family], "HEAT", "")
    found = []
    for half, mine in _by_half(figures, key).items():
        cells = {(figure.group[key], figure.metric): figure for figure in mine}
        there = {figure.metric for figure in mine if figure.value is not None} - set(METRICS[family].FAILED)
        metrics = [name for name in METRICS[family].ABOUT if name in there]
        shown = [name for name in METRICS[family].SHOWN if name in there]
        rows = _ordered(
            {row for row, _ in cells}, [{row: cells.get((row, name)) for row, _ in cells} for name in shown]
        )
        if len(rows) >= _FEWEST and metrics:
            columns = [(summary.name_of(name), [cells.get((row, name)) for row in rows]) for name in metrics]
            found.append(Heat(half, key, rows, [Column(name, some, _scale([some], family)) for name, some in columns]))
    return found


def of_runs(runs: Sequence[tuple[str, Sequence[Figure]]], family: str) -> list[Heat]:
    """For each half and main metric a map of groups by runs, which are (name, figures); one scale for all of it."""
    key: str = getattr(METRICS[family], "HEAT", "")
    by_half = [_by_half(figures, key) for _, figures in runs]
    found = []
    for half in {half: None for one in by_half for half in one}:
        for metric in METRICS[family].SHOWN:
            by_run = [{f.group[key]: f for f in one.get(half, []) if f.metric == metric} for one in by_half]
            rows = _ordered({row for one in by_run for row in one}, by_run)
            if len(rows) >= _FEWEST:
                columns = [[one.get(row) for row in rows] for one in by_run]
                bounds = _scale(columns, family)
                title = ", ".join(filter(None, (summary.name_of(metric), half)))
                named = [Column(name, some, bounds) for (name, _), some in zip(runs, columns, strict=True)]
                found.append(Heat(title, key, rows, named))
    return found


def html(heat: Heat) -> str:
    """The map as a table, whole in itself: all that a dataset or a model is called is escaped."""
    first, title = escape(heat.first.replace("_", " ").capitalize()), escape(heat.title, quote=True)
    head = "".join(f'<th scope="col" class="number">{escape(column.name)}</th>' for column in heat.columns)
    body = "".join(
        f'<tr><th scope="row">{escape(row)}</th>{"".join(_cell(column, number) for column in heat.columns)}</tr>'
        for number, row in enumerate(heat.rows)
    )
    ends = "".join(
        f'<td class="number">{_number(column.scale.low)} to {_number(column.scale.high)}</td>'
        for column in heat.columns
    )
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{title}"><table class="heat">'
        f'<caption>{title}</caption><thead><tr><th scope="col">{first}</th>{head}</tr></thead><tbody>{body}</tbody>'
        f'<tfoot><tr><th scope="row">Shades, pale to dark</th>{ends}</tr></tfoot></table></div>'
    )


def shade(place: float) -> tuple[str, str]:
    """Colour of the ground and of the ink, #rrggbb, at a place from 0 to 1."""
    at = min(1.0, max(0.0, place)) * (len(_RAMP) - 1)
    lower = min(int(at), len(_RAMP) - 2)
    ground = [
        round(low + (high - low) * (at - lower)) for low, high in zip(_RAMP[lower], _RAMP[lower + 1], strict=True)
    ]
    light = luminance(ground)
    return "#" + "".join(f"{part:02x}" for part in ground), "#000000" if light > 0.179 else "#ffffff"


def luminance(colour: Sequence[int]) -> float:
    """Relative luminance, 0 to 1, of red, green and blue from 0 to 255. WCAG 2.2; 0.179 is where inks are as good."""
    parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (part / 255 for part in colour)]
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]


def _cell(column: Column, number: int) -> str:
    figure = column.cells[number]
    if figure is None or figure.value is None:
        return f'<td class="number" title="{escape(figure.reason if figure else "no figure", quote=True)}">–</td>'
    ground, ink = shade(column.scale.at(figure.value) / 100)
    bounds = summary.interval(figure)
    told = f' title="{escape(bounds, quote=True)}"' if bounds else ""
    return f'<td class="number" style="background:{ground};color:{ink}"{told}>{summary.number(figure.value)}</td>'


def _number(value: float) -> str:
    return f"{value:.3g}".replace("-", "−")


def _scale(columns: Sequence[Sequence[Figure | None]], family: str) -> Scale:
    found = [figure for column in columns for figure in column if figure is not None and figure.value is not None]
    marks = [Mark(figure.value) for figure in found if figure.value is not None]
    told = summary.about(found[0], family) if found else None
    return scale(marks, told.low, told.high, None) if told else Scale(0, 1)


def _ordered(rows: Collection[str], values: Sequence[Mapping[str, Figure | None]]) -> list[str]:
    """Largest mean first; those without a value last."""

    def key(row: str) -> tuple[bool, float, str]:
        known = [f.value for f in (one.get(row) for one in values) if f is not None and f.value is not None]
        return not known, -sum(known) / max(1, len(known)), row

    return sorted(rows, key=key)


def _by_half(figures: Sequence[Figure], key: str) -> dict[str, list[Figure]]:
    """Figures of the groups of `key` alone, by the half of the run that they are about."""
    found: dict[str, list[Figure]] = {}
    for figure in figures:
        if key and key in figure.group and set(figure.group) <= {key, *HALVES}:
            half = ", ".join(HALVES[name].get(value, value) for name, value in figure.group.items() if name != key)
            found.setdefault(half, []).append(figure)
    return found
