"""How a question on words is put to a model, from a file people can write.

id: mine-1             what the run's signature calls it
language: es
system: You answer...  may be left out
yes_no: |              Jinja; knows question and options (texts in order), as all of these do
  {{ question }}
  Answer only with {{ options[0] }} or {{ options[1] }}.
choice: |              numbers its options from 1, and asks for numbers joined by "/"
  {{ question }}
  {% for option in options %}
  {{ loop.index }} {{ option }}
  {% endfor %}
  ...
completion: "{{ question }} Answer:"    the text that an option is to follow, for models that do not chat
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import TemplateError
from pydantic import BaseModel, ConfigDict, field_validator

from .prompts import JINJA, Message, read_prompt

_TEXTS = ("yes_no", "choice", "completion")
_TRY = {"question": "q", "options": ["a", "b"]}


class LexicalPrompt(BaseModel):
    """A prompt file, checked: its templates render, and know nothing but what they are given."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    language: str
    system: str = ""
    yes_no: str
    choice: str
    completion: str = "{{ question }}"

    @field_validator(*_TEXTS)
    @classmethod
    def _renders(cls, text: str) -> str:
        try:
            JINJA.from_string(text).render(_TRY)
        except (TemplateError, TypeError, ValueError) as error:
            raise ValueError(f"its template fails: {error}") from None
        return text

    def messages(self, format: str, question: str, options: Sequence[str]) -> list[Message]:
        """The conversation that asks one question, of format "yes_no" or "choice"; options in the order of the row."""
        system = [{"role": "system", "content": self.system.strip()}] if self.system.strip() else []
        return [*system, {"role": "user", "content": self._render(format, question, options)}]

    def before_option(self, question: str, options: Sequence[str]) -> str:
        """The text that an option's text is to follow, without a space at its end."""
        return self._render("completion", question, options)

    @property
    def signature(self) -> dict[str, str]:
        """Its id, and 16 hex digits over all of it."""
        text = self.model_dump_json()
        return {"prompt": self.id, "prompt_sha256": hashlib.sha256(text.encode()).hexdigest()[:16]}

    @cached_property
    def _compiled(self) -> Mapping[str, Any]:
        return {name: JINJA.from_string(getattr(self, name)) for name in _TEXTS}

    def _render(self, name: str, question: str, options: Sequence[str]) -> str:
        return str(self._compiled[name].render(question=question, options=list(options))).strip()


def lexical_prompt(path: Path | None, language: str) -> LexicalPrompt:
    """The prompt in a file; without one, ours in a language, or in English where there is none in it."""
    if path is None:
        own = Path(str(files(__package__) / f"lexical.{language.split('-')[0].lower()}.yaml"))
        path = own if own.is_file() else own.with_name("lexical.en.yaml")
    return read_prompt(path, LexicalPrompt)
