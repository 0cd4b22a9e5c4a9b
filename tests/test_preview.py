"""The page that shows a dataset: what it says, what is marked in it, and that people can use it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import browser as chromium
import numpy as np
import pyarrow as pa
import pytest
from browser import complaints, opened, requests, view
from conftest import write
from contrapar.builder.build import build, check
from contrapar.builder.preview import write_index, write_preview
from contrapar.builder.preview_rows import cut, differing, named
from contrapar.builder.problems import SourceFaults, UsageError
from contrapar.builder.sample import Sample
from contrapar.builder.tables import read_rows
from small import PAIRS, QA

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

browser = chromium.browser  # the fixture
PER_PAGE = 25
FAULTY = """\
- id: faulty
  stereotype: nl/orientation/stil
  slots: {name: [Ann, Bo], identity: {from: identities, axis: orientation}}
  text: "{{ name }} <script>document.title = 'run'</script> & <b>is</b>  {{ identity.adjective }}.."
- id: broken
  stereotype: nl/orientation/stil
  slots: {identity: {from: identities, axis: orientation}}
  text: "Zij is {{ identiti.adjective }}."
"""


def data_of(page: Path) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page.read_text(encoding="utf-8"))
    assert found
    data: dict[str, Any] = json.loads(found[1])
    return data


def said(row: dict[str, Any]) -> list[str]:
    return ["".join(words for words, _ in line["p"]) for line in row["l"]]


# --- what is on it ----------------------------------------------------------------------------------------


def test_it_shows_the_rows_that_a_build_writes(tmp_path: Path) -> None:
    root = write(tmp_path / "d", PAIRS)
    data = data_of(write_preview(str(root), tmp_path / "p.html"))
    rows = read_rows(build(str(root), tmp_path / "out").folder).to_pylist()
    assert [(row["id"], *said(row)) for row in data["rows"]] == [
        (row["id"], row["sent_target"], row["sent_other"]) for row in rows
    ]


def test_a_built_folder_shows_the_same_rows(tmp_path: Path) -> None:
    root = write(tmp_path / "d", QA)
    built = build(str(root), tmp_path / "out")
    of_sources = data_of(write_preview(str(root), tmp_path / "a.html"))
    of_build = data_of(write_preview(str(built.folder), tmp_path / "b.html"))
    assert [(row["id"], said(row)) for row in of_build["rows"]] == [
        (row["id"], said(row)) for row in of_sources["rows"]
    ]
    assert "<code>contrapar check</code> tells the findings" in (tmp_path / "b.html").read_text(encoding="utf-8")


def test_the_right_answer_and_the_groups_are_marked(tmp_path: Path) -> None:
    root = write(tmp_path / "d", QA)
    built = {row["id"]: row for row in read_rows(build(str(root), tmp_path / "out").folder).to_pylist()}
    for shown in data_of(write_preview(str(root), tmp_path / "p.html"))["rows"]:
        row = built[shown["id"]]
        assert [line["y"] for line in shown["l"][2:]] == [int(number == row["label"]) for number in range(3)]
        assert [line["r"] for line in shown["l"][2:]].index("target") == row["target"]
        kinds = [{kind for _, kind in line["p"]} - {""} for line in shown["l"]]
        assert kinds[0] == {"t", "o"}, shown["l"][0]
        assert kinds[2 + row["target"]] == {"t"}
        assert kinds[2 + row["other"]] == {"o"}
        assert kinds[2 + row["unknown"]] == set()


def test_findings_are_those_of_check_with_their_rows(tmp_path: Path) -> None:
    root = write(tmp_path / "d", {**PAIRS, "templates/small/b.yaml": FAULTY})
    page = write_preview(str(root), tmp_path / "p.html")
    data, found = data_of(page), check(str(root)).problems(complete=True)
    assert Counter(finding["code"] for finding in data["findings"]) == Counter(problem.code for problem in found)
    having = {
        finding["code"]: {data["templates"][row["t"]] for row in data["rows"] if number in row["f"]}
        for number, finding in enumerate(data["findings"])
    }
    assert having["double-punctuation"] == {"faulty"}
    assert having["undefined-slot"] == set()
    text = page.read_text(encoding="utf-8")
    for problem in found:
        assert str(problem.place) in text
        assert problem.code in text


def test_a_finding_in_a_lexicon_leads_to_the_rows_that_use_the_entry(tmp_path: Path) -> None:
    names = "id;gender;form\ndaan;m;Daan\nanne;f;Anne (v)\n"
    root = write(tmp_path / "d", {**PAIRS, "lexicons/nl/names.csv": names})
    data = data_of(write_preview(str(root), tmp_path / "p.html"))
    number = next(n for n, finding in enumerate(data["findings"]) if finding["code"] == "editorial-mark")
    assert {("name=anne" in row["k"]) for row in data["rows"] if number in row["f"]} == {True}
    assert {("name=anne" in row["k"]) for row in data["rows"] if number not in row["f"]} == {False}


def test_rows_with_a_finding_come_on_top_of_a_sample(tmp_path: Path) -> None:
    root = write(tmp_path / "d", {**PAIRS, "templates/small/b.yaml": FAULTY.split("- id: broken")[0]})
    page = write_preview(str(root), tmp_path / "p.html", rows=1)
    data = data_of(page)
    shown = [data["templates"][row["t"]] for row in data["rows"]]
    assert shown.count("faulty") >= len(shown) - 1
    assert len(shown) > 1
    total = sum(check(str(root)).templates.values())
    assert f"A sample: {len(shown)} of {total} rows" in page.read_text(encoding="utf-8")


def test_nothing_of_a_source_becomes_markup(tmp_path: Path) -> None:
    dataset = PAIRS["templates/small/dataset.yaml"].replace("A small dataset", "</title><script>1</script> @@DATA@@")
    root = write(tmp_path / "d", {**PAIRS, "templates/small/dataset.yaml": dataset, "templates/small/b.yaml": FAULTY})
    text = write_preview(str(root), tmp_path / "p.html").read_text(encoding="utf-8")
    assert len(re.findall("<script", text)) == 2
    assert "&lt;/title&gt;&lt;script&gt;1&lt;/script&gt; @@DATA@@" in text
    assert any("<script>document.title" in line for row in data_of(tmp_path / "p.html")["rows"] for line in said(row))


def test_the_page_asks_for_nothing_and_runs_only_its_own_script(tmp_path: Path) -> None:
    text = write_preview(str(write(tmp_path / "d", PAIRS)), tmp_path / "p.html").read_text(encoding="utf-8")
    assert re.findall(r'(?:src|href)="(?!#|data:,")[^"]*"', text) == []
    assert not re.search(r"url\(|@import|fetch\(|XMLHttpRequest|WebSocket", text)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    assert policy
    assert "default-src 'none'" in policy[1]
    for part in ("<style>(.*?)</style>", r"<script>(.*?)</script>"):
        inside = re.search(part, text, re.DOTALL)
        assert inside
        assert base64.b64encode(hashlib.sha256(inside[1].encode()).digest()).decode() in policy[1]


def test_the_warning_stands_before_the_rows(tmp_path: Path) -> None:
    text = write_preview(str(write(tmp_path / "d", PAIRS)), tmp_path / "p.html").read_text(encoding="utf-8")
    assert text.index("It repeats stereotypes.") < text.index('id="list"')


def test_what_cannot_be_read_leaves_no_page(tmp_path: Path) -> None:
    root = write(tmp_path / "d", {**PAIRS, "templates/small/dataset.yaml": "family: [\n"})
    with pytest.raises(SourceFaults):
        write_preview(str(root), tmp_path / "out" / "p.html")
    write(tmp_path / "built", {"manifest.json": "[]"})
    with pytest.raises(UsageError, match="no manifest"):
        write_preview(str(tmp_path / "built"), tmp_path / "out" / "p.html")
    assert not (tmp_path / "out").exists()


def test_an_index_leads_to_every_page(tmp_path: Path) -> None:
    pages = []
    for name, files in (("pairs", PAIRS), ("ask <b>", QA)):
        built = build(str(write(tmp_path / "d" / name, files)), tmp_path / "out" / name)
        pages.append((name, write_preview(str(built.folder), built.folder / "preview.html"), built.manifest))
    index = write_index(pages)
    assert index == tmp_path / "out" / "index.html"
    text = index.read_text(encoding="utf-8")
    assert 'href="pairs/preview.html"' in text
    assert 'href="ask%20%3Cb%3E/preview.html">ask &lt;b&gt;' in text


# --- words that are marked --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "two", "left", "right"),
    [
        ("Zij is lesbisch.", "Zij is hetero.", ["lesbisch"], ["hetero"]),
        ("Zij is een lesbische vrouw.", "Zij is hetero.", ["een lesbische vrouw"], ["hetero"]),
        ("Ana es lista, dice ella.", "Juan es listo, dice él.", ["Ana", "lista", "ella"], ["Juan", "listo", "él"]),
        ("the same", "the same", [], []),
        ("", "all new", [], ["all new"]),
        ("It's Anne-Marie's.", "It's Bo's.", ["Anne-Marie's"], ["Bo's"]),
    ],
)
def test_words_that_differ(one: str, two: str, left: list[str], right: list[str]) -> None:
    found = differing(one, two)
    assert [[text[a:b] for a, b in spans] for text, spans in zip((one, two), found, strict=True)] == [left, right]


def test_names_are_marked_as_words_the_longest_first() -> None:
    names = {"t": {"woman", "old woman", "xy"}, "o": {"man", "person"}}
    assert named("An Old woman and a man, xy.", names) == [
        ("An ", ""),
        ("Old woman", "t"),
        (" and a ", ""),
        ("man", "o"),
        (", xy.", ""),
    ]
    assert named("a person", {"t": {"person"}, "o": {"person"}}) == [("a person", "")]
    assert named("", {"t": {"woman"}, "o": set()}) == [("", "")]
    assert cut("ab", [(0, 1)], "t") == [("a", "t"), ("b", "")]


# --- the sample -------------------------------------------------------------------------------------------


def block(template: str, first: int, count: int) -> pa.Table:
    slots = [[f"slot={number}"] for number in range(first, first + count)]
    return pa.table({"template": [template] * count, "slots": slots, "n": list(range(first, first + count))})


@pytest.mark.parametrize("limit", [1, 2, 7, 30, 100])
@pytest.mark.parametrize("step", [3, 50])
def test_a_sample_is_bounded_and_does_not_depend_on_blocks(limit: int, step: int) -> None:
    sizes = {"a": 40, "b": 3, "c": 25}
    sample, whole = Sample(limit), Sample(limit)
    for template, size in sizes.items():
        whole.add(template, block(template, 0, size))
        for first in range(0, size, step):
            sample.add(template, block(template, first, min(step, size - first)))
    rows = sample.rows()
    assert rows == whole.rows()
    assert sample.total == 68
    most = min(limit, sample.total)
    assert most - 2 <= len(rows) <= most
    of = Counter(row["template"] for row in rows)
    if limit == 30:
        assert of == {"a": 13, "b": 3, "c": 13}
    assert [row["n"] for row in rows if row["template"] == "a"] == sorted(
        row["n"] for row in rows if row["template"] == "a"
    )


def test_an_entry_more_moves_little_of_a_sample() -> None:
    before, after = Sample(20), Sample(20)
    before.add("a", block("a", 0, 500))
    after.add("a", block("a", 0, 501))
    assert len({row["n"] for row in before.rows()} & {row["n"] for row in after.rows()}) >= 19
    other = Sample(20, seed=1)
    other.add("a", block("a", 0, 500))
    assert other.rows() != before.rows()


def test_rows_that_must_be_seen_are_kept_besides() -> None:
    sample = Sample(5)
    sample.add("a", block("a", 0, 100), wanted=[7, 99])
    assert {7, 99} <= {row["n"] for row in sample.rows()}
    assert len(sample.rows()) <= 7
    assert np.all(np.diff([row["n"] for row in sample.rows()]) > 0)


# --- in a browser -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("pages")
    sources = {
        "pairs": write(root / "pairs", {**PAIRS, "templates/small/b.yaml": FAULTY}),
        "qa": write(root / "qa", QA),
    }
    return {name: write_preview(str(folder), root / f"{name}.html") for name, folder in sources.items()}


def choose(driver: Chrome, id: str, label: str) -> None:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import Select

    select = Select(driver.find_element(By.ID, id))
    select.select_by_visible_text(next(o.text for o in select.options if o.text.startswith(f"{label} (")))


def told(driver: Chrome) -> int:
    """How many rows the page says that match."""
    from selenium.webdriver.common.by import By

    text = driver.find_element(By.ID, "count").text
    return 0 if text.startswith("No row") else int(text.split(" row")[0].replace(",", ""))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pairs", "qa"])
def test_filters_and_counts(browser: Chrome, pages: dict[str, Path], name: str) -> None:
    from selenium.webdriver.common.by import By

    data = data_of(pages[name])
    view(browser, 1280, reduced=True)
    opened(browser, pages[name])
    assert told(browser) == len(data["rows"])
    for id, key, names in (("axis", "a", "axes"), ("stereotype", "s", "stereotypes"), ("template", "t", "templates")):
        for number, label in enumerate(data[names]):
            choose(browser, id, label)
            assert told(browser) == sum(row[key] == number for row in data["rows"])
        browser.find_element(By.CSS_SELECTOR, "button[type=reset]").click()
    for number, label in enumerate(data["tags"]):
        choose(browser, "tag", label)
        assert told(browser) == sum(number in row["g"] for row in data["rows"])
    browser.find_element(By.CSS_SELECTOR, "button[type=reset]").click()
    for button in browser.find_elements(By.CSS_SELECTOR, "button[data-finding]"):
        button.click()
        number = int(button.get_attribute("data-finding") or -1)
        browser.execute_async_script("setTimeout(arguments[0], 20)")
        assert told(browser) == sum(number in row["f"] for row in data["rows"]) > 0
        assert browser.switch_to.active_element.get_attribute("id") == "rows"
    browser.find_element(By.CSS_SELECTOR, "button[type=reset]").click()
    browser.execute_async_script("setTimeout(arguments[0], 20)")
    words = said(data["rows"][-1])[0].split()[0]
    browser.find_element(By.ID, "text").send_keys(words.upper())
    assert 0 < told(browser) == sum(words.lower() in "\n".join([*said(row), row["k"]]).lower() for row in data["rows"])
    browser.find_element(By.ID, "text").send_keys("no such words")
    assert told(browser) == 0
    assert browser.find_elements(By.CSS_SELECTOR, "#list > li") == []
    assert complaints(browser) == []


@pytest.mark.slow
def test_a_search_looks_past_accents(browser: Chrome, pages: dict[str, Path]) -> None:
    from selenium.webdriver.common.by import By

    view(browser, 1280, reduced=True)
    opened(browser, pages["qa"])
    accented = next(w for row in data_of(pages["qa"])["rows"] for t in said(row) for w in t.split() if "ó" in w)
    browser.find_element(By.ID, "text").send_keys(accented.replace("ó", "o"))
    assert told(browser) > 0


@pytest.mark.slow
def test_every_row_can_be_reached_page_by_page(browser: Chrome, pages: dict[str, Path]) -> None:
    from selenium.webdriver.common.by import By

    data = data_of(pages["qa"])
    view(browser, 1280, reduced=True)
    opened(browser, pages["qa"])
    seen = []
    while True:
        seen += [code.text for code in browser.find_elements(By.CSS_SELECTOR, "#list .head code")]
        following = browser.find_element(By.ID, "on")
        if not following.is_enabled():
            break
        following.click()
        assert browser.switch_to.active_element.get_attribute("id") == "rows"
    assert seen == [row["id"] for row in data["rows"]]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["pairs", "qa"])
@pytest.mark.parametrize("width", [390, 1280])
def test_it_fits_asks_for_nothing_and_complains_of_nothing(
    browser: Chrome,
    pages: dict[str, Path],
    name: str,
    width: int,
) -> None:
    view(browser, width)
    opened(browser, pages[name])
    browser.execute_script("for (const fold of document.querySelectorAll('details')) fold.open = true")
    assert browser.execute_script("return document.documentElement.scrollWidth <= innerWidth")
    assert requests(browser) == [pages[name].as_uri()]
    assert complaints(browser) == []
    assert browser.title != "run"


@pytest.mark.slow
def test_a_template_with_a_script_shows_as_text(browser: Chrome, pages: dict[str, Path]) -> None:
    from selenium.webdriver.common.by import By

    opened(browser, pages["pairs"])
    choose(browser, "template", "faulty")
    texts = [element.text for element in browser.find_elements(By.CSS_SELECTOR, "#list dd")]
    assert all("<script>document.title = 'run'</script> & <b>is</b>" in text for text in texts)
    assert browser.title == "A small dataset: preview"


CONTRAST = """
const linear = c => { c /= 255; return c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4 };
const light = ([r, g, b]) => .2126 * linear(r) + .7152 * linear(g) + .0722 * linear(b);
const rgb = text => text.match(/[\\d.]+/g).map(Number);
const behind = element => {
  for (let at = element; at; at = at.parentElement) {
    const colour = rgb(getComputedStyle(at).backgroundColor);
    if (colour.length < 4 || colour[3] === 1) return colour;
  }
  return [255, 255, 255];
};
const poor = [];
for (const element of document.querySelectorAll('body *')) {
  const own = [...element.childNodes].some(node => node.nodeType === 3 && node.data.trim());
  if (!own || element.disabled || !element.offsetParent) continue;
  const style = getComputedStyle(element), [a, b] = [light(rgb(style.color)), light(behind(element))];
  const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
  if (ratio < 4.5) poor.push([element.tagName, element.className, element.textContent.slice(0, 40), ratio]);
}
return poor;
"""


@pytest.mark.slow
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("name", ["pairs", "qa"])
def test_every_text_stands_out_from_what_is_behind_it(
    browser: Chrome,
    pages: dict[str, Path],
    name: str,
    dark: bool,
) -> None:
    view(browser, 1280, dark=dark)
    opened(browser, pages[name])
    browser.execute_script("for (const fold of document.querySelectorAll('details')) fold.open = true")
    behind = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert (behind == "rgb(21, 23, 27)") is dark
    assert browser.execute_script(CONTRAST) == []


@pytest.mark.slow
def test_more_than_colour_marks_the_words(browser: Chrome, pages: dict[str, Path]) -> None:
    opened(browser, pages["qa"])
    styles = browser.execute_script(
        "return ['t', 'o'].map(kind => { const style = getComputedStyle(document.querySelector(`#list mark.${kind}`));"
        " return style.textDecorationLine + ' ' + style.textDecorationStyle })"
    )
    assert styles == ["underline solid", "underline dashed"]
    right = browser.execute_script("return [...document.querySelectorAll('#list .right dt')].map(e => e.innerText)")
    assert right
    assert all("right answer" in text for text in right)


@pytest.mark.slow
def test_a_screen_reader_finds_its_way(browser: Chrome, pages: dict[str, Path]) -> None:
    opened(browser, pages["qa"])
    browser.execute_cdp_cmd("Accessibility.enable", {})
    nodes = browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    named = [(n["role"]["value"], n.get("name", {}).get("value", "")) for n in nodes if not n.get("ignored")]
    roles = Counter(role for role, _ in named)
    assert roles["main"] == roles["banner"] == roles["search"] == roles["navigation"] == 1
    assert roles["article"] == roles["DescriptionList"] - 1 == PER_PAGE
    fields = [name for role, name in named if role in ("combobox", "searchbox", "button", "region")]
    assert all(fields), named
    assert ("status", "") in named or roles["status"] == 1
    html = browser.execute_script("return document.documentElement.lang")
    texts = browser.execute_script("return [...document.querySelectorAll('#list dd')].map(e => e.lang)")
    assert (html, set(texts)) == ("en", {"es"})
    levels = browser.execute_script("return [...document.querySelectorAll('h1,h2,h3')].map(e => Number(e.tagName[1]))")
    assert levels[0] == 1
    assert all(b - a <= 1 for a, b in pairwise(levels))
    count = browser.execute_script("return document.getElementById('count').getAttribute('aria-live')")
    assert count == "polite"


@pytest.mark.slow
def test_the_keyboard_goes_through_the_page_and_is_seen(browser: Chrome, pages: dict[str, Path]) -> None:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    view(browser, 1280, reduced=True)
    opened(browser, pages["qa"])
    body = browser.find_element(By.TAG_NAME, "body")
    body.send_keys(Keys.TAB)
    visited = []
    for _ in range(40):
        active = browser.switch_to.active_element
        visited.append(active.get_attribute("id") or active.tag_name)
        if active.tag_name != "body":
            assert browser.execute_script("return getComputedStyle(arguments[0]).outlineStyle", active) != "none"
        if visited[-1] == "on" or active.tag_name == "body":
            break
        active.send_keys(Keys.TAB)
    assert visited[0] == "a"
    assert [id for id in visited if id in ("axis", "stereotype", "template", "tag", "text")] == [
        "axis",
        "stereotype",
        "template",
        "tag",
        "text",
    ]


@pytest.mark.slow
def test_motion_is_left_out_where_it_is_not_wanted(browser: Chrome, pages: dict[str, Path]) -> None:
    view(browser, 1280, reduced=True)
    opened(browser, pages["qa"])
    assert browser.execute_script("return getComputedStyle(document.documentElement).scrollBehavior") == "auto"


@pytest.mark.slow
def test_the_index_fits_a_phone(browser: Chrome, tmp_path: Path) -> None:
    built = build(str(write(tmp_path / "d", QA)), tmp_path / "out" / "qa")
    page = write_preview(str(built.folder), built.folder / "preview.html")
    index = write_index([("qa", page, built.manifest), ("again", page, built.manifest)])
    view(browser, 390)
    opened(browser, index)
    assert browser.execute_script("return document.documentElement.scrollWidth <= innerWidth")
    assert complaints(browser) == []
    assert requests(browser) == [index.as_uri()]
