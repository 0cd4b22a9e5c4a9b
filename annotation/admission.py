"""From what a server exports to answers: none that the form could not give, and nobody's name."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..builder.problems import Place, Problem, nearest
from .answers import Answer, Proposal
from .form import HARMFULNESS, NONE, RELEVANT
from .plan import Block, Item, Plan
from .subjects import comparable

_ADDRESS = re.compile(r"\S+@\S+|\bhttps?://\S+|\bwww\.\S+|(?<!\w)@\w+|\+?\d[\d\s().-]{7,}\d")


@dataclass
class Gathered:
    """All that is kept of what came back. `problems` tell what was left out, and why."""

    answers: list[Answer] = field(default_factory=list)
    proposals: list[Proposal] = field(default_factory=list)
    belong: Counter[str] = field(default_factory=Counter)
    problems: list[Problem] = field(default_factory=list)
    earlier: int = 0
    skipped: int = 0


def pseudonyms(key: bytes) -> Callable[[object], str]:
    """The same person is the same 16 letters as long as the key is the same; without it nobody is anyone."""
    return lambda id: hmac.new(key, f"respondent {id}".encode(), hashlib.sha256).hexdigest()[:16]


def nameless(text: str, names: Iterable[str] = ()) -> str:
    """Free text without addresses, numbers to call, or the names of the server's users."""
    text = _ADDRESS.sub("[...]", " ".join(text.split()))
    known = sorted((re.escape(name) for name in names if len(name) > 2), key=len, reverse=True)
    return re.sub(rf"(?<!\w)(?:{'|'.join(known)})(?!\w)", "[...]", text, flags=re.IGNORECASE) if known else text


def admit(
    plan: Plan,
    tasks: Mapping[str, Iterable[Mapping[str, Any]]],
    pseudonym: Callable[[object], str],
    names: Iterable[str] = (),
) -> Gathered:
    """From each project's exported tasks, by the key of its block, to answers that the form could give.

    Of a person's answers to one stereotype the latest counts. An answer that no form could give is left out
    whole and told by task; so are tasks of the plan that the server has no more.
    """
    gathered = Gathered()
    known = plan.by_key()
    latest: dict[tuple[str, str], tuple[str, int, _Given | None]] = {}
    seen: set[str] = set()
    blocks = {block.key: block for block in plan.blocks}
    names = tuple(names)
    for key, listed in tasks.items():
        block = blocks[key]
        for task in listed:
            place = Place(f"{block.title}, task {task.get('id')}")
            found = _asked(task, block, known, place, gathered.problems)
            if found is None:
                continue
            seen.add(found.key)
            for annotation in task.get("annotations") or ():
                person = _author(annotation)
                if person is None:
                    message = "an answer whose author is no longer on the server"
                    gathered.problems.append(_told(place, "", "author-gone", message))
                    continue
                respondent = pseudonym(person)
                given: _Given | None = None
                if not annotation.get("was_cancelled"):
                    try:
                        given = _given(annotation, plan.identities)
                    except _ImpossibleError as error:
                        message = f"respondent {respondent}: {nameless(str(error), names)}"
                        gathered.problems.append(_told(place, error.control, "impossible-answer", message))
                        continue
                # text compares as time does: the server writes ISO 8601 in one zone
                when = (str(annotation.get("updated_at") or ""), int(annotation.get("id") or 0), given)
                one = (respondent, found.stereotype)
                if one in latest:
                    gathered.earlier += 1
                    when = max(latest[one], when, key=lambda answer: answer[:2])
                latest[one] = when
    for block in plan.blocks:
        for item in block.items:
            if block.key in tasks and item.key not in seen:
                message = f"the task of {item.stereotype!r} is not on the server any more"
                mend = "its answers are gone; `contrapar survey push` puts it there anew"
                place = Place(block.title)
                gathered.problems.append(Problem(place, "task-gone", message, mend, "warning"))
    _keep(gathered, plan, latest, names)
    return gathered


@dataclass(frozen=True)
class _Given:
    relevant: str
    harmfulness: int | None
    missing: tuple[str, ...]
    about: tuple[str, ...]
    seconds: float | None


class _ImpossibleError(Exception):
    def __init__(self, control: str, message: str) -> None:
        self.control = control
        super().__init__(message)


