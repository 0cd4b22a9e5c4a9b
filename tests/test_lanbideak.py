"""What must hold of the bundled sentences for translation: lanbideak, and both sets of kontrasteak."""

from __future__ import annotations

import re
from collections import Counter
from difflib import SequenceMatcher
from typing import Any

import pytest
from contrapar.builder.families.translation import Plan, TranslationTemplate
from contrapar.builder.languages.eu import all_, ben, dat, det, erg, gen, par, soc
from contrapar.builder.schema import Occupation
from contrapar.builder.sources import PACKAGE, Sources, read_sources
from published_runs import published_texts, shared_runs

Row = dict[str, Any]
CONTRASTS = {"kontrasteak-es": 363, "kontrasteak-en": 155}
DATASETS = ["lanbideak", *CONTRASTS]
NOTES = ("several_people", "proper_name", "unmarked_masculine")

# Twenty stems in the forms that the sentences use, written by hand: the one who (absolutive), by whom (ergative),
# to, of, with, for and towards whom, and no one such (partitive). EGLU-I and EBE, as tests/languages/eu.csv.
GOLDEN = """
erizain erizaina erizainak erizainari erizainaren erizainarekin erizainarentzat erizainarengana erizainik
mediku medikua medikuak medikuari medikuaren medikuarekin medikuarentzat medikuarengana medikurik
irakasle irakaslea irakasleak irakasleari irakaslearen irakaslearekin irakaslearentzat irakaslearengana irakaslerik
sukaldari sukaldaria sukaldariak sukaldariari sukaldariaren sukaldariarekin sukaldariarentzat sukaldariarengana \
sukaldaririk
okin okina okinak okinari okinaren okinarekin okinarentzat okinarengana okinik
dentista dentista dentistak dentistari dentistaren dentistarekin dentistarentzat dentistarengana dentistarik
gida gida gidak gidari gidaren gidarekin gidarentzat gidarengana gidarik
zirujau zirujaua zirujauak zirujauari zirujauaren zirujauarekin zirujauarentzat zirujauarengana zirujaurik
peoi peoia peoiak peoiari peoiaren peoiarekin peoiarentzat peoiarengana peoirik
fiskal fiskala fiskalak fiskalari fiskalaren fiskalarekin fiskalarentzat fiskalarengana fiskalik
marinel marinela marinelak marinelari marinelaren marinelarekin marinelarentzat marinelarengana marinelik
psikologo psikologoa psikologoak psikologoari psikologoaren psikologoarekin psikologoarentzat psikologoarengana \
psikologorik
arkitekto arkitektoa arkitektoak arkitektoari arkitektoaren arkitektoarekin arkitektoarentzat arkitektoarengana \
arkitektorik
soldadu soldadua soldaduak soldaduari soldaduaren soldaduarekin soldaduarentzat soldaduarengana soldadurik
arotz arotza arotzak arotzari arotzaren arotzarekin arotzarentzat arotzarengana arotzik
iturgin iturgina iturginak iturginari iturginaren iturginarekin iturginarentzat iturginarengana iturginik
alkate alkatea alkateak alkateari alkatearen alkatearekin alkatearentzat alkatearengana alkaterik
zinegotzi zinegotzia zinegotziak zinegotziari zinegotziaren zinegotziarekin zinegotziarentzat zinegotziarengana \
zinegotzirik
gizarte-langile gizarte-langilea gizarte-langileak gizarte-langileari gizarte-langilearen gizarte-langilearekin \
gizarte-langilearentzat gizarte-langilearengana gizarte-langilerik
astronauta astronauta astronautak astronautari astronautaren astronautarekin astronautarentzat astronautarengana \
astronautarik
"""
DECLINED = {line.split()[0]: line.split() for line in GOLDEN.strip().splitlines()}

