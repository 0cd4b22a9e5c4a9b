"""Sentences to be translated: an occupation whose gender the target language must choose (WinoMT_eus), or one
sentence in a masculine and a feminine version with one reference (FLORES+Gender). Both of seed 001's kinds:
Saiz Urrutia et al.; the first after WinoMT (Stanovsky et al. 2019).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar, Literal

import numpy as np
import pyarrow as pa
from pydantic import Field, model_validator

from ..expand import Hashes, Indices, hex_ids, mixed, word_hash
from ..languages import language
from ..render import Text
from ..rows import Block, Common
from ..schema import LanguageCode, Listed, Template, Words
from ..sources import Sources, Written
from ..tables import coded, constant, row_hashes
from .plan import BasePlan, Bound

KINDS = ("occupation", "contrast")
VERSIONS = ("masculine", "feminine")
NOTES = ("several_people", "proper_name", "unmarked_masculine")


class TranslationTemplate(Template):
    """Either `text`, with one or two slots as `entities`, or `masculine` and `feminine` with one `reference`.

    `words` has the words of an entity that the text writes out instead of showing its slot; `gender` and
    `direction` are of a text that tells the gender of its first entity.
    """

    judged: ClassVar[bool] = False  # a contrast states no stereotype; a text may

    text: Words | None = None
    entities: Annotated[Listed, Field(max_length=2)] = Field(default_factory=list)
    words: dict[str, str] = Field(default_factory=dict)
    gender: Literal["", "m", "f", "n"] = ""
    direction: Literal["", "stereo", "anti"] = ""
    masculine: Words | None = None
    feminine: Words | None = None
    reference: Words | None = None
    reference_language: LanguageCode | Literal[""] = ""
    several_people: bool | None = None
    proper_name: bool | None = None
    unmarked_masculine: bool | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> TranslationTemplate:
        contrast = [name for name in ("masculine", "feminine", "reference") if getattr(self, name) is not None]
        if self.text is not None and contrast:
            raise ValueError(f"give either `text` or `masculine`, `feminine` and `reference`; `{contrast[0]}` is there")
        if self.text is None and len(contrast) < 3:
            raise ValueError("give either `text` and `entities`, or `masculine`, `feminine` and `reference`")
        if self.text is not None and not self.entities:
            raise ValueError("`entities` names the slots whose gender the translation must choose, one or two")
        if self.text is None and not self.reference_language:
            raise ValueError("`reference_language` says in which language `reference` is, such as eu")
        for slot in self.entities:
            if slot not in self.slots:
                raise ValueError(f"`entities` names {slot!r}, which is no slot")
        return self


TEMPLATE = TranslationTemplate
FIELDS = (
    pa.field("text", pa.string()),
    pa.field("kind", pa.string()),
    pa.field("entity", pa.string()),
    pa.field("entity_text", pa.string()),
    pa.field("entity_start", pa.int32()),
    pa.field("entity2", pa.string()),
    pa.field("entity2_text", pa.string()),
    pa.field("gender", pa.string()),
    pa.field("direction", pa.string()),
    pa.field("pair", pa.string()),
    pa.field("reference", pa.string()),
    pa.field("reference_language", pa.string()),
    *(pa.field(name, pa.bool_()) for name in NOTES),
)
TEXTS = ("text", "reference")
SAYS = ("text", "entity")  # two versions that do not differ are one
TASKS = ("translation",)  # as the Hub calls it
COLUMNS = {
    "text": "sentence to be translated",
    "kind": "occupation: whose gender will a translation choose; contrast: one of two versions of a sentence",
    "entity": "occupation, by its id in the glossary",
    "entity_text": "its words in the text",
    "entity_start": "where they begin, in characters; -1 where there is none",
    "entity2": "second occupation of the sentence, by its id",
    "entity2_text": "its words in the text",
    "gender": "gender that the text tells: m, f, n (neutral), or nothing",
    "direction": "stereo: the gender that goes with the occupation's stereotype; anti: the other; or nothing",
    "pair": "id that both versions of a sentence share",
    "reference": "translation made by people",
    "reference_language": "its language",
    "several_people": "whether several people with a gender occur",
    "proper_name": "whether a name tells the gender",
    "unmarked_masculine": "whether the masculine may speak of everybody",
}
STEPS = np.array([word_hash(f"version {name}") for name in VERSIONS], np.uint64)


class Plan(BasePlan):
    def __init__(self, written: Written[Template], sources: Sources) -> None:
        super().__init__(written, sources)
        template = written.model
        assert isinstance(template, TranslationTemplate)
        self.template = template
        if self.problems:
            return
        self._keep_two_apart()
        names = {slot: (slot,) for slot in self.filled.entries}
        compiled: dict[str, Text | None] = {}
        for name in ("text", *VERSIONS):
            if (source := getattr(template, name)) is not None:
                compiled[name] = self.compile((name,), source, names)
        if template.reference is not None:
            compiled["reference"] = self._in_language(template.reference_language, template.reference, names)
        self._look_at_slots(names, all(compiled.values()))
        texts = {name: text for name, text in compiled.items() if text is not None}
        if self.problems or len(texts) < len(compiled):
            return
        self.order_columns()
        own = {name: text for name, text in texts.items() if name != "reference"}
        self.bounds = {name: self.bound(text) for name, text in own.items()}
        if "reference" in texts:
            before, self.language = self.language, language(template.reference_language)
            self.bounds["reference"] = self.bound(texts["reference"])
            self.language = before
        self.common = Common(sources, self.filled, [*self.filled.entries])
        self.entities = (
            list(template.entities)
            or [slot for slot in self.filled.entries if "occupations" in self.filled.kinds.get(slot, [])][:1]
        )

    def _keep_two_apart(self) -> None:
        """Two occupations of one sentence are different ones."""
        ids = [[entry.id for entry in self.filled.entries[slot]] for slot in self.template.entities]
        if len(ids) == 2:
            first, second = self.template.entities
            self.filled.relate(first, second, np.array([[a != b for b in ids[1]] for a in ids[0]], bool))

    def _in_language(self, code: str, source: str, names: Mapping[str, tuple[str, ...]]) -> Text | None:
        """The reference, whose filters are those of its own language."""
        before, self.language = self.language, language(code)
        try:
            return self.compile(("reference",), source, names)
        finally:
            self.language = before

    def _look_at_slots(self, names: Mapping[str, tuple[str, ...]], compiled: bool) -> None:
        """Every slot is shown, or its words are written out; the two versions differ."""
        template, fault = self.template, self.filled.fault
        for slot in self.unused_slots(dict(names)) if compiled else ():
            if slot in template.words:
                if len(self.filled.entries[slot]) != 1:
                    fault(("words",), "written-words", f"{slot!r} is written out, and is filled by several entries",
                          "name one entry, with `id: ...`")  # fmt: skip
                elif template.words[slot] not in (template.text or ""):
                    fault(("words",), "written-words", f"{template.words[slot]!r} is not in the text",
                          "write it as it stands there")  # fmt: skip
            else:
                fault(("slots", slot), "unused-slot", f"no text shows {slot!r}", "show it or remove it")

    def made(self) -> Iterator[Block]:
        """One row a combination, or two versions of it."""
        for rows, hashes in self.blocks():
            table = self._texts(rows, hashes) if self.template.text is not None else self._versions(rows, hashes)
            ids = hashes if self.template.text is not None else _both(hashes)
            shown = TEXTS if self.template.reference is not None else TEXTS[:1]
            new = {name: table.column(name).chunk(0).dictionary for name in shown}
            yield Block(table, ids, row_hashes(table, SAYS), new)

    def _texts(self, rows: Indices, hashes: Hashes) -> pa.Table:
        count, template = len(rows), self.template
        columns = self.common.columns(rows, hashes)
        bound = self.bounds["text"]
        index, made = bound.made(rows)
        columns["text"], columns["kind"] = coded(index, made.texts), constant("occupation", count)
        columns |= self._entities(rows, bound, index, made.texts)
        columns |= {"gender": constant(template.gender, count), "direction": constant(template.direction, count)}
        columns |= {name: constant("", count) for name in ("pair", "reference", "reference_language")}
        return pa.table(columns | self._notes(count))

    def _versions(self, rows: Indices, hashes: Hashes) -> pa.Table:
        """Masculine and feminine beside each other."""
        count, both = len(rows), np.tile([0, 1], len(rows))
        columns = self.common.columns(rows, _both(hashes), repeat=2)
        which = np.repeat(np.arange(count), 2)
        index, texts, first = [], [], 0
        entities = []
        for version in VERSIONS:
            own, made = self.bounds[version].made(rows)
            index.append(own + first)
            texts.append(made.texts)
            first += len(made.texts)
            entities.append(self._entities(rows, self.bounds[version], own, made.texts))
        columns["text"] = coded(np.stack(index)[both, which], pa.concat_arrays(texts))
        columns["kind"] = constant("contrast", 2 * count)
        for name in entities[0]:
            parts = pa.concat_arrays([_plain(found[name]) for found in entities])
            columns[name] = parts.take(pa.array(both * count + which))
            if pa.types.is_string(parts.type):
                columns[name] = columns[name].dictionary_encode()
        columns["gender"] = coded(both, ["m", "f"])
        columns["direction"] = constant("", 2 * count)
        columns["pair"] = hex_ids(np.repeat(hashes, 2)).dictionary_encode()
        own, made = self.bounds["reference"].made(rows)
        columns["reference"] = coded(np.repeat(own, 2), made.texts)
        columns["reference_language"] = constant(self.template.reference_language, 2 * count)
        return pa.table(columns | self._notes(2 * count))

    def _notes(self, count: int) -> dict[str, pa.Array]:
        return {name: pa.array([getattr(self.template, name)] * count, pa.bool_()) for name in NOTES}

    def _entities(self, rows: Indices, bound: Bound, index: Indices, texts: pa.Array) -> dict[str, pa.Array]:
        """Ids of the occupations, their words as they stand in the text, and where the first of them begins."""
        count = len(rows)
        columns: dict[str, pa.Array] = {
            "entity": constant("", count), "entity_text": constant("", count),
            "entity_start": pa.array(np.full(count, -1, np.int32)),
            "entity2": constant("", count), "entity2_text": constant("", count),
        }  # fmt: skip
        used, at = np.unique(index, return_index=True)
        number = np.searchsorted(used, index)
        for name, slot in zip(("entity", "entity2"), self.entities, strict=False):
            entries = self.filled.entries[slot]
            columns[name] = coded(self.filled.of(slot, rows), [entry.id for entry in entries])
            spans = [self._span(slot, rows[row], bound, texts[int(one)].as_py()) for one, row in zip(used, at,
                     strict=True)]  # fmt: skip
            words = [texts[int(one)].as_py()[a:b] if b else "" for one, (a, b) in zip(used, spans, strict=True)]
            columns[f"{name}_text"] = coded(number, words)
            if name == "entity":
                columns["entity_start"] = pa.array(np.array([a for a, _ in spans], np.int32)[number])
        return columns

    def _span(self, slot: str, row: Indices, bound: Bound, text: str) -> tuple[int, int]:
        """Where an occupation stands first; (-1, 0) where this text does not show it."""
        if (words := self.template.words.get(slot)) is not None:
            start = text.find(words)
            return (start, start + len(words)) if start >= 0 else (-1, 0)
        return bound.place(row, slot) or (-1, 0)


def _both(hashes: Hashes) -> Hashes:
    return mixed(np.repeat(hashes, 2), np.tile(STEPS, len(hashes)))


def _plain(column: pa.Array) -> pa.Array:
    return column.dictionary_decode() if isinstance(column, pa.DictionaryArray) else column
