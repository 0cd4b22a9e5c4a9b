"""From counts on rows to figures: for all rows and for each group of a cut (pure)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..statistics import (
    Bootstrapped,
    Interval,
    Statistic,
    cluster_bootstrap,
    cluster_sums,
    holm,
    share_interval,
)
from .figure import About, Figure
from .table import Table

_SAME = "no interval: the units do not differ"
_ONE = "no interval: one row"
_UNBOUNDED = "no interval: so few units do not bound it"
Intervals = Mapping[str, Interval | None]


@dataclass(frozen=True)
class Measure:
    """A metric as a formula over summed counts, which it takes in the order of `columns`.

    whole     the count that it divides by; where that is 0 there is no figure, for the reason `absent`
    is_share  it is columns[0] / columns[1], spread over the metric's range
    widest    bounds that follow from the intervals of measures before it; the bootstrap's interval is cut to
              them, and where the bootstrap has none (no error anywhere), they are the interval
    interval  the interval itself, where it follows from those of measures before it
    """

    name: str
    about: About
    columns: tuple[str, ...]
    whole: str
    absent: str
    formula: Callable[..., Any]
    is_share: bool = False
    widest: Callable[[Intervals], Interval | None] | None = None
    interval: Callable[[Intervals], Interval | None] | None = None


def share(name: str, part: str, whole: str, about: About, absent: str) -> Measure:
    """The share `part` / `whole`, spread over the metric's range: 0 to 1, 0 to 100, -1 to 1."""
    low, width = about.low, about.high - about.low
    return Measure(name, about, (part, whole), whole, absent, lambda p, w: low + width * p / w, is_share=True)


def figures_of(
    table: Table, measures: Sequence[Measure], *, group: Mapping[str, str], seed: int, resamples: int
) -> list[Figure]:
    """One figure a measure over the rows of `table`."""
    names = sorted({column for measure in measures for column in (*measure.columns, measure.whole)})
    total = {name: table.total(name) for name in names}
    here = [measure for measure in measures if total[measure.whole] > 0]
    unit, codes = table.drawn()
    sums = cluster_sums(np.stack([table.counts[name] for name in names], axis=1), codes)
    statistics = {m.name: Statistic(m.formula, tuple(names.index(column) for column in m.columns)) for m in here}
    done = cluster_bootstrap(sums, statistics, seed=seed, resamples=resamples)
    intervals: dict[str, Interval | None] = {}
    figures = []
    for measure in measures:
        if measure not in here:
            figures.append(Figure(measure.name, group, reason=measure.absent))
            continue
        result = done[measure.name]
        interval = _interval(measure, result, sums[:, names.index(measure.whole)], intervals)
        why = _SAME if len(sums) > 1 else _ONE
        if interval and not (math.isfinite(interval.low) and math.isfinite(interval.high)):
            interval, why = None, _UNBOUNDED
        intervals[measure.name] = interval
        neutral = measure.about.neutral
        figures.append(
            Figure(
                measure.name,
                group,
                value=result.value if math.isfinite(result.value) else None,
                low=interval.low if interval else None,
                high=interval.high if interval else None,
                n=round(total[measure.whole]),
                clusters=len(sums),
                reason="" if interval else why,
                unit=unit,
                p=None if neutral is None or measure.interval else result.p_value(neutral),
            )
        )
    return figures


def cut(
    table: Table,
    measures: Sequence[Measure],
    by: str,
    *,
    expected: Iterable[str] = (),
    group: Mapping[str, str],
    seed: int,
    resamples: int,
) -> list[Figure]:
    """The measures for each value of the key `by`, their p-values Holm-corrected together.

    A value in `expected` that no row has gives figures without a value, which say so.
    """
    found = table.groups(by)
    figures: list[Figure] = []
    for value in sorted(set(found) | set(expected)):
        named = {**group, by: value}
        if value in found:
            figures += figures_of(table.take(found[value]), measures, group=named, seed=seed, resamples=resamples)
        else:
            reason = f"no rows with {by} {value}"
            figures += [Figure(measure.name, named, reason=reason) for measure in measures]
    return corrected(figures)


def corrected(figures: Sequence[Figure]) -> list[Figure]:
    """The figures, the p-values of each metric Holm-corrected over the groups."""
    by_metric: dict[str, list[int]] = {}
    for i, figure in enumerate(figures):
        by_metric.setdefault(figure.metric, []).append(i)
    out = list(figures)
    for places in by_metric.values():
        for i, p in zip(places, holm([figures[i].p for i in places]), strict=True):
            out[i] = replace(figures[i], p=p)
    return out


def _interval(measure: Measure, result: Bootstrapped, sizes: Any, earlier: Intervals) -> Interval | None:
    bounds = measure.about.low, measure.about.high
    if measure.interval:
        return measure.interval(earlier)
    if measure.is_share:
        return share_interval(result, sizes, bounds=bounds)
    widest = measure.widest(earlier) if measure.widest else None
    # at the edge of its range a formula has a corner (a distance of 0), and no linear error
    on_edge = min(abs(result.value - edge) for edge in bounds) < 1e-9
    return widest if on_edge else result.interval(widest or bounds) or widest
