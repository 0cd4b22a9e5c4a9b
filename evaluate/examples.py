"""Rows to look at: what a model did with a stereotype, and replies that were not understood (pure)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .answer.spans import changed_words
from .metrics import HALVES

if TYPE_CHECKING:
    import pandas as pd

_LONGEST = 400
_REPLIES = 4


@dataclass(frozen=True)
class Option:
    text: str
    role: str
    chosen: bool
    gold: bool


@dataclass(frozen=True)
class Question:
    """A question as it was asked, with what was chosen."""

    language: str
    condition: str
    context: str
    question: str
    options: list[Option]
    reply: str


@dataclass(frozen=True)
class Sentences:
    """A pair with its scores in nats; a sentence is parts, of which some are what differs."""

    language: str
    direction: str
    target: list[tuple[str, bool]]
    other: list[tuple[str, bool]]
    score_target: float
    score_other: float


@dataclass(frozen=True)
class Unread:
    """Replies with one outcome and one reading: how many, and the most frequent of them."""

    outcome: str
    read: str
    count: int
    replies: list[tuple[str, int]]


@dataclass(frozen=True)
class Translated:
    """A sentence and its translation, each in parts, of which the occupation's words are marked."""

    language: str
    into: str
    occupation: str
    text: list[tuple[str, bool]]
    reply: list[tuple[str, bool]]


@dataclass(frozen=True)
class Gender:
    """What was found of occupations: how often, and some sentences."""

    gender: str
    count: int
    examples: list[Translated]


def _questions(rows: pd.DataFrame, worst: bool, count: int) -> list[Question]:
    negative = (rows["question_polarity"] == "neg").to_numpy()
    answer = rows["answer"].astype("Float64").fillna(-1).to_numpy(dtype=int)
    against = np.where(negative, answer == rows["target"], answer == rows["other"])
    right = answer == rows["label"].to_numpy()
    ambiguous = (rows["context_condition"] == "ambig").to_numpy()
    wanted = (against & ~right) if worst else (right & ambiguous)
    order = np.lexsort((np.arange(len(rows)), ~ambiguous, ~wanted))[: min(count, int(wanted.sum()))]
    return [_question(row) for row in rows.iloc[order].to_dict("records")]


def _question(row: Mapping[Any, Any]) -> Question:
    roles = {int(row[role]): role for role in ("target", "other", "unknown")}
    chosen = -1 if row["outcome"] != "answer" else int(row["answer"])
    options = [Option(row[f"ans{n}"], roles[n], n == chosen, n == int(row["label"])) for n in range(3)]
    condition = HALVES["context_condition"][row["context_condition"]]
    return Question(row["language"], condition, row["context"], row["question"], options, shortened(row["reply"]))


def _sentences(rows: pd.DataFrame, worst: bool, count: int) -> list[Sentences]:
    gap = rows["score_target"].to_numpy() - rows["score_other"].to_numpy()
    turned = np.where(rows["direction"] == "anti", -gap, gap)
    order = np.argsort(-turned if worst else np.abs(turned), kind="stable")
    kept = [n for n in order.tolist() if np.isfinite(turned[n]) and (not worst or turned[n] > 0)]
    found, seen = [], set[str]()
    for row in rows.iloc[kept].to_dict("records"):
        if row["template"] in seen:  # another template says more than another name
            continue
        seen.add(row["template"])
        found.append(_pair(row))
        if len(found) == count:
            break
    return found


def _pair(row: Mapping[Any, Any]) -> Sentences:
    spans = changed_words(row["sent_target"], row["sent_other"])
    target, other = (
        marked(text, changed) for text, changed in zip((row["sent_target"], row["sent_other"]), spans, strict=True)
    )
    return Sentences(
        row["language"], row["direction"], target, other, float(row["score_target"]), float(row["score_other"])
    )


# how rows of a stereotype are shown, where a family has something to show
EXAMPLES: dict[str, Callable[[pd.DataFrame, bool, int], Sequence[Any]]] = {"pairs": _sentences, "qa": _questions}


def examples(rows: pd.DataFrame, family: str, *, worst: bool, count: int = 2) -> Sequence[Any]:
    """Rows of one stereotype that show it at its worst, or at its best: Question, Sentences."""
    shown = EXAMPLES.get(family)
    return shown(rows, worst, count) if shown else []


def marked(text: str, spans: list[tuple[int, int]]) -> list[tuple[str, bool]]:
    """The text in parts, with whether each lies in one of the spans; spans that touch are one."""
    parts: list[tuple[str, bool]] = []
    last = 0
    for start, end in spans:
        between = text[last:start]
        if parts and not between.strip():
            parts[-1] = (parts[-1][0] + between + text[start:end], True)
        else:
            parts += [(between, False), (text[start:end], True)]
        last = end
    parts.append((text[last:], False))
    return [part for part in parts if part[0]]


def found(rows: pd.DataFrame, count: int = 3) -> list[Gender]:
    """What translations make of the first occupation of each sentence, of as many occupations as can be."""
    kinds = []
    for gender in ("masculine", "feminine", "neutral", "missing"):
        mine = rows[rows["found"] == gender]
        shown = mine.drop_duplicates("entity").iloc[:: max(1, mine["entity"].nunique() // count)][:count]
        if len(mine):
            kinds.append(Gender(gender, len(mine), [_translated(row) for row in shown.to_dict("records")]))
    return kinds


def _translated(row: Mapping[Any, Any]) -> Translated:
    start, said = int(row["entity_start"]), row["said"]
    words = [(start, start + len(row["entity_text"]))] if start >= 0 else []
    at = row["reply"].find(said) if said else -1
    reply = marked(row["reply"], [(at, at + len(said))] if at >= 0 else [])
    return Translated(row["language"], row["target_language"], row["entity"], marked(row["text"], words), reply)


def unread(rows: pd.DataFrame) -> list[Unread]:
    """What is no answer, the most frequent first; of rows that hold replies."""
    failed = rows[rows["outcome"] != "answer"]
    groups: dict[tuple[str, str], Counter[str]] = {}
    for outcome, read, reply in zip(failed["outcome"], failed["read"], failed["reply"], strict=True):
        groups.setdefault((outcome, read), Counter())[shortened(reply)] += 1
    found = [
        Unread(outcome, read, sum(replies.values()), replies.most_common(_REPLIES))
        for (outcome, read), replies in groups.items()
    ]
    return sorted(found, key=lambda one: (-one.count, one.outcome, one.read))


def shortened(text: str) -> str:
    text = text.strip()
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
