"""A paper's scores beside ours: on workbooks made here, and on the published ones where they are."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from contrapar.builder.problems import UsageError
from contrapar.evaluate.reproduce import Comparison, main, reproduce_sesgo

PUBLISHED = Path(__file__).parents[1].parent / "shared" / "data" / "sesgo"
HEAD = ["tipo", "prompt_id", "question_polarity", "context_condition", "label", "target", "other"]
# the six rows of one pair of names, twice
ROWS = [
    ("neg", "ambig", 2),
    ("neg", "disambig", 1),
    ("neg", "disambig", 0),
    ("nonneg", "ambig", 2),
    ("nonneg", "disambig", 0),
    ("nonneg", "disambig", 1),
] * 2
# numbers, numbers as text, a blank and a word; target is 1, other 0
ANSWERS = [1, "1", 0, "2", 2, None, 2, 1, "0", 0, 1, "Rev"]
# ambiguous: 1 (against the target), 2, 2, 0 in a positive question (against the target): accuracy 2/4, F 2/4, 0
AMBIG = (0.5**2 + 0.5**2) ** 0.5
# disambiguated: right 1, 0, 1, 0; wrong 2, blank, "Rev" in neither; 1 for 0 in a positive question against the other
DISAMBIG = -(((4 / 8) ** 2 + (1 / 8) ** 2) ** 0.5)
MODEL = "GPT-4o mini"


def book(path: Path, sheets: dict[str, str], answers: list[Any]) -> None:
    import openpyxl

    made = openpyxl.Workbook()
    made.remove(made.active)
    for name, column in sheets.items():
        sheet = made.create_sheet(name)
        sheet.append([*HEAD, column])
        for i, ((polarity, condition, gold), answer) in enumerate(zip(ROWS, answers, strict=True)):
            sheet.append(["racism" if i < 6 else "clase", None, polarity, condition, gold, 1, 0, answer])
    made.save(path)


def folder(tmp_path: Path, scores: list[tuple[str, str, str, str, str, float]]) -> Path:
    book(tmp_path / "answers_es_t075.xlsx", {"TODOS": MODEL}, ANSWERS)
    book(tmp_path / "answers_en.xlsx", {"Sheet1": MODEL, "Sheet2": MODEL}, ANSWERS)
    book(tmp_path / "answers_es_temperatures.xlsx", {"TODOS": "gpt4omini_025"}, ANSWERS)
    with (tmp_path / "published_scores.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["table", "condition", "language", "subset", "temperature", "model", "bias_score"])
        table.writerows([*row[:5], MODEL, row[5]] for row in scores)
    return tmp_path


GOOD = [
    ("2", "ambig", "es", "pooled", "0.75", round(AMBIG, 3)),
    ("3", "disambig", "es", "pooled", "0.75", round(DISAMBIG, 3)),
    ("A1", "ambig", "en", "matched", "0.75", round(AMBIG, 3)),
    ("A2", "disambig", "es", "matched", "0.75", round(DISAMBIG, 3)),
    ("A3", "ambig", "es", "pooled", "0.25", round(AMBIG, 3)),
]


def test_scores_worked_by_hand(tmp_path: Path) -> None:
    found = reproduce_sesgo(folder(tmp_path, GOOD))
    assert [one.ours for one in found] == pytest.approx([AMBIG, DISAMBIG, AMBIG, DISAMBIG, AMBIG])
    assert all(one.holds for one in found)
    assert [(one.n, one.clusters) for one in found[:2]] == [(4, 2), (8, 2)]


def test_a_category_is_scored_alone(tmp_path: Path) -> None:
    """The first six rows are of one category: ambiguous answers 1 and 2."""
    (found,) = reproduce_sesgo(folder(tmp_path, [("2", "ambig", "es", "racism", "0.75", 0.707)]))
    assert found.ours == pytest.approx((0.5**2 + 0.5**2) ** 0.5)
    assert found.n == 2


def test_a_category_without_rows_has_no_score_and_says_why(tmp_path: Path) -> None:
    (found,) = reproduce_sesgo(folder(tmp_path, [("2", "ambig", "es", "xenophobia", "0.75", 0.1)]))
    assert (found.ours, found.holds, found.reason) == (None, False, "no rows")


def test_the_exit_code_is_0_only_when_all_hold(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main("sesgo", folder(tmp_path, GOOD), "table") == 0
    assert "5 of 5 published scores hold to within 0.001" in capsys.readouterr().out
    off = [*GOOD[:-1], (*GOOD[-1][:5], GOOD[-1][5] + 0.002)]
    assert main("sesgo", folder(tmp_path, off), "table") == 1
    text = capsys.readouterr().out
    assert "4 of 5" in text
    assert text.count("DIFFERS") == 1


def test_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main("sesgo", folder(tmp_path, GOOD), "json") == 0
    whole = json.loads(capsys.readouterr().out)
    assert (whole["holding"], whole["of"]) == (5, 5)
    assert "prompt_id" in whole["cluster"]
    assert Comparison(**whole["scores"][0]).table == "2"
    assert whole["scores"][0]["low"] < AMBIG < whole["scores"][0]["high"]


def test_wrong_use_is_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="nothing to reproduce named 'sesgos'; did you mean 'sesgo'"):
        main("sesgos", tmp_path, "table")
    with pytest.raises(UsageError, match="no format 'yaml'"):
        main("sesgo", tmp_path, "yaml")
    with pytest.raises(UsageError, match=r"published_scores\.csv: there is no such file"):
        main("sesgo", tmp_path, "table")
    folder(tmp_path, GOOD)
    (tmp_path / "answers_en.xlsx").unlink()
    with pytest.raises(UsageError, match=r"answers_en\.xlsx: there is no such file"):
        main("sesgo", tmp_path, "table")
    book(tmp_path / "answers_en.xlsx", {"Sheet1": MODEL, "Sheet2": "another"}, ANSWERS)
    with pytest.raises(UsageError, match="no column 'GPT-4o mini'"):
        main("sesgo", tmp_path, "table")
    (tmp_path / "published_scores.csv").write_text("table,model\n2,x\n")
    with pytest.raises(UsageError, match="no column 'condition'"):
        main("sesgo", tmp_path, "table")


@pytest.mark.slow
@pytest.mark.skipif(not PUBLISHED.is_dir(), reason=f"SESGO's workbooks are not in {PUBLISHED}")
def test_all_published_bias_scores_come_out() -> None:
    found = reproduce_sesgo(PUBLISHED)
    assert {(one.table, sum(o.table == one.table for o in found)) for one in found} == {
        ("2", 30),
        ("3", 30),
        ("A1", 12),
        ("A2", 12),
        ("A3", 60),
    }
    assert [one for one in found if not one.holds] == []
    for one in found:
        assert one.low is not None
        assert one.high is not None
        assert one.ours is not None
        assert one.low <= one.ours <= one.high
