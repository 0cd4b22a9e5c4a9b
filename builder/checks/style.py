"""How texts read: sentences too long, templates too alike, evidence that says the question's own words."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import combinations
from typing import Any

from ..problems import Problem
from ..render import Text
from .draft import warning
from .text import normalised
from .thorough import Reading

LONGEST = 45  # words a sentence
RUN = 3  # words in a row that two texts are compared by
ALIKE = 0.5  # of the runs of both texts, those that are in both
LEAST_WORDS = 8  # of a text that is compared with others
MOST_SHARED = 50  # texts with one run: beyond that it is the dataset's frame and tells nothing
GAP = "_"  # stands for what a slot shows, or for a name


def long_sentence(reading: Reading) -> Iterator[Problem]:
    """A sentence of more than 45 words."""
    plans = {plan.written.model.id: plan for plan in reading.plans}
    told: set[Any] = set()
    for (template, _), (words, sentence) in reading.said.longest.items():
        if words > LONGEST:
            place = reading.origin(plans[template], sentence)
            if place not in told:
                told.add(place)
                message = f"a sentence of {words} words: {sentence!r}"
                yield warning(place, "long-sentence", message, f"cut it in two: more than {LONGEST} are hard to hold")


def same_but_name(reading: Reading) -> Iterator[Problem]:
    """Two templates whose context, evidence or sentence differs in a name only."""
    seen: dict[tuple[str, str], Any] = {}
    for plan, location, text in _told(reading):
        words = _named(text.source)
        if sum(word != GAP for word in words) < LEAST_WORDS:
            continue
        before = seen.setdefault((location[0], " ".join(words)), plan)
        if before is not plan:
            message = f"{location[0]} is that of {before.written.model.id!r} but for a name"
            place = plan.written.place(*location)
            yield warning(place, "same-but-name", message, "write another scene, or make the name a slot")


def alike_templates(reading: Reading) -> Iterator[Problem]:
    """Two templates whose context, evidence or sentence differs in few words."""
    told = [(plan, location, _gapped(text.source)) for plan, location, text in _told(reading)]
    told = [one for one in told if sum(word != GAP for word in one[2]) >= LEAST_WORDS]
    runs = [{tuple(words[n : n + RUN]) for n in range(len(words) - RUN + 1)} for _, _, words in told]
    holding: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, found in enumerate(runs):
        for run in found:
            holding[run].append(number)
    shared: Counter[tuple[int, int]] = Counter()
    for numbers in holding.values():
        if len(numbers) <= MOST_SHARED:
            shared.update(combinations(numbers, 2))
    for (one, other), count in sorted(shared.items()):
        (plan, location, words), (later, where, others) = told[one], told[other]
        of = len(runs[one] | runs[other])
        if plan is later or location[0] != where[0] or count < ALIKE * of or _same_named(plan, later, location):
            continue
        differing = sum((Counter(words) - Counter(others)).values()), sum((Counter(others) - Counter(words)).values())
        message = f"{where[0]} shares {count} of {of} runs of {RUN} words with that of {plan.written.model.id!r}"
        message += f"; {max(differing)} words differ"
        yield warning(later.written.place(*where), "alike-templates", message, "tell another scene, or make it a slot")


def repeated_question(reading: Reading) -> Iterator[Problem]:
    """The evidence says the very words that one question asks about and the other does not."""
    for plan in reading.plans:
        evidence = plan.texts.get(("evidence",))
        questions = {name: plan.texts.get(("questions", name)) for name in ("negative", "nonnegative")}
        if not evidence or not all(questions.values()):
            continue
        said = set(normalised(_open(evidence.source)).split())
        words = {name: set(normalised(_open(text.source)).split()) for name, text in questions.items() if text}
        for name, others in (("negative", "nonnegative"), ("nonnegative", "negative")):
            asked = {word for word in words[name] - words[others] if len(word) > 2}
            if asked and asked <= said:
                shown = ", ".join(repr(word) for word in sorted(asked))
                message = f"the evidence repeats what the {name} question asks: {shown}"
                place = plan.written.place("evidence")
                yield warning(place, "repeated-question", message, "let it show what happened in other words")


def _told(reading: Reading) -> Iterator[tuple[Any, tuple[str, ...], Text]]:
    """The texts that tell a scene: neither questions nor answers."""
    for plan in reading.plans:
        for location, text in plan.texts.items():
            if location[0] not in ("questions", "question", "answer", "answers"):
                yield plan, location, text


def _open(source: str) -> str:
    """A text with a gap for each slot; what a condition chooses from is all there."""
    return re.sub(r"\{%.*?%\}", " ", re.sub(r"\{\{.*?\}\}", f" {GAP} ", source, flags=re.S), flags=re.S)


def _gapped(source: str) -> list[str]:
    return [word if word.strip(GAP) else GAP for word in normalised(_open(source).replace(GAP, "Gap")).split()]


def _named(source: str) -> list[str]:
    """The words of a text with a gap for each slot and for each word with a capital inside a sentence."""
    words: list[str] = []
    starts = True
    for word in _open(source).split():
        bare = word.strip("\"'“”«»‘’()[]¿¡.,;:!?…")
        if bare == GAP or (bare[:1].isupper() and not starts):
            words += [GAP] if words[-1:] != [GAP] else []
        elif bare:
            words.append(bare.casefold())
        starts = word.rstrip("\"'”»’)]")[-1:] in tuple(".!?…:")
    return words


def _same_named(one: Any, other: Any, location: tuple[str, ...]) -> bool:
    return _named(one.texts[location].source) == _named(other.texts[location].source)
