"""Which forms of a lexicon the templates of a language use already, so that its table begins with them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from .families import TEMPLATE_MODELS
from .problems import ContraparError
from .schema import KINDS
from .sources import read_sources

_EXPRESSION = re.compile(r"\{[{%](.*?)[}%]\}", re.DOTALL)
_WORD = re.compile(r"(?<![\w.])([a-z]\w*)((?:\.[a-z]\w*)*)")
_NO_NAME = re.compile(r"\|\s*\w+|\"[^\"]*\"|'[^']*'")
_JINJA = {"if", "elif", "else", "endif", "and", "or", "not", "in", "is"}


def forms_used(root: Path, language: str, kind: str) -> list[str]:
    """The forms ('' is the bare one) by which templates below a folder name entries of the kind, in order."""
    forms: set[str] = set()
    for path in root.glob("templates/*/dataset.yaml"):
        try:
            sources = read_sources(str(path.parent), TEMPLATE_MODELS)
        except ContraparError:  # its faults are for `check` to tell
            continue
        if sources.dataset.model.language != language:
            continue
        for written in sources.templates:
            slots = {name for name, slot in written.model.slots.items() if kind in slot.kinds}
            # a name that is no slot, such as `first` or `who`, may show the entries of any
            others = set(written.model.slots) - slots
            if slots:
                forms |= {form for name, form in _named(written.model.model_dump()) if name not in others}
    return sorted(forms - set(KINDS[kind].model_fields))


def _named(value: object) -> Iterator[tuple[str, str]]:
    """`slot` and `form` of every expression in the texts of a template."""
    if isinstance(value, dict):
        for inner in value.values():
            yield from _named(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _named(inner)
    elif isinstance(value, str):
        for expression in _EXPRESSION.findall(value):
            for name, form in _WORD.findall(_NO_NAME.sub("", expression)):
                if name not in _JINJA:
                    yield name, form.removeprefix(".")
