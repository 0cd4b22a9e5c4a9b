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
from .ways import Asking, Notice, Options, Share, item_seed
from .ways_pairs import block_of, loaded, one_line

if TYPE_CHECKING:
    from .answer.choice import Norm
    from .answer.prompts import Prompt

MAX_TOKENS = 64


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
    model, load = loaded(options, "chat", "causal")
    questions = Questions(selected, options)
    if options.temperature == "server":
        raise UsageError("--temperature server is for --way endpoint; a local model is given a number")
    temperature, max_tokens = float(options.temperature), options.max_tokens or MAX_TOKENS

    def ask(todo: Sequence[int], share: Share) -> Iterator[list[Record]]:
        from .answer import chat

        found = chat.stream(
            model[0],
            [questions.messages(number) for number in range(len(questions.ids))],
            temperature=temperature,
            seeds=[item_seed(options.seed, id) for id in questions.ids],
            max_tokens=max_tokens,
            tokens=options.batch_tokens,
            todo=todo,
            part=share,
        )
        for replied in found:
            yield [
                {"id": questions.ids[index], "reply": text}
                for index, text in zip(replied.indices.tolist(), replied.texts, strict=True)
            ]

    way = {"way": "chat", "temperature": temperature, "max_tokens": max_tokens, **questions.settings}
    return Asking({"name": options.model}, way, ask, load, shares=True)


def endpoint(selected: Selected, options: Options, notice: Notice) -> Asking:
    """The reply of an OpenAI-compatible server."""
    from .answer.endpoint import Ask, Endpoint, replies

    if options.url is None:
        raise UsageError("--way endpoint: name the server with --url, such as http://127.0.0.1:8000/v1")
    if options.model is None:
        raise UsageError(f"--url {options.url}: name the model with --model, as the server calls it")
    temperature = None if options.temperature == "server" else float(options.temperature)
    questions = Questions(selected, options)
    server = Endpoint(
        options.url,
        options.model,
        temperature=temperature,
        max_tokens=options.max_tokens or MAX_TOKENS,
        concurrency=options.concurrency,
        timeout=options.timeout or 60.0,
        attempts=options.attempts,
        key_variable=options.key_variable,
    )

    def ask(todo: Sequence[int], share: Share) -> Iterator[list[Record]]:
        asked = (
            Ask(
                questions.ids[number],
                questions.messages(number),
                # greedy replies need no seed, and some servers refuse one
                item_seed(options.seed, questions.ids[number]) if temperature else None,
            )
            for number in todo
        )
        for reply in replies(server, asked, notice):
            record: dict[str, Any] = {"id": reply.key, "reply": reply.text}
            if reply.finish != "stop":
                record["finish"] = reply.finish
            if reply.model not in ("", server.model):
                record["model"] = reply.model
            yield [record]

    way = {
        "way": "endpoint",
        "url": options.url,
        "temperature": "server" if temperature is None else temperature,
        "max_tokens": server.max_tokens,
        **questions.settings,
    }
    return Asking({"name": options.model}, way, ask)


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
