"""Ways to answer questions: how likely each option is, what a model here or elsewhere replies, what a program says."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ..builder.problems import UsageError
from .journal import Record
from .selection import Selected
from .ways import Asking, Notice, Options, Share
from .ways_chat import chatting, serving
from .ways_pairs import block_of, loaded, one_line

if TYPE_CHECKING:
    from .answer.choice import Norm
    from .answer.prompts import Prompt


class Questions:
    """The rows as questions in the words of a prompt."""

    def __init__(self, selected: Selected, options: Options) -> None:
        from .answer.prompts import bundled_prompt, load_prompt

        language = str(selected.about["language"])
        path = options.prompt or selected.prompt
        self.prompt: Prompt = load_prompt(path) if path else bundled_prompt(language)
        self.ids = selected.ids
        names = ("context", "question", "ans0", "ans1", "ans2")
        self._columns = [selected.table.column(name).to_pylist() for name in names]

    def parts(self, number: int) -> tuple[str, str, list[str]]:
        """Context, question and options of a row."""
        context, question, *options = (column[number] for column in self._columns)
        return context, question, options

    def messages(self, number: int) -> list[dict[str, str]]:
        return self.prompt.messages(*self.parts(number))

    @property
    def settings(self) -> dict[str, Any]:
        return {**self.prompt.signature, "labels": list(self.prompt.labels)}


def choice(selected: Selected, options: Options, notice: Notice) -> Asking:
    """The likelihood of each option after the question; the likeliest is the answer, and a tie is none."""
    model, load = loaded(options, "choice", "causal")
    questions = Questions(selected, options)
    norm = cast("Norm", options.norm or "none")

    def ask(todo: Sequence[int], share: Share) -> Iterator[list[Record]]:
        from .answer import choice

        asked = []
        for number in range(len(questions.ids)):
            parts = questions.parts(number)
            asked.append((questions.prompt.before_option(*parts), parts[2]))
        found = choice.stream(
            model[0],
            asked,
            norm=norm,
            tokens=options.batch_tokens,
            block=block_of(model[0], len(asked)),
            todo=todo,
            part=share,
        )
        for chosen in found:
            yield [
                {"id": questions.ids[index], "scores": scores.tolist(), "answer": _likeliest(scores)}
                for index, scores in zip(chosen.indices.tolist(), chosen.scores, strict=True)
            ]

    way = {"way": "choice", "norm": norm, **questions.settings}
    return Asking({"name": options.model}, way, ask, load, shares=True)


def _likeliest(scores: Any) -> int | None:
    first, second = np.argsort(-scores, kind="stable")[:2]
    return None if scores[first] - scores[second] < 1e-6 else int(first)


def chat(selected: Selected, options: Options, notice: Notice) -> Asking:
    """A local model's reply, greedy or sampled."""
    questions = Questions(selected, options)
    return chatting(questions.ids, questions.messages, options, questions.settings)


def endpoint(selected: Selected, options: Options, notice: Notice) -> Asking:
    """The reply of an OpenAI-compatible server."""
    questions = Questions(selected, options)
    return serving(questions.ids, questions.messages, options, questions.settings, notice)


def command(selected: Selected, options: Options, notice: Notice) -> Asking:
    """What a program answers to a question a line: JSON, or the prompt as one line of text."""
    from .answer.command import Command, replies

    if options.command is None:
        raise UsageError("--way command: name the program with --command")
    questions = Questions(selected, options)
    form = options.lines or "json"
    program = Command(options.command, options.batch, options.timeout or 300.0)

    def line(number: int) -> str:
        messages = questions.messages(number)
        if form == "text":
            return one_line(" ".join(message["content"] for message in messages))
        context, question, texts = questions.parts(number)
        told = {"id": questions.ids[number], "context": context, "question": question, "options": texts}
        return json.dumps({**told, "messages": messages}, ensure_ascii=False)

    def ask(todo: Sequence[int], share: Share) -> Iterator[list[Record]]:
        for start, answers in replies(program, [line(number) for number in todo]):
            yield [
                {"id": questions.ids[todo[start + k]], "reply": _text(answer, form)} for k, answer in enumerate(answers)
            ]

    way = {"way": "command", "command": options.command, "lines": form, **questions.settings}
    return Asking({"name": options.model or program.arguments[0]}, way, ask)


def _text(answer: str, form: str) -> str:
    """A reply of several lines comes as one JSON string; anything else is the reply as it stands."""
    if form == "json" and answer[:1] == '"':
        with suppress(ValueError):
            found = json.loads(answer)
            if isinstance(found, str):
                return found
    return answer
