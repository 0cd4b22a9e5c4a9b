"""Rules on lexicons, stereotypes, tiers and dataset.yaml. The docstring of a rule is its line of help."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..languages import KNOWN as LANGUAGES
from ..problems import Place, Problem, nearest
from ..schema import Identity, Occupation, Predicate, Saying
from .draft import Draft, Rule, at, warning
from .text import normalised


def unknown_contrast(draft: Draft) -> Iterator[Problem]:
    """`contrast` names an identity that does not exist, is retired, or is the entry itself."""
    for lexicon, entry in draft.entries():
        for id in entry.feature("contrast") if entry.has("contrast") else []:
            found = draft.sources.entry(lexicon.kind, id)
            place = at(lexicon, entry, "contrast")
            if found is None:
                mend = nearest(id, draft.sources.ids(lexicon.kind))
                yield Problem(place, "unknown-contrast", f"{id!r} is no entry of {lexicon.kind}", mend)
            elif found.state == "retired":
                yield Problem(place, "unknown-contrast", f"{id!r} is retired", "name one that is in use")
            elif id == entry.id:
                yield Problem(place, "unknown-contrast", f"{id!r} contrasts with itself", "name another group")


def unknown_group(draft: Draft) -> Iterator[Problem]:
    """`groups` of a predicate names an identity that does not exist."""
    known = draft.sources.ids("identities")
    for lexicon, entry in draft.entries():
        if isinstance(entry, Predicate):
            for id in entry.groups:
                if id not in known:
                    yield Problem(
                        at(lexicon, entry, "groups"), "unknown-group", f"{id!r} is no identity", nearest(id, known)
                    )


def unknown_stereotype(draft: Draft) -> Iterator[Problem]:
    """A template or predicate names a stereotype that stereotypes.csv does not have."""
    known = draft.sources.stereotypes
    for lexicon, entry in draft.entries():
        if isinstance(entry, Predicate) and entry.stereotype not in known:
            message = f"{entry.stereotype!r} is not in stereotypes.csv"
            mend = nearest(entry.stereotype, known)
            yield Problem(at(lexicon, entry, "stereotype"), "unknown-stereotype", message, mend)
    for written in draft.sources.templates:
        id = written.model.stereotype
        if id and id not in known:
            message = f"{id!r} is not in stereotypes.csv"
            yield Problem(written.place("stereotype"), "unknown-stereotype", message, nearest(id, known))


def one_group(draft: Draft) -> Iterator[Problem]:
    """An axis has targets and nobody to compare them with, or the other way round."""
    roles: dict[str, dict[str, tuple[Place, str]]] = {}
    for lexicon, entry in draft.entries():
        if isinstance(entry, Identity):
            roles.setdefault(entry.axis, {}).setdefault(entry.role, (at(lexicon, entry, "axis"), entry.id))
            for id in entry.contrast:
                found = draft.sources.entry(lexicon.kind, id)
                if isinstance(found, Identity):
                    roles[entry.axis].setdefault(found.role, (at(lexicon, entry, "axis"), id))
    for axis, known in roles.items():
        if len(known) == 1:
            role, (place, _) = next(iter(known.items()))
            lacking = "other" if role == "target" else "target"
            message = f"axis {axis!r} has no group in the role {lacking!r}"
            yield Problem(place, "one-group", message, "add a group to compare with")


def doubled_entry(draft: Draft) -> Iterator[Problem]:
    """Two entries of a lexicon say the same in the same forms."""
    seen: dict[tuple[object, ...], tuple[str, str]] = {}
    for lexicon, entry in draft.entries():
        words = tuple(sorted((form, normalised(text)) for form, text in entry.form.items()))
        if not words:
            continue
        extra = tuple(entry.groups) if isinstance(entry, Predicate) else tuple(entry.gender)
        of = getattr(entry, "axis", "") or getattr(entry, "concept", "")
        key = (lexicon.kind, words, extra, of)
        if key in seen:
            id, line = seen[key]
            message = f"{entry.id!r} says the same as {id!r} (line {line})"
            yield Problem(at(lexicon, entry), "doubled-entry", message, "retire one of them")
        else:
            seen[key] = (entry.id, str(lexicon.places[entry.id].line))


def opposite_directions(draft: Draft) -> Iterator[Problem]:
    """The same words are said to be a stereotype in one entry and the contrary in another."""
    seen: dict[tuple[str, str], Predicate] = {}
    for lexicon, entry in draft.entries():
        if isinstance(entry, Predicate):
            for form, text in entry.form.items():
                before = seen.setdefault((form, normalised(text)), entry)
                shared = not before.groups or not entry.groups or set(before.groups) & set(entry.groups)
                if before.direction != entry.direction and shared:
                    said = f"{before.id!r} says the same as {before.direction!r}"
                    message = f"{entry.id!r} is {entry.direction!r}, but {said}"
                    mend = "decide which of them is meant"
                    yield Problem(at(lexicon, entry, "direction"), "opposite-directions", message, mend)
                    break


def entry_punctuation(draft: Draft) -> Iterator[Problem]:
    """A form ends in punctuation that the template will write again."""
    for lexicon, entry in draft.entries():
        if lexicon.kind in ("unknown", "sayings"):
            continue
        for form, text in entry.form.items():
            if re.search(r"[.,;:!?…]\Z", text) and not re.search(r"(?:^|[\s.])\w{1,3}\.\Z", text):
                place = at(lexicon, entry, f"form.{form}" if form else "form")
                message = f"{text!r} ends in punctuation"
                yield Problem(place, "entry-punctuation", message, "leave it to the template")


def editorial_mark(draft: Draft) -> Iterator[Problem]:
    """A form holds a note to the editor, such as 'Mary (Male)': it would give the group away."""
    for lexicon, entry in draft.entries():
        for form, text in entry.form.items():
            if isinstance(entry, Occupation) and form.partition(".")[0] in LANGUAGES:
                text = text.replace("|", " ")  # what other languages say for it: several words, the usual one first
            if re.search(r"[(\[<*_#|].*|/[mfx]\b", text):
                place = at(lexicon, entry, f"form.{form}" if form else "form")
                message = f"{text!r} holds a mark that is not part of a sentence"
                yield Problem(place, "editorial-mark", message, "put notes into the column 'note'")


def placeholder_left(draft: Draft) -> Iterator[Problem]:
    """A brace is left in stereotypes.csv or in a form: a skeleton that nobody filled."""
    for id, stereotype in draft.sources.stereotypes.items():
        if re.search(r"[{}]", stereotype.text + stereotype.source + stereotype.concept):
            place = draft.sources.stereotype_places[id]
            message = f"stereotype {id!r} still holds a placeholder"
            yield Problem(place, "placeholder-left", message, "write the words themselves")
    for lexicon, entry in draft.entries():
        for form, text in entry.form.items():
            if re.search(r"[{}]", text):
                place = at(lexicon, entry, f"form.{form}" if form else "form")
                yield Problem(place, "placeholder-left", f"{text!r} holds a brace", "write the words themselves")


def unsourced(draft: Draft) -> Iterator[Problem]:
    """A stereotype or saying has no source."""
    for id, stereotype in draft.sources.stereotypes.items():
        if not stereotype.source and stereotype.state != "retired":
            at_id = draft.sources.stereotype_places[id]
            place = Place(at_id.path, at_id.line, field="source")
            message = f"stereotype {id!r} has no source"
            yield warning(place, "unsourced", message, "say where it is documented")
    for lexicon, entry in draft.entries():
        if isinstance(entry, Saying) and not entry.source:
            message = f"saying {entry.id!r} has no source"
            yield warning(at(lexicon, entry, "source"), "unsourced", message, "say where it is documented")


# lexicons that are used as they are: by questions, and as the glossary that translations are read with
READ_WHOLE = ("countries", "occupations", "unknown")


def unused(draft: Draft) -> Iterator[Problem]:
    """An entry of the dataset's own, or a stereotype, that no template uses."""
    read = len(draft.plans) == len(draft.sources.templates)
    if not read or any(problem.severity == "error" for problem in draft.sources.problems):
        return  # a template that was not understood may use it
    named = {written.model.stereotype for written in draft.sources.templates}
    sayings = {str(getattr(written.model, "saying", "")) for written in draft.sources.templates}
    contrasts = {id for _, e in draft.entries() if hasattr(e, "contrast") for id in e.feature("contrast")}
    named_elsewhere = sayings | contrasts
    for lexicon, entry in draft.entries():
        if isinstance(entry, Predicate) and entry.id in draft.used.get("predicates", ()):
            named.add(entry.stereotype)
        in_use = entry.id in draft.used.get(lexicon.kind, ()) or entry.id in named_elsewhere
        if lexicon.own and lexicon.kind not in READ_WHOLE and not in_use:
            message = f"no template uses {entry.id!r}"
            yield warning(at(lexicon, entry), "unused", message, "use it, or set its state to 'retired'")
    for id, stereotype in draft.sources.stereotypes.items():
        if id not in named and stereotype.state != "retired":
            place = draft.sources.stereotype_places[id]
            yield warning(place, "unused", f"no template uses {id!r}", "use it, or set its state to 'retired'")


