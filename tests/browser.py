"""A headless Chromium that tests look at pages with. Debian: `apt-get install chromium chromium-driver`."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

CHROMIUM, DRIVER = "chromium", "chromedriver"
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-device-scale-factor=1",
)


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chrome]:
    """One browser for all tests, with a profile of its own; skips where there is none on this machine."""
    programs = {name: shutil.which(name) for name in (CHROMIUM, DRIVER)}
    for name, path in programs.items():
        if path is None:
            pytest.skip(f"{name} is not installed")
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = programs[CHROMIUM]
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(executable_path=programs[DRIVER]))
    yield driver
    driver.quit()


def view(driver: Chrome, width: int, height: int = 900, dark: bool = False, reduced: bool = False) -> None:
    """The size of the window, and what the reader prefers."""
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    features = [
        {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
        {"name": "prefers-reduced-motion", "value": "reduce" if reduced else "no-preference"},
    ]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def opened(driver: Chrome, page: Path) -> None:
    """Opens a file; what was logged before is forgotten."""
    for kind in ("browser", "performance"):
        driver.get_log(kind)  # type: ignore[no-untyped-call]
    driver.get(page.absolute().as_uri())


def complaints(driver: Chrome) -> list[str]:
    """What the page wrote to the console."""
    return [entry["message"] for entry in driver.get_log("browser")]  # type: ignore[no-untyped-call]


def requests(driver: Chrome) -> list[str]:
    """Every address that was asked for since the page was opened."""
    logged = driver.get_log("performance")  # type: ignore[no-untyped-call]
    events: list[dict[str, Any]] = [json.loads(entry["message"])["message"] for entry in logged]
    return [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]
