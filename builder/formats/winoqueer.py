"""WinoQueer (Felkner et al. 2023), and WinoQueer-NL."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .layout import Layout


def _read(columns: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
    """`x` is always the target, and what is said of it the stereotype."""
    return {
        "sent_target": columns["sent_x"],
        "sent_other": columns["sent_y"],
        "target": columns["Gender_ID_x"],
        "other": columns["Gender_ID_y"],
        "direction": ["stereo"] * len(columns["sent_x"]),
    }


COLUMNS = ("Gender_ID_x", "Gender_ID_y", "sent_x", "sent_y")


def written(row: Mapping[str, Any]) -> dict[str, Any] | None:
    """A row as that benchmark's script reads it; None where no stereotype is said: it has no place for that."""
    if row["direction"] != "stereo":
        return None
    return dict(zip(COLUMNS, (row["target"], row["other"], row["sent_target"], row["sent_other"]), strict=True))


LAYOUT = Layout(
    name="WinoQueer",
    family="pairs",
    columns=frozenset(["sent_x", "sent_y", "Gender_ID_x", "Gender_ID_y"]),
    read=_read,
    names={"sent_target": "sent_x", "sent_other": "sent_y", "target": "Gender_ID_x", "other": "Gender_ID_y"},
)