def retired(draft: Draft) -> Iterator[Problem]:
    """A template or predicate still uses a stereotype that is retired."""
    gone = {id for id, stereotype in draft.sources.stereotypes.items() if stereotype.state == "retired"}
    for written in draft.sources.templates:
        if written.model.stereotype in gone:
            message = f"stereotype {written.model.stereotype!r} is retired"
            yield Problem(written.place("stereotype"), "retired", message, "retire the template too, or name another")
    for lexicon, entry in draft.entries():
        if isinstance(entry, Predicate) and entry.stereotype in gone:
            message = f"stereotype {entry.stereotype!r} is retired"
            yield Problem(at(lexicon, entry, "stereotype"), "retired", message, "retire the entry too, or name another")


def unknown_tier(draft: Draft) -> Iterator[Problem]:
    """tiers.csv grades a stereotype that stereotypes.csv does not have."""
    for id, tier in draft.sources.tiers.items():
        if id not in draft.sources.stereotypes:
            mend = nearest(id, draft.sources.stereotypes)
            yield warning(tier.place, "unknown-tier", f"{id[:60]!r} is not in stereotypes.csv", mend)


def incomplete_dataset(draft: Draft) -> Iterator[Problem]:
    """dataset.yaml lacks what a published dataset must say."""
    dataset = draft.sources.dataset
    for key in ("licence", "authors", "content_warning", "intended_use", "canary", "citation"):
        if not getattr(dataset.model, key):
            yield warning(dataset.place(), "incomplete-dataset", f"{key!r} is not said", "say it before you publish")
    if not draft.sources.templates and not draft.sources.problems:
        yield Problem(dataset.place(), "no-templates", "there is no template", "`contrapar new stereotype` begins one")


def unknown_stratum(draft: Draft) -> Iterator[Problem]:
    """`sampling.per` names what is no slot of any template."""
    sampling = draft.sources.dataset.model.sampling
    slots = {slot for written in draft.sources.templates for slot in written.model.slots} | {"template"}
    slots |= {slot for plan in draft.plans for slot in plan.filled.entries}  # a family may make some of its own
    if any(plan.problems for plan in draft.plans):
        return  # what was not understood might have made it
    for name in sampling.per if sampling else []:
        if name not in slots:
            place = draft.sources.dataset.place("sampling", "per")
            yield Problem(place, "unknown-stratum", f"{name!r} is no slot of any template", nearest(name, slots))


RULES: tuple[Rule, ...] = (
    unknown_contrast, unknown_group, unknown_stereotype, one_group, doubled_entry, opposite_directions,
    entry_punctuation, editorial_mark, placeholder_left, unsourced, unused, retired, unknown_tier, unknown_stratum,
    incomplete_dataset,
)  # fmt: skip
