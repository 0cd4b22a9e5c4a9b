"""What is recorded of rows drawn at random and read one by one (docs/datasets/reading-*.csv)."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "docs" / "datasets"
HEAD = ["reading", "seed", "id", "template", "natural", "correct", "note"]


def recorded(name: str) -> dict[int, list[dict[str, str]]]:
    readings: dict[int, list[dict[str, str]]] = {}
    with (FOLDER / f"reading-{name}.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter=";", strict=True):
            assert list(row) == HEAD
            readings.setdefault(int(row["reading"]), []).append(row)
    return readings


@pytest.mark.parametrize("name", ["identiteit", "refranes", "sayings"])
def test_each_reading_is_a_draw_of_its_own(name: str) -> None:
    readings = recorded(name)
    assert list(readings) == list(range(1, len(readings) + 1))
    assert len(readings) >= 2
    seeds = [{row["seed"] for row in rows} for rows in readings.values()]
    assert all(len(seed) == 1 for seed in seeds)
    assert len(set.union(*seeds)) == len(seeds)
    for rows in readings.values():
        assert len({row["id"] for row in rows}) == len(rows) == 150
        assert {row["natural"] for row in rows} | {row["correct"] for row in rows} <= {"yes", "no"}


@pytest.mark.parametrize("name", ["identiteit", "refranes", "sayings"])
def test_what_was_found_has_a_note_and_the_last_draw_is_clean(name: str) -> None:
    readings = recorded(name)
    for rows in readings.values():
        assert all(row["note"] for row in rows if "no" in (row["natural"], row["correct"]))
    last = readings[max(readings)]
    assert all(row["correct"] == "yes" for row in last)
    assert sum(row["natural"] == "no" for row in last) < len(last) / 100