def _asked(
    task: Mapping[str, Any],
    block: Block,
    known: Mapping[str, tuple[Block, Item]],
    place: Place,
    problems: list[Problem],
) -> Item | None:
    """The item that a task asks about, if the plan has it and with the same words."""
    data = task.get("data")
    data = data if isinstance(data, dict) else {}
    there = known.get(str(data.get("key")))
    count = len(task.get("annotations") or ())
    answers = f"its {count} answers" if count != 1 else "its answer"
    if there is None or there[0].key != block.key:
        message = f"stereotype {str(data.get('stereotype'))[:80]!r} is not of this survey"
        problems.append(_told(place, "", "unknown-stereotype", message, answers))
        return None
    item = there[1]
    if (data.get("stereotype"), data.get("text")) != (item.stereotype, item.text):
        message = f"people read {str(data.get('text'))[:80]!r} where the plan has {item.text!r}"
        problems.append(_told(place, "", "reworded", message, answers))
        return None
    return item


def _told(place: Place, control: str, code: str, message: str, what: str = "the answer") -> Problem:
    left = "is" if what.endswith("answer") else "are"
    return Problem(Place(place.path, field=control), code, message, f"{what} {left} left out", "warning")


def _author(annotation: Mapping[str, Any]) -> object | None:
    person = annotation.get("completed_by")
    if isinstance(person, dict):
        person = person.get("id")
    return person


def _given(annotation: Mapping[str, Any], groups: Iterable[str]) -> _Given:
    """Raises _ImpossibleError for whatever the form could not have sent."""
    result = annotation.get("result")
    parts: dict[str, list[str]] = {}
    for region in result if isinstance(result, list) else ():
        if not isinstance(region, dict):
            raise _ImpossibleError("", "a part that is no mapping")
        control, kind = str(region.get("from_name")), str(region.get("type"))
        wanted = {"missing": "textarea"}.get(control, "choices")
        if control not in ("relevant", "harmfulness", "missing", "about"):
            raise _ImpossibleError(control, "the form has no such question")
        if control in parts:
            raise _ImpossibleError(control, "answered twice in one form")
        value = region.get("value")
        key = "text" if wanted == "textarea" else "choices"
        values = value.get(key) if isinstance(value, dict) else None
        values = [values] if isinstance(values, str) else values
        if kind != wanted or not isinstance(values, list) or not all(isinstance(one, str) for one in values):
            raise _ImpossibleError(control, f"{str(value)[:80]} of type {kind!r} is no answer to {wanted!r}")
        parts[control] = values
    if "relevant" not in parts:
        raise _ImpossibleError("relevant", "not answered, and the form requires it")
    relevant = _one_of(parts, "relevant", RELEVANT)
    harm = _one_of(parts, "harmfulness", [str(value) for value in HARMFULNESS])
    allowed = {*groups, NONE}
    for chosen in parts.get("about", ()):
        if chosen not in allowed:
            raise _ImpossibleError("about", f"{chosen[:80]!r} is no choice; {nearest(chosen, allowed)}")
    seconds = annotation.get("lead_time")
    return _Given(
        relevant=relevant or "",
        harmfulness=int(harm) if harm else None,
        missing=tuple(parts.get("missing", ())),
        about=tuple(dict.fromkeys(parts.get("about", ()))),
        seconds=float(seconds) if isinstance(seconds, int | float) and seconds >= 0 else None,
    )


def _one_of(parts: Mapping[str, list[str]], control: str, choices: Iterable[str]) -> str | None:
    values = parts.get(control)
    if values is None:
        return None
    choices = list(choices)
    if len(values) != 1:
        raise _ImpossibleError(control, f"{len(values)} choices where the form takes one")
    if values[0] not in choices:
        raise _ImpossibleError(control, f"{values[0][:80]!r} is no choice; there are {', '.join(choices)}")
    return values[0]


def _keep(
    gathered: Gathered,
    plan: Plan,
    latest: Mapping[tuple[str, str], tuple[str, int, _Given | None]],
    names: tuple[str, ...],
) -> None:
    where = {item.stereotype: block for block in plan.blocks for item in block.items}
    belong: dict[str, tuple[str, int, tuple[str, ...]]] = {}
    proposed: dict[tuple[str, str, str], dict[str, str]] = {}
    for (respondent, stereotype), (when, id, given) in latest.items():
        if given is None:
            gathered.skipped += 1
            continue
        seconds = None if given.seconds is None else round(given.seconds, 1)
        gathered.answers.append(Answer(respondent, stereotype, given.relevant, given.harmfulness, seconds))
        if given.about:
            belong[respondent] = max(belong.get(respondent, ("", 0, ())), (when, id, given.about))
        block = where[stereotype]
        for text in given.missing:
            shown = nameless(text, names)
            if comparable(shown):
                proposed.setdefault((block.axis, block.group, comparable(shown)), {})[respondent] = shown
    gathered.answers.sort(key=lambda answer: (answer.respondent, answer.stereotype))
    gathered.belong.update(group for *_, groups in belong.values() for group in groups)
    gathered.proposals = sorted(
        Proposal(axis, group, min(by.values()), len(by)) for (axis, group, _), by in proposed.items()
    )
