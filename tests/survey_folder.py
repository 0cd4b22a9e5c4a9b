"""A dataset's folder as a survey needs it, made by the test, and a verb run as a user would run it."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

DATASET = """\
family: pairs
language: {language}
title: "Of hats, for tests"
content_warning: "It speaks ill of hats."
tiers: {{policy: {policy}, thresholds: [70, 50, 30], least_answers: {least}}}
survey: {{answers: {answers}, items: {items}, help: "0800 1234, day & night"}}
"""


def dataset(
    root: Path,
    stereotypes: Iterable[tuple[str, str, str]],
    *,
    name: str = "hats",
    language: str = "en",
    policy: str = "share",
    least: int = 5,
    answers: int = 3,
    items: int = 4,
) -> Path:
    """`templates/<name>` with its `dataset.yaml` and `stereotypes.csv` of (id, axis, text)."""
    folder = root / "templates" / name
    folder.mkdir(parents=True)
    settings = DATASET.format(language=language, policy=policy, least=least, answers=answers, items=items)
    (folder / "dataset.yaml").write_text(settings, encoding="utf-8")
    table(folder / "stereotypes.csv", ("id", "axis", "text"), stereotypes)
    return folder


def hats(count: int, axis: str = "hats") -> list[tuple[str, str, str]]:
    return [
        (f"en/{axis}/{number:03}", axis, f"People with {axis} number {number} are late.") for number in range(count)
    ]


def table(path: Path, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=";", lineterminator="\n").writerows([columns, *rows])
    return path


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=";"))


def survey(*arguments: object) -> int:
    """The exit code of `contrapar survey ...`, run in this process as its own `main` runs it."""
    from contrapar.cli import main

    with pytest.raises(SystemExit) as ended:
        main(["survey", *map(str, arguments)])
    return int(ended.value.code or 0)
