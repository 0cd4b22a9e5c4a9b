"""`contrapar evaluate`, `report` and `compare` as they are typed: in a process of their own."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

import pytest
from answered import built, replies
from conftest import Run
from contrapar.evaluate.cli import evaluate

# What the heavy extras would bring: a process that has none of them refuses to import them.
BLOCKED = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {names!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Blocked())
from contrapar.cli import main
main()
"""
HEAVY = {"torch", "transformers", "accelerate", "openai", "datasets", "huggingface_hub", "safetensors", "tokenizers"}


def without(names: set[str], *arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    """The command in a process that cannot import these."""
    return subprocess.run(
        [sys.executable, "-c", BLOCKED.format(names=names), *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=cwd,
        timeout=300,
        check=False,
    )


@pytest.fixture(scope="module")
def qa(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("qa"), "qa")


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("pairs"), "pairs")


@pytest.mark.slow
def test_a_baseline_needs_no_model_library_at_all(tmp_path: Path) -> None:
    done = without(HEAVY, "evaluate", "sayings", "--baseline", "chance", "--out", "run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "accuracy" in done.stdout
    assert "signature  sayings:" in done.stdout
    assert (tmp_path / "run" / "figures.csv").is_file()
    page = without(HEAVY, "report", "run", cwd=tmp_path)
    assert page.returncode == 0, page.stderr
    assert (tmp_path / "run" / "report.html").is_file()


@pytest.mark.slow
def test_a_library_that_is_missing_is_named(qa: Path, tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "config.json").write_text('{"architectures": ["GPT2LMHeadModel"]}')
    done = without(HEAVY, "evaluate", qa, "--model", "model", cwd=tmp_path)
    assert done.returncode == 2
    assert "pip install 'contrapar[local]'" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_help_answers_at_once_and_loads_nothing_heavy(tmp_path: Path) -> None:
    for verb in ("evaluate", "report", "compare", "reproduce"):
        started = time.monotonic()
        done = without(HEAVY | {"numpy", "pandas", "pyarrow", "jinja2"}, verb, "--help", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert "Usage:" in done.stdout
        assert time.monotonic() - started < 10  # seconds of a busy machine


def test_every_option_has_help() -> None:
    for option in evaluate.params[1:]:
        assert getattr(option, "help", None), option.name


@pytest.mark.slow
def test_from_a_dataset_to_a_page(contrapar: Run, qa: Path, tmp_path: Path) -> None:
    first = contrapar("evaluate", qa, "--baseline", "chance", "--resamples", "200")
    assert first.returncode == 0, first.stderr
    (folder,) = (tmp_path / "runs").iterdir()
    assert folder.name.startswith("small-baseline-baseline-chance-")
    again = contrapar("evaluate", qa, "--baseline", "chance", "--resamples", "200")
    assert again.stdout == first.stdout
    assert len(list((tmp_path / "runs").iterdir())) == 1
    other = contrapar("evaluate", qa, "--baseline", "first", "--out", "other", "--resamples", "200")
    assert other.returncode == 0, other.stderr
    refused = contrapar("evaluate", qa, "--baseline", "unknown", "--out", "other")
    assert refused.returncode == 2
    assert refused.stderr.count("\n") == 1
    assert "is a run with model.name baseline first-1, not baseline unknown" in refused.stderr
    pages = contrapar("report", folder, "other")
    assert pages.stdout.split() == [
        str(Path(run) / name) for run in (folder, "other") for name in ("report.html", "figures.tex", "figures.csv")
    ]
    compared = contrapar("compare", folder, "other", "--out", "both")
    assert compared.stdout.split() == ["both/compare.html", "both/compare.csv", "both/compare.tex"]


@pytest.mark.slow
def test_answers_made_elsewhere(contrapar: Run, qa: Path, pairs: Path, tmp_path: Path) -> None:
    file = replies(qa, tmp_path / "answers.csv")
    text = file.read_text().replace("id,reply", "prompt_id,GPT = 4", 1)
    file.write_text(text)
    done = contrapar(
        *("evaluate", qa, "--answers", file, "--map", "prompt_id=id", "--map", "GPT = 4=reply"),
        *("--model", "gpt", "--out", "run", "--resamples", "200"),
    )
    assert done.returncode == 0, done.stderr
    assert "answered by gpt (recorded)" in done.stdout
    scored = contrapar("evaluate", pairs, "--answers", replies(pairs, tmp_path / "scores.csv"), "--resamples", "200")
    assert scored.returncode == 0, scored.stderr
    assert "bias score" in scored.stdout
    file.write_text(text + "nobody,1\n")
    unknown = contrapar("evaluate", qa, "--answers", file, "--map", "prompt_id=id", "--map", "GPT = 4=reply")
    assert unknown.returncode == 1
    assert "unknown-id" in unknown.stdout


@pytest.mark.slow
def test_a_program_answers_pairs(contrapar: Run, pairs: Path, tmp_path: Path) -> None:
    program = tmp_path / "score.py"
    program.write_text("import sys\nfor line in sys.stdin: print(-len(line))\n")
    done = contrapar(
        "evaluate", pairs, "--command", f"{sys.executable} {program}", "--out", "run", "--resamples", "200"
    )
    assert done.returncode == 0, done.stderr
    row = json.loads((tmp_path / "run" / "answers.jsonl").read_text().splitlines()[0])
    assert set(row) == {"id", "score_target", "score_other"}
    program.write_text("import sys\nfor line in sys.stdin: print('yes')\n")
    wrong = contrapar("evaluate", pairs, "--command", f"{sys.executable} {program}", "--out", "other")
    assert wrong.returncode == 1
    assert "a sentence's answer is its log-likelihood" in wrong.stderr
    assert wrong.stderr.count("\n") == 1


WRONG = {
    "no model": ((), "name a --model, or --baseline chance"),
    "two ways": (("--baseline", "chance", "--answers", __file__), "--answers and --baseline|--baseline and --answers"),
    "a way against what is given": (("--way", "chat", "--baseline", "chance"), "a run has one way of answering"),
    "a way of another family": (("--way", "masked", "--model", "x"), "is of the family qa, which is answered by"),
    "no such baseline": (("--baseline", "chanse"), "did you mean 'chance'"),
    "a folder that is not there": (("--model", "./nowhere"), "there is no such folder"),
    "a map that is none": (("--answers", __file__, "--map", "id"), "write THEIRS=OURS"),
    "a map to nothing": (("--answers", __file__, "--map", "a=replies"), "did you mean 'reply'"),
    "no such tier": (("--baseline", "chance", "--tier", "4"), "tiers are 1, 2 and 3"),
    "no such axis": (("--baseline", "chance", "--axis", "klase"), "has no such axis; did you mean 'clase'"),
    "no temperature": (("--baseline", "chance", "--temperature", "hot"), "a number from 0"),
    "no address": (("--url", "nowhere", "--model", "x"), "not the address of a server"),
    "no model at the address": (("--url", "http://127.0.0.1:1/v1"), "--model"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", WRONG)
def test_wrong_use_is_told_in_one_line(contrapar: Run, qa: Path, name: str) -> None:
    arguments, said = WRONG[name]
    done = contrapar("evaluate", qa, *arguments)
    assert done.returncode == 2
    assert any(part in done.stderr for part in said.split("|")), done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.slow
def test_what_is_no_run_or_no_dataset_is_told(contrapar: Run, tmp_path: Path) -> None:
    for arguments in (
        ("report", tmp_path),
        ("compare", tmp_path, tmp_path),
        ("evaluate", "sayngs", "--baseline", "chance"),
    ):
        done = contrapar(*arguments)
        assert done.returncode == 2
        assert done.stderr.count("\n") == 1


@pytest.mark.slow
def test_the_first_run_of_the_guide_works(contrapar: Run, tmp_path: Path) -> None:
    guide = (Path(__file__).parents[1] / "docs" / "evaluate.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```sh\n(.*?)^```$", guide, re.MULTILINE | re.DOTALL)
    lines = block.splitlines()
    assert len(lines) == 4
    for line in lines:
        program, *arguments = shlex.split(line)
        assert program == "contrapar"
        done = contrapar(*arguments)
        assert done.returncode == 0, done.stderr
    for page in ("chance/report.html", "compared/compare.html"):
        assert (tmp_path / "runs" / page).is_file()


def test_the_guide_names_options_that_there_are() -> None:
    guide = (Path(__file__).parents[1] / "docs" / "evaluate.md").read_text(encoding="utf-8")
    known = {name for option in evaluate.params for name in option.opts}
    other = {"--multi_gpu", "--num_processes"}
    assert set(re.findall(r"--[a-z_-]+[a-z]", guide)) <= known | other
