"""A run's translations, read: the gender that each gives to its occupations, and what share of them are women."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import glossary
from .gender import LANGUAGES, Found, Glossary
from .run import Run

if TYPE_CHECKING:
    import pandas as pd

    from .gender import Tagger


def joined(rows: pd.DataFrame, records: Sequence[Mapping[str, Any]], run: Run) -> pd.DataFrame:
    """The rows with `reply` (the translation), and for each occupation `found`, `said`, `by` and `share`.

    found  masculine, feminine, neutral or missing; "" where there is none to look for, or it cannot be looked for
    said   its words in the translation         by  what told its gender: glossary, determiner, both, tagger
    """
    import pandas as pd

    way = run.settings["way"]
    into = str(way["into"]).split("-")[0]
    words = glossary.of_run(run.folder)
    rows["reply"] = [str(record.get("reply") or "") for record in records]
    rows["target_language"] = way["into"]
    sides = {id: (word["m"], word["f"]) for id, word in words.items() if word["m"] or word["f"]}
    known = Glossary(into, sides) if into in LANGUAGES else None
    tell = _tagger(way.get("tagger"))
    for mine, beside in (("entity", "entity2"), ("entity2", "entity")):
        number = mine.removeprefix("entity")
        found = [
            known.find(reply, id, beside=other, tagger=tell) if known and id in known else None
            for reply, id, other in zip(rows["reply"], rows[mine], rows[beside], strict=True)
        ]
        rows[f"found{number}"] = [one.gender if one else "" for one in found]
        rows[f"said{number}"] = [_said(reply, one) for reply, one in zip(rows["reply"], found, strict=True)]
        rows[f"by{number}"] = [one.by if one else "" for one in found]
        shares = [words[id]["share"] if id in words else None for id in rows[mine]]
        rows[f"share{number}"] = pd.Series(shares, dtype="float64", index=rows.index)
    return rows


def _said(reply: str, found: Found | None) -> str:
    return reply[found.start : found.end] if found and found.start >= 0 else ""


def _tagger(named: str | None) -> Tagger | None:
    if not named:
        return None
    from .tagging import tagger

    return tagger(named.split(" ")[0])[0]
