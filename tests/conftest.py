"""What all tests share: writing small sources, running the command, finding the published data."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import settings

# a busy machine is no fault of the code
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

SHARED = Path(__file__).resolve().parents[1].parent / "shared"

DATASET = """\
family: {family}
language: {language}
title: A small dataset
licence: CC-BY-4.0
authors: [Someone]
citation: Someone, A small dataset
content_warning: It repeats stereotypes.
intended_use: Tests.
canary: contrapar:small
"""


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of published data, which is no part of the project."""
    if not (SHARED / "data").is_dir():
        pytest.skip("the published data (../shared/data) is not here")
    return SHARED / "data"


def write(root: Path, files: Mapping[str, str]) -> Path:
    """Writes files below a folder and returns it."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def sectioned(text: str) -> dict[str, str]:
    """Files written one after the other in one text, each under a line '=== path'."""
    files: dict[str, str] = {}
    name = ""
    for line in text.splitlines(keepends=True):
        if line.startswith("=== "):
            name = line[4:].strip()
            files[name] = ""
        elif name:
            files[name] += line
    return files


Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def contrapar(tmp_path: Path) -> Run:
    """Runs the command in a process of its own, in an empty folder."""

    def run(
        *arguments: str | Path, cwd: Path = tmp_path, env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", "from contrapar.cli import main; main()", *map(str, arguments)],
            capture_output=True,
            text=True,
            cwd=cwd,
            env={**os.environ, "PYTHONUTF8": "1", **(env or {})},
            timeout=300,
            check=False,
        )

    return run
