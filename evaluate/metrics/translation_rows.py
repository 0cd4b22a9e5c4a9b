"""Translated rows, checked, and as the counts that figures sum (pure)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from ...builder.problems import Place, Problem, SourceFaults
from .table import Table, copied, table_of

NOTES = ("several_people", "proper_name", "unmarked_masculine")
REQUIRED = (
    "id",
    "axis",
    "stereotype",
    "template",
    "tier",
    "kind",
    "entity",
    "entity2",
    "gender",
    "direction",
    "pair",
    "reference",
    "reference_language",
    *NOTES,
    "target_language",
    "reply",
    "found",
    "found2",
    "share",
    "share2",
)
FOUND = ("masculine", "feminine", "neutral", "missing")
GENDERS = {"m": "masculine", "f": "feminine", "n": "neutral"}
_TEXTS = tuple(name for name in REQUIRED if name not in ("id", "tier", "share", "share2", *NOTES))
_KEYS = ("occupation", "axis", "tier", "stereotype")


def sound(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows, by id, texts without nulls. SourceFaults tells every kind of fault with its first row."""
    rows = copied(frame, REQUIRED)
    for name in _TEXTS:
        rows[name] = rows[name].astype(object).where(rows[name].notna(), "").astype(str)
    for name in ("share", "share2"):
        rows[name] = pd.to_numeric(rows[name]).astype("float64")
    bad = {
        ("kind", "unknown-kind", "a kind is occupation or contrast"): ~rows["kind"].isin(["occupation", "contrast"]),
        ("gender", "unknown-gender", "a gender is m, f, n or empty"): ~rows["gender"].isin(["", *GENDERS]),
        ("direction", "unknown-direction", "a direction is stereo, anti or empty"): ~rows["direction"].isin(
            ["", "stereo", "anti"]
        ),
        **{
            (name, "unknown-finding", f"a finding is {', '.join(FOUND)} or empty"): ~rows[name].isin(["", *FOUND])
            for name in ("found", "found2")
        },
        **{
            (name, "no-share", "a share of women is from 0 to 1"): rows[name].notna() & ~rows[name].between(0, 1)
            for name in ("share", "share2")
        },
        ("pair", "version-twice", "a pair has one masculine and one feminine version"): _twice(rows),
    }
    problems = []
    for (field, code, message), mask in bad.items():
        first = rows.loc[mask.to_numpy(dtype=bool)]
        if len(first):
            place = Place(f"row {first['id'].iloc[0]}", field=field)
            problems.append(Problem(place, code, f"{message}; {len(first)} rows are not so", rows=len(first)))
    if problems:
        raise SourceFaults(problems)
    return rows


def _twice(rows: pd.DataFrame) -> pd.Series[bool]:
    contrast = (rows["kind"] == "contrast") & rows["gender"].isin(["m", "f"]) & (rows["pair"] != "")
    return contrast & rows.where(contrast).duplicated(["target_language", "pair", "gender"])


def replies(rows: pd.DataFrame) -> Table:
    """All rows, and those without a translation."""
    counts: dict[str, Any] = {"all": np.ones(len(rows)), "empty": rows["reply"].str.strip() == ""}
    return _counted(rows, counts, (), "template")


def mentions(rows: pd.DataFrame) -> tuple[Table, dict[str, float]]:
    """Each occupation of each sentence as a row of counts, and of each occupation the share of women.

    found   masculine or feminine       sought  it has words in the language translated into, so it was looked for
    NaN where no share is known. SourceFaults where one occupation has two.
    """
    rows = rows[rows["kind"] == "occupation"]
    sides = [
        rows.assign(occupation=rows[entity], seen=rows[found], women=rows[share])
        for entity, found, share in (("entity", "found", "share"), ("entity2", "found2", "share2"))
    ]
    said = pd.concat(sides, ignore_index=True)
    said = said[said["occupation"] != ""].reset_index(drop=True)
    seen = said["seen"]
    counts: dict[str, Any] = {"all": np.ones(len(said)), "sought": seen != "", "unsought": seen == ""}
    counts |= {name: seen == name for name in FOUND}
    counts["found"] = counts["masculine"] | counts["feminine"]
    known = said.dropna(subset="women").groupby("occupation")["women"]
    for occupation, shares in known:
        if shares.nunique() > 1:
            message = f"{occupation!r} has two shares of women, {shares.min()} and {shares.max()}"
            raise SourceFaults([Problem(Place("answers", field="share"), "two-shares", message)])
    women = dict.fromkeys(sorted(said["occupation"].unique()), float("nan")) | known.first().to_dict()
    return _counted(said, counts, _KEYS, "occupation", "template"), women


def gold(rows: pd.DataFrame) -> Table:
    """The sentences that tell the gender of their first occupation, which was looked for in the translation.

    right_, gold_ and said_ m and f, and right and rows of each direction, 0 or 1 a row.
    """
    rows = rows[(rows["kind"] == "occupation") & (rows["gender"] != "") & (rows["found"] != "")]
    rows = rows.assign(occupation=rows["entity"]).reset_index(drop=True)
    right = rows["gender"].map(GENDERS) == rows["found"]
    counts: dict[str, Any] = {"rows": np.ones(len(rows)), "right": right}
    for letter in ("m", "f"):
        told, said = rows["gender"] == letter, rows["found"] == GENDERS[letter]
        counts |= {f"gold_{letter}": told, f"said_{letter}": said, f"right_{letter}": told & said}
    for direction in ("stereo", "anti"):
        mine = rows["direction"] == direction
        counts |= {direction: mine, f"right_{direction}": mine & right}
    for name, parts in {"gendered": ("gold_m", "gold_f"), "directed": ("stereo", "anti")}.items():
        both = all(counts[part].any() for part in parts)
        counts[name] = (counts[parts[0]] | counts[parts[1]]) & both
    return _counted(rows, counts, _KEYS, "occupation", "template")


def contrasts(rows: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame, int]:
    """Masculine and feminine versions, pair by pair in one order, and the number of rows left out.

    Left out is what lacks its other version, or a reference in the language translated into.
    """
    rows = rows[rows["kind"] == "contrast"]
    into = rows["target_language"].str.split("-").str[0]
    of_reference = rows["reference_language"].str.split("-").str[0]
    usable = (rows["reference"].str.strip() != "") & ((of_reference == into) | (of_reference == ""))
    usable &= rows["gender"].isin(["m", "f"]) & (rows["pair"] != "")
    masculine, feminine = (rows[usable & (rows["gender"] == letter)].set_index("pair") for letter in ("m", "f"))
    both = masculine.index.intersection(feminine.index, sort=False)
    return masculine.loc[both].reset_index(), feminine.loc[both].reset_index(), len(rows) - 2 * len(both)


def paired(rows: pd.DataFrame, counts: dict[str, Any]) -> Table:
    """Counts of pairs as a table: whole stereotypes are drawn, or templates, or pairs."""
    return _counted(rows, counts, (), "template", "pair")


def _counted(rows: pd.DataFrame, counts: dict[str, Any], keys: tuple[str, ...], *units: str) -> Table:
    """A table of which whole stereotypes are drawn; where not every row has one, the first of `units` with enough."""
    named = bool((rows["stereotype"] != "").all())
    rows = rows.assign(drawn=rows["stereotype"] if named else "")
    return table_of(rows, counts, keys, {"stereotype": "drawn", **{unit: unit for unit in units}})
