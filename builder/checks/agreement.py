"""Agreement of article, noun and adjective by a tagger: the one door to spaCy here. A tagger errs, so this is doubt."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module, util
from typing import Any

from ..problems import Place, Problem
from .said import sentences
from .thorough import Reading

MODELS = {"es": ("es_core_news_sm", "es_core_news_md"), "fr": ("fr_core_news_sm", "fr_core_news_md")}
FEATURES = ("Gender", "Number")
MOST_A_DATASET = 100


@dataclass(frozen=True)
class Doubt:
    """Two words that belong together and that a tagger takes for different genders or numbers."""

    noun: str
    word: str
    feature: str
    noun_is: str
    word_is: str


def agreement(reading: Reading) -> Iterator[Problem]:
    """An article or adjective that a tagger takes for another gender or number than its noun; a doubt, no verdict."""
    base = reading.sources.dataset.model.language.split("-")[0]
    if base not in MODELS:
        return
    model = tagger(base)
    if model is None:
        reading.skipped.add("agreement")
        place = reading.sources.dataset.place("language")
        message = f"agreement is not checked: there is no spaCy model for {base!r}"
        yield Problem(place, "no-tagger", message, f"install spaCy and {MODELS[base][0]}", "note")
        return
    known: dict[str, Place] = {}
    plans = {plan.written.model.id: plan for plan in reading.plans}
    for number, (template, columns) in enumerate(sorted(reading.said.sample.items())):
        reading.progress("agreement", number, len(reading.said.sample))
        said = dict.fromkeys(sentence for texts in columns.values() for text in texts for sentence in sentences(text))
        for document in model.pipe(said):
            for doubt in doubts(document):
                what = f"{doubt.word} {doubt.noun}".casefold()
                if what not in known and len(known) < MOST_A_DATASET:
                    known[what] = reading.origin(plans[template], document.text)
                    message = (
                        f"doubtful: {doubt.word!r} looks {doubt.word_is}, {doubt.noun!r} {doubt.noun_is}"
                        f" ({document.text!r})"
                    )
                    yield Problem(known[what], "agreement", message, "look whether they agree", "note")


def doubts(document: Iterable[Any]) -> Iterator[Doubt]:
    """Of a tagged sentence: nouns with an article or adjective of another gender or number."""
    for word in document:
        noun = word.head
        if word.pos_ not in ("DET", "ADJ") or word.dep_ not in ("det", "amod") or noun.pos_ != "NOUN":
            continue
        if abs(word.i - noun.i) > (2 if word.i < noun.i else 1):  # "un chico de familia adinerada"
            continue
        for feature in FEATURES:
            theirs, own = word.morph.get(feature), noun.morph.get(feature)
            if theirs and own and not set(theirs) & set(own) and not _stressed(word.text, noun.text, feature):
                yield Doubt(noun.text, word.text, feature, _called(own[0]), _called(theirs[0]))


def _stressed(article: str, noun: str, feature: str) -> bool:
    """'el agua', 'un alma': feminine nouns in stressed a, which another rule looks at."""
    return feature == "Gender" and article.casefold() in ("el", "un") and noun.casefold()[:2] in (
        "ag", "al", "ar", "as", "au", "ha", "ác", "ág", "ál", "án", "ár", "ár", "ás", "áu",
    )  # fmt: skip


def _called(value: str) -> str:
    return {"Masc": "masculine", "Fem": "feminine", "Sing": "singular", "Plur": "plural"}.get(value, value)


@lru_cache(maxsize=2)
def tagger(base: str) -> Any:
    """The first model for a language that loads, or None."""
    if util.find_spec("spacy") is None:
        return None
    spacy: Any = import_module("spacy")
    for name in MODELS[base]:
        try:
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", message=r"\[W095\]")  # a model of an older spaCy
                return spacy.load(name, exclude=["ner", "lemmatizer"])
        except (OSError, ValueError):
            continue
    return None
