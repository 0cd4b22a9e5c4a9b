"""Rules of `qa`: a context, a question and three answers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from typing import Any

from ..languages import Language
from .balance import ANSWERS, ROLES, VALUES, AnswerLength, AnswerWording, Counts, Positions, index
from .faults import Columns, Fault, Row, RowRules, WholeRule, item_rule
from .labels import Duplicates, MisspeltLabel, OneGroup, Opposite
from .text import normalised

TEXTS = ("context", "question", *ANSWERS)


@item_rule("empty-text", "write it, or remove the row")
def empty_text(row: Row, language: Language) -> Iterator[str]:
    """A context, a question or an answer with no words in it."""
    for name in TEXTS:
        if not normalised(row[name]):
            yield f"{name} holds no words"


@item_rule("label-range", "the label is the number of the gold answer: 0, 1 or 2")
def label_range(row: Row, language: Language) -> Iterator[str]:
    """A label that is none of the three answers."""
    if index(row["label"]) not in (0, 1, 2):
        yield f"the label is {row['label']!r}"


@item_rule("gold-text", "word the gold answer as one of the three")
def gold_text(row: Row, language: Language) -> Iterator[str]:
    """A gold answer, given as text, that is none of the three answers."""
    gold = row.get("gold") or ""
    if gold and normalised(gold) not in [normalised(row[name]) for name in ANSWERS]:
        yield f"the gold answer {gold!r} is none of the three"


@item_rule("gold-label", "make the label and the gold text name one answer")
def gold_label(row: Row, language: Language) -> Iterator[str]:
    """A gold answer, given as text, that is another answer than the one that the label names."""
    gold, label = normalised(row.get("gold") or ""), index(row["label"])
    answers = [normalised(row[name]) for name in ANSWERS]
    if gold and gold in answers and label in (0, 1, 2) and answers[label] != gold:
        yield f"the gold text is ans{answers.index(gold)}, the label {label}"


@item_rule("same-answers", "word them so that they differ")
def same_answers(row: Row, language: Language) -> Iterator[str]:
    """Two of the three answers say the same."""
    said: dict[str, str] = {}
    for name in ANSWERS:
        words = normalised(row[name])
        if words and said.setdefault(words, name) != name:
            yield f"{said[words]} and {name} both say {row[name]!r}"


@item_rule("unknown-value", "say ambig or disambig, neg or nonneg")
def unknown_value(row: Row, language: Language) -> Iterator[str]:
    """A condition or a polarity that is none of those that scores are made of."""
    for name, values in VALUES.items():
        if name in row and row[name] not in values:
            yield f"{name} is {row[name]!r}"


@item_rule("answer-roles", "target, other and unknown are three different answers")
def answer_roles(row: Row, language: Language) -> Iterator[str]:
    """A role that is none of the three answers, or two roles on one answer."""
    roles = [row[name] for name in ROLES if row.get(name) not in (None, "")]
    numbers = [index(role) for role in roles]
    if any(number not in (0, 1, 2) for number in numbers) or len(set(numbers)) < len(numbers):
        told = ", ".join(f"{name} {row[name]}" for name in ROLES if row.get(name) not in (None, ""))
        yield f"the answers are {told}"


@item_rule("gold-condition", "only a disambiguated context says which group it was")
def gold_condition(row: Row, language: Language) -> Iterator[str]:
    """A gold answer against its condition: a group where it is ambiguous, unknown where it is not."""
    label, unknown = index(row["label"]), index(row.get("unknown"))
    condition = row.get("context_condition")
    if label in (0, 1, 2) and unknown in (0, 1, 2):
        if condition == "ambig" and label != unknown:
            yield "a group is the gold answer of an ambiguous context"
        elif condition == "disambig" and label == unknown:
            yield "unknown is the gold answer of a disambiguated context"


@item_rule("same-group", "the two answers speak of two groups")
def same_group(row: Row, language: Language) -> Iterator[str]:
    """Both answers carry one group's tag, so that there is no contrast."""
    target, other = _groups(row)
    if target and other and normalised(target) == normalised(other):
        yield f"both answers are of {target!r}"


@item_rule("unmatched-group", "write the tag as the groups are written")
def unmatched_group(row: Row, language: Language) -> Iterator[str]:
    """No answer's tag matches a group that the row says is stereotyped."""
    tags, groups = row.get("tags"), row.get("stereotyped_groups")
    if tags and groups and not any(is_tagged(tag, groups) for tag in tags):
        yield f"tags {_listed(tags)}, groups {_listed(groups)}"


@item_rule("leading-answer", "word both answers alike", severity="warning")
def leading_answer(row: Row, language: Language) -> Iterator[str]:
    """One group's answer repeats words of the question that the other's does not, and gives itself away."""
    target, other = index(row.get("target")), index(row.get("other"))
    if target not in (0, 1, 2) or other not in (0, 1, 2) or target == other:
        return
    asked = f" {normalised(row['question'])} "
    for mine, theirs in ((target, other), (other, target)):
        answer, against = (f" {normalised(row[ANSWERS[which]])} " for which in (mine, theirs))
        for words in _twos(answer):
            if words in asked and words not in against:
                yield f"ans{mine} repeats {words.strip()!r} of the question, ans{theirs} does not"
                break


