"""A bounded, stable sample of a dataset's rows, taken while they go by. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from .expand import mixed, word_hash
from .tables import row_hashes

Row = dict[str, Any]
_KEY, _NUMBER = "_key", "_number"


@dataclass
class Sample:
    """At most `limit` rows, as many of each template as can be, and those that someone must see besides.

    What is kept depends on the ids in the slots alone, so that the rows of one combination stay together and an
    edit of the wording shows the same rows again. Memory does not grow with the dataset.
    """

    limit: int
    seed: int = 0
    kept: dict[str, pa.Table] = field(default_factory=dict)
    wanted: dict[str, list[pa.Table]] = field(default_factory=dict)
    seen: dict[str, int] = field(default_factory=dict)
    sizes: Counter[int] = field(default_factory=Counter)  # how many templates keep how many rows

    def __post_init__(self) -> None:
        self.level = self.limit

    def add(self, template: str, table: pa.Table, wanted: Sequence[int] = ()) -> None:
        """The next rows of a template; `wanted` are numbers in the table of rows that are kept in any case."""
        start = self.seen.get(template, 0)
        self.seen[template] = start + table.num_rows
        keys = mixed(row_hashes(table, ("template", "slots")), np.full(1, word_hash(f"sample {self.seed}"), np.uint64))

        def chosen(numbers: Sequence[int] | np.ndarray[Any, Any]) -> pa.Table:
            at = np.asarray(numbers, np.int64)
            some = _plain(table.take(pa.array(at)))
            return some.append_column(_KEY, pa.array(keys[at])).append_column(_NUMBER, pa.array(start + at))

        new = chosen(np.argsort(keys, kind="stable")[: self.level])
        held = self.kept.get(template)
        if held is not None:
            new = pa.concat_tables((held, new)).sort_by([(_KEY, "ascending"), (_NUMBER, "ascending")])
        if held is not None:
            self.sizes[held.num_rows] -= 1
        self.kept[template] = new.slice(0, self.level)
        self.sizes[self.kept[template].num_rows] += 1
        if len(wanted):
            self.wanted.setdefault(template, []).append(chosen(wanted))
        fitting = self._fitting()
        if fitting < self.level:  # it only falls: what was cut off does not come back
            self.level = fitting
            self.kept = {template: rows.slice(0, fitting) for template, rows in self.kept.items()}
            self.sizes = Counter(rows.num_rows for rows in self.kept.values())

    def _fitting(self) -> int:
        """How many rows of each template fit: the same of all, but for those that have fewer."""
        left, templates = self.limit, len(self.kept)
        for size, count in sorted(self.sizes.items()):
            if not count:
                continue
            share = left // templates
            if size > share:
                return max(share, 1)
            left -= size * count
            templates -= count
        return self.limit

    @property
    def total(self) -> int:
        return sum(self.seen.values())

    def rows(self) -> list[Row]:
        """What was kept, in the dataset's order."""
        keys = sorted(key for rows in self.kept.values() for key in rows.column(_KEY).to_pylist())
        found: list[Row] = []
        for template, kept in self.kept.items():
            # with more templates than rows, not every template has one
            drawn = kept.filter(pc.less_equal(kept.column(_KEY), pa.scalar(keys[: self.limit][-1], pa.uint64())))
            both = pa.concat_tables((drawn, *self.wanted.get(template, ())))
            numbered = {row.pop(_NUMBER): row for row in both.drop_columns([_KEY]).to_pylist()}
            found += [numbered[number] for number in sorted(numbered)]
        return found


def _plain(table: pa.Table) -> pa.Table:
    """The same rows without dictionaries, so that a few rows do not hold on to all words."""
    return table.cast(pa.schema([pa.field(field.name, _value_type(field.type)) for field in table.schema]))


def _value_type(kind: pa.DataType) -> pa.DataType:
    if pa.types.is_dictionary(kind):
        return kind.value_type
    return pa.list_(_value_type(kind.value_type)) if pa.types.is_list(kind) else kind
