"""A run's main figures in words: what they are called, how a number is shown, and lines for a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .metrics import FAILED, HALVES, METRICS, NAMES, About, Figure
from .run import Run


def name_of(metric: str) -> str:
    return NAMES.get(metric, metric.replace("_", " "))


def about(figure: Figure, family: str) -> About:
    """What the figure's metric says, its range and its neutral value."""
    known: Mapping[str, About] = METRICS[family].ABOUT
    return known.get(figure.metric, About("", 0, 1))


def main_figures(figures: Sequence[Figure]) -> dict[str, list[Figure]]:
    """Figures over all rows of each half of a run, by the half's name; "" where a run has no halves."""
    found: dict[str, list[Figure]] = {}
    for figure in figures:
        if set(figure.group) <= set(HALVES):
            half = ", ".join(HALVES[key].get(value, value) for key, value in figure.group.items())
            found.setdefault(half, []).append(figure)
    return found


def number(value: float | None, wide: bool = False) -> str:
    """A figure's digits: three after the point, one of per cents; a true minus sign; empty where there is none."""
    if value is None:
        return ""
    least = 0.05 if wide else 0.0005
    if 0 < abs(value) < least:
        return f"{'−' if value < 0 else ''}<{2 * least:g}"
    text = f"{value:.{1 if wide else 3}f}"
    return text.replace("-", "−") if float(text) else text.lstrip("-")


def is_wide(told: About) -> bool:
    """Whether a metric's numbers go beyond a few units, as per cents do."""
    return told.high > 10


def p_value(p: float) -> str:
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def interval(figure: Figure, wide: bool = False) -> str:
    if figure.low is None or figure.high is None:
        return ""
    return f"{number(figure.low, wide)} to {number(figure.high, wide)}"


def none_of(figures: Sequence[Figure]) -> list[str]:
    """What happened nowhere, of what may fail."""
    failed = [f for f in figures if f.metric in FAILED and set(f.group) <= set(HALVES)]
    somewhere = {f.metric for f in failed if f.value}
    return list(dict.fromkeys(name_of(f.metric) for f in failed if f.metric not in somewhere and f.value == 0))


def units(figure: Figure) -> str:
    """What was drawn again for the interval, counted."""
    if not figure.clusters:
        return ""
    several = f"{figure.unit[:-1]}ies" if figure.unit.endswith("y") else f"{figure.unit}s"
    return f"{figure.clusters:,} {figure.unit if figure.clusters == 1 else several}"


def _of_stereotypes(count: int) -> str:
    return f" of {count:,} stereotype{'s' if count != 1 else ''}" if count else ""


def lines(figures: Sequence[Figure], run: Run) -> list[str]:
    """The main figures for a terminal."""
    data = run.settings["dataset"]
    out = [
        f"{data['dataset']} {data['version']}: {data['rows']:,} rows{_of_stereotypes(data['stereotypes'])},"
        f" answered by {run.settings['model']['name']} ({run.settings['way']['way']})"
    ]
    for half, found in main_figures(figures).items():
        out += ["", f"{half or 'all rows':<30}{'value':>9}  {'95 % interval':<18}{'n':>8}  units"]
        none = none_of(found)
        for figure in found:
            if figure.metric in FAILED and figure.value == 0:
                continue
            wide = is_wide(about(figure, run.family))
            row = f"  {name_of(figure.metric):<28}{number(figure.value, wide) or '-':>9}  {interval(figure, wide):<18}"
            row += f"{figure.n:>8,}  {units(figure)}"
            if figure.p is not None:
                row += f"  {p_value(figure.p)}"
            out.append(row.rstrip() + (f"  ({figure.reason})" if figure.reason else ""))
        if none:
            out.append(f"  none: {', '.join(none)}")
    out += ["", f"signature  {run.signature}", f"run        {run.folder}"]
    return out
