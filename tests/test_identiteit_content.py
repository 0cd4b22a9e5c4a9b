"""What must hold of the bundled Dutch pairs, whatever the engine does with them."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest
from contrapar.builder.build import build
from contrapar.builder.families.pairs import Plan
from contrapar.builder.schema import Entry, Identity, PairsTemplate, Predicate
from contrapar.builder.sources import PACKAGE, Sources, read_sources
from contrapar.builder.tables import read_rows
from published_runs import published_texts, shared_runs

FORMS = ("sg", "pl", "sub", "subpl")


@pytest.fixture(scope="module")
def sources() -> Sources:
    return read_sources(str(PACKAGE / "templates" / "identiteit"), {"pairs": PairsTemplate})


def entries(sources: Sources, kind: str) -> dict[str, Entry]:
    lexicon = sources.lexicon(kind)
    assert lexicon is not None
    return lexicon.entries


def identities(sources: Sources, role: str) -> dict[str, Identity]:
    found = entries(sources, "identities").items()
    return {id: entry for id, entry in found if isinstance(entry, Identity) and entry.role == role}


def predicates(sources: Sources) -> list[Predicate]:
    return [entry for entry in entries(sources, "predicates").values() if isinstance(entry, Predicate)]


def letters(text: str) -> Counter[str]:
    return Counter(text.replace(" ", ""))


def test_sources_are_read_without_a_fault(sources: Sources) -> None:
    assert sources.problems == []


def test_there_is_as_much_as_was_promised(sources: Sources) -> None:
    genders = Counter("|".join(name.gender) for name in entries(sources, "names").values())
    assert genders == {"m": 20, "f": 20, "m|f|x": 20}
    assert set(entries(sources, "pronouns")) == {"hij", "zij", "die"}
    assert len(identities(sources, "target")) == 9
    assert len(predicates(sources)) >= 105
    assert len(sources.templates) >= 11


def test_every_identity_has_contrasts_of_its_own_axis_and_gender(sources: Sources) -> None:
    others = identities(sources, "other")
    named = set()
    for identity in identities(sources, "target").values():
        assert identity.contrast
        for other in (others[id] for id in identity.contrast):
            named.add(other.id)
            assert other.axis == identity.axis
            assert other.gender in ([], identity.gender)
            for form in ("pred", "pl", "np"):
                assert len(identity.form[form].split()) == len(other.form[form].split())
    assert named == set(others)


def test_every_predicate_is_said_of_known_groups_for_a_stated_reason(sources: Sources) -> None:
    targets = identities(sources, "target")
    for predicate in predicates(sources):
        assert set(predicate.groups) <= set(targets)
        assert predicate.stereotype in sources.stereotypes
        assert predicate.source
    assert {predicate.stereotype for predicate in predicates(sources)} == set(sources.stereotypes)


def test_no_direction_crowds_out_the_others(sources: Sources) -> None:
    """Stereotypes are most, and what contradicts them or belongs to nobody is more than a third."""
    directions = Counter(predicate.direction for predicate in predicates(sources))
    others = directions["anti"] + directions["neutral"]
    assert directions["stereo"] > others > sum(directions.values()) / 3
    assert directions["neutral"] >= 10


@pytest.mark.parametrize("direction", ["stereo", "anti", "neutral"])
def test_every_group_has_statements_of_every_direction(sources: Sources, direction: str) -> None:
    said = [predicate for predicate in predicates(sources) if predicate.direction == direction]
    for id in identities(sources, "target"):
        assert sum(not predicate.groups or id in predicate.groups for predicate in said) >= 2


def test_forms_of_a_predicate_are_the_same_words_in_another_order(sources: Sources) -> None:
    """*waait mee*, *meewaait*: the letters stay, only their order and the spaces differ."""
    for predicate in predicates(sources):
        assert letters(predicate.form["sg"]) == letters(predicate.form["sub"]), predicate.id
        assert letters(predicate.form["pl"]) == letters(predicate.form["subpl"]), predicate.id
        assert predicate.form["sg"].split()[0] != predicate.form["sub"].split()[0], predicate.id


def test_predicates_are_bare_verb_phrases(sources: Sources) -> None:
    seen: set[str] = set()
    for predicate in predicates(sources):
        for form in FORMS:
            text = predicate.form[form]
            assert text[-1].isalpha(), predicate.id
            assert text[0].islower(), predicate.id
        for form in ("sg", "pl"):
            shown = re.search(r"\b(hij|zij|ze|hem|zijn|hun|haar \w+)\b", predicate.form[form])
            assert not shown, f"{predicate.id}: shows a gender or number that is not the identity's"
        assert predicate.form["sg"] not in seen
        seen.add(predicate.form["sg"])


def test_a_stereotype_is_one_sentence_with_a_source(sources: Sources) -> None:
    texts = [stereotype.text for stereotype in sources.stereotypes.values()]
    assert len(texts) == len(set(texts))
    for stereotype in sources.stereotypes.values():
        assert re.fullmatch(r"[A-Z][^.?!]*\.", stereotype.text)
        assert stereotype.source
        assert stereotype.id.startswith(f"nl/{stereotype.axis}/")


def test_the_choice_of_the_neutral_pronoun_is_explained(sources: Sources) -> None:
    die = entries(sources, "pronouns")["die"]
    assert (die.form[""], die.form["obj"], die.form["poss"]) == ("die", "hen", "hun")
    assert "taaladvies.net" in die.source
    assert die.note


def test_the_dataset_says_what_it_is_for(sources: Sources) -> None:
    dataset = sources.dataset.model
    for text in (dataset.content_warning, dataset.intended_use, dataset.citation, dataset.description):
        assert text
    assert re.fullmatch(r"contrapar:identiteit:[0-9a-f-]{36}", dataset.canary)
    assert "doi" not in dataset.citation.lower()


@pytest.mark.slow
def test_no_eight_words_in_a_row_are_shared_with_other_benchmarks(sources: Sources, tmp_path: Path) -> None:
    folder = build("identiteit", tmp_path / "built", strict=True).folder
    rows = read_rows(folder, ["sent_target", "sent_other"])
    texts = {text for column in rows.columns for text in column.to_pylist()}
    texts |= {stereotype.text for stereotype in sources.stereotypes.values()}
    assert shared_runs(texts, published_texts()) == {}


@pytest.mark.slow
def test_no_sentence_contradicts_itself(sources: Sources) -> None:
    """Who is named by a gender is not given an identity of another: 'Zij is homo', 'Hij is lesbisch'."""
    genders = {id: set(entry.gender) for id, entry in entries(sources, "names").items()}
    genders |= {id: set(entry.gender) for id, entry in entries(sources, "pronouns").items()}
    people = entries(sources, "identities")
    rows = 0
    for written in sources.templates:
        plan = Plan(written, sources)
        assert plan.problems == []
        for table in plan.tables():
            rows += table.num_rows
            combinations = {
                (next((value for key, value in slots if key in ("name", "pronoun")), ""), target, other)
                for slots, target, other in zip(
                    ([slot.split("=") for slot in row] for row in table["slots"].to_pylist()),
                    table["target"].to_pylist(),
                    table["other"].to_pylist(),
                    strict=True,
                )
            }
            for who, target, other in combinations:
                for id in (target, other):
                    assert not who or not people[id].gender or genders[who] & set(people[id].gender)
    assert 42_906 <= rows <= 120_000
