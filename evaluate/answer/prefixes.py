"""Sequences as a forest: what several of them begin with is computed once.

In a causal model the state at a token depends only on the tokens before it. So sequences are put in a
forest of segments (a segment is a run of tokens that no sequence leaves or joins), a segment is computed
after the one before it, and one state serves every sequence that runs through it. Pure, on arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .batches import Ints, Rectangle


@dataclass(frozen=True)
class Forest:
    """Segments in an order in which each comes after the one before it.

    `node` (sequences, longest) is the token node of each place of each sequence, -1 after its end; nodes of
    a segment have consecutive numbers. `slot` (nodes) is a node's place in a memory, -1 where no segment
    follows. `row`, `past`, `length`, `first` and `level` (segments) say which sequence shows a segment, where
    in it the segment starts, how long it is, its first node, and how many segments come before it.
    """

    node: Ints
    ids: Ints
    slot: Ints
    row: Ints
    past: Ints
    length: Ints
    first: Ints
    level: Ints

    @property
    def slots(self) -> int:
        """How many nodes have to be remembered."""
        return int(self.slot.max(initial=-1)) + 1

    def level_order(self, level: int) -> Ints:
        """The segments of one level, those with as long a past and as long themselves beside each other."""
        found = np.flatnonzero(self.level == level)
        ordered: Ints = found[np.lexsort((self.length[found], self.past[found]))]
        return ordered

    def cut(self, segments: Sequence[int] | Ints) -> Rectangle:
        """A rectangle of some segments."""
        rows = np.asarray(segments)
        length, past = self.length[rows], self.past[rows]
        column = np.arange(length.max())
        real = column < length[:, None]
        node = np.where(real, self.first[rows][:, None] + column, 0)
        before = np.arange(past.max(initial=0))
        path = self.node[self.row[rows]][:, : len(before)]
        return Rectangle(
            np.where(real, self.ids[node], 0),
            length,
            np.where(before < past[:, None], self.slot[path], -1),
            np.where(real, self.slot[node], -1),
        )


def plant(sequences: Sequence[Sequence[int]], *, share: bool = True) -> Forest:
    """The forest of some sequences, none of them empty. Without `share`, each sequence is one segment."""
    count = len(sequences)
    length = np.array([len(s) for s in sequences])
    ids = np.full((count, int(length.max())), -1, dtype=np.int64)
    ids[np.arange(ids.shape[1]) < length[:, None]] = np.concatenate([np.asarray(s) for s in sequences])
    order = np.lexsort(ids.T[::-1]) if share else np.arange(count)
    ids, length = ids[order], length[order]
    column = np.arange(ids.shape[1])
    real = column < length[:, None]
    common = np.zeros(count, dtype=np.int64)  # how many tokens a row has in common with the row above
    if share and count > 1:
        equal = (ids[1:] == ids[:-1]) & real[1:]
        common[1:] = np.where(equal.all(axis=1), length[1:], equal.argmin(axis=1))
    new = real & (column >= common[:, None])
    node = np.where(new, np.cumsum(new).reshape(new.shape) - 1, -1)
    node = np.where(real, np.maximum.accumulate(node, axis=0), -1)
    at_row, at_column = np.nonzero(new)
    parent = np.where(at_column > 0, node[at_row, at_column - 1], -1)
    children = np.bincount(parent[parent >= 0], minlength=len(parent))
    starts = (at_column == common[at_row]) | (children[parent] > 1)
    first = np.flatnonzero(starts)
    segment = np.cumsum(starts) - 1
    before = np.where(parent[first] >= 0, segment[parent[first]], -1)
    level = np.zeros(len(first), dtype=np.int64)
    for number, above in enumerate(before.tolist()):
        if above >= 0:
            level[number] = level[above] + 1
    followed = np.zeros(len(first), dtype=bool)
    followed[before[before >= 0]] = True
    kept = followed[segment]
    back = np.empty(count, dtype=np.int64)
    back[order] = np.arange(count)
    return Forest(
        node=node[back],
        ids=ids[at_row, at_column],
        slot=np.where(kept, np.cumsum(kept) - 1, -1),
        row=order[at_row[first]],
        past=at_column[first],
        length=np.diff(first, append=len(parent)),
        first=first,
        level=level,
    )
