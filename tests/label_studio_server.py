"""A Label Studio server of the tests' own: started from a prepared folder, and what people do on it."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import prepare_labelstudio


@dataclass
class LabelStudio:
    """A running server, spoken to without the client under test. People are made as they are needed."""

    url: str
    token: str
    data: Path
    people: list[int] = field(default_factory=list)

    def call(self, method: str, path: str, body: object = None) -> Any:
        """The server's JSON; raises urllib.error.HTTPError."""
        request = urllib.request.Request(
            self.url + path,
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"Token {self.token}", "Content-Type": "application/json"},
            method=method,
        )
        with urllib.request.urlopen(request, timeout=300) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def persons(self, count: int) -> list[int]:
        """Ids of so many accounts, each with a name and an address that must not come out."""
        while len(self.people) < count:
            number = len(self.people)
            made = self.call(
                "POST",
                "/api/users/",
                {"username": f"respondent-{number}", "email": f"respondent.{number}@example.net"},
            )
            self.people.append(made["id"])
        return self.people[:count]

    def projects(self, begin: str) -> list[dict[str, Any]]:
        """Projects whose title begins so, by title."""
        listed = self.call("GET", "/api/projects/?page_size=1000")["results"]
        return sorted((one for one in listed if one["title"].startswith(begin)), key=lambda one: str(one["title"]))

    def tasks(self, project: int) -> list[dict[str, Any]]:
        query = f"project={project}&page_size=10000&fields=task_only&include=id,data"
        found: list[dict[str, Any]] = self.call("GET", f"/api/tasks/?{query}")["tasks"]
        return found

    def answer(self, task: int, person: int, *parts: dict[str, Any], **more: Any) -> int:
        """One person's answer as the server takes it from anybody."""
        body = {"result": list(parts), "completed_by": person, **more}
        made: int = self.call("POST", f"/api/tasks/{task}/annotations/", body)["id"]
        return made

    def answer_in_bulk(self, project: int, answered: Sequence[tuple[dict[str, str], list[dict[str, Any]]]]) -> None:
        """Puts the project's tasks in anew, with annotations: quicker than answer by answer."""
        self.call("DELETE", f"/api/projects/{project}/tasks/")
        body = [{"data": data, "annotations": annotations} for data, annotations in answered]
        self.call("POST", f"/api/projects/{project}/import", body)


def part(control: str, *values: str, kind: str = "choices") -> dict[str, Any]:
    """What the interface sends of one question."""
    key = "text" if kind == "textarea" else kind
    return {"from_name": control, "to_name": "item", "type": kind, "value": {key: list(values)}}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait(server: LabelStudio, process: subprocess.Popen[bytes], seconds: float = 180) -> None:
    """A busy port silently becomes the next one: only an answer to our own token is our server's."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if process.poll() is not None:
            raise RuntimeError(f"label-studio ended with {process.returncode}")
        with contextlib.suppress(OSError, urllib.error.URLError, ValueError):
            if server.call("GET", "/api/current-user/whoami")["email"] == prepare_labelstudio.EMAIL:
                return
        time.sleep(0.3)
    raise RuntimeError(f"label-studio did not answer within {seconds:g} seconds")


@contextlib.contextmanager
def running(prepared: Path, folder: Path) -> Iterator[LabelStudio]:
    """A server on a copy of a prepared folder's database, and nobody else's; it ends with the block."""
    data = folder / "data"
    shutil.copytree(prepared / "data", data)
    port = _free_port()
    token, password = ((prepared / name).read_text() for name in ("token", "password"))
    log = (data.parent / "log").open("wb")
    process = subprocess.Popen(
        [
            *(prepare_labelstudio.program(prepared), "start", "--port", str(port)),
            *prepare_labelstudio.arguments(token, password),
        ],
        env=prepare_labelstudio.environment(data),
        cwd=data,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        start_new_session=True,
    )
    server = LabelStudio(f"http://127.0.0.1:{port}", token, data)
    try:
        _wait(server, process)
        yield server
    finally:
        # its own session: nothing but this server and what it started
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        log.close()
