"""Questions with three answers (BBQ, Parrish et al. 2022): the context alone, or with evidence either way."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ..expand import Hashes, Indices, entry_hashes, mixed, word_hash
from ..filling import word
from ..render import names_in
from ..rows import Block, Common
from ..schema import Entry, QaTemplate, Template, Term
from ..sources import Sources, Written
from ..tables import coded, row_hashes
from .plan import BasePlan, Bound

TEMPLATE = QaTemplate
FIELDS = (
    pa.field("context_condition", pa.string()),
    pa.field("question_polarity", pa.string()),
    pa.field("context", pa.string()),
    pa.field("question", pa.string()),
    pa.field("ans0", pa.string()),
    pa.field("ans1", pa.string()),
    pa.field("ans2", pa.string()),
    pa.field("label", pa.int8()),
    pa.field("target", pa.int8()),
    pa.field("other", pa.int8()),
    pa.field("unknown", pa.int8()),
    pa.field("target_group", pa.string()),
    pa.field("other_group", pa.string()),
)
TEXTS = ("context", "question", "ans0", "ans1", "ans2")
SAYS = ("context", "question", "ans0", "ans1", "ans2")
TASKS = ("question-answering", "multiple-choice")  # as the Hub calls them
COLUMNS = {
    "context_condition": "ambig: the context does not tell; disambig: it does",
    "question_polarity": "neg: the question follows the stereotype; nonneg: it asks for the contrary",
    "context": "what the question is about",
    "question": "the question",
    "ans0": "first answer",
    "ans1": "second answer",
    "ans2": "third answer",
    "label": "position of the right answer, from 0",
    "target": "position of the answer that names the target of the stereotype",
    "other": "position of the answer that names the other group",
    "unknown": "position of the answer that the context does not tell",
    "target_group": "target, by its id",
    "other_group": "other group, by its id",
}
ROWS_A_COMBINATION = 6

ROLES = ("target", "other", "unknown")
TARGET, OTHER, UNKNOWN = range(3)
FIRST = "first"
# the six rows of a combination: polarity, condition, and whose answer is right
POLARITY = np.repeat([0, 1], 3)
CONDITION = np.tile([0, 1, 2], 2)
GOLD = np.array([UNKNOWN, TARGET, OTHER, UNKNOWN, OTHER, TARGET])
# Positions of target, other and unknown in each of the six rows: every order of the three answers once, so that
# each stands twice in each position; and the right answer is in each position once a question.
POSITIONS = np.array([[0, 1, 2], [1, 0, 2], [2, 0, 1], [2, 1, 0], [0, 2, 1], [1, 2, 0]], np.int8)
# all renumberings of three positions; a combination takes one of them by its hash
RENUMBERED = np.array([[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]], np.int8)


class Plan(BasePlan):
    def __init__(self, written: Written[Template], sources: Sources) -> None:
        super().__init__(written, sources)
        template = written.model
        assert isinstance(template, QaTemplate)
        self.template = template
        if not self.problems:
            self._add_order()
        if self.problems:
            return
        names = {slot: (slot,) for slot in self.filled.entries if slot != FIRST}
        either = ("target", "other")
        told = {**names, "target": either, "other": either}
        scene = {**names, "first": either, "second": either} if self.both_orders else names
        asked = {**names, "who": either}
        context = self.compile(("context",), template.context, scene)
        evidence = self.compile(("evidence",), template.evidence, told)
        negative = self.compile(("questions", "negative"), template.questions.negative, names)
        nonnegative = self.compile(("questions", "nonnegative"), template.questions.nonnegative, names)
        if template.answer is not None:
            answers = [self.compile(("answer",), template.answer, asked)] * 2
        else:
            assert template.answers is not None
            answers = [
                self.compile(("answers", "target"), template.answers.target, names),
                self.compile(("answers", "other"), template.answers.other, names),
            ]
        texts = (context, evidence, negative, nonnegative, *answers)
        for slot in self.unused_slots({**told, **scene, **asked}) if all(texts) else ():
            self.filled.fault(("slots", slot), "unused-slot", f"no text shows {slot!r}", "show it or remove it")
        self.unknown = self._unknown()
        if self.problems or not context or not evidence or not negative or not nonnegative:
            return
        self.order_columns()
        exchanged = {"target": "other", "other": "target"}
        self.contexts = [self.bound(context, {"first": "target", "second": "other"})]
        if self.both_orders:
            self.contexts.append(self.bound(context, {"first": "other", "second": "target"}))
        self.evidence = [self.bound(evidence), self.bound(evidence, exchanged)]
        self.questions = [self.bound(negative), self.bound(nonnegative)]
        self.answers = [
            self.bound(text, {"who": role}) for text, role in zip(answers, either, strict=True) if text is not None
        ]
        self.common = Common(sources, self.filled, [*self.filled.entries])

    def _add_order(self) -> None:
        """`first` and `second` in a context are target and other in both orders."""
        filled = self.filled
        for role in ("target", "other"):
            if role not in filled.entries:
                filled.fault(("slots",), "slots", f"there is no slot {role!r}", "a question has target and other")
                return
        if any(entry.has("contrast") and entry.feature("contrast") for entry in filled.entries["target"]):
            filled.contrast("target", "other")
        self.both_orders = {"first", "second"} <= names_in(self.template.context) - set(filled.entries)
        if self.both_orders:
            orders: list[Entry] = [Term.model_construct(id=role, form={}) for role in ("target", "other")]
            filled.add_column(FIRST, {FIRST: orders})

    def _unknown(self) -> tuple[list[str], Hashes]:
        """Wordings of the unknown answer and the hash of each."""
        if self.template.unknown is not None:
            return [self.template.unknown], entry_hashes("unknown", [""])
        lexicon = self.sources.lexicon("unknown")
        entries = [e for e in lexicon.entries.values() if e.state != "retired" and word(e, "")] if lexicon else []
        if not entries:
            message = "there is no wording of the unknown answer"
            self.filled.fault(("id",), "no-unknown", message, "write `unknown: ...`, or a lexicon 'unknown'")
            return [], entry_hashes("unknown", [])
        entries.sort(key=lambda entry: entry.id)
        return [word(entry, "") for entry in entries], entry_hashes("unknown", [entry.id for entry in entries])

    def made(self) -> Iterator[Block]:
        """Six rows a combination."""
        steps = np.array([word_hash(f"row {step}") for step in range(6)], np.uint64)
        for rows, combination in self.blocks():
            hashes = mixed(np.repeat(combination, 6), np.tile(steps, len(rows)))
            table = self._table(rows, combination, hashes)
            yield Block(table, hashes, row_hashes(table, SAYS))

    def _table(self, rows: Indices, combination: Hashes, hashes: Hashes) -> pa.Table:
        count = len(rows)
        columns = self.common.columns(rows, hashes, repeat=6)
        which = np.repeat(np.arange(count), 6)
        condition, polarity = np.tile(CONDITION, count), np.tile(POLARITY, count)
        columns["context_condition"] = coded(condition > 0, ["ambig", "disambig"])
        columns["question_polarity"] = coded(polarity, ["neg", "nonneg"])
        scene = self._scene(rows)
        told = [pc.binary_join_element_wise(scene, _spread(text, rows), " ") for text in self.evidence]
        columns["context"] = coded(condition * count + which, pa.concat_arrays([scene, *told]))
        columns["question"] = _choice([_texts(text, rows) for text in self.questions], polarity, which)
        positions = self._positions(combination)
        wordings, known = self.unknown
        chosen = np.argmax(mixed(combination[:, None], known[None, :]), axis=1)
        answers = [*(_texts(text, rows) for text in self.answers), (chosen, pa.array(wordings, pa.string()))]
        standing = np.argsort(positions, axis=1)
        for number in range(3):
            columns[f"ans{number}"] = _choice(answers, standing[:, number], which)
        columns["label"] = pa.array(positions[np.arange(6 * count), np.tile(GOLD, count)])
        for number, role in enumerate(ROLES):
            columns[role] = pa.array(np.ascontiguousarray(positions[:, number]))
        for role in ("target", "other"):
            ids = [entry.id for entry in self.filled.entries[role]]
            columns[f"{role}_group"] = coded(np.repeat(self.filled.of(role, rows), 6), ids)
        return pa.table(columns)

    def _positions(self, combination: Hashes) -> npt.NDArray[np.int8]:
        """Shape (rows, 3): where target, other and unknown stand."""
        if self.template.order:
            fixed = np.array([self.template.order.index(role) for role in ROLES], np.int8)
            return np.tile(fixed, (6 * len(combination), 1))
        renumbered = RENUMBERED[(combination >> np.uint64(32)) % np.uint64(6)]
        which = np.repeat(np.arange(len(combination)), 6)
        positions: npt.NDArray[np.int8] = renumbered[which[:, None], np.tile(POSITIONS, (len(combination), 1))]
        return positions

    def _scene(self, rows: Indices) -> pa.Array:
        """The context without evidence, one a combination."""
        scenes = [_spread(text, rows) for text in self.contexts]
        if len(scenes) == 1:
            return scenes[0]
        return pc.if_else(pa.array(self.filled.of(FIRST, rows) == 0), *scenes)


def _spread(text: Bound, rows: Indices) -> pa.Array:
    index, texts = _texts(text, rows)
    return texts.take(pa.array(index))


def _texts(text: Bound, rows: Indices) -> tuple[Indices, pa.Array]:
    index, made = text.made(rows)
    return index, made.texts


def _choice(columns: list[tuple[Indices, pa.Array]], which: Indices, combination: Indices) -> pa.DictionaryArray:
    """For each row the text of its combination in column `which`."""
    starts = np.cumsum([0, *(len(strings) for _, strings in columns)])
    index = np.stack([start + index for start, (index, _) in zip(starts, columns, strict=False)])
    return coded(index[which, combination], pa.concat_arrays([strings for _, strings in columns]))
