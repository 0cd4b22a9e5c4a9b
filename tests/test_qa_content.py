"""The bundled questions: the evidence settles each of them, and nothing else tells the answer."""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from contrapar.builder.build import build
from contrapar.builder.tables import read_rows
from published_runs import published_texts, shared_runs

ROOT = Path(__file__).parents[1]
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


def _quoted(language: str) -> list[str]:
    return [entry["text"] for (table, _), entry in _lexicon(language).items() if table == "sayings"]


@pytest.mark.slow
def test_no_eight_words_in_a_row_are_shared_with_other_benchmarks(dataset: tuple[str, list[Row]]) -> None:
    """Of any text of a row, and of what is claimed; quoted sayings are everybody's."""
    name, rows = dataset
    texts = {row[field] for row in rows for field in ("context", "question", "ans0", "ans1", "ans2")}
    with (ROOT / "templates" / name / "stereotypes.csv").open(encoding="utf-8", newline="") as file:
        texts |= {line["text"] for line in csv.DictReader(file, delimiter=";")}
    assert shared_runs(texts, published_texts(), _quoted(rows[0]["language"])) == {}


def test_eight_shared_words_are_found_wherever_they_stand() -> None:
    """Of labels and the frame between them too; seven are no run, and a quoted saying is nobody's."""
    theirs = ["Entraron dos clientes, uno de altos ingresos y otro de bajos ingresos, y se sentaron."]
    ours = "Esta mañana lo presentaron dos, uno de altos ingresos y otro de bajos ingresos."
    assert set(shared_runs([ours], theirs)) == {
        "uno de altos ingresos y otro de bajos",
        "de altos ingresos y otro de bajos ingresos",
    }
    assert shared_runs(["Una de altos ingresos y otra de bajos ingresos."], theirs) == {}
    assert shared_runs(["de altos ingresos y otro de bajos"], theirs) == {}
    saying = "Indio, mula y mujer, si no te la han hecho te la van a hacer"
    assert shared_runs([f"Dijo: {saying}."], [saying.upper()], [saying]) == {}
    assert shared_runs([f"Dijo: {saying}."], [saying.upper()])


def _templates(name: str) -> list[Row]:
    paths = sorted((ROOT / "templates" / name).glob("*.yaml"))
    return [one for path in paths if path.name != "dataset.yaml" for one in yaml.safe_load(path.read_text("utf-8"))]


def _concepts(name: str) -> dict[str, str]:
    with (ROOT / "templates" / name / "stereotypes.csv").open(encoding="utf-8", newline="") as file:
        return {line["id"]: line["concept"] for line in csv.DictReader(file, delimiter=";")}


@pytest.mark.parametrize(
    ("name", "language", "templates", "sayings"), [("refranes", "es", 60, 30), ("sayings", "en", 24, 10)]
)
def test_there_is_as_much_as_was_promised(name: str, language: str, templates: int, sayings: int) -> None:
    """A saying counts when a template stands on it, and only with its source."""
    written = _templates(name)
    assert len(written) >= templates
    lexicon = _lexicon(language)
    used = {template["saying"] for template in written}
    assert len(used) >= sayings
    assert all(lexicon["sayings", id]["source"] for id in used)
    assert {template["stereotype"] for template in written} == set(_concepts(name))


def test_refranes_is_larger_than_what_was_published(dataset: tuple[str, list[Row]]) -> None:
    name, rows = dataset
    assert name != "refranes" or len(rows) >= 4_156


def test_every_concept_of_sayings_is_one_of_refranes() -> None:
    assert set(_concepts("sayings").values()) <= set(_concepts("refranes").values())
