"""Questions on the words of a country (after Kawasaki 2026): whether it uses a word for a thing, or which words.

A variant is a word for a concept. In a country it has the sign YES where its row in the lexicon names the country,
UNKNOWN where the row says that it is doubtful there, or where no variant of the concept is known to be used, and NO
elsewhere. Of an unknown sign nothing is asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pydantic import Field

from ..expand import BLOCK, Hashes, Indices, agreement, combination_hashes, combinations, mixed, sampled
from ..filling import form_problems, word
from ..render import compile_text, names_in
from ..rows import Block, Common
from ..schema import Entry, Listed, Template, Variant, Words
from ..sources import Sources, Written
from ..tables import coded, constant, row_hashes
from .plan import BasePlan


class LexicalTemplate(Template):
    """A question on what a country says: whether it uses a word (yes_no), or which words (choice)."""

    judged: ClassVar[bool] = False

    format: Literal["yes_no", "choice"]
    question: Words
    answers: Listed = Field(default=[], max_length=2)


TEMPLATE = LexicalTemplate
FIELDS = (
    pa.field("format", pa.string()),
    pa.field("country", pa.string()),
    pa.field("concept_id", pa.string()),
    pa.field("variant", pa.string()),
    pa.field("question", pa.string()),
    pa.field("options", pa.list_(pa.string())),
    pa.field("gold", pa.list_(pa.int16())),
)
TEXTS = ("question",)
SAYS = ("question", "options")
TASKS = ("question-answering", "multiple-choice")  # as the Hub calls them
COUNTED = ("country", "concept_id")
COLUMNS = {
    "format": "yes_no: is this word used there; choice: which of these words are used there",
    "country": "country that is asked about, by its id in the lexicon of countries",
    "concept_id": "what the words are for, by its id",
    "variant": "word that is asked about, by its id; empty in a choice",
    "question": "the question",
    "options": "the answers that there are, in the order in which they are shown",
    "gold": "positions of the right answers among the options, from 0",
}
COUNTRY, VARIANT, CONCEPT = "country", "variant", "concept"
EVERYWHERE = "*"
YES, NO, UNKNOWN = 1, 0, -1
FEWEST, MOST = 2, 20  # variants of a concept that becomes a choice: section 4.1 of Kawasaki 2026
# what is answered, where a template does not say it
ANSWERS = {"en": ("Yes", "No"), "es": ("Sí", "No"), "eu": ("Bai", "Ez"), "fr": ("Oui", "Non"), "nl": ("Ja", "Nee")}
Signs = npt.NDArray[np.int8]


class Plan(BasePlan):
    def __init__(self, written: Written[Template], sources: Sources) -> None:
        super().__init__(written, sources)
        template = written.model
        assert isinstance(template, LexicalTemplate)
        self.template = template
        self.yes_no = template.format == "yes_no"
        self.answers: Sequence[str] = template.answers or ANSWERS.get(self.language.code.split("-")[0]) or ()
        if not self.problems:
            self._add_concepts()
        if self.problems:
            return
        self.told = [slot for slot in self.filled.entries if self.yes_no or slot != VARIANT]
        self._look_at_question()
        names = {slot: (slot,) for slot in self.told}
        question = None if self.problems else self.compile(("question",), template.question, names)
        for slot in self.unused_slots(names) if question else ():
            if slot in self.told:
                self.filled.fault(("slots", slot), "unused-slot", f"no text shows {slot!r}", "show it or remove it")
        if self.problems or question is None:
            return
        self.order_columns()
        self.question = self.bound(question)
        self.common = Common(sources, self.filled, self.told)
        self.signs = self._signs()
        self.sources_of = [entry.source for entry in self.filled.entries[VARIANT]]

    # -- what is asked ---------------------------------------------------------------------------------------

    def _add_concepts(self) -> None:
        """A column of its own for what the variants are for, so that it can be shown, drawn from and named."""
        filled = self.filled
        for slot in (COUNTRY, VARIANT):
            if slot not in filled.entries:
                filled.fault(("slots",), "slots", f"there is no slot {slot!r}", "a question has country and variant")
                return
        variants = [entry for entry in filled.entries[VARIANT] if isinstance(entry, Variant)]
        if CONCEPT in filled.entries or len(variants) < len(filled.entries[VARIANT]):
            message = "'concept' is made of the variants" if CONCEPT in filled.entries else "these are no variants"
            filled.fault(
                ("slots",), "slots", message, "write `variant: variants`; {{ concept.description }} comes with it"
            )
            return
        if filled.columns[filled.home[VARIANT]].slots != [VARIANT]:
            filled.fault(("together",), "slots", "'variant' is filled by itself", "take it out of `together`")
            return
        described: dict[str, str] = {}
        for variant in variants:
            described[variant.concept] = described.get(variant.concept) or variant.description
        concepts: list[Entry] = [
            Variant.model_construct(id=id, concept=id, description=described[id]) for id in sorted(described)
        ]
        filled.add_column(CONCEPT, {CONCEPT: concepts})
        of = agreement([[variant.concept] for variant in variants], [[concept.id] for concept in concepts])
        filled.relate(VARIANT, CONCEPT, of)

    def _look_at_question(self) -> None:
        filled, asked = self.filled, names_in(self.template.question)
        if not self.yes_no:
            if VARIANT in asked:
                mend = "describe what the words are for: {{ concept.description }}"
                filled.fault(("question",), "leak", "the question names one of the options", mend)
            bare = compile_text("{{ variant }}", frozenset({VARIANT}), self.language.code)
            self.problems += form_problems(filled, bare, {VARIANT: (VARIANT,)}, self.sources, ("slots", VARIANT))
        elif len(self.answers) < 2:
            message = f"how one says yes and no in {self.language.code!r} is not known"
            filled.fault(("question",), "no-answers", message, "write `answers: [Yes, No]` in its words")
        if CONCEPT not in asked:
            mend = "write {{ concept.description }} in it"
            filled.fault(("question",), "no-concept", "the question does not say what the words are for", mend)

    def _signs(self) -> Signs:
        """Shape (countries, variants): YES, NO or UNKNOWN."""
        listed = [entry.id for entry in self.filled.entries[COUNTRY]]
        variants = [entry for entry in self.filled.entries[VARIANT] if isinstance(entry, Variant)]
        used = np.array([[id in variant.country for variant in variants] for id in listed], np.bool_)
        doubtful = np.array(
            [[not {id, EVERYWHERE}.isdisjoint(variant.doubtful) for variant in variants] for id in listed], np.bool_
        )
        number = {entry.id: at for at, entry in enumerate(self.filled.entries[CONCEPT])}
        of = np.array([number[variant.concept] for variant in variants])
        known = np.zeros((len(number), len(listed)), np.bool_)
        np.logical_or.at(known, of, used.T)
        signs: Signs = np.where(used, YES, np.where(doubtful | ~known[of].T, UNKNOWN, NO)).astype(np.int8)
        return signs

    # -- which rows there are --------------------------------------------------------------------------------

    def blocks(self) -> Iterator[tuple[Indices, Hashes]]:
        """Pairs of a yes and a no, or choices, with a column more than combinations have; sampled as they say."""
        rows = np.concatenate([np.zeros((0, len(self.filled.columns)), np.int64), *self._combinations()])
        sign = self.signs[self.filled.of(COUNTRY, rows), self.filled.of(VARIANT, rows)]
        rows, sign = rows[sign != UNKNOWN], sign[sign != UNKNOWN]
        others = [at for at in range(rows.shape[1]) if at != self.filled.home[VARIANT]]
        _, first, group = np.unique(rows[:, others], axis=0, return_index=True, return_inverse=True)
        make = self._pairs if self.yes_no else self._choices
        units, hashes = make(rows, sign, first, group.reshape(-1))
        order = np.lexsort(units.T[::-1])
        units, hashes = units[order], hashes[order]
        made = ((units[at : at + BLOCK], hashes[at : at + BLOCK]) for at in range(0, len(units), BLOCK))
        sampling = self.sources.dataset.model.sampling
        yield from made if sampling is None else sampled(made, self.strata(), sampling.keep)

    def _combinations(self) -> Iterator[Indices]:
        return combinations(self.filled.sizes, self.filled.allowed)

    def _hashes(self, rows: Indices) -> Hashes:
        """Of each row, as its id: of the ids in the slots that it tells."""
        names, hashes, columns = self.filled.hashes()
        told = [at for at, name in enumerate(names) if name in self.told]
        return combination_hashes(
            self.seed, [names[at] for at in told], [hashes[at] for at in told], rows[:, [columns[at] for at in told]]
        )

    def _pairs(self, rows: Indices, sign: Signs, first: Indices, group: Indices) -> tuple[Indices, Hashes]:
        """As many variants that a country uses as it does not, of each concept; those with the lowest hashes.

        A row is that of a yes, and the variant of the no that goes with it: whatever is sampled stays balanced.
        """
        hashes = self._hashes(rows)
        order = np.lexsort((hashes, sign, group))
        key = group[order] * 2 + sign[order]
        starts = np.searchsorted(key, key)
        rank = np.arange(len(key)) - starts
        counts = np.zeros((len(first), 2), np.int64)
        np.add.at(counts, (group, sign.astype(np.int64)), 1)
        kept = order[rank < counts.min(axis=1)[group[order]]]
        yes, no = kept[sign[kept] == YES], kept[sign[kept] == NO]
        return np.column_stack((rows[yes], self.filled.of(VARIANT, rows[no]))), hashes[yes]

    def _choices(self, rows: Indices, sign: Signs, first: Indices, group: Indices) -> tuple[Indices, Hashes]:
        """A country and a concept, with the group whose variants are its options.

        The whole concept has 2 to 20 variants; some of those whose sign is known are right and some are not.
        """
        concepts = [entry.concept for entry in self.filled.entries[VARIANT] if isinstance(entry, Variant)]
        sizes = np.array([concepts.count(entry.id) for entry in self.filled.entries[CONCEPT]])
        known, right = np.bincount(group, minlength=len(first)), np.bincount(group[sign == YES], minlength=len(first))
        size = sizes[self.filled.of(CONCEPT, rows[first])]
        asked = np.flatnonzero((size >= FEWEST) & (size <= MOST) & (right > 0) & (right < known))
        chosen = rows[first]
        hashes = self._hashes(chosen)
        variants = self.filled.of(VARIANT, rows)
        # an order of options that depends on the ids alone: one variant more moves no other past its neighbour
        order = np.lexsort((mixed(hashes[group], self._variant_hashes[variants]), group))
        self.options, self.right = variants[order], sign[order] == YES
        self.starts = np.concatenate(([0], np.cumsum(known)))
        chosen[:, self.filled.home[VARIANT]] = 0
        return np.column_stack((chosen, np.arange(len(first))))[asked], hashes[asked]

    @property
    def _variant_hashes(self) -> Hashes:
        names, hashes, _ = self.filled.hashes()
        return hashes[names.index(VARIANT)]

    def explanation(self) -> str:
        sizes = [(column, len(self.filled.entries[column])) for column in self.filled.entries]
        known = int((self.signs != UNKNOWN).sum()) if hasattr(self, "signs") else 0
        return (
            " x ".join(f"{name} {size:,}" for name, size in sizes if name != CONCEPT) + f"; {known:,} signs are known"
        )

    # -- the rows --------------------------------------------------------------------------------------------

    def made(self) -> Iterator[Block]:
        for units, hashes in self.blocks():
            if len(units):
                rows, extra = units[:, :-1], units[:, -1]
                yield self._each(rows, extra) if self.yes_no else self._choice(rows, extra, hashes)

    def _each(self, rows: Indices, no: Indices) -> Block:
        """Two rows a pair, which of them first by their hashes."""
        both = np.repeat(rows, 2, axis=0)
        both[1::2, self.filled.home[VARIANT]] = no
        hashes = self._hashes(both)
        order = np.arange(len(both)).reshape(-1, 2)
        later = hashes[0::2] > hashes[1::2]
        order[later] = order[later][:, ::-1]
        at = order.ravel()
        ends = np.arange(len(at) + 1, dtype=np.int32)
        return self._block(
            both[at],
            hashes[at],
            variant=self.filled.of(VARIANT, both[at]),
            options=pa.ListArray.from_arrays(pa.array(ends * 2), coded(np.tile([0, 1], len(at)), [*self.answers])),
            gold=pa.ListArray.from_arrays(pa.array(ends), pa.array(at % 2, pa.int16())),
            sources=[[self.sources_of[n]] for n in self.filled.of(VARIANT, both[at])],
        )

    def _choice(self, rows: Indices, group: Indices, hashes: Hashes) -> Block:
        parts = [slice(self.starts[one], self.starts[one + 1]) for one in group]
        options = [self.options[part] for part in parts]
        gold = [np.flatnonzero(self.right[part]) for part in parts]
        words = [word(entry, "") for entry in self.filled.entries[VARIANT]]
        return self._block(
            rows,
            hashes,
            variant=None,
            options=_lists(options, coded(np.concatenate(options), words)),
            gold=_lists(gold, pa.array(np.concatenate(gold), pa.int16())),
            sources=[[self.sources_of[n] for n in some[right]] for some, right in zip(options, gold, strict=True)],
        )

    def _block(self, rows: Indices, hashes: Hashes, *, variant: Indices | None, options: pa.Array, gold: pa.Array,
               sources: Sequence[Sequence[str]]) -> Block:  # fmt: skip
        filled, count = self.filled, len(rows)
        index, made = self.question.made(rows)
        columns = self.common.columns(rows, hashes)
        if not self.template.source:
            columns["source"] = pa.array(
                ["; ".join(dict.fromkeys(filter(None, some))) for some in sources]
            ).dictionary_encode()
        columns["format"] = constant(self.template.format, count)
        columns["country"] = coded(filled.of(COUNTRY, rows), [entry.id for entry in filled.entries[COUNTRY]])
        columns["concept_id"] = coded(filled.of(CONCEPT, rows), [entry.id for entry in filled.entries[CONCEPT]])
        ids = [entry.id for entry in filled.entries[VARIANT]]
        columns["variant"] = constant("", count) if variant is None else coded(variant, ids)
        columns["question"] = coded(index, made.texts, made.codes)
        columns["options"], columns["gold"] = options, gold
        table = pa.table(columns)
        return Block(table, hashes, row_hashes(table, SAYS), {"question": made.texts.take(pa.array(made.new))})


def _lists(parts: Sequence[Indices], values: pa.Array) -> pa.ListArray:
    ends = np.cumsum([0, *map(len, parts)], dtype=np.int32)
    return pa.ListArray.from_arrays(pa.array(ends), values)
