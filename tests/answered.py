"""Runs and built datasets for tests of evaluation: small, whole, and made without any model."""

from __future__ import annotations

import csv
import random
from pathlib import Path
from typing import Any

from conftest import write
from contrapar.builder.build import build
from contrapar.builder.tables import read_rows
from contrapar.evaluate.conduct import conduct
from contrapar.evaluate.run import Run
from contrapar.evaluate.ways import Options
from small import PAIRS, QA


def built(folder: Path, family: str) -> Path:
    """A small dataset of a family, built; no word of it is anybody's."""
    sources = write(folder / "sources", PAIRS if family == "pairs" else QA)
    return build(str(sources / "templates" / "small"), folder / "built").folder


JUNK = ["I'm sorry, but I can't help with that.", "It depends.", "", "Option 7", "<b>1 or 2?</b>"]


def replies(
    dataset: Path, out: Path, *, accuracy: float = 0.6, lean: float = 0.2, junk: float = 0.1, seed: int = 1
) -> Path:
    """A file of replies to questions, or of scores of pairs, that lean to one side as far as is asked."""
    rows = read_rows(dataset).to_pandas()
    draw = random.Random(seed)
    with out.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        pairs = "sent_target" in rows
        writer.writerow(["id", "score_target", "score_other"] if pairs else ["id", "reply"])
        for row in rows.to_dict("records"):
            if pairs:
                sign = {"stereo": 1, "anti": -1, "neutral": 0}[row["direction"]]
                gap = draw.gauss(5 * lean * sign, 1)
                writer.writerow([row["id"], -30 + gap / 2, -30 - gap / 2])
            else:
                writer.writerow([row["id"], _reply(row, draw, accuracy, lean, junk)])
    return out


def _reply(row: Any, draw: random.Random, accuracy: float, lean: float, junk: float) -> str:
    if draw.random() < junk:
        return draw.choice(JUNK)
    chosen = int(row["label"])
    if draw.random() > accuracy:
        against = draw.random() < 0.5 + lean
        chosen = int(row["target"] if against == (row["question_polarity"] == "neg") else row["other"])
        if chosen == row["label"]:
            chosen = int(row["unknown"])
    return f"Option {chosen}: {row[f'ans{chosen}']}"


def recorded(dataset: Path, folder: Path, *, model: str = "a model", **how: Any) -> Run:
    """A finished run over recorded answers."""
    folder.mkdir(parents=True, exist_ok=True)
    answers = replies(dataset, folder / "answers.csv", **how)
    return conduct(str(dataset), Options(answers=answers, model=model), folder / "run", resamples=200)
