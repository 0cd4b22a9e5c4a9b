"""The ways to answer, from the rows of a dataset to the lines of a run."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from answered import built
from conftest import write
from contrapar.builder.problems import ContraparError, UsageError
from contrapar.evaluate.conduct import conduct
from contrapar.evaluate.model_kind import ModelKind, kind_of_model
from contrapar.evaluate.results import answered
from contrapar.evaluate.run import Run
from contrapar.evaluate.ways import Options, default_way
from small import QA


@pytest.fixture(scope="module")
def qa(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("qa"), "qa")


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("pairs"), "pairs")


def run(dataset: Path, out: Path, **options: Any) -> Run:
    return conduct(str(dataset), Options(**options), out, resamples=200)


def lines(found: Run) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (found.folder / "answers.jsonl").read_text(encoding="utf-8").splitlines()]


# --- which way --------------------------------------------------------------------------------------------


def model(folder: Path, architecture: str, chat_template: str = "") -> str:
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({"architectures": [architecture]}))
    (folder / "tokenizer_config.json").write_text(json.dumps({"chat_template": chat_template}))
    return str(folder)


def test_the_way_follows_from_the_family_and_the_model(tmp_path: Path) -> None:
    fills, goes_on = model(tmp_path / "a", "BertForMaskedLM"), model(tmp_path / "b", "GPT2LMHeadModel")
    chats = model(tmp_path / "c", "LlamaForCausalLM", "{{ messages }}")
    assert default_way(Options(model=fills), "pairs") == "masked"
    assert default_way(Options(model=goes_on), "pairs") == "causal"
    assert default_way(Options(model=goes_on), "qa") == "choice"
    assert default_way(Options(model=chats), "qa") == "chat"
    assert default_way(Options(model=chats, url="http://127.0.0.1/v1"), "qa") == "endpoint"
    assert default_way(Options(model=chats, way="choice"), "qa") == "choice"


def test_what_a_model_is(tmp_path: Path) -> None:
    (tmp_path / "packed").mkdir()
    (tmp_path / "packed" / "model.gguf").touch()
    assert kind_of_model(str(tmp_path / "packed")) == ModelKind(masked=False, chats=True)
    with_file = Path(model(tmp_path / "file", "LlamaForCausalLM"))
    (with_file / "chat_template.jinja").write_text("{{ messages }}")
    assert kind_of_model(str(with_file)).chats
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="neither a config"):
        kind_of_model(str(tmp_path / "empty"))
    with pytest.raises(UsageError, match="there is no such folder"):
        kind_of_model("./nowhere")


# --- programs ---------------------------------------------------------------------------------------------


@pytest.fixture
def echo(tmp_path: Path) -> str:
    """A program that keeps what it reads and answers with the second option, in two lines."""
    path = tmp_path / "echo.py"
    path.write_text(
        "import json, sys\n"
        f"with open({str(tmp_path / 'seen')!r}, 'a') as seen:\n"
        "    for line in sys.stdin:\n"
        "        seen.write(line)\n"
        "        found = json.loads(line) if line[0] == '{' else None\n"
        "        print(json.dumps('Option 1:\\n' + found['options'][1]) if found else 'Option 2')\n"
    )
    return f"{sys.executable} {path}"


def test_a_program_is_given_questions_as_json(qa: Path, tmp_path: Path, echo: str) -> None:
    found = run(qa, tmp_path / "run", command=echo, batch=7)
    seen = [json.loads(line) for line in (tmp_path / "seen").read_text(encoding="utf-8").splitlines()]
    rows = found.rows().to_pylist()
    assert [one["id"] for one in seen] == [row["id"] for row in rows]
    assert seen[0]["options"] == [rows[0][f"ans{n}"] for n in range(3)]
    assert [message["role"] for message in seen[0]["messages"]] == ["system", "user"]
    assert rows[0]["context"] in seen[0]["messages"][1]["content"]
    assert lines(found)[0]["reply"] == f"Option 1:\n{rows[0]['ans1']}"
    assert set(answered(found)["answer"]) == {1}


def test_a_program_may_be_given_plain_text(qa: Path, tmp_path: Path, echo: str) -> None:
    found = run(qa, tmp_path / "run", command=echo, lines="text")
    seen = (tmp_path / "seen").read_text(encoding="utf-8").splitlines()
    assert len(seen) == len(lines(found)) == found.settings["dataset"]["rows"]
    assert set(answered(found)["answer"]) == {2}


# --- servers ----------------------------------------------------------------------------------------------

KEY = "sk-not-to-be-seen-anywhere"


@pytest.fixture
def serving() -> Any:
    pytest.importorskip("openai", reason="the extra `endpoint` (openai) is not installed")
    from loopback import serving

    return serving


def test_the_key_is_in_no_file_and_no_message(
    qa: Path, tmp_path: Path, serving: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    heard: list[str] = []
    times = iter(range(10**6))

    def behave(question: str, nth: int) -> Any:
        # one in three times the server fails, and repeats the key
        return (lambda handler: handler.fail(500, f"no {KEY}")) if next(times) % 3 == 0 else "Option 1"

    with serving(behave) as server:
        options = Options(url=server.url, model="m", key_variable="MY_KEY", concurrency=1, limit=6, timeout=5)
        found = conduct(str(qa), options, tmp_path / "run", resamples=200, notice=heard.append)
        assert all(headers["authorization"] == f"Bearer {KEY}" for headers in server.headers)
    assert heard
    assert not [text for text in heard if KEY in text]
    for path in found.folder.rglob("*"):
        assert KEY.encode() not in path.read_bytes()


def test_sampling_has_a_seed_an_item(qa: Path, tmp_path: Path, serving: Any) -> None:
    seeds = []
    for folder, seed in (("a", 0), ("b", 0), ("c", 1)):
        with serving(lambda question, nth: "Option 1") as server:
            run(qa, tmp_path / folder, url=server.url, model="m", temperature=0.7, seed=seed)
            seeds.append({body["messages"][-1]["content"]: body["seed"] for body in server.requests})
            assert {body["temperature"] for body in server.requests} == {0.7}
    assert seeds[0] == seeds[1]
    assert len(set(seeds[0].values())) == len(seeds[0])
    assert not set(seeds[0].values()) & set(seeds[2].values())


def test_what_gets_no_answer_is_asked_when_the_server_is_well_again(qa: Path, tmp_path: Path, serving: Any) -> None:
    ill = True

    def behave(question: str, nth: int) -> Any:
        first = question == next(iter(server.asked))
        return (lambda handler: handler.fail(500)) if ill and first else "Option 1"

    with serving(behave) as server:
        options = {"url": server.url, "model": "m", "attempts": 1, "concurrency": 1}
        with pytest.raises(ContraparError, match="no answer to 1 of the questions"):
            run(qa, tmp_path / "run", **options)
        kept = (tmp_path / "run" / "answers.part-000").read_text().count("\n")
        total = len(server.asked)
        assert kept == total - 1
        assert not (tmp_path / "run" / "answers.jsonl").exists()
        ill = False
        assert run(qa, tmp_path / "run", **options).is_complete
        assert sorted(server.asked.values()) == [1] * (total - 1) + [2]


def test_a_filter_that_stops_an_answer_is_a_refusal(qa: Path, tmp_path: Path, serving: Any) -> None:
    def behave(question: str, nth: int) -> Any:
        return lambda handler: handler.fail(400, "filtered", code="content_filter")

    with serving(behave) as server:
        found = run(qa, tmp_path / "run", url=server.url, model="m", limit=3)
    assert set(answered(found)["outcome"]) == {"refusal"}


def test_a_prompt_of_ones_own(tmp_path: Path, serving: Any) -> None:
    prompt = (
        "id: mine-1\nlanguage: es\nlabels: [A, B, C]\nuser: |\n  {{ question }}\n  {{ labels[1] }} {{ options[1] }}\n"
    )
    files = {**QA, "templates/small/prompt.yaml": prompt}
    files["templates/small/dataset.yaml"] += "prompt: prompt.yaml\n"
    sources = write(tmp_path / "own", files) / "templates" / "small"
    with serving(lambda question, nth: "B") as server:
        found = run(sources, tmp_path / "run", url=server.url, model="m", limit=2)
        assert all(len(body["messages"]) == 1 for body in server.requests)
        assert server.requests[0]["messages"][0]["content"].splitlines()[1].startswith("B ")
    assert found.settings["way"]["prompt"] == "mine-1"
    assert "|prompt:mine-1|" in found.signature
    assert set(answered(found)["answer"]) == {1}


# --- local models -----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_local_models_answer_both_families(pairs: Path, qa: Path, tmp_path: Path) -> None:
    for name in ("torch", "transformers"):
        pytest.importorskip(name, reason="the extra `local` (torch, transformers) is not installed")
    from local_models import saved

    fills, chats = saved(tmp_path / "bert", "bert"), saved(tmp_path / "gpt2", "gpt2", chats=True)
    scored = {name: run(pairs, tmp_path / name, model=str(folder)) for name, folder in (("m", fills), ("c", chats))}
    assert scored["m"].settings["way"]["way"] == "masked"
    assert scored["c"].settings["way"]["way"] == "causal"
    for one in scored.values():
        assert {"id", "score_target", "score_other", "tokens_target", "tokens_other"} == set(lines(one)[0])
        assert one.settings["model"]["dtype"] == "float32"
        assert one.settings["model"]["weights"]
    ranked = run(qa, tmp_path / "choice", model=str(chats), way="choice", norm="byte", limit=12)
    for line in lines(ranked):
        assert line["answer"] == max(range(3), key=line["scores"].__getitem__)
    said = run(qa, tmp_path / "chat", model=str(chats), limit=4, max_tokens=3)
    assert all(isinstance(line["reply"], str) for line in lines(said))
