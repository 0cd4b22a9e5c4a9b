"""What is shipped is what is here, and it works where nothing else is."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def test_every_package_is_listed() -> None:
    listed = set(tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"])
    rooms = ("annotation", "builder", "evaluate", "lexicons", "templates")
    here = {
        ".".join(("contrapar", *path.parent.relative_to(ROOT).parts))
        for room in rooms
        for path in (ROOT / room).rglob("*.py")
        if "skeletons" not in path.parts
    }
    assert here | {"contrapar"} == listed


@pytest.mark.slow
def test_a_wheel_has_every_file_and_builds_a_dataset(tmp_path: Path) -> None:
    wheels = tmp_path / "wheels"
    source = tmp_path / "source"
    subprocess.run(["git", "clone", "-q", str(ROOT), str(source)], check=True)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "-q"]
    subprocess.run([*pip, "wheel", "--no-deps", "-w", str(wheels), str(source)], check=True)
    (wheel,) = wheels.glob("*.whl")
    shipped = {name for name in zipfile.ZipFile(wheel).namelist() if not name.split("/")[0].endswith(".dist-info")}
    rooms = ("annotation", "builder", "evaluate", "lexicons", "templates")
    kept = subprocess.run(["git", "ls-files", *rooms], cwd=source, capture_output=True, text=True, check=True)
    assert {f"contrapar/{name}" for name in kept.stdout.split()} <= shipped
    target = tmp_path / "site"
    subprocess.run([*pip, "install", "--no-deps", "--target", str(target), str(wheel)], check=True)
    done = subprocess.run(
        [sys.executable, "-c", "from contrapar.cli import main; main()", "build", "refranes", "--no-preview"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(target)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "out" / "refranes" / "manifest.json").read_text())["rows"] > 1000


def test_the_datasets_that_the_readme_names_exist() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for name in ("refranes", "sayings", "identiteit"):
        assert f"`{name}`" in readme
        assert (ROOT / "templates" / name / "dataset.yaml").is_file()
