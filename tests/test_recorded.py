"""Answers made elsewhere: what is in a cell, which row it belongs to, and every mismatch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from contrapar.builder.problems import SourceFaults, UsageError
from contrapar.evaluate.answer.recorded import join, read_recorded, reply, scores

IDS = ["a1", "b2", "c3"]


def xlsx(path: Path, **sheets: list[list[Any]]) -> Path:
    import openpyxl

    book = openpyxl.Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def csv(path: Path, text: str) -> Path:
    path.write_bytes(text.encode())
    return path


def test_a_workbook_tells_numbers_text_and_blanks_apart(tmp_path: Path) -> None:
    rows = [["id", "Model X"], ["a1", 1], ["b2", "1"], ["c3", None], ["d4", 2.0], ["e5", "Option 1"], ["f6", " "]]
    found = read_recorded(xlsx(tmp_path / "a.xlsx", one=rows), {"id": "id", "answer": "Model X"})
    assert found.fields["answer"] == [1, "1", None, 2, "Option 1", None]
    assert [reply(v) for v in found.fields["answer"]] == ["1", "1", None, "2", "Option 1", None]
    assert found.lines == [2, 3, 4, 5, 6, 7]


def test_words_that_look_like_nothing_stay_words(tmp_path: Path) -> None:
    words = ["NA", "null", "None", "nan", "N/A", "no", "TRUE"]
    ids = [f"i{i}" for i in range(len(words))]
    lines = "".join(f"{i},{word}\n" for i, word in zip(ids, words, strict=True))
    found = read_recorded(csv(tmp_path / "a.csv", "id,answer\n" + lines), {"id": "id", "answer": "answer"})
    assert join(found, ids)["answer"] == words


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1, "1"),
        (1.0, "1"),
        ("1", "1"),
        ("1.0", "1"),
        (" 2.00 ", "2"),
        (1.5, "1.5"),
        ("1.5", "1.5"),
        (-1.0, "-1"),
        ("Option 1.0", "Option 1.0"),
        ("", ""),
        (None, None),
    ],
)
def test_a_value_as_a_reply(value: Any, expected: str | None) -> None:
    assert reply(value) == expected


@pytest.mark.parametrize("head", ["id;answer", "id,answer", "id\tanswer", "\ufeffid,answer", "answer,id"])
def test_any_separator_mark_and_order_of_columns(tmp_path: Path, head: str) -> None:
    separator = next(s for s in ";,\t" if s in head)
    names = head.lstrip("\ufeff").split(separator)
    row = separator.join({"id": "a1", "answer": '"two\nlines"'}[name] for name in names)
    found = read_recorded(csv(tmp_path / "a.csv", f"{head}\r\n{row}\r\n"), {"id": "id", "answer": "answer"})
    assert join(found, ["a1"])["answer"] == ["two\nlines"]


def test_json_lines(tmp_path: Path) -> None:
    rows = [{"id": "a1", "y": 1}, {"id": "b2", "y": "1"}, {"id": "c3"}]
    path = csv(tmp_path / "a.jsonl", "\n".join(map(json.dumps, rows)) + "\n\n")
    found = read_recorded(path, {"id": "id", "answer": "y"})
    assert found.fields["answer"] == [1, "1", None]


def test_parquet(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"id": IDS, "y": [1.0, None, float("nan")]}), tmp_path / "a.parquet")
    found = read_recorded(tmp_path / "a.parquet", {"id": "id", "answer": "y"})
    assert found.fields["answer"] == [1.0, None, None]


def test_rows_are_joined_by_id_in_any_order(tmp_path: Path) -> None:
    found = read_recorded(csv(tmp_path / "a.csv", "id,y\nc3,2\na1,0\nb2,1\n"), {"id": "id", "answer": "y"})
    assert join(found, IDS)["answer"] == ["0", "1", "2"]


def test_every_mismatch_is_told_at_once(tmp_path: Path) -> None:
    text = "id,y\na1,0\na1,1\nzz,1\n,2\n"
    found = read_recorded(csv(tmp_path / "a.csv", text), {"id": "id", "answer": "y"})
    with pytest.raises(SourceFaults) as caught:
        join(found, IDS)
    told = {p.code: (p.place.line, p.message, p.rows) for p in caught.value.problems}
    assert told == {
        "id-twice": (3, "given twice: a1", 1),
        "unknown-id": (4, "no row of the dataset has: zz, (blank)", 2),
        "missing-answer": (0, "no answer for b2, c3", 2),
    }


def test_many_mismatches_are_counted_and_a_few_named(tmp_path: Path) -> None:
    text = "id,y\n" + "".join(f"x{i},0\n" for i in range(50))
    found = read_recorded(csv(tmp_path / "a.csv", text), {"id": "id", "answer": "y"})
    with pytest.raises(SourceFaults, match=r"x0, x1, x2, x3, x4 and 45 more"):
        join(found, IDS)


def test_row_order_joins_only_when_asked_for_and_only_equal_counts(tmp_path: Path) -> None:
    found = read_recorded(csv(tmp_path / "a.csv", "y\n0\n1\n2\n"), {"answer": "y"})
    with pytest.raises(UsageError, match="say which column holds the id"):
        join(found, IDS)
    assert join(found, IDS, by_order=True)["answer"] == ["0", "1", "2"]
    with pytest.raises(UsageError, match="3 answers for 2 rows"):
        join(found, IDS[:2], by_order=True)
    named = read_recorded(csv(tmp_path / "b.csv", "id,y\na1,0\n"), {"id": "id", "answer": "y"})
    with pytest.raises(UsageError, match="either by id or by row order"):
        join(named, ["a1"], by_order=True)


def test_scores_are_numbers(tmp_path: Path) -> None:
    columns = {"id": "id", "score_target": "t"}
    good = read_recorded(csv(tmp_path / "a.csv", "id,t\na1,-1.5\nb2,\nc3,nan\n"), columns)
    assert scores(good, "score_target") == [-1.5, None, None]
    bad = read_recorded(csv(tmp_path / "b.csv", 'id,t\na1,"-1,5"\nb2,x\nc3,2\n'), columns)
    with pytest.raises(SourceFaults) as caught:
        scores(bad, "score_target")
    assert [(p.place.line, p.message) for p in caught.value.problems] == [
        (2, "'-1,5' is no number"),
        (3, "'x' is no number"),
    ]


def test_an_uneven_row_is_an_error(tmp_path: Path) -> None:
    """An answer with a comma and no quotes would else lose its end."""
    with pytest.raises(SourceFaults, match=r"a\.csv:2: error uneven-row: 3 cells under 2 column names"):
        read_recorded(csv(tmp_path / "a.csv", "id,y\na1,Option 1, the woman\n"), {"id": "id", "answer": "y"})


@pytest.mark.parametrize(
    ("name", "content", "columns", "sheet", "message"),
    [
        ("a.txt", "x", {"id": "id"}, None, "answers are read from .csv"),
        ("a.csv", None, {"id": "id"}, None, "there is no such file"),
        ("a.csv", "id,GPT\n", {"id": "id", "answer": "GTP"}, None, "no column 'GTP'; did you mean 'GPT'?"),
        ("a.csv", "id,y,y\n", {"answer": "y"}, None, "two columns are named 'y'"),
        ("a.csv", "id,y\n", {"answer": "y"}, "one", "only a workbook has sheets"),
        ("a.csv", "", {"answer": "y"}, None, "no column 'y'"),
        ("a.xlsx", "no workbook", {"answer": "y"}, None, "cannot be read as a workbook"),
        ("a.parquet", "no parquet", {"answer": "y"}, None, "cannot be read as Parquet"),
    ],
)
def test_what_cannot_be_read_is_told_in_one_line(
    tmp_path: Path, name: str, content: str | None, columns: dict[str, str], sheet: str | None, message: str
) -> None:
    if content is not None:
        csv(tmp_path / name, content)
    with pytest.raises(UsageError) as caught:
        read_recorded(tmp_path / name, columns, sheet=sheet)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_not_utf8(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"id,y\na,\xe9\n")
    with pytest.raises(UsageError, match="not UTF-8 at byte 7"):
        read_recorded(tmp_path / "a.csv", {"answer": "y"})


def test_bad_json_is_told_line_by_line(tmp_path: Path) -> None:
    path = csv(tmp_path / "a.jsonl", '{"y": 1}\n{"y": \n[1]\n{"y": [1]}\n')
    with pytest.raises(SourceFaults) as caught:
        read_recorded(path, {"answer": "y"})
    assert [(p.place.line, p.code) for p in caught.value.problems] == [(2, "not-json"), (3, "not-an-object")]
    path.write_text('{"y": 1}\n{"y": [1]}\n')
    with pytest.raises(SourceFaults, match="neither text nor number"):
        read_recorded(path, {"answer": "y"})


def test_a_sheet_is_named_where_there_are_several(tmp_path: Path) -> None:
    book = xlsx(tmp_path / "a.xlsx", one=[["y"], [0]], two=[["y"], [1]])
    with pytest.raises(UsageError, match="several sheets; name one of one, two"):
        read_recorded(book, {"answer": "y"})
    with pytest.raises(UsageError, match="no sheet 'twoo'; did you mean 'two'"):
        read_recorded(book, {"answer": "y"}, sheet="twoo")
    assert read_recorded(book, {"answer": "y"}, sheet="two").fields["answer"] == [1]


def test_blank_lines_at_the_end_of_a_sheet_are_no_rows(tmp_path: Path) -> None:
    book = xlsx(tmp_path / "a.xlsx", one=[["y"], [0], [None], [1], [None], [None]])
    assert read_recorded(book, {"answer": "y"}).fields["answer"] == [0, None, 1]
