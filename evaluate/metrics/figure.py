"""A figure: one number of a run, with its interval and its count, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import pandas as pd

VALUES = ("value", "low", "high", "n", "clusters", "unit", "p", "reason")


@dataclass(frozen=True)
class Figure:
    """`value` is None where the figure does not exist; `reason` then says why.

    group     what the rows have in common, {"axis": "race", "context_condition": "ambig"}; empty for all rows
    low, high bounds of the 95 % interval; None where there is none, with its reason
    n         rows that the figure rests on (its denominator)
    clusters  units that were drawn again for the interval
    unit      what those are: stereotype; or template, or row, where the group has but one of the wider unit
    p         two-sided, against the metric's neutral value; Holm-corrected within the groups of one cut
    """

    metric: str
    group: Mapping[str, str] = field(default_factory=dict)
    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0
    clusters: int = 0
    reason: str = ""
    unit: str = ""
    p: float | None = None


@dataclass(frozen=True)
class About:
    """What a metric says: one line of text, its range, and the value at which a model is even-handed."""

    text: str
    low: float
    high: float
    neutral: float | None = None


class Ranking(NamedTuple):
    """How stereotypes are put in order. `half` is the part of a run that it is about."""

    metric: str
    half: Mapping[str, str]
    closeness: str
    worst: str
    best: str


def to_frame(figures: Iterable[Figure]) -> pd.DataFrame:
    """One row a figure: metric, one text column for each key of a group ("" = all), then the values."""
    import pandas as pd

    listed = list(figures)
    keys = sorted({key for figure in listed for key in figure.group})
    rows = [
        {"metric": f.metric} | {key: f.group.get(key, "") for key in keys} | {name: getattr(f, name) for name in VALUES}
        for f in listed
    ]
    frame = pd.DataFrame(rows, columns=["metric", *keys, *VALUES])
    numbers = ["value", "low", "high", "p"]
    frame[numbers] = frame[numbers].astype("float64")
    return frame
