"""A program that is given a question a line and writes a reply a line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from ..builder.problems import UsageError
from .journal import Record
from .ways import Asking, Options, Share
from .ways_pairs import one_line


def commanding(
    ids: Sequence[str],
    messages: Callable[[int], list[dict[str, str]]],
    told: Callable[[int], Mapping[str, Any]],
    options: Options,
    settings: Mapping[str, Any],
) -> Asking:
    """Replies of a program: to JSON with the id, what is `told` of a row and its messages, or to the prompt as text."""
    from .answer.command import Command, replies

    if options.command is None:
        raise UsageError("--way command: name the program with --command")
    form = options.lines or "json"
    program = Command(options.command, options.batch, options.timeout or 300.0)

    def line(number: int) -> str:
        asked = messages(number)
        if form == "text":
            return one_line(" ".join(message["content"] for message in asked))
        return json.dumps({"id": ids[number], **told(number), "messages": asked}, ensure_ascii=False)

    def ask(todo: Sequence[int], share: Share) -> Iterator[list[Record]]:
        for start, answers in replies(program, [line(number) for number in todo]):
            yield [{"id": ids[todo[start + k]], "reply": _text(answer, form)} for k, answer in enumerate(answers)]

    way = {"way": "command", "command": options.command, "lines": form, **settings}
    return Asking({"name": options.model or program.arguments[0]}, way, ask)


def _text(answer: str, form: str) -> str:
    """A reply of several lines comes as one JSON string; anything else is the reply as it stands."""
    if form == "json" and answer[:1] == '"':
        with suppress(ValueError):
            found = json.loads(answer)
            if isinstance(found, str):
                return found
    return answer
