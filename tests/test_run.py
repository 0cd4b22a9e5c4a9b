"""A run is a folder that can be killed at any moment, and holds one kind of answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from answered import built, replies
from contrapar.builder.problems import ContraparError, UsageError
from contrapar.evaluate import journal
from contrapar.evaluate.conduct import conduct
from contrapar.evaluate.journal import Journal
from contrapar.evaluate.run import Run, locked, open_run
from contrapar.evaluate.selection import select
from contrapar.evaluate.ways import Options, item_seed
from hypothesis import given
from hypothesis import strategies as st


@pytest.fixture(scope="module")
def qa(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("qa"), "qa")


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("pairs"), "pairs")


def chance(dataset: Path, out: Path, **options: Any) -> Run:
    return conduct(str(dataset), Options(baseline="chance", **options), out, resamples=200)


def content(run: Run) -> dict[str, bytes]:
    """What must be the same however often a run was disturbed."""
    names = ("answers.jsonl", "figures.json", "figures.csv", "rows.parquet")
    return {name: (run.folder / name).read_bytes() for name in names}


# --- the journal ------------------------------------------------------------------------------------------


def test_what_was_added_is_read(tmp_path: Path) -> None:
    path = tmp_path / "answers.part-000"
    with Journal(path) as file:
        file.add([{"id": "a", "reply": "ñ\n\u2028"}, {"id": "b", "scores": [1.5, float("nan")]}])
    with Journal(path) as file:
        file.add([{"id": "c", "score": 0.12345678}])
    assert list(journal.read([path])) == [
        ("a", {"id": "a", "reply": "ñ\n\u2028"}),
        ("b", {"id": "b", "scores": [1.5, None]}),
        ("c", {"id": "c", "score": 0.123457}),
    ]


@given(st.integers(0, 200))
def test_a_torn_end_is_cut_off_wherever_it_is_torn(tmp_path_factory: pytest.TempPathFactory, kept: int) -> None:
    path = tmp_path_factory.mktemp("torn") / "answers.part-000"
    whole = b"".join(journal.line({"id": f"i{n}", "reply": "é" * n}) for n in range(8))
    path.write_bytes(whole[:kept])
    with Journal(path) as file:
        file.add([{"id": "last", "reply": ""}])
    found = [id for id, _ in journal.read([path])]
    lines = whole[:kept].count(b"\n")
    assert found == [f"i{n}" for n in range(lines)] + ["last"]


def test_zeros_after_a_lost_power_are_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "answers.part-000"
    path.write_bytes(journal.line({"id": "a"}) + b"\0" * 100)
    Journal(path).close()
    assert path.read_bytes() == journal.line({"id": "a"})


@pytest.mark.parametrize("line", ["{}", "[]", "nonsense", '{"ident": 1}', "null"])
def test_a_line_that_is_no_answer_is_told_with_its_place(tmp_path: Path, line: str) -> None:
    path = tmp_path / "answers.part-000"
    path.write_text(f'{{"id": "a"}}\n{line}\n')
    with pytest.raises(ContraparError, match=r"answers\.part-000:2: this line is no answer"):
        list(journal.read([path]))


# --- resuming ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lost", [0, 1, 20, 10_000])
def test_a_run_that_lost_its_end_becomes_the_same_run(qa: Path, tmp_path: Path, lost: int) -> None:
    alone = chance(qa, tmp_path / "alone")
    broken = chance(qa, tmp_path / "broken")
    whole = (broken.folder / "answers.jsonl").read_bytes()
    (broken.folder / "answers.part-000").write_bytes(whole[: max(0, len(whole) - lost)])
    for name in ("answers.jsonl", "figures.json", "figures.csv", "rows.parquet"):
        (broken.folder / name).unlink()
    again = chance(qa, tmp_path / "broken")
    assert content(again) == content(alone)
    assert not list(again.folder.glob("answers.part-*"))


def test_answers_stand_in_the_order_of_the_rows_whoever_answered_first(qa: Path, tmp_path: Path) -> None:
    alone = chance(qa, tmp_path / "alone")
    lines = (alone.folder / "answers.jsonl").read_bytes().splitlines(keepends=True)
    other = chance(qa, tmp_path / "other")
    (other.folder / "answers.jsonl").unlink()
    half = len(lines) // 2
    (other.folder / "answers.part-000").write_bytes(b"".join(reversed(lines[half:])))
    (other.folder / "answers.part-003").write_bytes(b"".join(lines[: half + 2]))
    assert content(chance(qa, tmp_path / "other")) == content(alone)


def test_a_finished_run_is_only_counted_again(qa: Path, tmp_path: Path) -> None:
    first = chance(qa, tmp_path / "run")
    before = (first.folder / "answers.jsonl").stat().st_mtime_ns
    assert content(chance(qa, tmp_path / "run")) == content(first)
    assert (first.folder / "answers.jsonl").stat().st_mtime_ns == before


def test_the_sources_and_what_was_built_of_them_are_one_dataset(qa: Path, tmp_path: Path) -> None:
    chance(qa, tmp_path / "run")
    sources = qa.parent / "sources" / "templates" / "small"
    assert chance(sources, tmp_path / "run").is_complete


# --- refusing ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"baseline": "unknown"}, "model.name baseline chance, not baseline unknown"),
        ({"seed": 1}, "seed 0, not 1"),
        ({"limit": 3}, "dataset.rows"),
        ({"axes": ("clase",)}, "dataset.axes unset, not clase"),
    ],
)
def test_other_settings_are_refused_by_name(qa: Path, tmp_path: Path, options: dict[str, Any], said: str) -> None:
    run = chance(qa, tmp_path / "run")
    before = content(run)
    with pytest.raises(UsageError) as told:
        conduct(str(qa), Options(**{"baseline": "chance", **options}), tmp_path / "run")
    assert said in str(told.value)
    assert "\n" not in str(told.value)
    assert content(run) == before


def test_another_dataset_is_refused(qa: Path, pairs: Path, tmp_path: Path) -> None:
    chance(qa, tmp_path / "run")
    with pytest.raises(UsageError, match=r"is a run with dataset.family qa, not pairs \(and \d+ more\)"):
        chance(pairs, tmp_path / "run")


def test_other_answers_in_a_file_are_refused(qa: Path, tmp_path: Path) -> None:
    def run(seed: int) -> Run:
        file = replies(qa, tmp_path / "answers.csv", seed=seed)
        return conduct(str(qa), Options(answers=file), tmp_path / "run", resamples=200)

    run(1)
    with pytest.raises(UsageError, match="answers_sha256"):
        run(2)


def test_a_changed_manifest_is_no_run(qa: Path, tmp_path: Path) -> None:
    run = chance(qa, tmp_path / "run")
    path = run.folder / "run.json"
    manifest = json.loads(path.read_text())
    manifest["settings"]["seed"] = 7
    path.write_text(json.dumps(manifest))
    with pytest.raises(ContraparError, match="was changed after the run began"):
        open_run(run.folder)
    path.write_text("{}")
    with pytest.raises(ContraparError, match="cannot be read"):
        open_run(run.folder)


def test_a_folder_with_something_else_is_left_alone(qa: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(UsageError, match="holds something else than a run"):
        chance(qa, tmp_path)
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_two_at_one_run_are_refused(qa: Path, tmp_path: Path) -> None:
    with locked(tmp_path / "run"), pytest.raises(UsageError, match="another process is at this run"):
        chance(qa, tmp_path / "run")
    assert chance(qa, tmp_path / "run").is_complete


# --- what a run says of itself ----------------------------------------------------------------------------


def test_manifest_and_figures_carry_signature_and_canary(qa: Path, tmp_path: Path) -> None:
    run = chance(qa, tmp_path / "run", limit=12)
    manifest = json.loads((run.folder / "run.json").read_text())
    built_as = json.loads((qa / "manifest.json").read_text())
    assert manifest["settings"]["dataset"]["content_sha256"] == built_as["content_sha256"]
    assert manifest["canary"] == built_as["canary"]
    assert run.signature.startswith(f"small:{built_as['version']}@{built_as['content_sha256'][:12]}|limit:12|rows:12|")
    figures = json.loads((run.folder / "figures.json").read_text())
    assert (figures["signature"], figures["canary"]) == (run.signature, manifest["canary"])
    table = (run.folder / "figures.csv").read_text().splitlines()
    assert table[0].endswith(",run")
    assert all(line.endswith(run.digest) for line in table[1:])


def test_what_was_not_understood_is_listed(qa: Path, tmp_path: Path) -> None:
    file = replies(qa, tmp_path / "answers.csv", junk=0.5)
    run = conduct(str(qa), Options(answers=file), tmp_path / "run", resamples=200)
    listed = (run.folder / "not_understood.csv").read_text()
    assert "refusal" in listed
    assert "It depends." in listed
    figures = {
        (f["metric"], f["group"].get("context_condition")): f["n"]
        for f in json.loads((run.folder / "figures.json").read_text())["figures"]
        if set(f["group"]) == {"context_condition"}
    }
    assert figures["accuracy", "ambig"] == run.rows().column("context_condition").to_pylist().count("ambig")


# --- selecting --------------------------------------------------------------------------------------------


def test_a_sample_is_stable_spread_and_holds_smaller_ones(pairs: Path) -> None:
    whole = select(str(pairs))
    before: set[str] = set()
    for limit in (2, 5, 9):
        found = select(str(pairs), limit=limit)
        ids = found.ids
        assert len(ids) == limit
        assert before <= set(ids)
        assert [id for id in whole.ids if id in set(ids)] == ids
        before = set(ids)
        assert len(set(found.table.column("stereotype").to_pylist())) == 2
    assert set(select(str(pairs), limit=9, seed=1).ids) != before
    assert select(str(pairs), limit=10**6).ids == whole.ids


def test_nothing_left_to_ask_is_told(pairs: Path) -> None:
    with pytest.raises(UsageError, match="no rows of tier 1"):
        select(str(pairs), tiers=(1,))
    with pytest.raises(UsageError, match="has no such axis; did you mean 'orientation'"):
        select(str(pairs), axes=("orientatie",))


def test_seeds_of_items_are_their_own() -> None:
    seeds = {item_seed(seed, id) for seed in range(10) for id in ("a", "b", "c")}
    assert len(seeds) == 30
    assert all(0 <= one < 2**31 for one in seeds)
    assert item_seed(0, "a") == item_seed(0, "a")
