"""The audit of benchmarks made elsewhere: what is read, which layout it is, what is told, and how it is told."""

from __future__ import annotations

import csv
import json
import re
import shlex
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from click.testing import CliRunner
from contrapar.builder.audit import audit, audit_command
from contrapar.builder.findings import Report
from contrapar.builder.formats.tables import read_tables
from contrapar.builder.formats.tongue import told_language
from contrapar.builder.problems import UsageError

DOCS = Path(__file__).parents[1] / "docs" / "checks.md"


def columns(path: Path) -> dict[str, list[Any]]:
    return next(read_tables(path)).columns


def written(path: Path, text: str, encoding: str = "utf-8") -> Path:
    path.write_bytes(text.encode(encoding))
    return path


# --- reading ----------------------------------------------------------------------------------------------

FOR_NOTHING = ["null", "NA", "NaN", "None", "N/A", "nan", "-", "TRUE", "007", "1.0", "1e3", "no", " x "]


@pytest.mark.parametrize("ending", ["csv", "jsonl", "json", "xlsx", "parquet"])
def test_text_stays_text_whatever_the_file(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"rows.{ending}"
    frame = pd.DataFrame({"word": FOR_NOTHING, "other": [*FOR_NOTHING[1:], ""]}, dtype=str)
    if ending == "csv":
        frame.to_csv(path, index=False)
    elif ending == "xlsx":
        frame.to_excel(path, index=False)
    elif ending == "parquet":
        frame.to_parquet(path)
    else:
        frame.to_json(path, orient="records", lines=ending == "jsonl", force_ascii=False)
    assert columns(path) == {"word": FOR_NOTHING, "other": [*FOR_NOTHING[1:], ""]}


@pytest.mark.parametrize("ending", ["jsonl", "xlsx", "parquet"])
def test_numbers_and_gaps_are_told_as_text(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"rows.{ending}"
    frame = pd.DataFrame({"label": [0, 2], "share": [0.5, 1.0], "gap": ["a", None]})
    if ending == "xlsx":
        frame.to_excel(path, index=False)
    elif ending == "parquet":
        frame.to_parquet(path)
    else:
        frame.to_json(path, orient="records", lines=True)
    assert columns(path) == {"label": ["0", "2"], "share": ["0.5", "1"], "gap": ["a", ""]}


@pytest.mark.parametrize("separator", [",", ";", "\t", "|", "^"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_any_separator_and_a_byte_order_mark_are_read(tmp_path: Path, separator: str, encoding: str) -> None:
    rows = [["sent_target", "sent_other", "direction"], ["Él dijo; «no», y | se fue", 'Dijo "sí", a\nveces', "stereo"]]
    path = tmp_path / "rows.csv"
    with path.open("w", encoding=encoding, newline="") as file:
        csv.writer(file, delimiter=separator).writerows(rows)
    table = next(read_tables(path, known=rows[0]))
    assert table.columns == {name: [value] for name, value in zip(*rows, strict=True)}


def test_rows_are_told_by_their_line(tmp_path: Path) -> None:
    text = 'sent_target,sent_other,direction\n"One\nbaker.","One\nsailor.",stereo\n\nBakers {x}.,Sailors {x}.,stereo\n'
    report = audit(written(tmp_path / "rows.csv", text))
    assert (report.unit, report.rows("placeholder")) == ("line", [6])


def test_rows_of_a_sheet_are_told_by_the_number_that_the_sheet_shows(tmp_path: Path) -> None:
    path = tmp_path / "rows.xlsx"
    frame = pd.DataFrame({"sent_target": ["A baker.", "A {x} baker."], "sent_other": ["A sailor.", "A {x} sailor."]})
    with pd.ExcelWriter(path) as book:
        pd.DataFrame({"note": ["read the other sheet"]}).to_excel(book, sheet_name="about", index=False)
        frame.assign(direction="stereo").to_excel(book, sheet_name="rows", index=False)
    report = audit(path)
    assert (report.sheet, report.unit, report.rows("placeholder")) == ("rows", "row", [3])


def test_a_nested_cell_may_hold_half_a_character(tmp_path: Path) -> None:
    line = '{"sent_target": "A baker \\ud83d.", "sent_other": "A sailor \\ud83d.", "direction": "stereo"}\n'
    assert set(audit(written(tmp_path / "rows.jsonl", line)).found) == {"mojibake"}


PAIR = "sent_target,sent_other,direction\nA baker.,A sailor.,stereo\n"


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("rows.csv", b"", "holds no table"),
        ("rows.csv", PAIR.encode() + b"A\xff baker.,A sailor.,stereo\n", "rows.csv:3: byte .* is not UTF-8"),
        ("rows.csv", PAIR.encode() + b"A\0 baker.,A sailor.,stereo\n", "rows.csv:3: a NUL byte"),
        ("rows.csv", PAIR.encode() + b"A, baker.,A sailor.,stereo\n", "rows.csv:3: 4 cells under 3 columns"),
        ("rows.csv", PAIR.encode() + b'"A baker.,A sailor.,stereo\n', "rows.csv:3: .*quote"),
        ("rows.csv", b"a,b,a\n1,2,3\n", "column 'a' stands twice"),
        ("rows.csv", b"first,second\nA baker.,A sailor.\n", "no known layout; say --family and --map theirs=ours"),
        ("rows.jsonl", b'{"a": 1}\n{"a": \n', "rows.jsonl:2: no JSON"),
        ("rows.jsonl", b"[1, 2]\n", "rows.jsonl:1: a row is an object"),
        ("rows.jsonl", b"[" * 200_000, "rows.jsonl:1: no JSON"),
        ("rows.json", b'{"a": 1}', "a list of rows belongs here"),
        ("rows.xlsx", b"PK no workbook", "this is no workbook"),
        ("rows.parquet", b"PAR1 nothing", "this is no Parquet file"),
        ("rows.docx", b"", ".docx is not read; give .csv"),
    ],
)
def test_a_bad_file_is_one_clear_line(tmp_path: Path, name: str, content: bytes, told: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(UsageError, match=told) as error:
        audit(path)
    assert "\n" not in str(error.value)


def test_a_file_that_is_not_there_and_a_folder_are_one_clear_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none\.csv: cannot be read: No such file"):
        audit(tmp_path / "none.csv")
    with pytest.raises(UsageError, match="is a folder"):
        audit(tmp_path)


# --- layouts: small twins of the published files, in words of ours ------------------------------------------


def crows_pairs(path: Path) -> Path:
    header = ",sent_more,sent_less,stereo_antistereo,bias_type\n"
    rows = [
        "0,The old bakers are slow.,The young bakers are slow.,stereo,age",
        "1,The old bakers are slow.,The young bakers are slow.,stereo,age",
        "2,The young sailor was late,The old sailor was late.,antistereo,age",
        "3,He lost his hat in the old boat.,She lost her hat in the old boat.,stereo,gender",
        "4,The young sailors run..,The old sailors run..,antistereo,age",
    ]
    return written(path, header + "\n".join(rows) + "\n")


def test_crows_pairs(tmp_path: Path) -> None:
    report = audit(crows_pairs(tmp_path / "rows.csv"), "pairs")
    assert (report.layout, report.family, report.language) == ("CrowS-Pairs", "pairs", "en")
    counts = {code: report.count(code) for code in report.found}
    assert counts == {"duplicate": 1, "final-punctuation": 1, "several-spans": 1, "double-punctuation": 1}
    assert report.rows("duplicate") == [3]
    assert list(report.found["duplicate"].messages) == ["says what line 2 says"]


def test_winoqueer(tmp_path: Path) -> None:
    header = "sent_x,sent_y,Gender_ID_x,Gender_ID_y,nl_predicate_altered\n"
    said = "De bakkers zingen het lied van {n}.,De zeelui zingen het lied van {n}.,Bakker,Zeeman,x"
    same = [said.replace("{n}", str(n)) for n in range(25)]
    rows = [
        *same,
        "We zien dat een bakker zingt.,Wij zien dat een zeeman zingt.,Bakkker,Zeeman,x",
        "De bakkers zingen niet..,De zeelui zingen niet.,Bakker,Zeeman,x",
    ]
    report = audit(written(tmp_path / "rows.csv", header + "\n".join(rows) + "\n"))
    assert (report.layout, report.family, report.language) == ("WinoQueer", "pairs", "nl")
    counts = {code: report.count(code) for code in report.found}
    assert counts == {"several-spans": 1, "misspelt-label": 1, "double-punctuation": 1}
    assert list(report.found["misspelt-label"].messages) == ["target 'Bakkker' beside 'Bakker'"]
    assert list(report.found["several-spans"].messages) == ["differs in 2 places: 'We'/'Wij', 'bakker'/'zeeman'"]


def bbq_item(**changes: Any) -> dict[str, Any]:
    item = {
        "example_id": 0,
        "question_index": "1",
        "question_polarity": "neg",
        "context_condition": "ambig",
        "category": "Work",
        "answer_info": {"ans0": ["baker", "F-Baker"], "ans1": ["sailor", "M-Sailor"], "ans2": ["Not known", "unknown"]},
        "additional_metadata": {"subcategory": "None", "stereotyped_groups": ["Baker"], "version": "None"},
        "context": "A baker and a sailor met at the market for a talk.",
        "question": "Who was late?",
        "ans0": "The baker",
        "ans1": "The sailor",
        "ans2": "Not known",
        "label": 2,
    }
    return {**item, **changes}


def combination(where: str, **changes: Any) -> list[dict[str, Any]]:
    told = f"A baker and a sailor met for a talk {where}."
    rows = []
    for polarity, question in (("neg", "Who was late?"), ("nonneg", "Who was not late?")):
        rows.append(bbq_item(context=told, question=question, question_polarity=polarity, **changes))
        for name, label in (("baker", 0), ("sailor", 1)):
            rows.append(
                bbq_item(
                    context=f"{told} The {name} came late.",
                    question=question,
                    question_polarity=polarity,
                    context_condition="disambig",
                    **{"label": label if polarity == "neg" else 1 - label, **changes},
                )
            )
    return rows


def test_bbq(tmp_path: Path) -> None:
    one_group = {"ans0": ["Baker", "Baker"], "ans1": ["Sailor", "Baker"], "ans2": ["Unknown", "unknown"]}
    no_group = {"subcategory": "None", "stereotyped_groups": ["women bakers"], "version": "None"}
    rows = [
        *combination("at noon"),
        *combination("at one", answer_info=one_group),
        *combination("at two", additional_metadata=no_group),
        bbq_item(label=3, ans1="The sailor "),
        bbq_item(context="{NAME1}} came to the market for a talk."),
    ]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    report = audit(written(tmp_path / "rows.jsonl", text), "qa")
    assert (report.layout, report.family, report.language) == ("BBQ", "qa", "en")
    counts = {code: report.count(code) for code in report.found}
    assert counts == {"same-group": 6, "unmatched-group": 6, "label-range": 1, "edge-space": 1, "placeholder": 1}


def test_bbq_as_a_table_with_its_nested_cells_as_text(tmp_path: Path) -> None:
    rows = [
        {name: cell if isinstance(cell, str) else repr(cell) for name, cell in row.items()}
        for row in combination("now")
    ]
    pd.DataFrame(rows).to_csv(tmp_path / "rows.csv", index=False)
    report = audit(tmp_path / "rows.csv")
    assert (report.layout, report.found) == ("BBQ", {})


def sesgo(path: Path) -> Path:
    """Two combinations: in the first a placeholder and two contractions, in the second the gold text."""
    answers = {"ans0": "el panadero", "ans1": "la marinera", "ans2": "No se sabe"}
    rows = []
    for number, where in enumerate(("a {{WORD1}}", "al puerto")):
        told = f"El panadero y la marinera van {where}."
        for polarity, question in (("neg", "¿Quién llegó tarde?"), ("nonneg", "¿Quién llegó pronto?")):
            for condition, more, gold in (
                ("ambig", "", 2),
                ("disambig", " Vieron a el panadero tarde.", int(polarity == "nonneg")),
                ("disambig", " Supieron de el panadero antes.", int(polarity == "neg")),
            ):
                said = "No se puede saber" if number and gold == 2 else answers[f"ans{gold}"]
                rows.append(
                    {
                        "question_polarity": polarity,
                        "context_condition": condition,
                        "category": "oficio",
                        "answer_info": repr(answers),
                        "context": told + (more if not number else more.replace("a el", "al").replace("de el", "del")),
                        "question": question,
                        "answer": said,
                        "target": 1,
                        "other": 0,
                        "label": gold,
                        "bbq": False,
                    }
                )
    pd.DataFrame(rows).to_excel(path, index=False)
    return path


def test_sesgo(tmp_path: Path) -> None:
    report = audit(sesgo(tmp_path / "rows.xlsx"), "qa")
    assert (report.layout, report.family, report.language, report.told) == ("SESGO", "qa", "es", True)
    counts = {code: report.count(code) for code in report.found}
    assert counts == {"placeholder": 6, "gold-text": 2, "contraction-al": 2, "contraction-del": 2}
    assert report.rows("gold-text") == [8, 11]
    assert report.rows("contraction-al") == [3, 6]


def test_a_cell_that_should_hold_answers_and_does_not(tmp_path: Path) -> None:
    path = sesgo(tmp_path / "rows.xlsx")
    frame = pd.read_excel(path, dtype=str)
    for row, cell in enumerate(["{'ans0': ", "[" * 10_000, "7", "", "{'ans0': 'a'}", "x" * 30_000]):
        frame.loc[row, "answer_info"] = cell
    frame.to_excel(path, index=False)
    assert audit(path).rows("empty-text") == [2, 3, 4, 5, 6, 7]


def test_our_own_parquet(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "id": ["0a", "0b"],
            "language": ["es", "es"],
            "target": ["panaderos", "panaderos"],
            "other": ["marineros", "marineros"],
            "direction": ["stereo", "stereo"],
            "sent_target": ["Los panaderos cantan.", "Vienen de el puerto los panaderos."],
            "sent_other": ["Los marineros cantan.", "Vienen de el puerto los marineros."],
        }
    )
    frame.to_parquet(tmp_path / "part-00000.parquet")
    report = audit(tmp_path / "part-00000.parquet")
    assert (report.layout, report.language, report.told) == ("Contrapar", "es", False)
    assert report.rows("contraction-del") == [2]


# --- columns of one's own -----------------------------------------------------------------------------------


def test_columns_are_mapped(tmp_path: Path) -> None:
    path = written(tmp_path / "rows.tsv", "first\tb=c\tway\nA baker..\tA sailor..\tstereo\n")
    report = audit(path, "pairs", {"first": "sent_target", "b=c": "sent_other", "way": "direction"})
    assert (report.layout, set(report.found)) == ("mapped", {"double-punctuation"})
    assert report.found["double-punctuation"].example == (0, "first", "A baker..")


@pytest.mark.parametrize(
    ("family", "mapping", "told"),
    [
        ("pears", {}, "'pears' is no family; did you mean 'pairs'"),
        ("qa", {"first": "context"}, "nothing is question, ans0, ans1, ans2, label; say --map theirs=ours; its col"),
        ("pairs", {"frist": "sent_target"}, "there is no column 'frist'; did you mean 'first'"),
        ("pairs", {"first": "sent_targt"}, "'sent_targt' is no column of ours; did you mean 'sent_target'"),
        ("qa", {"first": "sent_target", "second": "sent_other"}, "is a layout of pairs, not of qa"),
    ],
)
def test_a_wrong_map_is_told(tmp_path: Path, family: str, mapping: dict[str, str], told: str) -> None:
    path = written(tmp_path / "rows.csv", "first,second\nA baker.,A sailor.\n")
    with pytest.raises(UsageError, match=re.escape(told)):
        audit(path, family, mapping)


def test_a_file_without_directions_says_so_once(tmp_path: Path) -> None:
    rows = "".join(f"A baker {n}.,A sailor {n}.\n" for n in "abc")
    path = written(tmp_path / "rows.csv", "sent_target,sent_other\n" + rows)
    report = audit(path)
    assert report.count("direction") == 3
    assert report.as_text().count("direction") == 3  # the code, and twice in what it says
    assert list(report.found["direction"].messages) == ["there is no direction"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("the baker and the sailor of the port with that old hat", "en"),
        ("el panadero y los marineros del puerto con una red para las barcas", "es"),
        ("het brood van de bakker met een vis voor op het schip", "nl"),
        ("le boulanger et les marins des ports dans une barque pour elle", "fr"),
        ("okina eta marinela ez da hori zuen eta du bat", "eu"),
        ("xyz abc", ""),
    ],
)
def test_the_language_is_told_from_common_words(text: str, code: str) -> None:
    assert told_language([text] * 5) == code


# --- telling ------------------------------------------------------------------------------------------------


def run(*arguments: Any, capsys: pytest.CaptureFixture[str], form: str = "text", **more: Any) -> tuple[int, str, str]:
    code = audit_command([*arguments], more.get("family"), more.get("maps", ()), more.get("language"), form)
    out = capsys.readouterr()
    return code, out.out, out.err


def test_text_tells_each_rule_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(crows_pairs(tmp_path / "rows.csv"), capsys=capsys)
    assert code == 1
    assert out.startswith(f"{tmp_path / 'rows.csv'}: CrowS-Pairs, pairs, 5 rows, language en (told from its words)\n")
    told = re.findall(r"^  (error|warning) ([a-z-]+): (.*?);", out, re.MULTILINE)
    assert told == [
        ("error", "double-punctuation", "1 row"),
        ("error", "duplicate", "1 row"),
        ("error", "final-punctuation", "1 row"),
        ("warning", "several-spans", "1 row"),
    ]
    assert re.search(r"line 6, sent_more/less: The (old|young) sailors run\.\.$", out, re.MULTILINE)


def test_json_holds_every_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(sesgo(tmp_path / "rows.xlsx"), capsys=capsys, form="json")
    (told,) = json.loads(out)["files"]
    found = {finding["code"]: finding for finding in told["findings"]}
    assert (code, told["rows"], told["layout"]) == (1, 12, "SESGO")
    assert found["placeholder"]["count"] == 6
    assert found["placeholder"]["rows"] == [2, 3, 4, 5, 6, 7]
    assert found["placeholder"]["messages"] == {"'{{WORD1}}' was left in the text": 6}
    assert found["placeholder"]["example"]["text"] == "El panadero y la marinera van a {{WORD1}}."


def test_annotations_are_one_a_rule(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = crows_pairs(tmp_path / "rows.csv")
    code, out, _ = run(path, capsys=capsys, form="github")
    lines = out.splitlines()
    assert (code, len(lines)) == (1, 4)
    assert lines[0].startswith(f"::error file={path},line=6,title=double-punctuation::1 row: '..' in the text")


def test_a_clean_file_gives_0_and_warnings_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clean = written(tmp_path / "clean.csv", PAIR)
    code, out, _ = run(clean, capsys=capsys)
    assert code == 0
    assert "nothing found" in out
    spaced = written(tmp_path / "spaced.csv", PAIR + "A  cook.,A  cat.,anti\n")
    assert run(spaced, capsys=capsys)[0] == 0


def test_of_several_files_a_bad_one_is_a_line_and_the_others_are_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = [crows_pairs(tmp_path / "one.csv"), sesgo(tmp_path / "two.xlsx")]
    code, out, error = run(good[0], tmp_path / "none.csv", good[1], capsys=capsys)
    assert code == 2
    assert error.count("\n") == 1
    assert error.startswith("contrapar: ")
    assert "2 files, 17 rows" in out
    assert "error placeholder: 6 rows in 1 file" in out
    code, out, _ = run(good[0], tmp_path / "none.csv", capsys=capsys, form="json")
    assert (len(json.loads(out)["files"]), len(json.loads(out)["failed"])) == (1, 1)


def test_progress_is_told_by_rows(tmp_path: Path) -> None:
    seen: list[tuple[str, int, int]] = []
    audit(crows_pairs(tmp_path / "rows.csv"), progress=lambda *step: seen.append(step))
    assert seen == [("rows.csv", 5, 5)]


def test_the_commands_in_the_docs_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from contrapar.cli import cli

    monkeypatch.chdir(tmp_path)
    written(tmp_path / "pairs.csv", "first,second,kind\nA baker.,A sailor.,stereo\n")
    commands = re.findall(r"^contrapar (audit .*)$", DOCS.read_text(encoding="utf-8"), re.MULTILINE)
    assert commands
    for command in commands:
        result = CliRunner().invoke(cli, shlex.split(command), standalone_mode=False)
        assert result.exception is None
        assert "nothing found" in result.output


# --- published files ----------------------------------------------------------------------------------------


def counts(reports: list[Report]) -> Counter[str]:
    total: Counter[str] = Counter()
    for report in reports:
        total.update({code: report.count(code) for code in report.found})
    return total


@pytest.mark.slow
def test_published_sesgo_prompts(shared: Path) -> None:
    reports = {path.name: audit(path, "qa") for path in sorted(shared.glob("sesgo/prompts_*.xlsx"))}
    found = counts(list(reports.values()))
    assert sum(len(report.lines) for report in reports.values()) == 6120
    assert {report.layout for report in reports.values()} == {"SESGO"}
    assert all(report.language == name.split("_")[-1][:2].lower() for name, report in reports.items())
    assert (found["placeholder"], found["gold-text"]) == (430, 656)
    gender = reports["prompts_genero_es.xlsx"]
    assert (gender.count("contraction-al"), gender.count("contraction-del")) == (36, 20)
    assert reports["prompts_genero_EN.xlsx"].count("editorial-mark") == 162
    assert not {"label-range", "gold-label", "same-answers", "answer-roles", "gold-condition", "duplicate"} & set(found)


def test_published_crows_pairs(shared: Path) -> None:
    report = audit(shared / "crows_pairs" / "crows_pairs_anonymized.csv", "pairs")
    assert len(report.lines) == 1508
    assert (report.count("final-punctuation"), report.count("duplicate")) == (26, 1)
    assert report.count("several-spans") == 219  # of 215 to 236, by how punctuation is cut
    assert not {"same-sentence", "direction", "nothing-shared", "opposite"} & set(report.found)


def test_published_bbq(shared: Path) -> None:
    religion, orientation = (audit(shared / "bbq" / f"{name}.jsonl") for name in ("Religion", "Sexual_orientation"))
    assert (len(religion.lines), len(orientation.lines)) == (1200, 864)
    assert {code: religion.count(code) for code in religion.found} == {"doubled-word": 20}
    assert list(religion.found["doubled-word"].messages) == ["'with with': a function word stands twice"]
    assert not orientation.found
