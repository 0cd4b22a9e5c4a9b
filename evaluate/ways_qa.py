"""Ways to answer questions: how likely each option is, what a model here or elsewhere replies, what a program says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from .selection import Selected
from .ways import Asking, Notice, Options
from .ways_chat import chatting, serving
from .ways_choice import SAME, choosing
from .ways_command import commanding

if TYPE_CHECKING:
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

    def before_options(self, number: int) -> tuple[str, list[str]]:
        """The text that an option is to follow, and the options."""
        parts = self.parts(number)
        return self.prompt.before_option(*parts), parts[2]

    def told(self, number: int) -> dict[str, Any]:
        """A row as a program is told it."""
        return dict(zip(("context", "question", "options"), self.parts(number), strict=True))

    @property
    def settings(self) -> dict[str, Any]:
        return {**self.prompt.signature, "labels": list(self.prompt.labels)}


def choice(selected: Selected, options: Options, notice: Notice) -> Asking:
    """The likelihood of each option after the question; the likeliest is the answer, and a tie is none."""
    questions = Questions(selected, options)

    def likeliest(number: int, scores: Any) -> int | None:
        first, second = np.argsort(-scores, kind="stable")[:2]
        return None if scores[first] - scores[second] < SAME else int(first)

    return choosing(questions.ids, questions.before_options, likeliest, options, questions.settings)


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
    questions = Questions(selected, options)
    return commanding(questions.ids, questions.messages, questions.told, options, questions.settings)
