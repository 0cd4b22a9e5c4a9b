"""Ways to answer questions on the words of a country: yes or no, or a set of words."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .metrics.jaccard import usual_size
from .selection import Selected
from .ways import Asking, Notice, Options
from .ways_chat import chatting, serving
from .ways_choice import SAME, choosing
from .ways_command import commanding

if TYPE_CHECKING:
    from .answer.lexical_prompt import LexicalPrompt

MAX_TOKENS = 128  # twenty numbers with signs between them are more than one would think
_COLUMNS = ("format", "question", "options")


class Questions:
    """The rows as questions in the words of a prompt."""

    def __init__(self, selected: Selected, options: Options) -> None:
        from .answer.lexical_prompt import lexical_prompt

        self.prompt: LexicalPrompt = lexical_prompt(options.prompt or selected.prompt, str(selected.about["language"]))
        self.ids = selected.ids
        self._columns = [selected.table.column(name).to_pylist() for name in _COLUMNS]

    def parts(self, number: int) -> tuple[str, str, list[str]]:
        """Format, question and options of a row."""
        format, question, options = (column[number] for column in self._columns)
        return format, question, options

    def messages(self, number: int) -> list[dict[str, str]]:
        return self.prompt.messages(*self.parts(number))

    def before_options(self, number: int) -> tuple[str, list[str]]:
        """The text that an option is to follow, and the options."""
        _, question, options = self.parts(number)
        return self.prompt.before_option(question, options), options

    def told(self, number: int) -> dict[str, Any]:
        """A row as a program is told it."""
        return dict(zip(_COLUMNS, self.parts(number), strict=True))

    def likeliest(self, number: int, scores: Any) -> list[int] | None:
        """The likelier of yes and no; of a choice as many options as are right as a rule. None where these tie."""
        format, _, options = self.parts(number)
        size = 1 if format == "yes_no" else usual_size(len(options))
        order = np.argsort(-scores, kind="stable")
        if size < len(order) and scores[order[size - 1]] - scores[order[size]] < SAME:
            return None
        return sorted(order[:size].tolist())

    @property
    def settings(self) -> dict[str, str]:
        return self.prompt.signature


def _roomy(options: Options) -> Options:
    return replace(options, max_tokens=options.max_tokens or MAX_TOKENS)


def choice(selected: Selected, options: Options, notice: Notice) -> Asking:
    """The likelihood of each option after the question; see Questions.likeliest."""
    questions = Questions(selected, options)
    return choosing(questions.ids, questions.before_options, questions.likeliest, options, questions.settings)


def chat(selected: Selected, options: Options, notice: Notice) -> Asking:
    """A local model's reply, greedy or sampled."""
    questions = Questions(selected, options)
    return chatting(questions.ids, questions.messages, _roomy(options), questions.settings)


def endpoint(selected: Selected, options: Options, notice: Notice) -> Asking:
    """The reply of an OpenAI-compatible server."""
    questions = Questions(selected, options)
    return serving(questions.ids, questions.messages, _roomy(options), questions.settings, notice)


def command(selected: Selected, options: Options, notice: Notice) -> Asking:
    """What a program replies to a question a line: JSON, or the prompt as one line of text."""
    questions = Questions(selected, options)
    return commanding(questions.ids, questions.messages, questions.told, options, questions.settings)
