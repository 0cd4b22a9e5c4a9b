"""Rows as arrays: the counts to be summed, what is drawn again for intervals, and what rows are cut by (pure)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ...builder.problems import Place, Problem, SourceFaults

_ENOUGH = 5  # templates of one stereotype, from which on these are drawn and not the rows
_UNITS = {"stereotype": "stereotype", "template": "template"}


@dataclass(frozen=True)
class Table:
    """`counts` by name, `units` (codes of stereotype and of template, say) and `keys` (texts), each one value a row."""

    counts: Mapping[str, NDArray[np.float64]]
    units: Mapping[str, NDArray[np.int64]]
    keys: Mapping[str, NDArray[Any]]

    def __len__(self) -> int:
        return len(next(iter(self.units.values())))

    def take(self, which: NDArray[Any]) -> Table:
        """The rows of a mask, or of indices."""
        return Table(
            {name: values[which] for name, values in self.counts.items()},
            {name: codes[which] for name, codes in self.units.items()},
            {name: texts[which] for name, texts in self.keys.items()},
        )

    def adding(self, counts: Mapping[str, NDArray[np.float64]]) -> Table:
        """With more counts."""
        return Table({**self.counts, **counts}, self.units, self.keys)

    def total(self, count: str) -> float:
        return float(self.counts[count].sum())

    def groups(self, by: str) -> dict[str, NDArray[np.int64]]:
        """Each value of a key, and its rows."""
        values, codes = np.unique(self.keys[by], return_inverse=True)
        order = np.argsort(codes, kind="stable")
        ends = np.cumsum(np.bincount(codes, minlength=len(values)))
        return {
            str(value): order[end - size : end]
            for value, end, size in zip(values, ends, np.diff(ends, prepend=0), strict=True)
        }

    def drawn(self) -> tuple[str, NDArray[np.int64]]:
        """What is drawn again for an interval, and each row's code in it.

        The first of the units, stereotypes; in a group of one stereotype its templates, or its rows where these
        are few: the interval then speaks of that stereotype as these templates say it.
        """
        for number, unit in enumerate(self.units):
            found, codes = np.unique(self.units[unit], return_inverse=True)
            if len(found) >= (_ENOUGH if number else 2):
                return unit, codes
        return "row", np.arange(len(self))


def table_of(
    rows: pd.DataFrame, counts: Mapping[str, Any], keys: Sequence[str], units: Mapping[str, str] = _UNITS
) -> Table:
    """From rows, counts on them (numbers or truths), the columns to cut by, and the columns of the units to draw."""
    return Table(
        {name: np.asarray(values, dtype=np.float64) for name, values in counts.items()},
        {
            unit: np.unique(rows[column].astype(str).to_numpy(dtype=object), return_inverse=True)[1]
            for unit, column in units.items()
        },
        {key: rows[key].astype(str).to_numpy(dtype=object) for key in keys},
    )


def copied(frame: pd.DataFrame, required: Sequence[str]) -> pd.DataFrame:
    """A copy of the rows in the order of their ids, so that sums are the same in any order of rows.

    Categories become plain text, tiers "1", "2", "3" or "none".

    SourceFaults tells every column that is not there.
    """
    missing = [column for column in required if column not in frame]
    if missing:
        raise SourceFaults([Problem(Place("answers"), "missing-column", f"no column {name!r}") for name in missing])
    rows = frame.sort_values("id", kind="stable", ignore_index=True)
    for column in rows.columns[[isinstance(kind, pd.CategoricalDtype) for kind in rows.dtypes]]:
        rows[column] = rows[column].astype(object)
    if "tier" not in rows:
        return rows
    return rows.assign(tier=["none" if pd.isna(tier) else str(int(tier)) for tier in rows["tier"]])
