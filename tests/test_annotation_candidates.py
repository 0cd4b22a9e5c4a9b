"""Free text as rows to review: what is near to another is marked, and no spreadsheet runs it."""

from __future__ import annotations

from pathlib import Path

import pytest
from contrapar.annotation.answers import Proposal, read_proposals, write_proposals
from contrapar.annotation.candidates import NEAR, candidates, likeness, write_candidates
from contrapar.annotation.subjects import Subject
from survey_folder import dataset, read, survey

KNOWN = [
    Subject("en/hats/late", "hats", "People with hats are always late."),
    Subject("en/hats/vain", "hats", "People with hats are vain."),
]


@pytest.mark.parametrize(
    ("one", "other", "near"),
    [
        ("People with hats are always late.", "people with hats are always late", True),
        ("People with hats are always late", "People with hats are allways late", True),
        ("Siempre llegan tarde", "siempre llegan tárde!", True),
        ("always late are people with hats", "People with hats are always late.", True),
        ("People with hats are always late.", "People with hats sing.", False),
        ("They are late", "They are loud", False),
        ("", "They are loud", False),
        ("...", "!!!", False),
    ],
)
def test_likeness(one: str, other: str, near: bool) -> None:
    assert (likeness(one, other) >= NEAR) is near
    assert likeness(one, other) == pytest.approx(likeness(other, one), abs=0.2)


def test_near_duplicates_become_one_and_what_exists_is_marked() -> None:
    found = candidates(
        [
            Proposal("hats", "bowler", "They never pay for lunch", 1),
            Proposal("hats", "bowler", "they never pay for the lunch", 3),
            Proposal("hats", "bowler", "People with hats are always late!", 2),
            Proposal("hats", "cap", "They never pay for lunch", 1),
        ],
        KNOWN,
    )
    assert [(one.group, one.text, one.people, one.near) for one in found] == [
        ("bowler", "they never pay for the lunch", 4, ""),
        ("bowler", "People with hats are always late!", 2, "en/hats/late"),
        ("cap", "They never pay for lunch", 1, ""),
    ]
    assert found[0].also == ("They never pay for lunch",)
    assert found[1].likeness == 1.0


def test_rows_are_ready_for_the_table_of_stereotypes(tmp_path: Path) -> None:
    found = candidates([Proposal("hats", g, "=1+1 They hide things", 1) for g in ("bowler", "cap")], KNOWN)
    write_candidates(
        tmp_path / "c.csv", found, "hats", "en", [*KNOWN, Subject("en/hats/1-1-they-hide-things", "hats", "x")]
    )
    rows = read(tmp_path / "c.csv")
    assert [row["id"] for row in rows] == ["en/hats/1-1-they-hide-things-2", "en/hats/1-1-they-hide-things-3"]
    assert rows[0] | {"group": ""} == {
        "id": "en/hats/1-1-they-hide-things-2",
        "axis": "hats",
        "concept": "",
        "text": "'=1+1 They hide things",
        "source": "survey hats",
        "state": "draft",
        "note": "",
        "group": "",
        "people": "1",
        "near": "",
        "likeness": "",
    }


@pytest.mark.parametrize("text", ["=1+1", "+32 is a number", "-1", "@you", "'quoted'", "plain; with a mark", "ñ"])
def test_strangers_words_are_no_formula_and_come_back(tmp_path: Path, text: str) -> None:
    write_proposals(tmp_path / "p.csv", [Proposal("hats", "cap", text, 2)])
    assert read_proposals(tmp_path / "p.csv") == [Proposal("hats", "cap", text, 2)]
    [row] = read(tmp_path / "p.csv")
    assert not row["text"].startswith(("=", "+", "-", "@"))


def test_the_verb(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = dataset(tmp_path, [(one.id, one.axis, one.text) for one in KNOWN])
    assert survey("candidates", folder, "--folder", tmp_path / "s") == 2
    assert "nothing came back yet" in capsys.readouterr().err
    write_proposals(tmp_path / "s" / "proposals.csv", [Proposal("hats", "hats", "People with hats are vain", 1)])
    assert survey("candidates", folder, "--folder", tmp_path / "s") == 0
    assert "1 candidates, 1 of them near" in capsys.readouterr().out
    assert read(tmp_path / "s" / "candidates.csv")[0]["near"] == "en/hats/vain"
