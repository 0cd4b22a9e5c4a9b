"""Conversations, whatever the family that they ask for: with a local model that chats, or with a server."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ..builder.problems import UsageError
from .journal import Record
from .ways import Asking, Notice, Options, Share, item_seed
from .ways_pairs import loaded

MAX_TOKENS = 64
Messages = Callable[[int], list[dict[str, str]]]
"""Number of a row -> the conversation that asks for its answer."""


def chatting(ids: Sequence[str], messages: Messages, options: Options, settings: Mapping[str, Any]) -> Asking:
    """A local model's replies, greedy or sampled. `settings`: what the manifest says of the prompt."""
    model, load = loaded(options, "chat", "causal")
    if options.temperature == "server":
        raise UsageError("--temperature server is for --way endpoint; a local model is given a number")
    temperature, max_tokens = float(options.temperature), options.max_tokens or MAX_TOKENS

    def ask(todo: Sequence[int], share: Share) -> Iterator[list[Record]]:
        from .answer import chat

        found = chat.stream(
            model[0],
            [messages(number) for number in range(len(ids))],
            temperature=temperature,
            seeds=[item_seed(options.seed, id) for id in ids],
            max_tokens=max_tokens,
            tokens=options.batch_tokens,
            todo=todo,
            part=share,
        )
        for replied in found:
            yield [
                {"id": ids[index], "reply": text}
                for index, text in zip(replied.indices.tolist(), replied.texts, strict=True)
            ]

    way = {"way": "chat", "temperature": temperature, "max_tokens": max_tokens, **settings}
    return Asking({"name": options.model}, way, ask, load, shares=True)


def serving(
    ids: Sequence[str], messages: Messages, options: Options, settings: Mapping[str, Any], notice: Notice
) -> Asking:
    """The replies of an OpenAI-compatible server."""
    from .answer.endpoint import Ask, Endpoint, replies

    if options.url is None:
        raise UsageError("--way endpoint: name the server with --url, such as http://127.0.0.1:8000/v1")
    if options.model is None:
        raise UsageError(f"--url {options.url}: name the model with --model, as the server calls it")
    temperature = None if options.temperature == "server" else float(options.temperature)
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
                ids[number],
                messages(number),
                # greedy replies need no seed, and some servers refuse one
                item_seed(options.seed, ids[number]) if temperature else None,
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
        **settings,
    }
    return Asking({"name": options.model}, way, ask)
