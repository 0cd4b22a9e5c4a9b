"""Rules on templates. The docstring of a rule is its line of help."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..problems import Place, Problem, nearest
from ..render import Text
from ..schema import Template
from ..sources import Written
from .draft import Draft, Rule, warning
from .text import normalised


def literals(text: Text) -> str:
    return " ".join(part.literal for part in text.parts if part.render is None)


def no_stereotype(draft: Draft) -> Iterator[Problem]:
    """A template belongs to no stereotype: nothing could be surveyed, graded or clustered."""
    for plan in draft.plans:
        entries = [entry for listed in plan.filled.entries.values() for entry in listed]
        if not plan.written.model.judged:
            continue
        if not plan.written.model.stereotype and not any(entry.has("stereotype") for entry in entries):
            message = f"{plan.written.model.id!r} names no stereotype"
            yield Problem(plan.written.place("id"), "no-stereotype", message, "write `stereotype: ...`")


def unknown_saying(draft: Draft) -> Iterator[Problem]:
    """`saying` names an entry that the lexicon of sayings does not have, or that is retired."""
    for written in draft.sources.templates:
        id = str(getattr(written.model, "saying", ""))
        if not id:
            continue
        found = draft.sources.entry("sayings", id)
        if found is None:
            mend = nearest(id, draft.sources.ids("sayings"))
            yield Problem(written.place("saying"), "unknown-saying", f"{id!r} is no saying", mend)
        elif found.state == "retired":
            yield Problem(written.place("saying"), "unknown-saying", f"{id!r} is retired", "name another")


def stray_brace(draft: Draft) -> Iterator[Problem]:
    """A brace is left in a text: a placeholder that nothing fills."""
    for plan in draft.plans:
        for location, text in plan.texts.items():
            for part in text.parts:
                found = re.search(r"\{\w*\}?|\w*\}|[{}]", part.literal) if part.render is None else None
                if found:
                    line = text.source.count("\n", 0, text.source.find(found.group())) + 1
                    place = plan.written.inside(location, line, found.group() if found.group().strip("{}") else "")
                    message = f"{found.group()!r} is left in the text"
                    yield Problem(place, "stray-brace", message, "write {{ slot }}, or take the brace out")
                    break


def text_spaces(draft: Draft) -> Iterator[Problem]:
    """A text has spaces at its ends or two in a row."""
    for plan in draft.plans:
        for location, text in plan.texts.items():
            place: Place = plan.written.place(*location)
            said = "".join(part.literal if part.render is None else "x" for part in text.parts)
            if said != said.strip():
                yield Problem(place, "text-spaces", "the text has spaces at its ends", "trim it")
            elif re.search(r"\S {2,}\S", said):
                yield Problem(place, "text-spaces", "the text has two spaces in a row", "leave one")


def doubled_template(draft: Draft) -> Iterator[Problem]:
    """Two templates say the same."""
    seen: dict[tuple[str, ...], Written[Template]] = {}
    for plan in draft.plans:
        if not plan.texts:
            continue
        said = tuple(normalised(text.source) for _, text in sorted(plan.texts.items()))
        slots = tuple(repr(slot) for slot in sorted(plan.written.model.slots.items()))
        key = (*said, *slots, repr(plan.written.model.together), plan.written.model.stereotype)
        before = seen.setdefault(key, plan.written)
        if before is not plan.written:
            message = f"{plan.written.model.id!r} says the same as {before.model.id!r}"
            yield Problem(plan.written.place("id"), "doubled-template", message, "remove one of them")


def axis_mismatch(draft: Draft) -> Iterator[Problem]:
    """The target groups of a template are of another axis than its stereotype."""
    for plan in draft.plans:
        stereotype = draft.sources.stereotypes.get(plan.written.model.stereotype)
        if stereotype is None:
            continue
        for slot in ("target", "other"):
            axes = {str(getattr(entry, "axis", "")) for entry in plan.filled.entries.get(slot, [])} - {""}
            if axes and stereotype.axis not in axes:
                message = f"{slot!r} is of axis {', '.join(sorted(axes))}; the stereotype of {stereotype.axis}"
                place = plan.written.place("slots", slot)
                yield Problem(place, "axis-mismatch", message, "filter the slot by the axis")


def same_group(draft: Draft) -> Iterator[Problem]:
    """Target and other can be the same group: no contrast."""
    for plan in draft.plans:
        entries = plan.filled.entries
        if "target" not in entries or "other" not in entries:
            continue
        if plan.filled.home["target"] == plan.filled.home["other"]:
            shared = [a.id for a, b in zip(entries["target"], entries["other"], strict=True) if a.id == b.id]
        else:
            shared = sorted({a.id for a in entries["target"]} & {b.id for b in entries["other"]})
        if shared:
            message = f"{shared[0]!r} can be both target and other"
            yield Problem(plan.written.place("slots"), "same-group", message, "filter by role")


def leak(draft: Draft) -> Iterator[Problem]:
    """A question names a group, or the context alone says what the evidence says."""
    for plan in draft.plans:
        for location, text in plan.texts.items():
            if location[0] == "questions" and {"target", "other"} & set(text.slots):
                message = "the question names a group: it tells the answer"
                yield Problem(plan.written.place(*location), "leak", message, "ask without naming either")
        context, evidence = plan.texts.get(("context",)), plan.texts.get(("evidence",))
        if context and evidence:
            said = normalised(evidence.source)
            if said and said in normalised(context.source):
                message = "the context already holds the evidence"
                yield Problem(plan.written.place("context"), "leak", message, "leave the context open")


def blind_evidence(draft: Draft) -> Iterator[Problem]:
    """The evidence names neither group, so it settles nothing."""
    for plan in draft.plans:
        evidence = plan.texts.get(("evidence",))
        if evidence and not {"target", "other"} & set(evidence.slots):
            message = "the evidence names neither target nor other"
            yield Problem(plan.written.place("evidence"), "blind-evidence", message, "say who did it")


def same_question(draft: Draft) -> Iterator[Problem]:
    """The negative and the non-negative question ask the same."""
    for plan in draft.plans:
        one, two = plan.texts.get(("questions", "negative")), plan.texts.get(("questions", "nonnegative"))
        if one and two and normalised(one.source) == normalised(two.source):
            message = "both questions ask the same"
            yield Problem(plan.written.place("questions"), "same-question", message, "ask for the opposite")


def uneven_answers(draft: Draft) -> Iterator[Problem]:
    """The answers differ in more than the group, so wording or length gives it away."""
    for plan in draft.plans:
        one, two = plan.texts.get(("answers", "target")), plan.texts.get(("answers", "other"))
        if one and two and normalised(literals(one)) != normalised(literals(two)):
            message = "the answers differ in more than the group"
            yield warning(plan.written.place("answers"), "uneven-answers", message, "word them alike")


def one_sided_context(draft: Draft) -> Iterator[Problem]:
    """The context names one group only, or always the same one first."""
    for plan in draft.plans:
        context = plan.texts.get(("context",))
        if not context:
            continue
        named = {"target", "other", "first", "second"} & set(context.slots)
        place = plan.written.place("context")
        if len(named) == 1:
            message = f"the context names {named.pop()!r} only"
            yield warning(place, "one-sided-context", message, "name both groups alike")
        elif named == {"target", "other"}:
            message = "the same group always stands first"
            yield warning(place, "mention-order", message, "write {{ first }} and {{ second }}: both orders are made")


RULES: tuple[Rule, ...] = (
    no_stereotype, unknown_saying, stray_brace, text_spaces, doubled_template, axis_mismatch, same_group, leak,
    blind_evidence, same_question, uneven_answers, one_sided_context,
)  # fmt: skip
