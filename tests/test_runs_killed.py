"""A run that is killed again and again asks nothing twice but what was under way, and ends as if left alone."""

from __future__ import annotations

import hashlib
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from contrapar.builder.build import build
from contrapar.evaluate import journal
from contrapar.evaluate.run import open_run

pytest.importorskip("openai", reason="the extra `endpoint` (openai) is not installed")

from loopback import Behaviour, Handler, Server, serving

pytestmark = pytest.mark.slow
LIMIT, AT_ONCE, KILLS = 220, 4, 10


def answer(question: str, nth: int) -> Behaviour:
    """The same answer to the same question, after a moment."""

    def behave(handler: Handler) -> None:
        time.sleep(0.02)
        handler.say(f"Option {hashlib.sha256(question.encode()).digest()[0] % 3}")

    return behave


def start(dataset: Path, url: str, out: Path) -> subprocess.Popen[bytes]:
    arguments = [
        *("evaluate", dataset, "--url", url, "--model", "tiny", "--out", out, "--limit", LIMIT),
        *("--concurrency", AT_ONCE, "--resamples", 200),
    ]
    code = "from contrapar.cli import main; main()"
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONUTF8": "1"},
    )


def wait_for(what: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    """Until it holds; a process that ends before is a failure."""
    until = time.monotonic() + 120
    while not what():
        assert process.poll() is None, process.stderr.read() if process.stderr else ""
        assert time.monotonic() < until, "nothing happens"
        time.sleep(0.002)


def kill(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGKILL)
    process.communicate()


def settled(server: Server) -> int:
    """How many requests there were, when none is under way."""
    before, until = -1, time.monotonic() + 120
    while server.under_way or before != len(server.requests):
        assert time.monotonic() < until, "a request is under way for ever"
        before = len(server.requests)
        time.sleep(0.1)
    return before


def question_of(request: dict[str, list[dict[str, str]]]) -> str:
    return request["messages"][-1]["content"]


def test_ten_kills_leave_no_trace(tmp_path: Path) -> None:
    dataset = build("sayings", tmp_path / "built").folder
    names = ("answers.jsonl", "figures.json", "figures.csv", "rows.parquet", "not_understood.csv")
    draw = random.Random(20250)
    run = tmp_path / "killed"
    under_way: Counter[str] = Counter()
    with serving(answer) as server:
        alone = start(dataset, server.url, tmp_path / "alone")
        _, said = alone.communicate(timeout=180)
        assert alone.returncode == 0, said
        assert set(server.asked.values()) == {1}
        assert sum(server.asked.values()) == LIMIT
        server.asked.clear()
        for number in range(KILLS):
            known = len(server.requests)
            process = start(dataset, server.url, run)
            if number == 3:  # before anything is asked
                wait_for((run / ".lock").exists, process)
            else:
                more = draw.randint(1, 22)
                wait_for(lambda known=known, more=more: len(server.requests) >= known + more, process)  # type: ignore[misc]
                time.sleep(draw.random() * 0.02)
            kill(process)
            asked = [question_of(request) for request in server.requests[known : settled(server)]]
            kept = {id for id, _ in journal.read(open_run(run).parts())}
            rows = open_run(run).rows().to_pylist()
            contexts = {f"{row['context']}\n##question\n{row['question']}" for row in rows if row["id"] in kept}
            lost = [text for text in asked if not any(context in text for context in contexts)]
            assert len(lost) <= AT_ONCE
            under_way.update(lost)
        last = start(dataset, server.url, run)
        wait_for((run / "answers.jsonl").exists, last)  # once more, while figures are made
        kill(last)
        last = start(dataset, server.url, run)
        _, said = last.communicate(timeout=180)
        assert last.returncode == 0, said
        twice = {text: count - 1 for text, count in server.asked.items() if count > 1}
        assert len(server.asked) == LIMIT
        # what a kill cut off may have been answered before; nothing else was asked again
        assert set(twice) <= set(under_way)
        assert all(count <= under_way[text] for text, count in twice.items())
    assert {name: (run / name).read_bytes() for name in names} == {
        name: (tmp_path / "alone" / name).read_bytes() for name in names
    }
