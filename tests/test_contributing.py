"""CONTRIBUTING is followed word for word; and a group of its own begins, errs, mends and builds."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from conftest import Run

ROOT = Path(__file__).resolve().parents[1]
GUIDE = ROOT / "CONTRIBUTING.md"
_FENCE = re.compile(r"^```(\w+)(?: (\w+) (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# installing is tested by building a wheel, and by the project's own checks on a fresh machine
SETUP = "Before you begin"


@dataclass(frozen=True)
class Step:
    """What the guide asks for: commands (sh), what they say (text), or a file (csv, yaml) and what to do with it."""

    kind: str
    act: str
    path: str
    text: str
    heading: str
    before: str


def steps() -> Iterator[Step]:
    guide = GUIDE.read_text(encoding="utf-8")
    for found in _FENCE.finditer(guide):
        before = guide[: found.start()]
        heading = re.findall(r"^## (.*)$", before, re.MULTILINE)[-1]
        kind, act, path, text = found.groups()
        yield Step(kind, act or "", path or "", text, heading, before.rstrip().splitlines()[-1])


def pattern(line: str) -> str:
    """A line of what a command says, in which `...` stands for anything and spaces for any number of them."""
    return r"\s+".join(re.escape(part).replace(re.escape("..."), ".*") for part in line.split())


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The repository's sources in a folder of their own, from which the package is imported."""
    kept = ("annotation", "builder", "evaluate", "lexicons", "templates", "docs")
    target = tmp_path / "contrapar"
    target.mkdir()
    for name in kept:
        shutil.copytree(ROOT / name, target / name, ignore=shutil.ignore_patterns("__pycache__"))
    for path in ROOT.glob("*.py"):
        shutil.copy(path, target)
    bin = tmp_path / "bin"
    bin.mkdir()
    command = bin / "contrapar"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "from contrapar.cli import main; main()" "$@"\n')
    command.chmod(0o755)
    return target


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    parent = folder.parent
    paths = {"PYTHONPATH": str(parent), "PATH": f"{parent / 'bin'}{os.pathsep}{os.environ['PATH']}", "PYTHONUTF8": "1"}
    return subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env={**os.environ, **paths},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def put(step: Step, folder: Path) -> None:
    path = folder / step.path
    assert f"`{step.path}`" in step.before, f"the line before the fence does not name {step.path}"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    if step.act == "file":
        text = step.text
    elif step.act == "add":
        assert text.endswith("\n")
        text += step.text
    else:
        assert step.act == "last"
        text = "".join(text.splitlines(keepends=True)[:-1]) + step.text
    path.write_text(text, encoding="utf-8")


@pytest.mark.slow
def test_the_guide_is_followed_word_for_word(copy: Path) -> None:
    where = run("python -c 'import contrapar; print(contrapar.__file__)'".replace("python", sys.executable), copy)
    assert Path(where.stdout.strip()).parent == copy, where.stderr
    said, told = "", []
    for step in steps():
        if step.heading == SETUP:
            continue
        if step.kind == "sh":
            said = ""
            for line in step.text.splitlines():
                done = run(line, copy)
                said += done.stdout
                told.append((line, done.returncode, done.stdout, done.stderr))
                assert done.returncode in (0, 1), told[-1]
                assert "Traceback" not in done.stderr, told[-1]
        elif step.kind == "text":
            for line in step.text.splitlines():
                assert re.search(pattern(line), said), f"{line!r} was not said, but:\n{said}"
        else:
            put(step, copy)
    codes = {line: code for line, code, _, _ in told}
    assert codes["contrapar check bebidas"] == codes["contrapar build bebidas"] == codes["contrapar check --all"] == 0
    manifest = json.loads((copy / "out/bebidas/manifest.json").read_text(encoding="utf-8"))
    assert (manifest["language"], manifest["stereotypes"], manifest["rows"]) == ("pt", 3, 36)


def test_the_guide_has_four_rungs_each_with_commands() -> None:
    rungs = re.findall(r"^## (\d)\. ", GUIDE.read_text(encoding="utf-8"), re.MULTILINE)
    assert rungs == ["1", "2", "3", "4"]
    commands = {step.heading[0] for step in steps() if step.kind == "sh"}
    assert commands >= set(rungs)


def test_what_the_guide_links_to_is_there() -> None:
    for link in re.findall(r"\]\((?!http)([^)#]+)\)", GUIDE.read_text(encoding="utf-8")):
        assert (ROOT / link).exists(), link


# --- a dataset of one's own -------------------------------------------------------------------------------

MESSY = """\
- id: example-messy
  stereotype: en/example/mesy
  slots:
    target: {from: identities, axis: example, role: target}
    other: {from: identities, axis: example, role: other}
  context: "Two people share a kitchen. One drinks {{ first }} and the other drinks {{ second }}."
  evidence: "The one who drinks {{ targe }} left cups about, and the one who drinks {{ other }} washed up."
  questions:
    negative: "Who left cups about?"
    nonnegative: "Who washed up?"
  answer: "The one who drinks {{ who }}"
"""


@pytest.mark.slow
def test_a_group_begins_errs_is_told_mends_and_builds(tmp_path: Path, contrapar: Run) -> None:
    done = contrapar("new", "dataset", "tea", "--language", "en", "--title", "Tea and coffee")
    assert done.returncode == 0, done.stderr
    assert "next: contrapar check tea" in done.stdout.splitlines()
    assert contrapar("check", "tea").returncode == 0
    done = contrapar("new", "stereotype", "tea", "en/example/messy")
    assert done.returncode == 0, done.stderr

    folder = tmp_path / "tea/templates/tea"
    table = folder / "stereotypes.csv"
    lines = table.read_text(encoding="utf-8").splitlines()
    lines[-1] = "en/example/messy;example;;People who drink tea are messy.;Made up;draft;"
    table.write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "example-messy.yaml").write_text(MESSY, encoding="utf-8")

    # two mistakes: a stereotype's id and a slot's name, each told with its place and its mend
    done = contrapar("check", "tea")
    assert done.returncode == 1
    path = "tea/templates/tea/example-messy.yaml"
    told = [line for line in done.stdout.splitlines() if " error " in line]
    assert len(told) == 2, done.stdout
    assert told[0] == (
        f"{path}:2:3: error unknown-stereotype: 'en/example/mesy' is not in stereotypes.csv;"
        " did you mean 'en/example/messy'?"
    )
    assert told[1].startswith(f"{path}:7:36: error undefined-slot: 'targe' is no slot of this template;")
    built = contrapar("build", "tea")
    assert built.returncode == 1
    assert not (tmp_path / "out").exists()

    mended = MESSY.replace("example/mesy", "example/messy").replace("{{ targe }}", "{{ target }}")
    (folder / "example-messy.yaml").write_text(mended, encoding="utf-8")
    assert contrapar("check", "tea").returncode == 0
    done = contrapar("build", "tea")
    assert done.returncode == 0, done.stderr
    manifest = json.loads((tmp_path / "out/tea/manifest.json").read_text(encoding="utf-8"))
    assert (manifest["rows"], manifest["stereotypes"]) == (24, 2)
    page = next(line for line in done.stdout.splitlines() if line.startswith("look at it: "))
    assert (tmp_path / page.removeprefix("look at it: ")).is_file()
