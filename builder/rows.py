"""The columns that every family's rows share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from .expand import Hashes, Indices, hex_ids
from .filling import Filled
from .sources import Sources
from .tables import coded, constant


def _nothing(number: int) -> dict[str, Any]:
    return {}


@dataclass(frozen=True)
class Block:
    """Rows, and 64 bits of each id and of what each says.

    `new` has, by column, the texts that must be looked at, or is None where all must. `about` tells more of a row
    than its columns do: `spans`, where the slots that change stand.
    """

    table: pa.Table
    ids: Hashes
    said: Hashes
    new: Mapping[str, pa.Array] | None = None
    about: Callable[[int], dict[str, Any]] = _nothing


@dataclass
class Common:
    """Makes the common columns of one template's rows."""

    sources: Sources
    filled: Filled
    slots: Sequence[str]

    def __post_init__(self) -> None:
        template = self.filled.written.model
        self.by_slot = next((slot for slot in self.slots if self._names_stereotypes(slot)), None)
        if template.stereotype or self.by_slot is None:
            self.by_slot, ids = None, [template.stereotype]
        else:
            ids = [str(getattr(entry, "stereotype", "")) for entry in self.filled.entries[self.by_slot]]
        known = [self.sources.stereotypes.get(id) for id in ids]
        tiers = [self.sources.tiers.get(id) for id in ids]
        self.stereotypes = pa.array(ids, pa.string())
        self.axes = pa.array([s.axis if s else "" for s in known], pa.string())
        self.concepts = pa.array([s.concept if s else "" for s in known], pa.string())
        self.origin = pa.array([template.source or (s.source if s else "") for s in known], pa.string())
        self.tiers = pa.array([tier.tier if tier else None for tier in tiers], pa.int8())
        self.harm = pa.array([tier.harmfulness if tier else None for tier in tiers], pa.float32())
        self.words: list[str] = []
        self.firsts: list[int] = []
        for slot in self.slots:
            self.firsts.append(len(self.words))
            self.words += [f"{slot}={entry.id}" for entry in self.filled.entries[slot]]
        self.written = pa.array(self.words, pa.string())

    def _names_stereotypes(self, slot: str) -> bool:
        return any(entry.has("stereotype") for entry in self.filled.entries[slot])

    def columns(self, rows: Indices, hashes: Hashes, repeat: int = 1) -> dict[str, pa.Array]:
        """`rows` are combinations, each of which stands for `repeat` rows; `hashes` has one value a row."""
        count = len(hashes)
        dataset = self.sources.dataset.model
        if self.by_slot is None:
            which: Indices = np.zeros(count, np.int64)
        else:
            which = np.repeat(self.filled.of(self.by_slot, rows), repeat)
        index = pa.array(which)
        listed = np.empty((len(rows), len(self.slots)), np.int32)
        for number, slot in enumerate(self.slots):
            listed[:, number] = self.filled.of(slot, rows) + self.firsts[number]
        offsets = np.arange(count + 1, dtype=np.int32) * len(self.slots)
        return {
            "id": hex_ids(hashes),
            "dataset": constant(self.sources.name, count),
            "language": constant(dataset.language, count),
            "axis": coded(which, self.axes),
            "stereotype": coded(which, self.stereotypes),
            "concept": coded(which, self.concepts),
            "template": constant(self.filled.written.model.id, count),
            "slots": pa.ListArray.from_arrays(
                pa.array(offsets), coded(np.repeat(listed, repeat, axis=0).ravel(), self.written)
            ),
            "tier": self.tiers.take(index),
            "harmfulness": self.harm.take(index),
            "source": coded(which, self.origin),
            "canary": constant(dataset.canary, count),
        }