# Basque words that tell a person's gender, as whole words or as the first part of a declined one.
GENDERED = re.compile(
    r"\b(gizon|emakume|mutil|neska|neskato|jaun|andre|andere|seme|alaba|anaia|arreba|ahizpa|osaba|izeba|aitona|amona|"
    r"aitita|amama|senar|emazte|lehengus|errege|erregin|printzes|maisu|maistra|emagin|aktoresa|neskame|morroi|apaiz|"
    r"moja|fraide)\w*|\b(aita|ama)(k|ri|ren|rekin)?\b",
    re.IGNORECASE,
)
# Forms of verbs and pronouns in hika, which tell the gender of the one who is spoken to, or show that it is told.
HIKA = re.compile(
    r"\b(hi|hik|hiri|hire|duk|dun|haiz|huen|dituk|ditun|ezak|ezan|naun|nauk|diat|dinat|zaik|zain)\b", re.I
)


def _sources(name: str) -> Sources:
    return read_sources(str(PACKAGE / "templates" / name), {"translation": TranslationTemplate})


def _rows(sources: Sources) -> list[Row]:
    rows: list[Row] = []
    for written in sources.templates:
        plan = Plan(written, sources)
        assert plan.problems == []
        rows += [row for table in plan.tables() for row in table.to_pylist()]
    return rows


@pytest.fixture(scope="module")
def sources() -> dict[str, Sources]:
    return {name: _sources(name) for name in DATASETS}


@pytest.fixture(scope="module")
def rows(sources: dict[str, Sources]) -> dict[str, list[Row]]:
    return {name: _rows(sources[name]) for name in DATASETS}


@pytest.fixture(scope="module")
def glossary(sources: dict[str, Sources]) -> dict[str, Occupation]:
    lexicon = sources["lanbideak"].lexicon("occupations")
    assert lexicon is not None
    return {id: entry for id, entry in lexicon.entries.items() if isinstance(entry, Occupation)}


def _contrasts(rows: list[Row]) -> list[tuple[Row, Row]]:
    return list(zip(rows[::2], rows[1::2], strict=True))


@pytest.mark.parametrize("name", DATASETS)
def test_sources_are_read_without_a_fault(name: str, sources: dict[str, Sources]) -> None:
    assert sources[name].problems == []


@pytest.mark.parametrize("name", DATASETS)
def test_a_dataset_says_what_it_is_for(name: str, sources: dict[str, Sources]) -> None:
    dataset = sources[name].dataset.model
    for text in (dataset.content_warning, dataset.intended_use, dataset.citation, dataset.description):
        assert text
    assert re.fullmatch(rf"contrapar:{name}:[0-9a-f-]{{36}}", dataset.canary)


def test_there_is_as_much_as_was_promised(rows: dict[str, list[Row]], glossary: dict[str, Occupation]) -> None:
    assert len(rows["lanbideak"]) >= 1_827
    assert len(glossary) >= 78
    for name, least in CONTRASTS.items():
        assert len(_contrasts(rows[name])) >= least


@pytest.mark.parametrize("name", DATASETS)
def test_no_sentence_stands_twice(name: str, rows: dict[str, list[Row]]) -> None:
    counts = Counter(row["text"].casefold() for row in rows[name])
    assert [text for text, count in counts.items() if count > 1] == []


@pytest.mark.parametrize("name", DATASETS)
def test_a_sentence_is_one_with_a_capital_and_an_end(name: str, rows: dict[str, list[Row]]) -> None:
    for row in rows[name]:
        for text in (row["text"], row["reference"]) if row["kind"] == "contrast" else (row["text"],):
            assert re.fullmatch(r"[¿¡]?[^\W\d_a-zñáéíóú][^.?!]*[.?!]", text), text


@pytest.mark.slow
def test_no_eight_words_in_a_row_are_shared_with_other_benchmarks(rows: dict[str, list[Row]]) -> None:
    texts = {text for name in DATASETS for row in rows[name] for text in (row["text"], row["reference"]) if text}
    assert shared_runs(sorted(texts), published_texts()) == {}


