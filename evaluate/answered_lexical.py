"""Rows of questions on words, joined with what was answered and how it was read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .parse_lexical import Reading, parse_lexical

if TYPE_CHECKING:
    import pandas as pd


def joined(rows: pd.DataFrame, records: Sequence[Mapping[str, Any]], phrases: Path | None) -> pd.DataFrame:
    """The rows, and of each `n_options`, `answer` (a list of positions, or None), `outcome`, `read` and `reply`."""
    import pandas as pd

    options = [list(some) for some in rows["options"]]
    asked = zip(records, options, rows["format"], rows["language"], strict=True)
    read = [_read(record, texts, str(form), str(language), phrases) for record, texts, form, language in asked]
    rows["n_options"] = [len(some) for some in options]
    rows["answer"] = pd.Series([None if one.answer is None else list(one.answer) for one in read], dtype=object)
    rows["outcome"] = [one.outcome for one in read]
    rows["read"] = [one.read for one in read]
    rows["reply"] = [str(record.get("reply") or "") for record in records]
    rows["scores"] = [record.get("scores") for record in records]
    return rows


def _read(record: Mapping[str, Any], options: Sequence[str], form: str, language: str, phrases: Path | None) -> Reading:
    if "reply" not in record:
        found = record.get("answer")
        if found is None:
            return Reading("empty", read="a tie" if "scores" in record else "no answer")
        return Reading("answer", tuple(found), "index")
    if record.get("finish") == "content_filter" and not record["reply"]:
        return Reading("refusal", read="stopped by a content filter")
    if record.get("finish") == "length" and form == "choice":
        return Reading("invalid", read="cut off")  # a number, or the end of the list, may be missing
    return parse_lexical(record["reply"], options, format=form, language=language, phrases=phrases)
