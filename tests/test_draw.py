"""Rows drawn for a reader: as many as asked, the same for a seed, each as likely as any other."""

from __future__ import annotations

import csv
import io
from collections import Counter
from pathlib import Path

import pytest
import small
from conftest import write
from contrapar.builder.build import build
from contrapar.builder.draw import SHEET, draw, family_of, lines, sheet
from contrapar.builder.problems import UsageError
from contrapar.builder.tables import read_rows
from contrapar.cli import cli


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = write(tmp_path_factory.mktemp("pairs"), small.PAIRS)
    return build(str(root / "templates" / "small"), root / "built").folder


@pytest.fixture(scope="module")
def questions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = write(tmp_path_factory.mktemp("questions"), small.QA)
    return build(str(root / "templates" / "small"), root / "built").folder


def test_a_seed_draws_the_same_rows_and_another_seed_others(pairs: Path) -> None:
    one = [row["id"] for row in draw(pairs, 5, seed=1)]
    assert len(set(one)) == 5
    assert one == [row["id"] for row in draw(pairs, 5, seed=1)]
    assert one != [row["id"] for row in draw(pairs, 5, seed=2)]
    assert one[:3] == [row["id"] for row in draw(pairs, 3, seed=1)]


def test_more_than_there_are_gives_all(pairs: Path) -> None:
    ids = read_rows(pairs).column("id").to_pylist()
    assert sorted(row["id"] for row in draw(pairs, 10_000, seed=1)) == sorted(ids)


@pytest.mark.slow
def test_every_row_is_as_likely_as_any_other(pairs: Path) -> None:
    """A third of the rows, 300 times: each is drawn about 100 times; 45 off would be over five deviations."""
    ids = read_rows(pairs).column("id").to_pylist()
    drawn = Counter(row["id"] for seed in range(300) for row in draw(pairs, len(ids) // 3, seed))
    expected = 300 * (len(ids) // 3) / len(ids)
    assert set(drawn) == set(ids)
    assert all(abs(drawn[id] - expected) < 45 for id in ids), drawn


def test_the_right_answer_is_marked_once(questions: Path) -> None:
    for row in draw(questions, 20, seed=0):
        told = list(lines(row, "qa"))
        assert told[0].startswith(row["id"])
        marked = [line for line in told if line.startswith("*")]
        assert len(marked) == 1
        assert marked[0].endswith(row[f"ans{row['label']}"])


def test_the_sheet_has_the_texts_and_room_for_the_reader(pairs: Path) -> None:
    rows = draw(pairs, 4, seed=3)
    read = list(csv.DictReader(io.StringIO(sheet(rows, family_of(pairs), 3)), delimiter=";"))
    assert [row["id"] for row in read] == [row["id"] for row in rows]
    for given, row in zip(read, rows, strict=True):
        assert tuple(given) == SHEET
        assert given["seed"] == "3"
        assert row["sent_target"] in given["text"]
        assert row["sent_other"] in given["text"]
        assert given["natural"] == given["correct"] == given["note"] == ""


def test_none_cannot_be_drawn(pairs: Path) -> None:
    with pytest.raises(UsageError, match="0 rows"):
        draw(pairs, 0, seed=1)


def test_the_verb_prints_or_writes(pairs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["sample", str(pairs), "--rows", "2", "--seed", "7"], standalone_mode=False) == 0
    said = capsys.readouterr().out
    assert all(row["id"] in said and row["sent_target"] in said for row in draw(pairs, 2, seed=7))
    out = tmp_path / "reading.csv"
    assert cli.main(["sample", str(pairs), "--rows", "2", "--out", str(out)], standalone_mode=False) == 0
    assert len(out.read_text(encoding="utf-8").splitlines()) == 3
