"""The bundled questions: the evidence settles each of them, and nothing else tells the answer."""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from contrapar.builder.build import build
from contrapar.builder.tables import read_rows

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared"
DATASETS = ["refranes", "sayings"]
Row = dict[str, Any]


@pytest.fixture(scope="module", params=DATASETS)
def dataset(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, list[Row]]:
    folder = build(request.param, tmp_path_factory.mktemp(request.param), strict=True).folder
    return request.param, read_rows(folder).to_pylist()


def _lexicon(language: str) -> dict[tuple[str, str], dict[str, str]]:
    """Every entry by the name of its table and its id, straight from the files."""
    entries = {}
    for path in (ROOT / "lexicons" / language).glob("*.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            for entry in csv.DictReader(file, delimiter=";"):
                entries[path.stem, entry["id"]] = entry
    return entries


def _plain(text: str) -> str:
    """What is left when the grammar at a slot's boundary is set aside."""
    text = text.casefold()
    text = re.sub(r"\b(a|de) el\b", lambda found: {"a": "al", "de": "del"}[found[1]], text)
    text = re.sub(r"\by (?=h?i)", "e ", text)
    return re.sub(r"\ban (?=[aeiou])", "a ", text)


def _filled(text: str, slots: dict[str, str], template: Row, lexicon: dict[tuple[str, str], dict[str, str]]) -> str:
    def words(found: re.Match[str]) -> str:
        name, _, form = found[1].partition(".")
        source = template["slots"]["target" if name == "who" else name]
        entry = slots[name]
        if isinstance(source, dict) and "from" in source:
            return lexicon[source["from"], entry][f"form.{form}" if form else "form"]
        return source["values"][entry] if isinstance(source, dict) else entry

    return _plain(re.sub(r"\{\{ ([\w.]+) \}\}", words, text))


def test_the_label_follows_from_the_slots_of_the_evidence_alone(dataset: tuple[str, list[Row]]) -> None:
    """Who stands in the evidence where the template says `target` did what the negative question asks for."""
    name, rows = dataset
    templates = {
        template["id"]: template
        for path in (ROOT / "templates" / name).glob("*.yaml")
        if path.name != "dataset.yaml"
        for template in yaml.safe_load(path.read_text("utf-8"))
    }
    lexicon = _lexicon(rows[0]["language"])
    seen: Counter[str] = Counter()
    for row in rows:
        template = templates[row["template"]]
        slots = dict(slot.split("=", 1) for slot in row["slots"])
        a, b = slots["target"], slots["other"]
        told = {
            doer: _filled(template["evidence"], {**slots, "target": doer, "other": rest}, template, lexicon)
            for doer, rest in ((a, b), (b, a))
        }
        doers = [doer for doer, text in told.items() if _plain(row["context"]).endswith(" " + text)]
        answers = [_plain(row[f"ans{n}"]) for n in range(3)]
        place = {
            who: answers.index(_filled(template["answer"], {**slots, "who": who}, template, lexicon)) for who in (a, b)
        }
        if row["context_condition"] == "ambig":
            assert not doers, row
            assert row["label"] not in place.values(), row
        else:
            assert len(doers) == 1, row
            asked = doers[0] if row["question_polarity"] == "neg" else ({a, b} - set(doers)).pop()
            assert row["label"] == place[asked], row
        seen[row["context_condition"]] += 1
    assert seen["disambig"] == 2 * seen["ambig"] > 0


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.casefold())