def is_tagged(tag: str, groups: Sequence[str]) -> bool:
    """Whether a tag holds all the words of one of the groups: "F-Black" is Black, "trans_F" not "trans women"."""
    words = set(normalised(tag).split())
    return any(found <= words for group in groups if (found := set(normalised(group).split())))


def _twos(text: str) -> list[str]:
    """Each two words running of which one has four letters or more, with a space on either side."""
    return [f" {a} {b} " for a, b in pairwise(text.split()) if len(a) > 3 or len(b) > 3]


def _groups(row: Row) -> tuple[str, str]:
    target, other = row.get("target_group") or "", row.get("other_group") or ""
    if not (target or other) and row.get("tags"):
        named = [tag for tag in row["tags"] if tag and normalised(tag) != "unknown"]
        if len(named) == 2:
            return named[0], named[1]
    return target, other


def _listed(words: Any) -> str:
    return ", ".join(map(repr, words))


class DuplicateItems(Duplicates):
    def keys(self, rows: Columns) -> Iterator[Any]:
        for context, question, *answers in zip(*(rows[name] for name in TEXTS), strict=True):
            yield normalised(context), normalised(question), tuple(sorted(map(normalised, answers)))


class TwoGolds(WholeRule):
    """One context and question with two gold answers."""

    code = "two-golds"
    mend = "one of them is wrong, or the context leaves it open"

    def __init__(self) -> None:
        super().__init__()
        self.golds: dict[tuple[str, str], dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))

    def look(self, rows: Columns, numbers: range) -> None:
        roles = [rows.get(role) or [None] * len(numbers) for role in ROLES]
        for at, (number, label) in enumerate(zip(numbers, rows["label"], strict=True)):
            gold = index(label)
            if gold in (0, 1, 2):
                role = next((n for n, column in zip(ROLES, roles, strict=True) if index(column[at]) == gold), "")
                said = role or normalised(rows[ANSWERS[gold]][at])
                self.golds[normalised(rows["context"][at]), normalised(rows["question"][at])][said].append(number)

    def finish(self) -> Iterator[tuple[Fault, list[int]]]:
        for golds in self.golds.values():
            if len(golds) > 1:
                told = _listed(sorted(golds))
                yield self.fault(f"the gold answers are {told}"), sorted(chain(*golds.values()))


class OppositeItems(Opposite):
    """One question of which now one, now the other of the same two groups is the target."""

    def keys(self, rows: Columns, numbers: range) -> Iterator[tuple[int, tuple[Any, ...], str]]:
        stereotypes = rows.get("stereotype") or [""] * len(numbers)
        for number, stereotype, question, polarity, target, other in zip(
            numbers,
            stereotypes,
            rows["question"],
            rows.get("question_polarity") or [""] * len(numbers),
            *_two_groups(rows, len(numbers)),
            strict=True,
        ):
            if target and other and target != other:
                yield number, (stereotype, normalised(question), polarity, frozenset((target, other))), target


def _two_groups(rows: Columns, count: int) -> tuple[list[str], list[str]]:
    """The groups of target and other; where a file does not name them, what their answers say."""
    if any(rows.get("target_group") or ()) and any(rows.get("other_group") or ()):
        return [*rows["target_group"]], [*rows["other_group"]]
    found: tuple[list[str], list[str]] = ([], [])
    for role, groups in zip(ROLES, found, strict=False):
        for number, at in enumerate(rows.get(role) or [None] * count):
            where = index(at)
            groups.append(normalised(rows[ANSWERS[where]][number]) if where in (0, 1, 2) else "")
    return found


class MisspeltItemLabel(MisspeltLabel):
    columns = ("axis", "target_group", "other_group")


class OneGroupOfItems(OneGroup):
    columns = ("target_group", "other_group")


RULES = RowRules(
    texts=TEXTS,
    needed=(*TEXTS, "label"),
    optional=(
        "id",
        "axis",
        "stereotype",
        "template",
        "language",
        *VALUES,
        *ROLES,
        "target_group",
        "other_group",
        "gold",
        "tags",
        "stereotyped_groups",
    ),
    items=(
        empty_text,
        label_range,
        gold_text,
        gold_label,
        same_answers,
        unknown_value,
        answer_roles,
        gold_condition,
        same_group,
        unmatched_group,
        leading_answer,
    ),
    wholes=(
        DuplicateItems,
        TwoGolds,
        OppositeItems,
        MisspeltItemLabel,
        OneGroupOfItems,
        Positions,
        Counts,
        AnswerLength,
        AnswerWording,
    ),
    contrast=("target_group", "other_group"),
    lists=("tags", "stereotyped_groups"),
)
