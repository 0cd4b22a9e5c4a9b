"""SESGO's prompts (Robles et al.): the answers in one cell, the gold answer as text beside its number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..checks.balance import index
from .layout import Layout, nested

_ANSWERS = ("ans0", "ans1", "ans2")
_SAME = ("context", "question", "label", "context_condition", "question_polarity", "target", "other")


def _read(columns: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
    """Unknown is the answer that is neither target nor other."""
    rows: dict[str, list[Any]] = {name: columns[name] for name in _SAME}
    rows["gold"] = columns["answer"]
    rows["axis"] = columns.get("category", [""] * len(columns["answer"]))
    answers = [found if isinstance(found := nested(cell), Mapping) else {} for cell in columns["answer_info"]]
    for name in _ANSWERS:
        rows[name] = ["" if one.get(name) is None else str(one[name]) for one in answers]
    rows["unknown"] = []
    for target, other in zip(rows["target"], rows["other"], strict=True):
        left = {0, 1, 2} - {index(target), index(other)}
        rows["unknown"].append(str(left.pop()) if len(left) == 1 else "")
    return rows


LAYOUT = Layout(
    name="SESGO",
    family="qa",
    columns=frozenset([*_SAME, "answer_info", "answer"]),
    read=_read,
    names={"gold": "answer", "axis": "category", **dict.fromkeys(_ANSWERS, "answer_info")},
)
