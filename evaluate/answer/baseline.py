"""Answers that need no model: what a figure is when nobody reads the question.

chance    any option, drawn by a stable hash of the row's id: the same on every machine and in any order
first-1   always the first option (first-2, first-3: the second, the third)
unknown   always the option that says so
first-k   where sets of words are asked for, the first k = round(0.286 N) of N options (Kawasaki 2026, sec. 4.1)

Of a pair, the options are the target's sentence and the other's, and `unknown` finds both equally likely. Where
sets are asked for, `chance` takes any k of the options; yes and no are by chance with `first-k` too.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...builder.problems import UsageError, nearest
from ..metrics.jaccard import usual_size

if TYPE_CHECKING:
    import pandas as pd

BASELINES = ("chance", "first-1", "first-2", "first-3", "unknown", "first-k")
_OF_ONE = BASELINES[:-1]


def answer(rows: pd.DataFrame, name: str, *, seed: int) -> pd.DataFrame:
    """The baseline's answers: id, answer (an index, or a list where sets are asked for) and outcome; or id,
    score_target and score_other (nats).

    UsageError where there is no such baseline, or none for rows of this kind.
    """
    if name not in BASELINES:
        raise UsageError(f"no baseline {name!r}; {nearest(name, BASELINES)}")
    ids = [str(i) for i in rows["id"]]
    answers = rows[["id"]].reset_index(drop=True)
    if "options" in rows:
        asked = zip(ids, rows["format"], rows["options"], strict=True)
        chosen: list[Any] = [_set(name, i, str(form), len(options), seed) for i, form, options in asked]
        return answers.assign(answer=chosen, outcome="answer")
    if name not in _OF_ONE:
        raise UsageError(f"--baseline {name}: is for rows that ask for sets; {nearest(name, _OF_ONE)}")
    if "ans0" in rows:
        options = len([c for c in rows.columns if re.fullmatch(r"ans\d+", str(c))])
        unknown = [int(i) for i in rows["unknown"]]
        chosen = [_chosen(name, i, options, u, seed) for i, u in zip(ids, unknown, strict=True)]
        return answers.assign(answer=chosen, outcome="answer").astype({"answer": "Int64"})
    if "sent_target" in rows:
        target = [_target_wins(name, i, seed) for i in ids]
        return answers.assign(score_target=target, score_other=[-s for s in target])
    raise UsageError("a baseline answers rows with options or with two sentences, and these have neither")


def _chosen(name: str, row: str, options: int, unknown: int, seed: int) -> int:
    if name == "chance":
        return drawn(row, options, seed)
    if name == "unknown":
        return unknown
    index = int(name.removeprefix("first-")) - 1
    if index >= options:
        raise UsageError(f"no option {name.removeprefix('first-')}: these rows have {options}")
    return index


def _set(name: str, row: str, form: str, options: int, seed: int) -> list[int]:
    """Positions, ascending. Of yes and no it is one."""
    if name == "unknown":
        raise UsageError("--baseline unknown: no option of these rows says so; chance, first and first-k are there")
    if form == "yes_no":
        return [_chosen("chance" if name == "first-k" else name, row, options, 0, seed)]
    size = usual_size(options)
    if name == "chance":
        return sorted(shuffled(row, options, seed)[:size])
    return list(range(size)) if name == "first-k" else [_chosen(name, row, options, 0, seed)]


def _target_wins(name: str, row: str, seed: int) -> float:
    """1 where the target's sentence is the likelier, -1 where the other's is, 0 where neither."""
    if name == "unknown":
        return 0.0
    return 1.0 - 2.0 * _chosen(name, row, 2, 0, seed)


def drawn(row: str, options: int, seed: int) -> int:
    """An index from 0 to options - 1, by hash; as good as even for the few options that there are."""
    digest = hashlib.blake2b(f"{seed}/{row}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") % options


def shuffled(row: str, options: int, seed: int) -> Sequence[int]:
    """The indices from 0 to options - 1 in an order by hash: each order as likely as any."""
    keys = [hashlib.blake2b(f"{seed}/{row}/{index}".encode(), digest_size=8).digest() for index in range(options)]
    return sorted(range(options), key=keys.__getitem__)
