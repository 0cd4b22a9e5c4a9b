"""How a sentence is put to a model that chats and is to translate it, from a file people can write.

id: mine-1                  what the run's signature calls it
system: You translate ...   may be left out
user: |                     Jinja; both know text, and source and target, the languages' names in English
  Translate into {{ target }}: {{ text }}
"""

from __future__ import annotations

import hashlib
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import TemplateError
from pydantic import BaseModel, ConfigDict, field_validator

from .prompts import JINJA, Message, read_prompt
from .tongues import name_of

_TRY = {"text": "t", "source": "s", "target": "t"}


class TranslationPrompt(BaseModel):
    """A prompt file, checked: its templates render, and know nothing but what they are given."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    system: str = ""
    user: str

    @field_validator("user", "system")
    @classmethod
    def _renders(cls, text: str) -> str:
        try:
            JINJA.from_string(text).render(_TRY)
        except (TemplateError, TypeError, ValueError) as error:
            raise ValueError(f"its template fails: {error}") from None
        return text

    def messages(self, text: str, source: str, into: str) -> list[Message]:
        """The conversation that asks for one translation; languages by their codes."""
        given = {"text": text, "source": name_of(source), "target": name_of(into)}
        parts = [(role, str(template.render(given)).strip()) for role, template in self._compiled]
        return [{"role": role, "content": content} for role, content in parts if content]

    @cached_property
    def _compiled(self) -> list[tuple[str, Any]]:
        return [("system", JINJA.from_string(self.system)), ("user", JINJA.from_string(self.user))]

    @property
    def signature(self) -> dict[str, str]:
        """Its id, and 16 hex digits over all of it."""
        text = self.model_dump_json()
        return {"prompt": self.id, "prompt_sha256": hashlib.sha256(text.encode()).hexdigest()[:16]}


def translation_prompt(path: Path | None) -> TranslationPrompt:
    """The prompt of a file, or ours."""
    return read_prompt(path or Path(str(files(__package__) / "translation.yaml")), TranslationPrompt)
