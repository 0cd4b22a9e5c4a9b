"""A tagger's word on the gender of a noun, where glossary and determiner are silent: the one door to spaCy."""

from __future__ import annotations

import warnings
from functools import lru_cache
from importlib import import_module
from typing import Any

from ..builder.problems import UsageError
from .gender import Gender, Tagger

_GENDERS: dict[str, Gender] = {"Masc": "masculine", "Fem": "feminine"}


@lru_cache(maxsize=4)
def tagger(name: str) -> tuple[Tagger, str]:
    """What tells the gender at a place of a text, and the model with its version. UsageError where there is none."""
    try:
        spacy: Any = import_module("spacy")
    except ImportError:
        raise UsageError(f"--tagger {name}: spaCy is not installed; pip install 'contrapar[tagger]'") from None
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=r"\[W095\]")  # a model of an older spaCy
            model = spacy.load(name, exclude=["ner", "lemmatizer"])
    except (OSError, ValueError) as error:
        raise UsageError(f"--tagger {name}: cannot be loaded: {str(error).splitlines()[0]}") from None

    def told(text: str, start: int) -> Gender:
        """Of the word that begins there, or else of its determiner or adjectives."""
        span = model(text).char_span(start, start + 1, alignment_mode="expand")
        if not span:
            return "missing"
        word = span[0]
        for token in (word, *(child for child in word.children if child.dep_ in ("det", "amod"))):
            for gender in token.morph.get("Gender"):
                return _GENDERS.get(gender, "missing")
        return "missing"

    return told, f"{name} {model.meta.get('version', '')}".strip()
