"""Words that no dictionary knows. Names, groups, occupations and the like count as known, and so do an author's own
words (`words.txt` beside the templates); predicates and wordings of the unknown answer are spelled as texts are.
"""

from __future__ import annotations

import re
import time
import unicodedata
from collections.abc import Callable, Container, Iterator
from dataclasses import replace

from ..problems import Place, Problem
from ..sources import read_words
from . import dictionaries
from .draft import warning
from .said import BETWEEN_WORDS
from .thorough import Reading

SENTENCES = frozenset({"predicates", "unknown"})  # kinds of lexicon whose forms are spelled
MOST_A_DATASET = 200
SECONDS = 60.0  # a dictionary of a language with very many endings is slow
_BETWEEN = re.compile(BETWEEN_WORDS.replace(r"\p{L}\p{M}\p{N}", r"\w"))


def spelling(reading: Reading) -> Iterator[Problem]:
    """A word that neither the dictionary nor a list of names, nor the dataset's `words.txt`, knows."""
    used: set[str] = set().union(*reading.said.words.values())
    listed, problems = read_words(reading.sources.folder)
    yield from problems
    yield from _idle(listed, used)
    speller, why = _speller(reading)
    if speller is None:
        reading.skipped.add("spelling")
        yield why
        return
    known = {key(word) for word in listed} | _lexicon_words(reading)
    asked = sorted(word for word in used if not _plain(word, known))
    wrong: set[str] = set()
    end = time.monotonic() + SECONDS
    for number, word in enumerate(asked):
        if number % 100 == 0:
            reading.progress(f"spelling by {speller.name}", number, len(asked))
        if time.monotonic() > end:
            message = f"spelling of {number:,} of {len(asked):,} words was checked in {SECONDS:g} s"
            mend = f"the dictionary {speller.name} has very many endings; read the others yourself"
            yield replace(why, code="slow-dictionary", message=message, mend=mend)
            reading.skipped.add("spelling")
            break
        if not speller.knows(word.replace("’", "'")):
            wrong.add(word)
    right = {key(word) for word in used} - {key(word) for word in wrong}
    told: set[tuple[str, Place]] = set()
    for plan in reading.plans:
        for word in sorted(wrong & reading.said.words.get(plan.written.model.id, set())):
            place = reading.place(plan, word)
            if (key(word), place) in told or len(told) == MOST_A_DATASET:
                continue
            told.add((key(word), place))
            message = f"{word!r} is not in the dictionary {speller.name}"
            near = next(nearest(word.casefold(), lambda w: w in right or w in known or w in speller.stems), "")
            mend = f"did you mean {near!r}? A word that is right goes into words.txt"
            yield warning(place, "spelling", message, mend if near else "a word that is right goes into words.txt")


def _idle(listed: dict[str, Place], used: set[str]) -> Iterator[Problem]:
    keys = {key(word) for word in used}
    for word, place in listed.items():
        if key(word) not in keys:
            yield warning(place, "spelling", f"no text has the word {word!r}", "take it out of words.txt")


def _speller(reading: Reading) -> tuple[dictionaries.Speller | None, Problem]:
    code = reading.sources.dataset.model.language
    place = reading.sources.dataset.place("language")
    note = Problem(place, "no-dictionary", "", severity="note")
    if not dictionaries.installed():
        message, mend = "spelling is not checked: spylls is not installed", "pip install 'contrapar[thorough]'"
        return None, replace(note, message=message, mend=mend)
    path = dictionaries.find(code)
    if path is None:
        message = f"spelling is not checked: there is no Hunspell dictionary for {code!r}"
        mend = f"install one (Debian: hunspell-{code.partition('-')[0]}), or name its folder in {dictionaries.OURS}"
        return None, replace(note, message=message, mend=mend)
    reading.progress(f"reading the dictionary {path.stem}", 0, 1)
    try:
        return dictionaries.load(path), note
    except ValueError as error:
        message = f"spelling is not checked: a dictionary cannot be read: {error}"
        return None, replace(note, message=message, mend=f"name another folder in {dictionaries.OURS}")


def _lexicon_words(reading: Reading) -> set[str]:
    """The words of what is listed as a name of something; retired entries have theirs too."""
    said = (
        text
        for lexicons in (reading.sources.own, reading.sources.bundled)
        for kind, lexicon in lexicons.items()
        if kind not in SENTENCES
        for entry in lexicon.entries.values()
        for text in (*entry.form.values(), str(getattr(entry, "text", "")))
    )
    return {key(word) for text in said for word in _BETWEEN.split(text)}


def key(word: str) -> str:
    """A word without regard to case and to the form of its apostrophes."""
    return unicodedata.normalize("NFC", word).casefold().replace("’", "'").strip("'-")


def _plain(word: str, known: Container[str]) -> bool:
    """Whether nothing is asked of it: a number, one letter, or known words with hyphens between them."""
    if len(word) < 2 or any(letter.isdigit() for letter in word):
        return True
    return key(word) in known or ("-" in word and all(part in known for part in key(word).split("-")))


def nearest(word: str, known: Callable[[str], bool]) -> Iterator[str]:
    """Known words one step away: another accent first, then two letters exchanged, one left out, other or added."""
    letters = "abcdefghijklmnopqrstuvwxyzáàâäéèêëíìîïóòôöúùûüñçœ"
    for make in (_accents, _exchanged, _shorter, _other, _longer):
        yield from (near for near in make(word, letters) if near != word and known(near))


def _accents(word: str, letters: str) -> Iterator[str]:
    return (near for near in _other(word, letters) if _stripped(near) == _stripped(word))


def _stripped(word: str) -> str:
    return "".join(letter for letter in unicodedata.normalize("NFD", word) if not unicodedata.combining(letter))


def _exchanged(word: str, letters: str) -> Iterator[str]:
    return (f"{word[:n]}{word[n + 1]}{word[n]}{word[n + 2 :]}" for n in range(len(word) - 1))


def _shorter(word: str, letters: str) -> Iterator[str]:
    return (word[:n] + word[n + 1 :] for n in range(len(word)))


def _other(word: str, letters: str) -> Iterator[str]:
    return (word[:n] + letter + word[n + 1 :] for n in range(len(word)) for letter in letters)


def _longer(word: str, letters: str) -> Iterator[str]:
    return (word[:n] + letter + word[n:] for n in range(len(word) + 1) for letter in letters)
