"""The glossary of a run of translations: what each occupation is called in the language translated into, and what
share of those who work in it are women, where an office's figure is cited.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from ..builder.sources import PACKAGE, read_lexicon

if TYPE_CHECKING:
    from .selection import Selected

KIND = "occupations"
FILE = "glossary.json"


class Word(TypedDict):
    """`m` and `f`: equivalents, the usual one first. `share`: of women, 0 to 1, with where and when it was found."""

    m: list[str]
    f: list[str]
    share: float | None
    share_source: str


def glossary(selected: Selected, into: str, path: Path | None) -> dict[str, Word]:
    """The occupations that the rows ask for, by id, in the language `into`.

    From the file given; or else from the dataset's own lexicon, then from the bundled one of its language.
    """
    wanted: set[str] = set()
    for name in ("entity", "entity2"):
        wanted.update(selected.table.column(name).to_pylist())
    language = str(selected.about["language"])
    places = [path] if path else [
        root / "lexicons" / code / f"{KIND}.csv"
        for root in ([selected.root] if selected.root else []) + [PACKAGE]
        for code in dict.fromkeys((language, language.split("-")[0]))
    ]  # fmt: skip
    found: dict[str, Word] = {}
    for place in places:
        if place != path and not place.is_file():
            continue
        for id, entry in read_lexicon(place, KIND).entries.items():
            if id in wanted and id not in found:
                found[id] = _word(entry, into.split("-")[0])
    return {id: found[id] for id in sorted(found)}


def _word(entry: Any, into: str) -> Word:
    where = " ".join(filter(None, (entry.share_source, entry.share_place, entry.share_year)))
    return {
        "m": _split(entry.form.get(f"{into}.m", "")),
        "f": _split(entry.form.get(f"{into}.f", "")),
        "share": entry.share,
        "share_source": where,
    }


def _split(cell: str) -> list[str]:
    return [part.strip() for part in cell.split("|") if part.strip()]


def as_file(words: Mapping[str, Word]) -> bytes:
    return (json.dumps(words, ensure_ascii=False, indent=0) + "\n").encode()


def of_run(folder: Path) -> dict[str, Word]:
    """The glossary that a run was made with; empty where it has none."""
    path = folder / FILE
    found: dict[str, Word] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return found


def without_equivalents(words: Mapping[str, Word], wanted: Sequence[str]) -> list[str]:
    """Ids that no equivalent is known of, so that they cannot be looked for."""
    return sorted({id for id in wanted if id and not (id in words and (words[id]["m"] or words[id]["f"]))})