def test_eight_shared_words_in_basque_are_found_and_seven_are_not() -> None:
    ours = ["Atzo goizean okinak bi ogi handi saldu dizkio auzoko medikuari."]
    eight = "atzo goizean okinak bi ogi handi saldu dizkio"
    assert shared_runs(ours, ["Uste dut atzo goizean OKINAK bi ogi handi saldu dizkio, eta joan."]) == {eight: ours[0]}
    assert shared_runs(ours, ["Uste dut atzo goizean OKINAK bi ogi handi saldu, eta joan."]) == {}


# --- the glossary, and sentences about occupations ---------------------------------------------------------


def test_every_occupation_has_its_words_in_every_language(glossary: dict[str, Occupation]) -> None:
    for entry in glossary.values():
        for form in ("", "en", "es.m", "es.f", "fr.m", "fr.f"):
            words = entry.form[form].split("|")
            assert all(word and word == word.strip() for word in words), f"{entry.id}: {form}"
            assert len(set(words)) == len(words), f"{entry.id}: {form}"
        assert "|" not in entry.form[""]
    assert len({entry.form[""] for entry in glossary.values()}) == len(glossary)


def test_a_share_is_told_only_with_its_source_place_and_year(glossary: dict[str, Occupation]) -> None:
    for entry in glossary.values():
        if entry.share is not None:
            assert entry.share_source
            assert entry.share_place
            assert entry.share_year


def test_no_occupation_tells_a_gender(glossary: dict[str, Occupation]) -> None:
    assert [entry.id for entry in glossary.values() if GENDERED.search(entry.form[""])] == []


def test_no_sentence_tells_a_gender(rows: dict[str, list[Row]]) -> None:
    texts = {row["text"] for row in rows["lanbideak"]}
    assert [text for text in texts if GENDERED.search(text) or HIKA.search(text)] == []
    assert GENDERED.search("Bere semeari deitu dio.")
    assert GENDERED.search("Okinaren ama etorri da.")
    assert not GENDERED.search("Lana amaitu du, eta amets egin du.")
    assert HIKA.search("Etorri haiz.")


def test_no_sentence_names_anybody(rows: dict[str, list[Row]]) -> None:
    """No capital but the first: no names of people, and none of places either."""
    assert [row["text"] for row in rows["lanbideak"] if re.search(r"(?<!^)[A-Z]", row["text"])] == []


def test_every_occupation_stands_once_in_every_sentence(
    sources: dict[str, Sources], rows: dict[str, list[Row]], glossary: dict[str, Occupation]
) -> None:
    used: dict[str, Counter[str]] = {written.model.id: Counter() for written in sources["lanbideak"].templates}
    for row in rows["lanbideak"]:
        used[row["template"]][row["entity"]] += 1
    for counts in used.values():
        assert counts == Counter(dict.fromkeys(glossary, 1))


def test_two_people_have_different_occupations(rows: dict[str, list[Row]]) -> None:
    seconds = Counter(row["entity2"] for row in rows["lanbideak"] if row["entity2"])
    assert sum(seconds.values()) >= 1_000
    assert all(row["entity"] != row["entity2"] for row in rows["lanbideak"])


def test_the_words_of_an_occupation_stand_where_the_row_says(
    rows: dict[str, list[Row]], glossary: dict[str, Occupation]
) -> None:
    for row in rows["lanbideak"]:
        start, words = row["entity_start"], row["entity_text"]
        assert row["text"][start : start + len(words)] == words
        assert words.casefold().startswith(glossary[row["entity"]].form[""][:-1])
        if row["entity2"]:
            assert row["entity2_text"] in row["text"]


@pytest.mark.parametrize("stem", DECLINED)
def test_twenty_occupations_are_declined_right(
    stem: str, rows: dict[str, list[Row]], glossary: dict[str, Occupation]
) -> None:
    assert len(DECLINED) == 20
    cases = (det, erg, dat, gen, soc, ben, all_, par)
    assert [case(stem) for case in cases] == DECLINED[stem][1:]
    id = next(entry.id for entry in glossary.values() if entry.form[""] == stem)
    seen = {row["entity_text"].casefold() for row in rows["lanbideak"] if row["entity"] == id}
    assert seen >= set(DECLINED[stem])


