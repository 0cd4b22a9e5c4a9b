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


LAYOUT = Layout(
    name="CrowS-Pairs",
    family="pairs",
    columns=frozenset(["sent_more", "sent_less", "stereo_antistereo"]),
    read=_read,
    names={"sent_target": "sent_more/less", "sent_other": "sent_less/more", "direction": "stereo_antistereo"},
)
