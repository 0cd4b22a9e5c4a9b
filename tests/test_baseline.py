"""Answers that need no model."""

from __future__ import annotations

import subprocess
import sys

import pandas as pd
import pytest
from contrapar.builder.problems import UsageError
from contrapar.evaluate.answer.baseline import answer, drawn

QA = pd.DataFrame(
    {
        "id": [f"{i:016x}" for i in range(3_000)],
        "ans0": "x",
        "ans1": "y",
        "ans2": "z",
        "unknown": [i % 3 for i in range(3_000)],
    }
)
PAIRS = pd.DataFrame({"id": QA["id"], "sent_target": "x", "sent_other": "y"})


def test_chance_takes_each_option_as_often_and_depends_on_nothing_but_id_and_seed() -> None:
    chosen = answer(QA, "chance", seed=1)
    assert chosen["answer"].value_counts().between(900, 1_100).all()  # three standard deviations: 77
    assert (chosen["outcome"] == "answer").all()
    part = answer(QA.iloc[::-7], "chance", seed=1).set_index("id")["answer"]
    assert (chosen.set_index("id")["answer"].loc[part.index] == part).all()
    assert (answer(QA, "chance", seed=2)["answer"] != chosen["answer"]).mean() > 0.6


def test_chance_is_the_same_on_every_machine() -> None:
    assert [drawn(row, 3, 0) for row in ("a", "b", "c", "d", "e", "f")] == [0, 0, 1, 0, 1, 1]


@pytest.mark.parametrize(("name", "index"), [("first-1", 0), ("first-2", 1), ("first-3", 2)])
def test_always_the_same_option(name: str, index: int) -> None:
    assert (answer(QA, name, seed=1)["answer"] == index).all()


def test_always_unknown() -> None:
    assert answer(QA, "unknown", seed=1)["answer"].tolist() == QA["unknown"].tolist()


def test_pairs() -> None:
    target = answer(PAIRS, "first-1", seed=1)
    assert (target["score_target"] > target["score_other"]).all()
    other = answer(PAIRS, "first-2", seed=1)
    assert (other["score_target"] < other["score_other"]).all()
    assert (answer(PAIRS, "unknown", seed=1)["score_target"] == 0).all()
    chance = answer(PAIRS, "chance", seed=1)
    assert 0.45 < (chance["score_target"] > chance["score_other"]).mean() < 0.55


def test_what_there_is_no_baseline_for() -> None:
    with pytest.raises(UsageError, match="no baseline 'chanse'; did you mean 'chance'"):
        answer(QA, "chanse", seed=1)
    with pytest.raises(UsageError, match="no option 3: these rows have 2"):
        answer(PAIRS, "first-3", seed=1)
    with pytest.raises(UsageError, match="have neither"):
        answer(QA[["id"]], "chance", seed=1)


@pytest.mark.slow
def test_neither_torch_nor_transformers_is_loaded() -> None:
    code = (
        "import sys; import contrapar.evaluate.answer.baseline, contrapar.evaluate.answer.recorded, "
        "contrapar.evaluate.metrics, contrapar.evaluate.parse, contrapar.evaluate.reproduce; "
        "sys.exit(bool({'torch', 'transformers', 'datasets', 'openai'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# --- where sets are asked for -----------------------------------------------------------------------------

SETS = pd.DataFrame(
    {
        "id": [f"{i:016x}" for i in range(4_000)],
        "format": ["yes_no", "choice"] * 2_000,
        "options": [["Sí", "No"], ["a", "b", "c", "d", "e", "f", "g"]] * 2_000,
    }
)
YES_NO, CHOICE = SETS["format"] == "yes_no", SETS["format"] == "choice"


def test_the_first_k_of_a_choice_and_chance_of_yes_and_no_as_the_paper_has_it() -> None:
    found = answer(SETS, "first-k", seed=0)
    assert all(chosen == [0, 1] for chosen in found[CHOICE]["answer"])  # 0.286 * 7 is 2.002
    assert {tuple(chosen) for chosen in found[YES_NO]["answer"]} == {(0,), (1,)}
    assert sum(chosen == [0] for chosen in found[YES_NO]["answer"]) == pytest.approx(1_000, abs=100)


def test_chance_takes_any_k_of_the_options() -> None:
    found = answer(SETS, "chance", seed=0)[CHOICE]["answer"]
    assert all(len(set(chosen)) == 2 and chosen == sorted(chosen) for chosen in found)
    often = pd.Series([tuple(chosen) for chosen in found]).value_counts()
    assert len(often) == 21  # every pair of 7
    assert often.between(2_000 / 21 - 40, 2_000 / 21 + 40).all()  # four standard deviations
    assert answer(SETS, "chance", seed=0).equals(answer(SETS, "chance", seed=0))


def test_the_first_option_of_yes_and_no_is_always_yes() -> None:
    assert all(chosen == [0] for chosen in answer(SETS, "first-1", seed=0)["answer"])


@pytest.mark.parametrize(("rows", "name"), [(SETS, "unknown"), (QA, "first-k"), (PAIRS, "first-k")])
def test_a_baseline_that_rows_of_this_kind_do_not_have(rows: pd.DataFrame, name: str) -> None:
    with pytest.raises(UsageError, match=f"--baseline {name}"):
        answer(rows, name, seed=0)
