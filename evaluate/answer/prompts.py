"""How a question is put to a model that chats: a system message and a user message, from a file people can write.

id: mine-1                       what the run's signature calls it
language: es
labels: ["0", "1", "2"]          what the options are called; read back by `evaluate/parse.py`
system: You pick an answer...    may be left out
user: |                          Jinja; knows context, question, options (texts in order) and labels
  ##context
  {{ context }}
  ...
completion: "{{ context }} ..."  the text that an option is to follow, for models that do not chat
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

import yaml
from jinja2 import StrictUndefined, TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment
from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from ...builder.problems import Place, Problem, SourceFaults, UsageError

Message = dict[str, str]
Model = TypeVar("Model", bound=BaseModel)

JINJA = ImmutableSandboxedEnvironment(
    undefined=StrictUndefined, autoescape=False, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=False
)
_TRY = {"context": "c", "question": "q", "options": ["a", "b", "c"], "labels": ["0", "1", "2"]}


class Prompt(BaseModel):
    """A prompt file, checked: its templates render, and know nothing but what they are given."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    language: str
    labels: tuple[str, str, str] = ("0", "1", "2")
    system: str = ""
    user: str
    completion: str = "{{ context }} {{ question }}"

    @field_validator("user", "completion")
    @classmethod
    def _renders(cls, text: str) -> str:
        try:
            JINJA.from_string(text).render(_TRY)
        except (TemplateError, TypeError, ValueError) as error:
            raise ValueError(f"its template fails: {error}") from None
        return text

    @field_validator("labels")
    @classmethod
    def _differ(cls, labels: tuple[str, str, str]) -> tuple[str, str, str]:
        if len(set(labels)) < 3:
            raise ValueError("labels differ from each other")
        return labels

    def messages(self, context: str, question: str, options: Sequence[str]) -> list[Message]:
        """The conversation that asks one question; options in the order of the row."""
        user = self._render(self._user, context, question, options)
        system = [{"role": "system", "content": self.system.strip()}] if self.system.strip() else []
        return [*system, {"role": "user", "content": user}]

    def before_option(self, context: str, question: str, options: Sequence[str]) -> str:
        """The text that an option's text is to follow, without a space at its end."""
        return self._render(self._completion, context, question, options)

    @property
    def signature(self) -> dict[str, str]:
        """Its id, and 16 hex digits over all of it."""
        text = self.model_dump_json()
        return {"prompt": self.id, "prompt_sha256": hashlib.sha256(text.encode()).hexdigest()[:16]}

    @cached_property
    def _user(self) -> Any:
        return JINJA.from_string(self.user)

    @cached_property
    def _completion(self) -> Any:
        return JINJA.from_string(self.completion)

    def _render(self, template: Any, context: str, question: str, options: Sequence[str]) -> str:
        given = {"context": context, "question": question, "options": list(options), "labels": self.labels}
        return str(template.render(given)).strip()


def load_prompt(path: Path) -> Prompt:
    """A prompt file of a question with three options. SourceFaults with the field where it is wrong."""
    return read_prompt(path, Prompt)


def read_prompt(path: Path, model: type[Model]) -> Model:
    """A prompt file of any kind. SourceFaults with the place of a fault; every scalar is text (`no` stays no)."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        found = yaml.load(text, Loader=yaml.BaseLoader)
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read: {error}") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = Place(str(path), mark.line + 1 if mark else 0, mark.column + 1 if mark else 0)
        raise SourceFaults([Problem(place, "yaml", str(error.problem))]) from None
    if not isinstance(found, dict):
        raise SourceFaults([Problem(Place(str(path)), "prompt", "is no mapping", "write id, language and user")])
    try:
        return model.model_validate(found)
    except ValidationError as error:
        raise SourceFaults(
            Problem(Place(str(path), field=str(fault["loc"][0]) if fault["loc"] else ""), "prompt", fault["msg"])
            for fault in error.errors()
        ) from None


def bundled_prompt(language: str) -> Prompt:
    """Our own wording of the published protocol in a language; English where there is none in it."""
    folder = files(__package__)
    known = {"en", "es"}
    code = language.split("-")[0].lower()
    with_code = f"prompt.{code if code in known else 'en'}.yaml"
    return load_prompt(Path(str(folder / with_code)))