# --- masculine and feminine versions -----------------------------------------------------------------------


@pytest.mark.parametrize("name", CONTRASTS)
def test_a_pair_has_two_versions_and_one_reference(name: str, rows: dict[str, list[Row]]) -> None:
    for masculine, feminine in _contrasts(rows[name]):
        assert (masculine["gender"], feminine["gender"]) == ("m", "f")
        assert masculine["pair"] == feminine["pair"]
        assert masculine["reference"] == feminine["reference"]
        assert masculine["reference_language"] == "eu"


@pytest.mark.parametrize("name", CONTRASTS)
def test_versions_differ_in_gender_and_in_nothing_else(name: str, rows: dict[str, list[Row]]) -> None:
    """A few words, each of which begins as the other does or is one of the closed list."""
    closed = {
        "es": "el la los las un una al a del de algún alguna",
        "en": "he she his her him himself herself actor actress",
    }
    for masculine, feminine in _contrasts(rows[name]):
        a, b = (re.findall(r"\w+", row["text"].casefold()) for row in (masculine, feminine))
        known = closed[masculine["language"]].split()
        changed = [
            (a[i:j], b[k:m]) for tag, i, j, k, m in SequenceMatcher(None, a, b, autojunk=False).get_opcodes() if
            tag != "equal"
        ]  # fmt: skip
        assert 1 <= len(changed) <= 4, masculine["text"]
        for left, right in changed:
            rest = [[word for word in words if word not in known] for words in (left, right)]
            assert len(rest[0]) == len(rest[1]) <= 2, (left, right)
            for one, other in zip(*rest, strict=True):
                assert one[:2] == other[:2] or one in ("nephew", "grandson", "landlord"), (one, other)


@pytest.mark.parametrize("name", CONTRASTS)
def test_every_annotation_is_true_of_a_fair_part(name: str, rows: dict[str, list[Row]]) -> None:
    pairs = _contrasts(rows[name])
    for note in NOTES:
        share = sum(masculine[note] for masculine, _ in pairs) / len(pairs)
        assert 0.2 <= share <= 0.6, note


@pytest.mark.parametrize("name", CONTRASTS)
def test_annotations_go_together_in_many_ways(name: str, rows: dict[str, list[Row]]) -> None:
    """Each of two annotations is true and false where the other is true, and where it is false."""
    for one in NOTES:
        for other in NOTES:
            if one != other:
                assert {(row[one], row[other]) for row in rows[name]} == {
                    (a, b) for a in (False, True) for b in (False, True)
                }


@pytest.mark.parametrize("name", CONTRASTS)
def test_a_name_is_noted_and_stands_in_the_reference(name: str, rows: dict[str, list[Row]]) -> None:
    """The same name in both versions, so that one reference serves both."""
    others = {"CEO", "Sunday"}
    names = {
        word
        for row in rows[name]
        for word in re.findall(r"(?<=[\w,] )[A-ZÁÉÍÓÚ][\w]+", row["text"])
        if word not in others
    } | {"Jon", "Amaia", "Miren", "Mikel", "Alex", "Álex", "Cruz", "Reyes", "Ariel", "Guadalupe", "Trinidad", "Kim",
         "Robin", "Sam", "Jordan", "Taylor", "Anna"}  # fmt: skip
    for row in rows[name]:
        found = {word for word in re.findall(r"\w+", row["text"]) if word in names}
        assert bool(found) == row["proper_name"], row["text"]
        assert all(re.search(rf"\b{word}", row["reference"]) for word in found), row["reference"]


def test_a_plural_or_everybody_is_noted_as_unmarked(rows: dict[str, list[Row]]) -> None:
    """Spanish; `todos los meses` speaks of months."""
    generic = re.compile(r"\b(los|todos|muchos|algunos|cada|cualquier|ningún|algún)\b")
    for row in rows["kontrasteak-es"]:
        if row["gender"] == "m" and generic.search(row["text"].casefold().replace("todos los meses", "")):
            assert row["unmarked_masculine"], row["text"]
