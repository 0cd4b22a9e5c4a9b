"""Importing SESGO's workbooks and building gives the published prompts, row for row."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from contrapar.builder.build import build
from contrapar.builder.formats.sesgo_templates import import_sesgo
from contrapar.builder.problems import UsageError
from contrapar.builder.tables import read_rows

PROMPTS = {
    "es": {axis: f"prompts_{axis}_es.xlsx" for axis in ("clasismo", "genero", "racismo", "xenofobia")},
    "en": {
        "clasismo": "prompts_clasismo_en.xlsx",
        "genero": "prompts_genero_EN.xlsx",
        "racismo": "prompts_racismo_en.xlsx",
        "xenofobia": "prompts_xenofobia_en.xlsx",
    },
}
COLUMNS = ("context", "question", "ans0", "ans1", "ans2", "label", "context_condition", "question_polarity")


def published(path: Path) -> list[tuple[Any, ...]]:
    book = openpyxl.load_workbook(path, read_only=True)
    head, *lines = book.worksheets[0].iter_rows(values_only=True)
    book.close()
    rows = []
    for line in lines:
        if any(cell is not None for cell in line):
            row = dict(zip(head, line, strict=False))
            row.update(ast.literal_eval(row["answer_info"]))
            rows.append(tuple(row[column] for column in COLUMNS))
    return rows


@pytest.mark.slow
@pytest.mark.parametrize(("language", "expected"), [("es", 3840), ("en", 2280)])
def test_the_published_prompts_come_out_row_for_row(shared: Path, tmp_path: Path, language: str, expected: int) -> None:
    import_sesgo(shared / "sesgo", language, tmp_path / "sesgo")
    rows = read_rows(build(str(tmp_path / "sesgo"), tmp_path / "out").folder).to_pylist()
    equal = 0
    for axis, name in PROMPTS[language].items():
        theirs = published(shared / "sesgo" / name)
        ours = [tuple(row[column] for column in COLUMNS) for row in rows if row["axis"] == axis]
        assert len(ours) == len(theirs)
        equal += sum(one == two for one, two in zip(ours, theirs, strict=True))
    assert equal == expected


HEAD = ["Ambiguous_Context", "Disambiguating_Context", "Names", "Question_negative_stereotype",
        "Question_non_negative", "answer_info", "estereotipo"]  # fmt: skip


def workbook(path: Path, lines: list[list[str]]) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "es"
    for line in [HEAD, *lines]:
        sheet.append(line)
    book.save(path)


def test_a_small_workbook_of_our_own(tmp_path: Path) -> None:
    """Side-by-side names, order of rows, a placeholder that nothing fills, and spaces: kept as they stand."""
    answers = "{'ans0': 'El vecino {{NAME1}}', 'ans1': 'El vecino {{NAME2}}', 'ans2': 'No se dice'}"
    workbook(
        tmp_path / "templates_barrio.xlsx",
        [
            ["Un vecino {{NAME1}} y otro {{NAME2}} barrían {{WORD1}}. ", "El {{NAME2}} dejó la escoba.",
             "NAME1:[alto, alto]; NAME2: [bajo , sordo]", "¿Quién paró?", "¿Quién siguió?", answers, "Pereza"],
        ],
    )  # fmt: skip
    count, problems = import_sesgo(tmp_path, "es", tmp_path / "out")
    assert (count, [(p.place.line, p.place.field, p.code) for p in problems]) == (
        1,
        [(2, "Ambiguous_Context", "placeholder")],
    )
    rows = read_rows(build(str(tmp_path / "out"), tmp_path / "built").folder).to_pylist()
    scene = "Un vecino alto y otro bajo barrían {{WORD1}}. "
    told, turned = f"{scene} El bajo dejó la escoba.", f"{scene} El alto dejó la escoba."
    assert [(row["context"], row["question"], row["label"]) for row in rows[:6]] == [
        (scene, "¿Quién paró?", 2),
        (told, "¿Quién paró?", 1),
        (turned, "¿Quién paró?", 0),
        (scene, "¿Quién siguió?", 2),
        (told, "¿Quién siguió?", 0),
        (turned, "¿Quién siguió?", 1),
    ]
    assert [row["ans1"] for row in rows[::6]] == ["El vecino bajo", "El vecino sordo"]
    assert {row["stereotype"] for row in rows} == {"es/barrio/pereza"}


def test_lists_of_unequal_length_are_told_and_left_out(tmp_path: Path) -> None:
    answers = "{'ans0': 'A', 'ans1': 'B', 'ans2': 'C'}"
    workbook(
        tmp_path / "templates_barrio.xlsx",
        [["{{NAME1}} y {{NAME2}}.", "{{NAME2}}.", "NAME1:[a, b]; NAME2:[c]", "¿Quién?", "¿Cuál?", answers, "x"]],
    )
    count, problems = import_sesgo(tmp_path, "es", tmp_path / "out")
    assert count == 0
    assert "NAME1 has 2 names, NAME2 1" in problems[0].message


def test_wrong_folders_are_one_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no templates_"):
        import_sesgo(tmp_path, "es", tmp_path / "out")
    (tmp_path / "templates_x.xlsx").write_bytes(b"no workbook")
    with pytest.raises(UsageError, match="is no workbook"):
        import_sesgo(tmp_path, "es", tmp_path / "out")
    assert not (tmp_path / "out").exists()