def blind_accuracy(rows: list[Row], folds: int = 5) -> float:
    """Share right of a naive Bayes that sees question and answer but no context; chance is a half.

    Features of a candidate answer: its words, each word with each word of the question, its place, and whether it
    is the longer one. Trained on four fifths of the templates, tested on the rest, in turn.
    """
    rows = [row for row in rows if row["context_condition"] == "disambig"]
    fold = {template: n % folds for n, template in enumerate(sorted({row["template"] for row in rows}))}

    def features(row: Row, answer: int) -> set[str]:
        own, rest = row[f"ans{answer}"], row[f"ans{row['target'] + row['other'] - answer}"]
        words = _words(own)
        asked = _words(row["question"])
        return {*words, *(f"{q}>{w}" for q in asked for w in words), f"at {answer}", f"longer {len(own) > len(rest)}"}

    right = 0
    for part in range(folds):
        gold: Counter[str] = Counter()
        wrong: Counter[str] = Counter()
        for row in rows:
            if fold[row["template"]] != part:
                gold.update(features(row, row["label"]))
                wrong.update(features(row, row["target"] + row["other"] - row["label"]))
        for row in rows:
            if fold[row["template"]] == part:
                score = {
                    answer: sum(np.log((gold[f] + 1) / (wrong[f] + 1)) for f in sorted(features(row, answer)))
                    for answer in (row["target"], row["other"])
                }
                right += max(sorted(score), key=lambda answer: score[answer]) == row["label"]
    return right / len(rows)


def test_question_and_answers_without_the_context_tell_nothing(dataset: tuple[str, list[Row]]) -> None:
    assert abs(blind_accuracy(dataset[1]) - 0.5) < 0.05


def test_the_same_classifier_finds_a_leak() -> None:
    """Where the longer answer is always gold, it is found: being at chance is no weakness of the classifier."""
    rows = [
        {
            "template": f"t{n % 10}", "context_condition": "disambig", "question": "Who sang?", "target": n % 2,
            "other": 1 - n % 2, "label": n // 2 % 2, f"ans{n // 2 % 2}": "The baker", f"ans{1 - n // 2 % 2}": "A man",
        }
        for n in range(40)
    ]  # fmt: skip
    assert blind_accuracy(rows) == 1


def test_position_and_length_tell_nothing(dataset: tuple[str, list[Row]]) -> None:
    _, rows = dataset
    told = [row for row in rows if row["context_condition"] == "disambig"]
    for kind in (told, [row for row in rows if row["context_condition"] == "ambig"]):
        places = Counter(row["label"] for row in kind)
        assert all(abs(places[n] / len(kind) - 1 / 3) < 0.05 for n in range(3)), places
    lengths = [
        (len(row[f"ans{row['label']}"]), len(row[f"ans{row['target'] + row['other'] - row['label']}"])) for row in told
    ]
    unlike = [gold > rest for gold, rest in lengths if gold != rest]
    assert abs(sum(unlike) / len(unlike) - 0.5) < 0.02


def _published() -> set[tuple[str, ...]]:
    """Every run of eight words in the files of other benchmarks."""
    openpyxl = pytest.importorskip("openpyxl", reason="needs openpyxl to read the workbooks")
    runs: set[tuple[str, ...]] = set()
    for path in sorted((SHARED / "data").rglob("*")):
        if path.suffix == ".xlsx" and path.name.startswith(("prompts", "templates")):
            book = openpyxl.load_workbook(path, read_only=True)
            cells = {
                c for sheet in book for line in sheet.iter_rows(values_only=True) for c in line if isinstance(c, str)
            }
        elif path.suffix == ".jsonl":
            lines = path.read_text("utf-8").splitlines()
            cells = {json.loads(line)[field] for line in lines if line for field in ("context", "question")}
        elif path.suffix in (".csv", ".txt", ".md"):
            cells = set(path.read_text("utf-8", errors="replace").splitlines())
        else:
            continue
        for cell in cells:
            words = _words(cell)
            runs.update(tuple(words[n : n + 8]) for n in range(len(words) - 7))
    return runs


@pytest.mark.slow
def test_no_sentence_of_eight_words_is_shared_with_other_benchmarks(dataset: tuple[str, list[Row]]) -> None:
    """Runs made of two labels of one scale and the frame between them are nobody's; whole sentences are."""
    if not (SHARED / "data").is_dir():
        pytest.skip(f"needs the published benchmarks in {SHARED.name}/data")
    published = _published()
    texts = {row[field] for row in dataset[1] for field in ("context", "question")}
    for sentence in {piece for text in texts for piece in re.split(r"[.;:!?]", text)}:
        words = _words(sentence)
        runs = [tuple(words[n : n + 8]) for n in range(len(words) - 7)]
        assert not runs or not published.issuperset(runs), sentence
