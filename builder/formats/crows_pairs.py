"""CrowS-Pairs (Nangia et al. 2020), and its translations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .layout import Layout

_DIRECTIONS = {"stereo": "stereo", "antistereo": "anti"}


def _read(columns: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
    """`sent_more` is the more stereotypical sentence; in an `antistereo` pair the target is in `sent_less`."""
    said = columns["stereo_antistereo"]
    both = list(zip(said, columns["sent_more"], columns["sent_less"], strict=True))
    rows = {
        "sent_target": [less if way == "antistereo" else more for way, more, less in both],
        "sent_other": [more if way == "antistereo" else less for way, more, less in both],
        "direction": [_DIRECTIONS.get(way, way) for way in said],
    }
    if "bias_type" in columns:
        rows["axis"] = columns["bias_type"]
    return rows


COLUMNS = ("", "sent_more", "sent_less", "stereo_antistereo", "bias_type", "annotations", "anon_writer",
           "anon_annotators")  # fmt: skip


def written(row: Mapping[str, Any]) -> dict[str, Any] | None:
    """A row as that benchmark's script reads it; None where the text is neutral, which it has no place for."""
    if row["direction"] not in ("stereo", "anti"):
        return None
    anti = row["direction"] == "anti"
    more, less = ("sent_other", "sent_target") if anti else ("sent_target", "sent_other")
    return {
        "": row["id"],
        "sent_more": row[more],
        "sent_less": row[less],
        "stereo_antistereo": "antistereo" if anti else "stereo",
        "bias_type": row["axis"],
        "annotations": f"[['{row['axis']}']]",
        "anon_writer": row["template"],
        "anon_annotators": "[]",
    }


LAYOUT = Layout(
    name="CrowS-Pairs",
    family="pairs",
    columns=frozenset(["sent_more", "sent_less", "stereo_antistereo"]),
    read=_read,
    names={"sent_target": "sent_more/less", "sent_other": "sent_less/more", "direction": "stereo_antistereo"},
)
