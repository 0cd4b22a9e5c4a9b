"""Ways to translate: a local translator, a model that chats here or elsewhere, a program, translations made before."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..builder.problems import UsageError
from . import ways_given
from .glossary import FILE, as_file, glossary
from .journal import Record
from .selection import Selected
from .ways import Asking, Notice, Options, Share
from .ways_chat import chatting, serving
from .ways_pairs import one_line

if TYPE_CHECKING:
    from .answer.translate import Translator

MAX_TOKENS = 256


class Sentences:
    """The rows as sentences, the language that they go into, and the glossary in it."""

    def __init__(self, selected: Selected, options: Options) -> None:
        self.ids = selected.ids
        self.texts: list[str] = selected.table.column("text").to_pylist()
        self.source = str(selected.about["language"])
        self.into = options.into or _language_of_references(selected)
        words = glossary(selected, self.into, options.glossary)
        self.files = {FILE: as_file(words)} if words else {}
        self.settings: dict[str, Any] = {"into": self.into}
        if words:
            self.settings["glossary_sha256"] = hashlib.sha256(self.files[FILE]).hexdigest()
            if options.tagger:
                from .tagging import tagger

                self.settings["tagger"] = tagger(options.tagger)[1]


def _language_of_references(selected: Selected) -> str:
    languages = sorted(set(selected.table.column("reference_language").to_pylist()) - {""})
    if len(languages) != 1:
        found = f"references are in {', '.join(languages)}" if languages else "its rows have no references"
        raise UsageError(f"--into: say which language to translate into, such as --into es; {found}")
    return str(languages[0])


def translate(selected: Selected, options: Options, notice: Notice) -> Asking:
    """A local encoder-decoder model, by beam search."""
    sentences = Sentences(selected, options)
    name = options.model
    if name is None:
        raise UsageError("--way translate: name the model with --model")
    held: list[Translator] = []

    def load() -> dict[str, Any]:
        from .answer import translate

        model = translate.load(
            name,
            sentences.source,
            sentences.into,
            revision=options.revision,
            device=options.device,
            dtype=options.dtype,
            trust_remote_code=options.trust_remote_code,
        )
        held.append(model)
        return {key: value for key, value in model.signature.items() if key != "model"}

    def ask(todo: Sequence[int], share: Share) -> Iterator[list[Record]]:
        from .answer import translate

        found = translate.stream(
            held[0],
            sentences.texts,
            beams=options.beams,
            max_tokens=options.max_tokens or MAX_TOKENS,
            tokens=options.batch_tokens,
            todo=todo,
            part=share,
        )
        for made in found:
            yield [
                {"id": sentences.ids[index], "reply": text}
                for index, text in zip(made.indices.tolist(), made.texts, strict=True)
            ]

    way = {"way": "translate", "beams": options.beams, "max_tokens": options.max_tokens or MAX_TOKENS}
    return Asking({"name": name}, way | sentences.settings, ask, load, sentences.files, shares=True)


def _asked(selected: Selected, options: Options) -> tuple[Sentences, Callable[[int], list[dict[str, str]]], Any]:
    """The sentences, the conversation that asks for each translation, and what the manifest says of the prompt."""
    from .answer.translation_prompt import translation_prompt

    sentences = Sentences(selected, options)
    prompt = translation_prompt(options.prompt or selected.prompt)

    def messages(number: int) -> list[dict[str, str]]:
        return prompt.messages(sentences.texts[number], sentences.source, sentences.into)

    return sentences, messages, prompt.signature


def chat(selected: Selected, options: Options, notice: Notice) -> Asking:
    """A local model that chats; its reply is the translation."""
    sentences, messages, signature = _asked(selected, options)
    options = replace(options, max_tokens=options.max_tokens or MAX_TOKENS)
    asking = chatting(sentences.ids, messages, options, signature)
    return replace(asking, way=asking.way | sentences.settings, files=sentences.files)


def endpoint(selected: Selected, options: Options, notice: Notice) -> Asking:
    """An OpenAI-compatible server; its reply is the translation."""
    sentences, messages, signature = _asked(selected, options)
    options = replace(options, max_tokens=options.max_tokens or MAX_TOKENS)
    asking = serving(sentences.ids, messages, options, signature, notice)
    return replace(asking, way=asking.way | sentences.settings, files=sentences.files)


def command(selected: Selected, options: Options, notice: Notice) -> Asking:
    """A program that reads a sentence a line and writes a translation a line, `apertium -f line -u eu-es` for one."""
    from .answer.command import Command, replies

    if options.command is None:
        raise UsageError("--way command: name the program with --command")
    sentences = Sentences(selected, options)
    form = options.lines or "text"
    program = Command(options.command, options.batch, options.timeout or 300.0)

    def line(number: int) -> str:
        text = one_line(sentences.texts[number])
        if form == "text":
            return text
        told = {"id": sentences.ids[number], "text": text, "source": sentences.source, "into": sentences.into}
        return json.dumps(told, ensure_ascii=False)

    def ask(todo: Sequence[int], share: Share) -> Iterator[list[Record]]:
        for start, answers in replies(program, [line(number) for number in todo]):
            yield [{"id": sentences.ids[todo[start + k]], "reply": answer.strip()} for k, answer in enumerate(answers)]

    way = {"way": "command", "command": options.command, "lines": form}
    name = options.model or program.arguments[0]
    return Asking({"name": name}, way | sentences.settings, ask, files=sentences.files)


def recorded(selected: Selected, options: Options, notice: Notice) -> Asking:
    """Translations made elsewhere, from a file."""
    sentences = Sentences(selected, options)
    asking = ways_given.recorded_replies(selected, options, notice)
    return replace(asking, way=asking.way | sentences.settings, files=sentences.files)
