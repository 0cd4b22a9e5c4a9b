"""Releases on a Hub that fails, and by processes that are killed: the whole version with its tag, or nothing of it."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import hub_client
import pytest
from hub_client import Client
from hub_server import Hub
from small import complete

pytest.importorskip("huggingface_hub", reason="huggingface_hub is not installed")
pytestmark = pytest.mark.slow
pytest_plugins = ["hub_fixtures"]

# every request of a release, as (method, what its path holds)
REQUESTS = {
    "info": ("GET", r"/api/datasets/acme/\w+$"),
    "create": ("POST", "/api/repos/create"),
    "refs": ("GET", "/refs$"),
    "manifest": ("HEAD", "manifest.json"),
    "card": ("POST", "validate-yaml"),
    "preupload": ("POST", "preupload"),
    "lfs batch": ("POST", "objects/batch"),
    "lfs put": ("PUT", "_lfs/put"),
    "lfs verify": ("POST", "_lfs/verify"),
    "commit": ("POST", "/commit/main"),
    "tag": ("POST", "/tag/"),
}
FAILURES: dict[str, dict[str, Any]] = {
    "401": {"action": "status", "status": 401},
    "403": {"action": "status", "status": 403},
    "409": {"action": "status", "status": 409},
    "412": {"action": "status", "status": 412},
    "413": {"action": "status", "status": 413},
    "422": {"action": "status", "status": 422},
    "429": {"action": "status", "status": 429, "headers": {"Retry-After": "0"}},
    "500": {"action": "status", "status": 500},
    "503": {"action": "status", "status": 503},
    "reset before": {"action": "reset", "when": "before"},
    "reset after": {"action": "reset", "when": "after"},
}

AT_ONCE = ("401", "403", "413", "422")  # told at once, so that a second such answer is never asked for


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return complete(tmp_path_factory.mktemp("mine"))


def state(hub: Hub, name: str) -> str:
    """'whole' where the version's tag is there and all that its manifest names, 'nothing' where no tag is."""
    try:
        repository = hub.store.repo("dataset", name)
    except Exception:
        return "nothing"
    if not repository["tags"]:
        return "nothing"
    assert list(repository["tags"]) == ["v1.0.0"]
    files = hub.store.commit("dataset", name, repository["tags"]["v1.0.0"])["files"]
    manifest = json.loads(hub.store.blob(files["manifest.json"]["sha256"]).read_bytes())
    for path, digest in manifest["files"].items():
        assert files[path]["sha256"] == digest
        assert hub.store.blob(digest).is_file()
    assert {"README.md", "CHANGELOG.md"} <= files.keys()
    return "whole"


def releases(hub: Hub, name: str) -> int:
    """How many commits call themselves this release."""
    repository = hub.store.repo("dataset", name)
    found, commit = 0, hub.store.commit("dataset", name, repository["branches"]["main"])
    while commit:
        found += commit["title"] == "Release v1.0.0"
        commit = hub.store.commit("dataset", name, commit["parent"]) if commit["parent"] else None
    return found


@pytest.mark.parametrize("times", [1, 50], ids=["once", "for long"])
@pytest.mark.parametrize("request_", list(REQUESTS))
def test_every_failure_of_every_request(request_: str, times: int, hub: Hub, client: Client, sources: Path) -> None:
    """One line, never a traceback; whole or nothing; the same command finishes it, once."""
    for number, (failure, action) in enumerate(FAILURES.items()):
        if times > 1 and failure in AT_ONCE:
            continue
        name = f"acme/f{list(REQUESTS).index(request_)}x{number}x{times}"
        hub.fault(*REQUESTS[request_], times=times, **action)
        code, said = client.verb("publish", sources, "--repo", name)
        hub.faults.clear()
        place = (request_, failure, said)
        assert code in (0, 1), place
        assert "TRACEBACK" not in said.upper(), place
        assert state(hub, name) == ("whole" if code == 0 else state(hub, name)), place
        last = said.strip().splitlines()[-1]
        assert code == 0 or last.startswith("contrapar: "), place
        code, said = client.verb("publish", sources, "--repo", name)
        assert code == 0, (place, said)
        assert state(hub, name) == "whole", place
        assert releases(hub, name) == 1, place


def test_killed_anywhere_and_repeated(hub: Hub, client: Client, sources: Path, tmp_path: Path) -> None:
    """SIGKILL at 20 random requests: whole or nothing, and the same command finishes it once."""
    chance = random.Random(5)
    reached = []
    for number in range(20):
        name, before, wanted = f"acme/killed{number}", len(hub.log), chance.randrange(13)
        process = subprocess.Popen(
            [sys.executable, hub_client.__file__, "publish", str(sources), "--repo", name],
            env=hub_client.environment(hub.url, tmp_path / "home"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while process.poll() is None and len(hub.log) - before < wanted:
            time.sleep(0.001)
        time.sleep(chance.random() * 0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
        time.sleep(0.05)  # what the server still does
        reached.append(state(hub, name))
        code, said = client.verb("publish", sources, "--repo", name)
        assert code == 0, said
        assert state(hub, name) == "whole"
        assert releases(hub, name) == 1
    assert "nothing" in reached  # some were really cut off


def test_two_releases_at_once(hub: Hub, sources: Path, tmp_path: Path) -> None:
    """Of two that differ one wins, and the other says so; the tag is the winner's, and no later commit hides it."""
    other = complete(tmp_path / "theirs")
    text = (other / "a.yaml").read_text(encoding="utf-8")
    (other / "a.yaml").write_text(text.replace("que vendían fruta", "que vendían pan"), encoding="utf-8")
    clients = [Client(hub.url, tmp_path / f"home{number}") for number in range(2)]
    for number in range(6):
        name = f"acme/race{number}"
        found: dict[int, tuple[int, str]] = {}

        def release(who: int, folder: Path, name: str = name, found: dict[int, tuple[int, str]] = found) -> None:
            found[who] = clients[who].verb("publish", folder, "--repo", name)

        threads = [threading.Thread(target=release, args=(n, f)) for n, f in enumerate((sources, other))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(code for code, _ in found.values()) == [0, 1], found
        loser = next(said for code, said in found.values() if code)
        assert "meanwhile; write the next version" in loser or "is released, and is not what" in loser, loser
        assert state(hub, name) == "whole"
        repository = hub.store.repo("dataset", name)
        assert repository["branches"]["main"] == repository["tags"]["v1.0.0"]
    for one in clients:
        one.close()
