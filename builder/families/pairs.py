"""Pairs: one sentence of an identity, and the same sentence of one that it contrasts with."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from ..expand import Indices
from ..rows import Block, Common
from ..schema import Entry, PairsTemplate, Template
from ..sources import Sources, Written
from ..tables import coded, mixed_columns
from .plan import BasePlan

TEMPLATE = PairsTemplate
FIELDS = (
    pa.field("target", pa.string()),
    pa.field("other", pa.string()),
    pa.field("direction", pa.string()),
    pa.field("sent_target", pa.string()),
    pa.field("sent_other", pa.string()),
)
TEXTS = ("sent_target", "sent_other")
SAYS = ("sent_target", "sent_other")
TASKS = ("text-classification", "fill-mask")  # as the Hub calls them
COLUMNS = {
    "target": "identity that the stereotype is said of, by its id",
    "other": "identity that it is compared with",
    "direction": "what the text says of the target: stereo, anti or neutral",
    "sent_target": "sentence about the target",
    "sent_other": "the same sentence about the other",
}
ROWS_A_COMBINATION = 1
OTHER = "other"


class Plan(BasePlan):
    def __init__(self, written: Written[Template], sources: Sources) -> None:
        super().__init__(written, sources)
        template = written.model
        assert isinstance(template, PairsTemplate)
        self.template = template
        if not self.problems:
            self._add_contrasts()
        if self.problems:
            return
        names: dict[str, tuple[str, ...]] = {slot: (slot,) for slot in self.filled.entries if slot != OTHER}
        names[template.contrast] = (template.contrast, OTHER)
        text = self.compile(("text",), template.text, names)
        for slot in self.unused_slots(names) if text else ():
            if slot == template.contrast:
                continue  # told below
            self.filled.fault(("slots", slot), "unused-slot", f"no text shows {slot!r}", "show it or remove it")
        if text and template.contrast not in text.slots:
            message = f"the text does not show {template.contrast!r}: both sentences would be the same"
            self.filled.fault(("text",), "no-contrast", message, f"write {{{{ {template.contrast} }}}} in it")
        if text is None or self.problems:
            return
        self.order_columns()
        self.target = self.bound(text)
        self.other = self.bound(text, {template.contrast: OTHER})
        self.common = Common(sources, self.filled, [*self.filled.entries])
        self.directions = self._directions()

    def _add_contrasts(self) -> None:
        """A column of its own for the other identity, which satisfies what the target's must."""
        filled, slot = self.filled, self.template.contrast
        if slot not in filled.entries or OTHER in filled.entries:
            message = f"{slot!r} is no slot" if slot not in filled.entries else "'other' is made by the contrast"
            filled.fault(("slots",), "contrast", message, "`contrast` names the slot that changes in a pair")
            return
        column = filled.home[slot]
        targets = [
            n for n, e in enumerate(filled.entries[slot]) if not e.has("role") or e.feature("role") == ["target"]
        ]
        filled.keep(column, targets)
        others: dict[str, Entry] = {}
        for entry in filled.entries[slot]:
            for id in entry.feature("contrast") if entry.has("contrast") else []:
                found = next((e for kind in filled.kinds.get(slot, []) if (e := self.sources.entry(kind, id))), None)
                if found is not None and found.state != "retired":
                    others[id] = found
        if not others or not targets:
            message = f"nothing in {slot!r} has a contrast"
            filled.fault(("slots", slot), "no-contrast", message, "fill the column 'contrast' of its lexicon")
            return
        filled.add_column(OTHER, {OTHER: [others[id] for id in sorted(others)]})
        filled.kinds[OTHER] = filled.kinds.get(slot, [])
        filled.contrast(slot, OTHER)
        for terms in self.template.agree:
            split = [term.partition(".")[::2] for term in terms]
            for mine, feature in split:
                if mine == slot and feature != "id":
                    for theirs, name in split:
                        if theirs != slot:
                            filled.agree((OTHER, feature), (theirs, name))

    def _directions(self) -> tuple[str | None, list[str]]:
        if not self.template.direction:
            for slot, entries in self.filled.entries.items():
                if any(entry.has("direction") for entry in entries):
                    return slot, [str(getattr(entry, "direction", "stereo")) for entry in entries]
        return None, [self.template.direction or "stereo"]

    def made(self) -> Iterator[Block]:
        slot = self.template.contrast
        for rows, hashes in self.blocks():
            columns = self.common.columns(rows, hashes)
            count = len(rows)
            by, directions = self.directions
            which = np.zeros(count, np.int32) if by is None else self.filled.of(by, rows)
            columns["target"] = coded(self.filled.of(slot, rows), [entry.id for entry in self.filled.entries[slot]])
            columns["other"] = coded(self.filled.of(OTHER, rows), [entry.id for entry in self.filled.entries[OTHER]])
            columns["direction"] = coded(which, directions)
            said, new = {}, {}
            for name, text in (("sent_target", self.target), ("sent_other", self.other)):
                index, made = text.made(rows)
                columns[name] = coded(index, made.texts, made.codes)
                said[name] = made.codes[index]
                new[name] = made.texts.take(pa.array(made.new))
            yield Block(pa.table(columns), hashes, mixed_columns(said, count), new, partial(self._about, rows))

    def _about(self, rows: Indices, number: int) -> dict[str, Any]:
        changing = frozenset({self.template.contrast})
        return {"spans": [text.spans(rows[number], changing) for text in (self.target, self.other)]}
