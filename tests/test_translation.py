"""Sentences to be translated: rows with their occupations, and versions with one reference."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from conftest import DATASET, write
from contrapar.builder.build import build
from contrapar.builder.chain import check
from contrapar.builder.tables import read_rows

OCCUPATIONS = """\
id;form;form.en;form.m;form.f;form.eu
nurse;erizain;nurse;enfermero;enfermera;erizain
judge;epaile;judge;juez;jueza;epaile
"""
STEREOTYPES = "id;axis;text;source\neu/gender/default;gender;Men do it.;A source\nes/gender/default;gender;So.;One\n"
BASQUE = """\
- id: bilera
  stereotype: eu/gender/default
  slots: {lanbide: occupations, non: {values: {etxe: etxean, kale: kalean}}}
  entities: [lanbide]
  text: "{{ lanbide|erg|sentence }} {{ non }} egin zuen bilera."
- id: biak
  stereotype: eu/gender/default
  slots: {bat: {from: occupations, id: nurse}, bi: {from: occupations, id: judge}}
  entities: [bat, bi]
  text: "Atzo, {{ bat|erg }} {{ bi|dat }} deitu zion."
- id: idatzia
  stereotype: eu/gender/default
  slots: {bat: {from: occupations, id: nurse}}
  entities: [bat]
  words: {bat: erizain hori}
  gender: f
  direction: stereo
  text: "Gaur erizain hori etorri da."
"""
SPANISH = """\
- id: tarde
  stereotype: es/gender/default
  slots: {job: occupations, day: {values: {hoy: Hoy, ayer: Ayer}}}
  masculine: "{{ day }} el {{ job.m }} de guardia llegó tarde; vino con un colega."
  feminine: "{{ day }} la {{ job.f }} de guardia llegó tarde; vino con una colega."
  reference: "{{ job.eu|det|sentence }} berandu iritsi zen."
  reference_language: eu
  several_people: true
  proper_name: false
"""


def small(folder: Path, language: str, templates: str) -> Path:
    files = {
        "templates/small/dataset.yaml": DATASET.format(family="translation", language=language),
        "templates/small/stereotypes.csv": STEREOTYPES,
        "templates/small/a.yaml": templates,
        f"lexicons/{language}/occupations.csv": OCCUPATIONS,
    }
    return write(folder, files) / "templates" / "small"


def rows_of(folder: Path, language: str, templates: str) -> list[dict[str, Any]]:
    made = build(str(small(folder, language, templates)), folder / "built")
    rows: list[dict[str, Any]] = read_rows(made.folder).to_pylist()
    return rows


def test_an_occupation_is_told_with_its_words_as_they_stand(tmp_path: Path) -> None:
    rows = rows_of(tmp_path, "eu", BASQUE)
    one = [row for row in rows if row["template"] == "bilera"]
    assert {(row["text"], row["entity"], row["entity_text"], row["entity_start"]) for row in one} == {
        (f"{word} {place} egin zuen bilera.", id, word, 0)
        for id, word in (("nurse", "Erizainak"), ("judge", "Epaileak"))
        for place in ("etxean", "kalean")
    }
    assert {(row["kind"], row["gender"], row["pair"], row["several_people"]) for row in one} == {
        ("occupation", "", "", None)
    }


def test_two_occupations_are_told_apart(tmp_path: Path) -> None:
    (row,) = (row for row in rows_of(tmp_path, "eu", BASQUE) if row["template"] == "biak")
    assert row["text"] == "Atzo, erizainak epaileari deitu zion."
    assert (row["entity"], row["entity_text"], row["entity_start"]) == ("nurse", "erizainak", 6)
    assert (row["entity2"], row["entity2_text"]) == ("judge", "epaileari")


def test_words_written_out_are_found_where_they_stand(tmp_path: Path) -> None:
    (row,) = (row for row in rows_of(tmp_path, "eu", BASQUE) if row["template"] == "idatzia")
    assert (row["entity"], row["entity_text"], row["entity_start"]) == ("nurse", "erizain hori", 5)
    assert (row["gender"], row["direction"]) == ("f", "stereo")


def test_two_versions_share_a_pair_and_a_reference_in_its_own_grammar(tmp_path: Path) -> None:
    rows = rows_of(tmp_path, "es", SPANISH)
    assert len(rows) == 8
    assert len({row["id"] for row in rows}) == 8
    by_pair: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by_pair.setdefault(row["pair"], []).append(row)
    assert len(by_pair) == 4
    for versions in by_pair.values():
        assert [row["gender"] for row in versions] == ["m", "f"]
        assert versions[0]["slots"] == versions[1]["slots"]
        assert versions[0]["reference"] == versions[1]["reference"]
        assert {row["reference_language"] for row in versions} == {"eu"}
        assert {(row["several_people"], row["proper_name"], row["unmarked_masculine"]) for row in versions} == {
            (True, False, None)
        }
    judge = next(row for row in rows if row["entity"] == "judge" and row["gender"] == "f")
    assert judge["text"].endswith("la jueza de guardia llegó tarde; vino con una colega.")
    assert judge["entity_text"] == "jueza"
    assert judge["text"][judge["entity_start"] :].startswith("jueza ")
    assert judge["reference"] == "Epailea berandu iritsi zen."


@pytest.mark.parametrize(
    ("templates", "told"),
    [
        ("- {id: a, slots: {job: occupations}, text: 'Bat.'}", "`entities` names the slots"),
        ("- {id: a, slots: {job: occupations}, entities: [lan], text: 'Bat.'}", "names 'lan', which is no slot"),
        ("- {id: a, slots: {job: occupations}, masculine: A, feminine: B}", "give either `text`"),
        ("- {id: a, slots: {}, masculine: A, feminine: B, reference: C}", "`reference_language` says"),
        ("- {id: a, slots: {job: occupations}, entities: [job], text: 'Bat etorri da.'}", "no text shows 'job'"),
        (
            "- {id: a, slots: {job: occupations}, entities: [job], words: {job: Bat}, text: 'Bat etorri da.'}",
            "is filled by several entries",
        ),
        (
            "- {id: a, slots: {job: {from: occupations, id: nurse}}, entities: [job],"
            " words: {job: Hiru}, text: 'Bat.'}",
            "'Hiru' is not in the text",
        ),
        (
            "- {id: a, slots: {}, masculine: Bat, feminine: Bat, reference: Uno, reference_language: es}",
            "1 rows say what rows of 'a' say",
        ),
        (
            "- {id: a, slots: {j: {from: occupations, id: nurse}, k: {from: occupations, id: nurse}},"
            " entities: [j, k], text: '{{ j }} eta {{ k }} etorri dira.'}",
            "no entries of its slots go together",
        ),
        (
            "- {id: a, slots: {j: occupations}, masculine: '{{ j.m }} uno', feminine: '{{ j.f }} una',"
            " reference: '{{ j.xx }}', reference_language: eu}",
            "no entry has 'j.xx'",
        ),
    ],
)
def test_a_fault_is_told_with_its_place(tmp_path: Path, templates: str, told: str) -> None:
    from contrapar.builder.problems import SourceFaults

    try:
        problems = check(str(small(tmp_path, "eu", templates + "\n"))).found
    except SourceFaults as fault:
        problems = fault.problems
    assert any(told in str(problem) for problem in problems), [str(problem) for problem in problems]
    assert all(problem.place.line for problem in problems if told in str(problem))
