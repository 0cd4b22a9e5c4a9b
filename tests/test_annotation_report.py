"""The page of a survey: whole in itself, true to the figures, and safe with what strangers wrote."""

from __future__ import annotations

import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest
from contrapar.annotation.answers import Proposal, write_proposals
from survey_folder import dataset, hats, survey, table

EVIL = '<script>alert("x")</script> {{ 7*7 }} & "quoted"'


class Page(HTMLParser):
    """Gathers what a reader gets: text, tags, and whatever would ask for something outside."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if not {"style", "title"} & set(self.open):
            self.text.append(" ".join(data.split()))


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """Eight people on six stereotypes, one of which nobody judged."""
    folder = dataset(tmp_path, [*hats(5), ("en/hats/evil", "hats", EVIL)], name="hats", items=3)
    store = tmp_path / "s"
    rows = [
        (f"p{person}", f"en/hats/00{n}", "yes" if person >= 2 * n else "no", min(4, n + person % 2 - 1))
        for n in range(5)
        for person in range(8)
    ]
    path = table(tmp_path / "form.csv", ("respondent", "stereotype", "relevant", "harmfulness"), rows)
    assert survey("plan", folder, "--folder", store) == 0
    write_proposals(store / "proposals.csv", [Proposal("hats", "hats", EVIL, 2)])
    table(store / "belonging.csv", ("group", "respondents"), [("bowler", 6), ("cap", "fewer than 5")])
    assert survey("report", folder, "--folder", store, "--answers", path) == 0
    return store / "report.html"


def test_the_page_asks_for_nothing_outside(page: Path) -> None:
    found = Page(page.read_text(encoding="utf-8"))
    assert not {"script", "link", "img", "iframe", "object"} & {tag for tag, _ in found.tags}
    addresses = [
        value for _, attributes in found.tags for name, value in attributes.items() if name in ("href", "src", "srcset")
    ]
    assert all(value is not None and value.startswith("#") for value in addresses)
    assert not re.search(r"url\(|@import|https?://", page.read_text(encoding="utf-8"))


def test_the_page_is_true_to_the_figures(page: Path) -> None:
    text = " ".join(filter(None, Page(page.read_text(encoding="utf-8")).text))
    assert "6 stereotypes 40 answers 8 people 2 tier 1 1 tier 2 0 tier 3" in text
    assert "75 % (41 to 93)" in text
    assert "fewer than 5" in text
    assert "40 of 18" in text  # more answers than wanted
    assert text.count(EVIL) == 2  # the stereotype, and the proposal of it
    assert "It speaks ill of hats." in text


def test_a_voice_and_a_phone_can_read_it(page: Path) -> None:
    found = Page(page.read_text(encoding="utf-8"))
    html = dict(found.tags)["html"]
    assert html["lang"] == "en"
    assert any(tag == "meta" and attributes.get("name") == "viewport" for tag, attributes in found.tags)
    pictures = [attributes for tag, attributes in found.tags if tag == "svg"]
    assert all(one.get("aria-hidden") == "true" or one.get("role") == "img" for one in pictures)
    ids = {attributes["id"] for _, attributes in found.tags if "id" in attributes}
    named = [value for _, attributes in found.tags if (value := attributes.get("aria-labelledby"))]
    assert {one for value in named for one in value.split()} <= ids
    headers = [attributes for tag, attributes in found.tags if tag == "th"]
    assert all(attributes.get("scope") in ("row", "col") for attributes in headers)


def test_counts_alone_make_a_page_too(tmp_path: Path) -> None:
    folder = dataset(tmp_path, hats(2))
    path = table(tmp_path / "counts.csv", ("stereotype", "yes", "no", "not_sure"), [("en/hats/000", 6, 2, 1)])
    out = tmp_path / "page.html"
    assert survey("report", folder, "--counts", path, "--out", out, "--folder", tmp_path / "none") == 0
    text = " ".join(Page(out.read_text(encoding="utf-8")).text)
    assert "Counts alone do not tell who agreed with whom." in text
    assert "6 / 2 / 1" in text
    assert not (tmp_path / "none").exists()


@pytest.mark.slow
def test_chromium_shows_it_without_overflow_on_a_phone(page: Path, tmp_path: Path) -> None:
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    if not (shutil.which("chromium") and shutil.which("chromedriver")):
        pytest.skip("chromium and chromedriver are not installed")
    options = webdriver.ChromeOptions()
    for flag in (
        *("headless=new", "no-sandbox", "disable-gpu", "no-first-run", "disable-background-networking"),
        *("disable-component-update", "disable-sync", f"user-data-dir={tmp_path / 'chrome'}"),
        "host-resolver-rules=MAP * ~NOTFOUND",
    ):
        options.add_argument(f"--{flag}")
    options.binary_location = shutil.which("chromium")
    driver = webdriver.Chrome(
        options=options, service=webdriver.ChromeService(shutil.which("chromedriver"), log_output=subprocess.DEVNULL)
    )
    try:
        driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride", {"width": 360, "height": 800, "deviceScaleFactor": 1, "mobile": True}
        )
        driver.get(page.as_uri())
        assert driver.execute_script("return document.documentElement.scrollWidth") <= 360
        assert len(driver.find_elements("css selector", "#harm ~ figure use")) == 5
        # light and dark both leave the text well apart from the paper
        for scheme in ("light", "dark"):
            driver.execute_cdp_cmd(
                "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
            )
            style = "return [getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]"
            ink, paper = (sum(map(int, re.findall(r"\d+", colour)[:3])) for colour in driver.execute_script(style))
            assert abs(ink - paper) > 500
            assert (ink < paper) is (scheme == "light")
    finally:
        driver.quit()
