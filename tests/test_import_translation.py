"""Published sentences and an office's figures, as sources of ours: our own small files, then the published ones."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from contrapar.builder.build import build
from contrapar.builder.formats.shares import Columns, import_shares
from contrapar.builder.formats.winomt import import_winomt
from contrapar.builder.problems import SourceFaults, UsageError
from contrapar.builder.tables import read_rows
from contrapar.cli import main

SENTENCES = """\
female\t1\tThe mechanic thanked the nurse because she was kind.\tthe mechanic
male\t4\tThe mechanic thanked the nurse because he was kind.\tnurse
neutral\t1\tThe {{ teacher }} left.\tteacher
male\t1\tThe astronaut left.\tastronaut
other\t1\tThe nurse left.\tnurse
male\t1\tThe nurse left.\tmechanic
one\ttwo
"""
BASQUE = """\
Atzo erizainak irakasleari deitu zion.
Suhiltzailearekin joan ziren erizainak.
Gaur euria egin du.
Irakasleak etorri dira, eta irakasleekin abokatua.
"""


def rows_of(folder: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = read_rows(
        build(str(folder), folder.parent / f"{folder.name}-built").folder
    ).to_pylist()
    return sorted(rows, key=lambda row: str(row["template"]))


def test_a_line_with_four_parts_tells_gender_and_occupation(tmp_path: Path) -> None:
    (tmp_path / "en.txt").write_text(SENTENCES, encoding="utf-8")
    (tmp_path / "pro.txt").write_text(SENTENCES.splitlines()[0] + "\n", encoding="utf-8")
    (tmp_path / "anti.txt").write_text(SENTENCES.splitlines()[1] + "\n", encoding="utf-8")
    written, problems = import_winomt(
        tmp_path / "en.txt", tmp_path / "out", language="en", stereo=tmp_path / "pro.txt", anti=tmp_path / "anti.txt"
    )
    assert written == 3
    assert [(problem.place.line, problem.message.split(";")[0]) for problem in problems] == [
        (4, "'astronaut' is no occupation of the lexicon"),
        (5, "gender 'other' is none of male, female, neutral"),
        (6, "'mechanic' is not in the sentence"),
        (7, "2 parts between tabs"),
    ]
    rows = rows_of(tmp_path / "out")
    assert [
        (row["text"], row["entity"], row["entity_text"], row["entity_start"], row["gender"], row["direction"])
        for row in rows
    ] == [
        ("The mechanic thanked the nurse because she was kind.", "mechanic", "mechanic", 4, "f", "stereo"),
        ("The mechanic thanked the nurse because he was kind.", "nurse", "nurse", 25, "m", "anti"),
        ("The {{ teacher }} left.", "teacher", "teacher", 7, "n", ""),
    ]


def test_occupations_of_bare_sentences_are_found_in_every_form(tmp_path: Path) -> None:
    (tmp_path / "eu.txt").write_text(BASQUE, encoding="utf-8")
    written, problems = import_winomt(tmp_path / "eu.txt", tmp_path / "out", language="eu")
    assert written == 3
    assert [problem.place.line for problem in problems] == [3]
    names = ("entity", "entity_text", "entity2", "entity2_text")
    assert [tuple(row[name] for name in names) for row in rows_of(tmp_path / "out")] == [
        ("nurse", "erizainak", "teacher", "irakasleari"),
        ("firefighter", "Suhiltzailearekin", "nurse", "erizainak"),
        ("teacher", "Irakasleak", "lawyer", "abokatua"),
    ]


def test_nothing_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "eu.txt").write_text(BASQUE, encoding="utf-8")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine")
    with pytest.raises(UsageError, match="is not empty"):
        import_winomt(tmp_path / "eu.txt", tmp_path / "out", language="eu")
    with pytest.raises(UsageError, match="no lexicon of occupations"):
        import_winomt(tmp_path / "eu.txt", tmp_path / "new", language="xx")
    (tmp_path / "none.txt").write_text("Gaur euria egin du.\n", encoding="utf-8")
    with pytest.raises(UsageError, match="no line holds"):
        import_winomt(tmp_path / "none.txt", tmp_path / "new", language="eu")
    assert not (tmp_path / "new").exists()


@pytest.mark.slow
def test_the_published_sentences(tmp_path: Path, shared: Path) -> None:
    assert import_winomt(shared / "winomt" / "en.txt", tmp_path / "en", language="en")[0] == 3888
    written, problems = import_winomt(shared / "winomteus" / "winomteus.txt", tmp_path / "eu", language="eu")
    assert written + len(problems) == 1827
    assert written >= 1740
    # the import checks the rows that come of it; what it wrote is enough to count
    text = "".join(path.read_text(encoding="utf-8") for path in sorted((tmp_path / "en").glob("sentences-*.yaml")))
    assert {gender: text.count(f"\n  gender: {gender}\n") for gender in "mfn"} == {"m": 1826, "f": 1822, "n": 240}


# --- shares ---------------------------------------------------------------------------------------------------

LEXICON = """\
id;form;form.es.m;note
nurse;erizain;enfermero;kept, as it is
cook;sukaldari;cocinero;
judge;epaile;juez;
"""


def shares(folder: Path, table: str, columns: Columns, codes: str = "") -> tuple[list[dict[str, str]], list[Any]]:
    (folder / "lexicon.csv").write_text(LEXICON, encoding="utf-8")
    (folder / "office.csv").write_text(table, encoding="utf-8")
    if codes:
        (folder / "codes.csv").write_text(codes, encoding="utf-8")
    _, told = import_shares(
        folder / "office.csv", folder / "lexicon.csv", columns, source="An office, table 1", place="Euskadi",
        year="2025", codes=folder / "codes.csv" if codes else None,
    )  # fmt: skip
    with (folder / "lexicon.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=";")), told


def test_counts_become_shares_with_their_source(tmp_path: Path) -> None:
    table = 'who,women,men\nEnfermero,900,100\nsukaldari,1.200,"3,6"\nPilot,1,2\nChef,0,1\n'
    rows, told = shares(tmp_path, table, Columns("who", women="women", men="men"), "office;id\nchef;cook\n")
    assert [row["share"] for row in rows] == ["0.9", f"{1200 / 1204.6:.6g}", ""]
    assert rows[0] | {"share": ""} == {
        "id": "nurse", "form": "erizain", "form.es.m": "enfermero", "note": "kept, as it is", "share": "",
        "share_source": "An office, table 1", "share_place": "Euskadi", "share_year": "2025",
    }  # fmt: skip
    assert rows[2]["share_source"] == ""
    assert [problem.place.line for problem in told] == [4]


def test_a_share_is_read_in_per_cent_or_of_one(tmp_path: Path) -> None:
    rows, _ = shares(tmp_path, "who;f\nnurse;89,5 %\ncook;0.25\njudge;41\n", Columns("who", share="f"))
    assert [row["share"] for row in rows] == ["0.895", "0.25", "0.41"]


def test_cells_that_are_no_numbers_are_told_and_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(SourceFaults) as faults:
        shares(tmp_path, "who;w;all\nnurse;many;10\ncook;5;3\njudge;;2\n", Columns("who", women="w", all="all"))
    assert [problem.place.line for problem in faults.value.problems] == [2, 3, 4]
    assert (tmp_path / "lexicon.csv").read_text(encoding="utf-8") == LEXICON


def test_columns_that_do_not_go_together_are_refused() -> None:
    for given in ({"women": "w"}, {"women": "w", "men": "m", "all": "a"}, {"women": "w", "men": "m", "share": "s"}, {}):
        with pytest.raises(UsageError, match="--women with --men"):
            Columns("who", **given)


def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def said(*arguments: str | Path) -> tuple[object, str]:
        with pytest.raises(SystemExit) as stopped:
            main(list(map(str, arguments)))
        told = capsys.readouterr()
        return stopped.value.code, told.out + told.err

    (tmp_path / "eu.txt").write_text(BASQUE, encoding="utf-8")
    code, told = said("import", "winomt", tmp_path / "eu.txt", "--language", "eu", "--out", tmp_path / "o")
    assert (code, "wrote 3 sentences" in told) == (0, True), told
    (tmp_path / "lexicon.csv").write_text(LEXICON, encoding="utf-8")
    (tmp_path / "office.csv").write_text("who;f\nnurse;0.9\n", encoding="utf-8")
    command = ["import", "shares", tmp_path / "office.csv", "--lexicon", tmp_path / "lexicon.csv"]
    code, told = said(*command, "--occupation", "who", "--share", "f", "--source", "An office")
    assert (code, "filled the shares of 1 occupations" in told) == (0, True), told
    code, told = said(*command, "--occupation", "nobody", "--share", "f", "--source", "An office")
    assert (code, "nobody" in told) == (1, True), told
