"""The fixtures `hub`, a loopback Hub, and `client`, a worker logged in to it, one a test module.

A test module takes them by `pytest_plugins = ["hub_fixtures"]`, and names in HUB how its Hub differs from the plainest.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hub_client import Client
from hub_server import Hub


@pytest.fixture(scope="module")
def hub(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hub]:
    server = Hub(tmp_path_factory.mktemp("hub"), **getattr(request.module, "HUB", {})).start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def client(hub: Hub, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    found = Client(hub.url, tmp_path_factory.mktemp("home"))
    yield found
    found.close()
