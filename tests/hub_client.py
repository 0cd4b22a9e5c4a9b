"""The unmodified Hub client in a process of its own: verbs of ours, and `datasets`, against a loopback Hub.

`huggingface_hub` reads its environment once, when it is imported, so no test's own process can use it. A worker
stays up for many calls; `python hub_client.py ARGUMENTS` is one call.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any


class Client:
    """A worker with a login and an empty cache."""

    def __init__(self, url: str, home: Path, token: str = "hf_write") -> None:
        self.environment = environment(url, home, token)
        # a pipe that nobody reads would fill, and the worker wait for ever
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115
        self._process = subprocess.Popen(
            [sys.executable, __file__, "--worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            env=self.environment,
        )

    def verb(self, *arguments: str | Path) -> tuple[int, str]:
        """Exit code, and all that was said."""
        found = self._call({"verb": [str(argument) for argument in arguments]})
        return found["code"], found["said"]

    def rows(self, repository: str, name: str, revision: str, streaming: bool = False) -> list[dict[str, Any]]:
        """What `datasets.load_dataset` gives."""
        found = self._call({"load": [repository, name, revision], "streaming": streaming})
        assert "rows" in found, found["said"]
        rows: list[dict[str, Any]] = found["rows"]
        return rows

    def features(self, repository: str, name: str, revision: str) -> str:
        return str(self._call({"load": [repository, name, revision], "features": True})["rows"])

    def _call(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            self._errors.seek(0)
            raise AssertionError(self._errors.read())
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        self._process.communicate(timeout=30)
        self._errors.close()


def environment(url: str, home: Path, token: str = "hf_write") -> dict[str, str]:
    return {
        **os.environ,
        "PYTHONUTF8": "1",
        "HF_ENDPOINT": url,
        "HF_HUB_DISABLE_XET": "1",
        "HF_HOME": str(home),
        "HF_TOKEN": token,
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "HF_HUB_DOWNLOAD_TIMEOUT": "5",
        "HF_HUB_ETAG_TIMEOUT": "5",
    }


def _verb(arguments: list[str]) -> dict[str, Any]:
    from contrapar.builder.release import publish
    from contrapar.cli import main

    publish.WAIT = 0.01
    code = 0
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(out):
        try:
            main(arguments)
        except SystemExit as stopped:
            code = int(stopped.code or 0)
        except BaseException as error:
            code = -1
            print("TRACEBACK", repr(error))
    return {"code": code, "said": out.getvalue()}


def _load(asked: Mapping[str, Any]) -> dict[str, Any]:
    import datasets

    datasets.disable_progress_bars()
    repository, name, revision = asked["load"]
    with contextlib.redirect_stdout(io.StringIO()):
        found = datasets.load_dataset(
            repository, name, revision=revision, split="test", streaming=bool(asked.get("streaming"))
        )
    return {"rows": str(found.features) if asked.get("features") else list(found)}


def _no_waiting() -> None:
    """The client's own pauses between attempts are not what we test."""
    import time

    time.sleep = lambda seconds: None  # type: ignore[assignment]


def main() -> None:
    if sys.argv[1:] != ["--worker"]:
        from contrapar.cli import main as run

        run(sys.argv[1:])
    _no_waiting()
    out = sys.stdout
    for line in sys.stdin:
        asked = json.loads(line)
        try:
            answer = _verb(asked["verb"]) if "verb" in asked else _load(asked)
        except Exception as error:
            answer = {"said": repr(error)}
        out.write(json.dumps(answer, ensure_ascii=False) + "\n")
        out.flush()


if __name__ == "__main__":
    main()
