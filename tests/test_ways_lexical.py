"""Questions on words, from the rows of a dataset to the figures of a run, in every way that they can be answered."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import write
from contrapar.builder.build import build
from contrapar.builder.problems import SourceFaults, UsageError
from contrapar.evaluate.answer.lexical_prompt import lexical_prompt
from contrapar.evaluate.conduct import conduct
from contrapar.evaluate.metrics.jaccard import usual_size
from contrapar.evaluate.results import answered, figures_of
from contrapar.evaluate.run import Run
from contrapar.evaluate.ways import Options
from small import LEXICAL

PROMPT = """\
id: mine-1
language: es
yes_no: "{{ question }} ({{ options|join(' / ') }})"
choice: |
  {{ question }}
  {% for option in options %}
  {{ loop.index }}={{ option }}
  {% endfor %}
"""


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("words")
    sources = write(folder / "sources", LEXICAL)
    return build(str(sources / "templates" / "small"), folder / "built").folder


def run(dataset: Path, out: Path, **options: Any) -> Run:
    return conduct(str(dataset), Options(**options), out, resamples=50)


def values(found: Run, **group: str) -> dict[str, float | None]:
    return {figure.metric: figure.value for figure in figures_of(found) if dict(figure.group) == group}


def right(row: dict[str, Any]) -> str:
    """The gold answer as a model would reply it."""
    if row["format"] == "yes_no":
        return str(row["options"][row["gold"][0]])
    return "/".join(str(at + 1) for at in row["gold"])


# --- what is put to a model -------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["es", "es-MX", "en", "eu"])
def test_our_prompts_show_the_question_and_every_option(language: str) -> None:
    prompt = lexical_prompt(None, language)
    asked = prompt.messages("choice", "¿Qué?", ["uno", "dos", "tres"])
    assert [message["role"] for message in asked] == ["system", "user"]
    shown = asked[1]["content"].splitlines()
    assert shown[:4] == ["¿Qué?", "1 uno", "2 dos", "3 tres"]
    assert "/" in shown[-1] + shown[-2]
    both = prompt.messages("yes_no", "¿Sí?", ["Sí", "No"])[1]["content"]
    assert both.startswith("¿Sí?\n")
    assert "Sí" in both.splitlines()[1]
    assert "No" in both.splitlines()[1]
    assert prompt.language == ("es" if language.startswith("es") else "en")
    assert prompt.before_option("¿Qué?", ["a"]).startswith("¿Qué?")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id: a\nlanguage: es\nyes_no: x\n", "Field required"),
        ("id: a\nlanguage: es\nyes_no: '{{ contexto }}'\nchoice: x\n", "its template fails"),
        ("id: a\nlanguage: es\nyes_no: x\nchoice: x\nlabels: [a]\n", "Extra inputs"),
    ],
)
def test_a_prompt_that_cannot_be(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "prompt.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SourceFaults, match=message):
        lexical_prompt(path, "es")


# --- without a model --------------------------------------------------------------------------------------


def test_baselines(words: Path, tmp_path: Path) -> None:
    first = answered(run(words, tmp_path / "k", baseline="first-k"))
    choices = first[first["format"] == "choice"]
    assert [list(answer) for answer in choices["answer"]] == [
        list(range(usual_size(len(options)))) for options in choices["options"]
    ]
    chance = run(words, tmp_path / "c", baseline="chance")
    assert chance.settings["dataset"]["stereotypes"] == 0  # words belong to none
    assert values(chance, format="yes_no")["valid_ratio"] == 1
    assert values(chance, format="choice")["valid_ratio"] == 1
    always = values(run(words, tmp_path / "f", baseline="first"), format="yes_no")
    assert (always["recall"], always["precision"], always["yes_share"]) == (1, 0.5, 1)  # rows are balanced
    with pytest.raises(UsageError, match="--baseline unknown"):
        run(words, tmp_path / "u", baseline="unknown")


def test_recorded_replies_are_read_strictly(words: Path, tmp_path: Path) -> None:
    path, rows = tmp_path / "replies.csv", read_rows(words)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "reply"])
        for number, row in enumerate(rows):
            odd = {0: "Claro que sí.", 1: "", 2: "Lo siento, no puedo responder."}
            writer.writerow([row["id"], odd.get(number, right(row) + ".")])
    found = run(words, tmp_path / "run", answers=path, model="m")
    table = answered(found)
    assert table["outcome"].tolist()[:3] == ["invalid", "empty", "refusal"]
    assert (table["outcome"][3:] == "answer").all()
    for answer, gold in zip(table["answer"][3:], table["gold"][3:], strict=True):
        assert list(answer) == list(gold)
    listed = (found.folder / "not_understood.csv").read_text(encoding="utf-8")
    assert "Claro que sí." in listed
    sums = [values(found, format=name) for name in ("yes_no", "choice")]
    assert sums[0]["f1"] == 1
    assert sums[0]["accuracy"] == 1
    assert sums[1]["jaccard_adjusted"] == 1
    assert min(one["valid_ratio"] or 0 for one in sums) < 1


def read_rows(dataset: Path) -> list[dict[str, Any]]:
    from contrapar.builder.tables import read_rows as read

    found: list[dict[str, Any]] = read(dataset).to_pylist()
    return found


# --- programs and servers ---------------------------------------------------------------------------------


def test_a_program_is_told_format_question_and_options(words: Path, tmp_path: Path) -> None:
    program, seen = tmp_path / "program.py", tmp_path / "seen"
    program.write_text(
        "import json, sys\n"
        f"with open({str(seen)!r}, 'a', encoding='utf-8') as file:\n"
        "    for line in sys.stdin:\n"
        "        file.write(line)\n"
        "        print('No' if json.loads(line)['format'] == 'yes_no' else '2/1')\n",
        encoding="utf-8",
    )
    found = run(words, tmp_path / "run", command=f"{sys.executable} {program}")
    told = [json.loads(line) for line in seen.read_text(encoding="utf-8").splitlines()]
    rows = read_rows(words)
    assert [set(one) for one in told] == [{"id", "format", "question", "options", "messages"}] * len(rows)
    assert [one["options"] for one in told] == [row["options"] for row in rows]
    assert all(one["question"] in one["messages"][-1]["content"] for one in told)
    assert {tuple(answer) for answer in answered(found)["answer"]} == {(1,), (0, 1)}


def test_the_datasets_own_prompt_is_asked_of_a_server(tmp_path: Path) -> None:
    pytest.importorskip("openai", reason="the extra `endpoint` (openai) is not installed")
    from loopback import serving

    files = {**LEXICAL, "templates/small/prompt.yaml": PROMPT}
    files["templates/small/dataset.yaml"] += "prompt: prompt.yaml\n"
    sources = write(tmp_path / "own", files) / "templates" / "small"
    with serving(lambda question, nth: "1" if "1=" in question else "Sí") as server:
        found = run(sources, tmp_path / "run", url=server.url, model="m")
        asked = [body["messages"] for body in server.requests]
        assert {body["max_tokens"] for body in server.requests} == {128}
    assert all(len(messages) == 1 for messages in asked)
    assert any("(Sí / No)" in messages[0]["content"] for messages in asked)
    assert "|prompt:mine-1|" in found.signature
    assert {tuple(answer) for answer in answered(found)["answer"]} == {(0,)}


def test_a_list_that_was_cut_off_is_no_answer(words: Path, tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text("import sys\nfor line in sys.stdin:\n    print('1')\n", encoding="utf-8")
    found = run(words, tmp_path / "run", command=f"{sys.executable} {path}")
    answers = found.folder / "answers.jsonl"
    lines = [json.loads(line) | {"finish": "length"} for line in answers.read_text(encoding="utf-8").splitlines()]
    answers.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    table = answered(found)
    assert set(table[table["format"] == "choice"]["read"]) == {"cut off"}


# --- local models -----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_local_model_answers(words: Path, tmp_path: Path) -> None:
    for name in ("torch", "transformers"):
        pytest.importorskip(name, reason="the extra `local` (torch, transformers) is not installed")
    from local_models import saved

    model = str(saved(tmp_path / "gpt2", "gpt2", chats=True))
    said = run(words, tmp_path / "chat", model=model, max_tokens=3)
    assert said.settings["way"]["way"] == "chat"
    assert values(said, format="choice")["valid_ratio"] is not None
    table = answered(run(words, tmp_path / "choice", model=model, way="choice", norm="byte"))
    assert set(table["outcome"]) <= {"answer", "empty"}
    for row in table[table["outcome"] == "answer"].to_dict("records"):
        order = sorted(range(len(row["scores"])), key=lambda at: -row["scores"][at])
        size = 1 if row["format"] == "yes_no" else usual_size(row["n_options"])
        assert row["answer"] == sorted(order[:size])
