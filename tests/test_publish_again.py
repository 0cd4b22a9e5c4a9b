"""The second release, each request of which fails in turn: the first stays as it was, the second is whole or absent."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hub_client import Client
from hub_server import Hub
from small import complete

pytest.importorskip("huggingface_hub", reason="huggingface_hub is not installed")
pytestmark = pytest.mark.slow
pytest_plugins = ["hub_fixtures"]
HUB = {"cdn": True, "resolve_cache": True}

FAILURES: dict[str, dict[str, Any]] = {
    "404": {"action": "status", "status": 404, "headers": {"X-Error-Code": "EntryNotFound"}},
    "reset in the middle": {"action": "reset", "when": "mid", "bytes": 64},
    "reset after": {"action": "reset", "when": "after"},
}


@pytest.fixture(scope="module")
def sources(hub: Hub, client: Client, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of 2.0.0; acme/base holds 1.0.0."""
    folder = complete(tmp_path_factory.mktemp("mine"))
    settings, text = folder / "dataset.yaml", folder / "a.yaml"
    code, said = client.verb("publish", folder, "--repo", "acme/base")
    assert code == 0, said
    second = settings.read_text(encoding="utf-8").replace("version: 1.0.0", "version: 2.0.0")
    settings.write_text(second, encoding="utf-8")
    text.write_text(text.read_text(encoding="utf-8").replace("vendían fruta", "vendían pan"), encoding="utf-8")
    return folder


def fresh(hub: Hub, name: str) -> str:
    """A repository as acme/base is; its first commit."""
    shutil.copytree(hub.store.dir("dataset", "acme/base"), hub.store.dir("dataset", name))
    found = hub.store.repo("dataset", name)
    hub.store.save_repo("dataset", name, {**found, "id": name})
    return str(found["tags"]["v1.0.0"])


def holds(hub: Hub, name: str, first: str) -> bool:
    """Whether the second version is there; it is whole then. The first is what it was."""
    tags = hub.store.repo("dataset", name)["tags"]
    assert tags["v1.0.0"] == first
    assert set(tags) <= {"v1.0.0", "v2.0.0"}
    if "v2.0.0" not in tags:
        return False
    files = hub.store.commit("dataset", name, tags["v2.0.0"])["files"]
    manifest = json.loads(hub.store.blob(files["manifest.json"]["sha256"]).read_bytes())
    assert manifest["version"] == "2.0.0"
    assert all(files[path]["sha256"] == digest for path, digest in manifest["files"].items())
    return True


@pytest.mark.parametrize("failure", list(FAILURES))
def test_each_request_of_a_second_release_fails(failure: str, hub: Hub, client: Client, sources: Path) -> None:
    kind, number, done = failure.replace(" ", "-"), 0, False
    while not done:
        name, started = f"acme/{kind}{number}", len(hub.log)
        first = fresh(hub, name)
        hub.fault(None, "", skip=number, **FAILURES[failure])
        code, said = client.verb("publish", sources, "--repo", name)
        done = bool(hub.faults[-1]["times"])  # there are not so many requests
        hub.faults.clear()
        place = (number, [entry[:3] for entry in hub.log[started:]], said)
        assert code in (0, 1, 2), place
        assert "TRACEBACK" not in said.upper(), place
        assert "hf_write" not in said, place
        assert holds(hub, name, first) or code, place
        code, said = client.verb("publish", sources, "--repo", name)
        assert code == 0, (place, said)
        assert holds(hub, name, first), place
        repository = hub.store.repo("dataset", name)
        head = hub.store.commit("dataset", name, repository["branches"]["main"])
        assert repository["tags"]["v2.0.0"] == head["oid"], place
        assert head["parent"] == first, place  # once
        number += 1
    assert number > 12
