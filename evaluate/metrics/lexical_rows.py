"""Answered questions on words, checked, and as the counts that figures sum (pure)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ...builder.problems import Place, Problem, SourceFaults
from .jaccard import adjusted, expected, expected_exactly, jaccard
from .table import Table, copied, table_of

REQUIRED = ("id", "format", "country", "concept_id", "n_options", "gold", "answer", "outcome")
FORMATS = {"yes_no": "yes or no", "choice": "multiple choice"}
OUTCOMES = ("answer", "refusal", "empty", "invalid")
_UNITS = {"concept": "concept_id", "country": "country"}


def sound(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows, by id. SourceFaults tells every kind of fault with the first row that has it."""
    rows = copied(frame, REQUIRED)
    answered = (rows["outcome"] == "answer").to_numpy()
    there = np.array([isinstance(answer, list | tuple | np.ndarray) for answer in rows["answer"]], dtype=bool)
    one = (rows["format"] == "yes_no").to_numpy()
    answers = [list(answer) if is_there else [0] for answer, is_there in zip(rows["answer"], there, strict=True)]
    bad = {
        ("format", "unknown-format", f"a format is one of {', '.join(FORMATS)}"): ~rows["format"].isin(FORMATS),
        ("outcome", "unknown-outcome", f"an outcome is one of {', '.join(OUTCOMES)}"): ~rows["outcome"].isin(OUTCOMES),
        ("answer", "answer-without-outcome", "an answer has outcome 'answer', and only it has one"): there != answered,
        ("gold", "index-beyond-options", "right answers are one or more positions of options"): ~_within(
            rows["gold"], rows["n_options"], one
        ),
        ("answer", "index-beyond-options", "an answer is one or more positions of options"): ~_within(
            answers, rows["n_options"], one
        ),
    }
    problems = []
    for (field, code, message), mask in bad.items():
        first = rows.loc[np.asarray(mask, dtype=bool)]
        if len(first):
            place = Place(f"row {first['id'].iloc[0]}", field=field)
            problems.append(Problem(place, code, f"{message}; {len(first)} rows are not so", rows=len(first)))
    if problems:
        raise SourceFaults(problems)
    return rows


def _within(sets: Any, options: Any, one: Any) -> Any:
    """Whether each is a set of positions, not empty; of yes and no, one."""
    return np.array(
        [
            0 < len(some) == len(set(some)) and min(some) >= 0 and max(some) < size and (len(some) == 1 or not single)
            for some, size, single in zip(sets, options, one, strict=True)
        ],
        dtype=bool,
    )


def counted(rows: pd.DataFrame, name: str, keys: Sequence[str]) -> Table:
    """The counts of the rows of one format that the measures sum: 0 or 1 a row, but for overlaps."""
    valid = (rows["outcome"] == "answer").to_numpy()
    counts: dict[str, Any] = {"rows": np.ones(len(rows)), "valid": valid}
    counts |= {outcome: rows["outcome"] == outcome for outcome in OUTCOMES[1:]}
    counts |= _yes_no(rows, valid) if name == "yes_no" else _overlaps(rows)
    return table_of(rows, counts, keys, _UNITS)


def _yes_no(rows: pd.DataFrame, valid: Any) -> dict[str, Any]:
    gold = np.array([0 in set(gold) for gold in rows["gold"]], dtype=bool)
    said = np.array([there and 0 in set(answer) for answer, there in zip(rows["answer"], valid, strict=True)], bool)
    right_yes, wrong_yes, missed = valid & gold & said, valid & ~gold & said, gold & ~said
    return {
        "right": valid & (gold == said),
        "right_yes": right_yes,
        "wrong_yes": wrong_yes,
        "missed_yes": valid & missed,
        "all_missed_yes": missed,
        "said_yes": said,
        "valid_yes": valid & gold,
        "any_yes": valid & (gold | said),
        "all_any_yes": gold | said,
    }


def _overlaps(rows: pd.DataFrame) -> dict[str, Any]:
    found = np.array(list(_each(rows)), dtype=np.float64).reshape(len(rows), 4)
    return dict(zip(("exact", "jaccard", "adjusted", "adjusted_exactly"), found.T, strict=True)) | {
        "options": rows["n_options"].to_numpy(dtype=np.float64)
    }


def _each(rows: pd.DataFrame) -> Iterator[tuple[float, float, float, float]]:
    for gold, answer, outcome, options in zip(
        rows["gold"], rows["answer"], rows["outcome"], rows["n_options"], strict=True
    ):
        if outcome != "answer":
            yield 0.0, 0.0, 0.0, 0.0
            continue
        right, said = set(map(int, gold)), set(map(int, answer))
        sizes = len(said), len(right)
        value = jaccard(len(right & said), *sizes)
        chances = expected(*sizes, int(options)), expected_exactly(*sizes, int(options))
        yield float(right == said), value, adjusted(value, chances[0]), adjusted(value, chances[1])
