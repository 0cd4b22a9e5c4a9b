"""Ways that need no model of ours: answers made elsewhere, and baselines."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..builder.problems import UsageError, nearest
from .journal import Record
from .selection import Selected
from .ways import Asking, Notice, Options, Share

if TYPE_CHECKING:
    from .answer.recorded import Recorded

_AT_ONCE = 4096
SCORES, REPLY = ("score_target", "score_other"), ("reply",)


def baseline(selected: Selected, options: Options, notice: Notice) -> Asking:
    """What comes of answering without reading."""
    from .answer.baseline import BASELINES, answer

    name = {"first": "first-1"}.get(options.baseline or "chance", options.baseline or "chance")
    if name not in BASELINES:
        raise UsageError(f"--baseline {name}: there is no such baseline; {nearest(name, BASELINES)}")

    def ask(todo: Sequence[int], share: Share) -> Iterator[list[Record]]:
        for start in range(0, len(todo), _AT_ONCE):
            rows = selected.table.take(todo[start : start + _AT_ONCE]).to_pandas()
            found = answer(rows, name, seed=options.seed)
            kept = [column for column in found.columns if column != "outcome"]
            yield [_plain(record) for record in found[kept].to_dict("records")]

    return Asking({"name": f"baseline {name}"}, {"way": "baseline", "baseline": name}, ask)


def _plain(record: dict[Any, Any]) -> Record:
    return {str(key): value.item() if hasattr(value, "item") else value for key, value in record.items()}


def recorded_scores(selected: Selected, options: Options, notice: Notice) -> Asking:
    """Scores of both sentences from a file."""
    return _recorded(selected, options, SCORES)


def recorded_replies(selected: Selected, options: Options, notice: Notice) -> Asking:
    """Replies from a file."""
    return _recorded(selected, options, REPLY)


def _recorded(selected: Selected, options: Options, fields: tuple[str, ...]) -> Asking:
    """Answers from a file, joined by id or by the order of the rows."""
    from .answer.recorded import join, read_recorded, reply, scores

    if options.answers is None:
        raise UsageError("--way recorded: name the file with --answers")
    wrong = sorted(set(options.columns) - {"id", *fields})
    if wrong:
        raise UsageError(f"--map: {wrong[0]!r} is nothing of ours; {nearest(wrong[0], ['id', *fields])}")
    if options.by_order and "id" in options.columns:
        raise UsageError("--by-order joins without ids; leave out the map of 'id'")
    names = fields if options.by_order else ("id", *fields)
    file = read_recorded(
        options.answers, {name: options.columns.get(name, name) for name in names}, sheet=options.sheet
    )

    def ask(todo: Sequence[int], share: Share) -> Iterator[list[Record]]:
        held = _with_numbers(file, scores) if fields == SCORES else file
        found = dict(join(held, selected.known, by_order=options.by_order))
        if fields == REPLY:
            found["reply"] = [reply(value) or "" for value in found["reply"]]
        place = {id: number for number, id in enumerate(selected.known)}
        ids = selected.ids
        yield [{"id": ids[n]} | {name: found[name][place[ids[n]]] for name in fields} for n in todo]

    way: dict[str, Any] = {
        "way": "recorded",
        "answers": options.answers.name,
        "answers_sha256": hashlib.sha256(options.answers.read_bytes()).hexdigest(),
        "columns": [f"{theirs}={ours}" for ours, theirs in sorted(options.columns.items())],
        "sheet": options.sheet,
        "by_order": options.by_order,
    }
    return Asking({"name": options.model or options.answers.stem}, way, ask)


def _with_numbers(file: Recorded, scores: Any) -> Recorded:
    fields = {name: values if name == "id" else scores(file, name) for name, values in file.fields.items()}
    return type(file)(file.path, fields, file.lines)
