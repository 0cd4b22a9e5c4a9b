"""What is asked of whom: blocks, their balance, and that a plan stays once it was sent."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from contrapar.annotation.plan import Plan, make_plan
from contrapar.annotation.subjects import Subject, subjects
from contrapar.builder.problems import SourceFaults, UsageError
from hypothesis import given
from hypothesis import strategies as st
from survey_folder import dataset, hats, survey


def made(known: list[Subject], items: int = 4, seed: int = 0, sent: Plan | None = None, survey: str = "hats") -> Plan:
    return make_plan(known, survey=survey, dataset="hats", language="en", answers=3, items=items, seed=seed, sent=sent)


def some(count: int, group: str = "bowler") -> list[Subject]:
    return [Subject(f"en/{group}/{n}", "hats", f"They are {n}.", (group,)) for n in range(count)]


sizes = st.dictionaries(st.sampled_from(["bowler", "beret", "cap"]), st.integers(1, 30), min_size=1)


@given(sizes, st.integers(1, 12), st.integers(0, 5))
def test_every_stereotype_once_in_equal_blocks_of_one_group(groups: dict[str, int], items: int, seed: int) -> None:
    known = [subject for group, count in groups.items() for subject in some(count, group)]
    plan = made(known, items, seed)
    asked = [item.stereotype for block in plan.blocks for item in block.items]
    assert Counter(asked) == Counter(subject.id for subject in known)
    assert plan == made(known[::-1], items, seed)
    for group, blocks in itertools.groupby(plan.blocks, key=lambda block: block.group):
        lengths = [len(block.items) for block in blocks]
        assert max(lengths) <= items
        assert max(lengths) - min(lengths) <= 1
        assert len(lengths) == -(-groups[group] // items)
    keys = [block.key for block in plan.blocks] + [item.key for block in plan.blocks for item in block.items]
    assert len(set(keys)) == len(keys)


def test_another_seed_deals_otherwise_and_keys_stay() -> None:
    one, other = made(some(20), seed=1), made(some(20), seed=2)
    assert [item.key for block in one.blocks for item in block.items] != [
        item.key for block in other.blocks for item in block.items
    ]
    assert set(one.by_key()) == set(other.by_key())


@given(sizes, sizes, st.integers(1, 6))
def test_what_was_sent_stays_and_what_is_new_comes_behind(
    before: dict[str, int], after: dict[str, int], items: int
) -> None:
    old = [subject for group, count in before.items() for subject in some(count, group)]
    new = [subject for group, count in after.items() for subject in some(count, group)]
    sent = made(old, items)
    plan = made(new, items, sent=sent)
    assert plan.blocks[: len(sent.blocks)] == sent.blocks
    assert {item.stereotype for block in plan.blocks for item in block.items} == {s.id for s in [*old, *new]}
    assert len({block.key for block in plan.blocks}) == len(plan.blocks)
    assert made(new, items, sent=plan) == plan


def test_other_words_for_what_was_asked_are_refused() -> None:
    sent = made(some(2))
    with pytest.raises(SourceFaults, match=r"en/bowler/1: error reworded: .*They are 1.*They are late"):
        made([some(1)[0], Subject("en/bowler/1", "hats", "They are late.", ("bowler",))], sent=sent)


def test_a_title_is_never_longer_than_the_server_takes() -> None:
    plan = made([Subject("x", "axis", "Text.", ("g" * 90,))], survey="s" * 90)
    assert 3 <= len(plan.blocks[0].title) <= 50


def built(folder: Path, columns: dict[str, list[str]]) -> Path:
    (folder / "data").mkdir(parents=True)
    pq.write_table(pa.table(columns), folder / "data" / "part-00000.parquet")
    return folder


def test_pairs_give_groups_and_examples_of_different_templates(tmp_path: Path) -> None:
    rows = [
        ("en/hats/000", f"t{n % 2}", f"{n:016x}", "bowler", "beret", "anti" if n == 0 else "stereo", f"Sentence {n}.")
        for n in range(6)
    ]
    names = ("stereotype", "template", "id", "target", "other", "direction", "sent_target")
    folder = built(tmp_path / "out", dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
    known = subjects(dataset(tmp_path, hats(2)), folder)
    assert known[0].groups == ("bowler",)
    assert known[0].group == "bowler"
    # the first of either template, then a second; never the sentence that says the contrary
    assert known[0].examples == ("Sentence 1.", "Sentence 2.", "Sentence 3.")
    assert (known[1].groups, known[1].examples, known[1].group) == ((), (), "hats")


def test_questions_give_ambiguous_contexts_with_the_negative_question(tmp_path: Path) -> None:
    rows = [
        ("en/hats/000", "t", f"{n:016x}", group, condition, polarity, f"Context {n}.", "Who was late?")
        for n, (group, condition, polarity) in enumerate(
            [("cap", "disambig", "neg"), ("cap", "ambig", "nonneg"), ("cap", "ambig", "neg"), ("hat", "ambig", "neg")]
        )
    ]
    names = (
        *("stereotype", "template", "id", "target_group"),
        *("context_condition", "question_polarity", "context", "question"),
    )
    folder = built(tmp_path / "out", dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
    found = subjects(dataset(tmp_path, hats(1)), folder)[0]
    assert found.examples == ("Context 2. Who was late?", "Context 3. Who was late?")
    # it speaks of two groups, so it is asked with its axis
    assert (found.groups, found.group) == (("cap", "hat"), "hats")


def test_no_built_dataset_there_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no built dataset"):
        subjects(dataset(tmp_path, hats(1)), tmp_path)


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        ([("en/hats/0", "hats", "")], "stereotypes.csv:2:text: error bad-value"),
        ([("en/hats/0", "hats", "A."), ("en/hats/0", "hats", "B.")], "stereotypes.csv:3:id: error doubled-id"),
        ([("../secret", "hats", "A.")], "stereotypes.csv:2:id: error bad-value"),
    ],
)
def test_faults_of_the_table_are_told_by_place(tmp_path: Path, rows: list[tuple[str, str, str]], code: str) -> None:
    with pytest.raises(SourceFaults) as caught:
        subjects(dataset(tmp_path, rows))
    assert code in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ("tiers: {thresholds: [30, 50, 70]}", "dataset.yaml:4:1: error bad-value: tiers: thresholds fall"),
        ("tiers: {policy: guess}", "dataset.yaml:4:9: error bad-value: tiers.policy"),
        ("survey: {answers: none}", "dataset.yaml:4:10: error bad-value: survey.answers"),
    ],
)
def test_faults_of_the_settings_are_told_by_place(
    tmp_path: Path, settings: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = dataset(tmp_path, hats(1))
    (folder / "dataset.yaml").write_text(f"family: pairs\nlanguage: en\ntitle: T\n{settings}\n")
    assert survey("plan", folder, "--folder", tmp_path / "s") == 1
    assert told in capsys.readouterr().out


def test_plan_shows_itself_and_sends_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = dataset(tmp_path, [*hats(6), *hats(3, "gloves"), *hats(1, "retired")])
    store = tmp_path / "s"
    assert survey("plan", folder, "--folder", store) == 0
    out = capsys.readouterr().out
    assert "hats: gloves 1" in out
    assert "10 stereotypes in 4 blocks of at most 4; 3 people for each block, 30 answers in all; language en" in out
    assert sorted(path.name for path in store.iterdir()) == [".gitignore", "plan.json"]
    first = (store / "plan.json").read_bytes()
    assert survey("plan", folder, "--folder", store) == 0
    assert (store / "plan.json").read_bytes() == first
    # before anything is sent it may be made anew
    assert survey("plan", folder, "--folder", store, "--items", 10, "--answers", 9) == 0
    assert "3 blocks" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["../x", "a b", "", "/etc"])
def test_a_name_that_is_none(tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    folder = dataset(tmp_path, hats(1))
    code = survey("plan", folder, "--name", name, "--folder", tmp_path / "s")
    assert code == (0 if not name else 2)
    assert len(capsys.readouterr().err.splitlines()) == (0 if not name else 1)


def test_a_spoiled_plan_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = dataset(tmp_path, hats(1))
    (tmp_path / "s").mkdir()
    (tmp_path / "s" / "plan.json").write_text("{")
    assert survey("report", folder, "--folder", tmp_path / "s", "--counts", "none.csv") == 1
    (tmp_path / "counts.csv").write_text("stereotype;yes;no\n")
    assert survey("report", folder, "--folder", tmp_path / "s", "--counts", tmp_path / "counts.csv") == 1
    assert all("Traceback" not in line for line in capsys.readouterr().out.splitlines())
