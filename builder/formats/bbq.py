"""BBQ (Parrish et al. 2022): one item a row, with the group of each answer and the groups that are stereotyped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..checks.qa import is_tagged
from .layout import Layout, nested

_ANSWERS = ("ans0", "ans1", "ans2")
_SAME = ("context", "question", *_ANSWERS, "label", "context_condition", "question_polarity")


def _read(columns: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
    """The target is the answer whose group is stereotyped, where that is so of one of them only."""
    count = len(columns["context"])
    blank = [""] * count
    rows: dict[str, list[Any]] = {name: columns.get(name, blank) for name in _SAME}
    rows["axis"] = columns.get("category", blank)
    templates = columns.get("question_index", blank)
    rows["template"] = templates
    rows["stereotype"] = [f"{axis}/{at}" if at else "" for axis, at in zip(rows["axis"], templates, strict=True)]
    rows["tags"] = [_tags(info) for info in columns["answer_info"]]
    rows["stereotyped_groups"] = [_groups(more) for more in columns.get("additional_metadata", blank)]
    for name in ("target", "other", "unknown"):
        rows[name] = [""] * count
    for name in ("target_group", "other_group"):
        rows[name] = [""] * count
    for at, (tags, groups) in enumerate(zip(rows["tags"], rows["stereotyped_groups"], strict=True)):
        unknown = [number for number, tag in enumerate(tags) if tag == "unknown"]
        named = [number for number, tag in enumerate(tags) if tag and tag != "unknown"]
        if len(unknown) == 1:
            rows["unknown"][at] = str(unknown[0])
        held = [number for number in named if is_tagged(tags[number], groups)]
        if len(named) == 2 and len(held) == 1:
            other = named[1 - named.index(held[0])]
            rows["target"][at], rows["other"][at] = str(held[0]), str(other)
            rows["target_group"][at], rows["other_group"][at] = tags[held[0]], tags[other]
    return rows


def _tags(info: Any) -> list[str]:
    found = nested(info)
    if not isinstance(found, Mapping):
        return ["", "", ""]
    parts = [found.get(name) for name in _ANSWERS]
    return [str(part[-1]) if isinstance(part, (list, tuple)) and part else "" for part in parts]


def _groups(more: Any) -> list[str]:
    found = nested(more)
    groups = nested(found.get("stereotyped_groups")) if isinstance(found, Mapping) else None
    return [str(group) for group in groups] if isinstance(groups, (list, tuple)) else []


def written(row: Mapping[str, Any]) -> dict[str, Any]:
    """A row as an item of BBQ's; its tags are our groups' ids, and `unknown`."""
    tags = {row["target"]: row["target_group"], row["other"]: row["other_group"], row["unknown"]: "unknown"}
    return {
        "example_id": row["id"],
        "question_index": row["template"],
        "question_polarity": row["question_polarity"],
        "context_condition": row["context_condition"],
        "category": row["axis"],
        "answer_info": {name: [row[name], tags[number]] for number, name in enumerate(_ANSWERS)},
        "additional_metadata": {
            "subcategory": row["stereotype"],
            "stereotyped_groups": [row["target_group"]],
            "version": "None",
            "source": row["source"] or "None",
        },
        **{name: row[name] for name in ("context", "question", *_ANSWERS, "label")},
    }


LAYOUT = Layout(
    name="BBQ",
    family="qa",
    columns=frozenset(["context", "question", *_ANSWERS, "label", "answer_info"]),
    read=_read,
    names={"axis": "category", "tags": "answer_info"},
)
