"""Pages of runs and of comparisons: whole in themselves, true to the figures, readable by eye, phone and voice."""

from __future__ import annotations

import html
import json
import re
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from answered import built, recorded
from browser import browser, complaints, opened, requests, view  # noqa: F401
from contrapar.evaluate.charts import Mark, apart, scale
from contrapar.evaluate.compare import write_comparison
from contrapar.evaluate.comparison import groups, names
from contrapar.evaluate.latex import escaped
from contrapar.evaluate.matched import languages
from contrapar.evaluate.report import page, write_report
from contrapar.evaluate.results import figures_of
from contrapar.evaluate.run import Run
from contrapar.evaluate.temperatures import temperatures
from hypothesis import given
from hypothesis import strategies as st

if TYPE_CHECKING:
    from selenium.webdriver import Chrome


@pytest.fixture(scope="module")
def qa(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("qa")
    return recorded(built(folder, "qa"), folder / "one", junk=0.3)


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("pairs")
    return recorded(built(folder, "pairs"), folder / "one")


def text_of(markup: str) -> str:
    """What a reader sees, in one line."""
    body = re.sub(r"<style>.*?</style>", "", markup, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", body)).split())


# --- what stands on the page ------------------------------------------------------------------------------


@pytest.mark.parametrize("which", ["qa", "pairs"])
def test_the_page_has_the_figures_the_signature_and_the_warning(which: str, request: pytest.FixtureRequest) -> None:
    run: Run = request.getfixturevalue(which)
    seen = text_of(page(run))
    assert run.signature in seen
    assert run.manifest["content_warning"] in seen
    main = [f for f in figures_of(run) if f.metric == "bias_score" and set(f.group) <= {"context_condition"}]
    assert main
    for figure in main:
        assert figure.value is not None
        shown = f"{figure.value:.3f}" if which == "qa" else f"{figure.value:.1f}"
        assert shown.replace("-", "−") in seen


def test_the_page_of_questions_has_all_its_parts(qa: Run) -> None:
    seen = text_of(page(qa))
    for part in (
        "Main figures",
        "By axis",
        "By identity",
        "Stereotypes",
        "Position of answers",
        "What was not understood",
    ):
        assert part in seen
    assert seen.count("F(Target) − F(Other)") >= 2
    assert "It depends." in seen


def test_nothing_is_loaded_and_nothing_runs(qa: Run, pairs: Run) -> None:
    for run in (qa, pairs):
        markup = page(run)
        assert not re.search(r"<script|<link|<img|<iframe|\bon\w+=|url\(|@import|src=", markup)
        assert "http://" not in markup.replace("http://www.w3.org", "")


def test_what_strangers_say_is_escaped(tmp_path: Path) -> None:
    folder = built(tmp_path, "qa")
    run = recorded(folder, tmp_path / "one", model="<script>alert(1)</script> & co", junk=0.9)
    markup = page(run)
    assert "<script" not in markup
    assert "&lt;script&gt;alert(1)" in markup
    assert "&lt;b&gt;1 or 2?&lt;/b&gt;" in markup


def test_a_run_without_figures_is_told(tmp_path: Path, qa: Run) -> None:
    from contrapar.builder.problems import UsageError

    unfinished = tmp_path / "run"
    unfinished.mkdir()
    (unfinished / "run.json").write_bytes((qa.folder / "run.json").read_bytes())
    from contrapar.evaluate.run import open_run

    with pytest.raises(UsageError, match="has no figures yet"):
        page(open_run(unfinished))


def test_tables_are_written_beside_the_page(qa: Run) -> None:
    written = {path.name: path.read_text() for path in write_report(qa)}
    assert set(written) == {"report.html", "figures.tex", "figures.csv"}
    assert f"% {qa.signature}" in written["figures.tex"]
    assert r"F(Target) - F(Other) &" in written["figures.tex"]
    assert written["figures.tex"].count(r"\begin{table}") == written["figures.tex"].count(r"\end{table}") >= 2


def test_latex_is_escaped() -> None:
    assert escaped("50 % of a_b & c #1 {x}") == r"50 \% of a\_b \& c \#1 \{x\}"
    assert escaped("~^\\") == r"\textasciitilde{}\textasciicircum{}\textbackslash{}"
    assert escaped("−1 <2>") == r"$-$1 \textless{}2\textgreater{}"


# --- scales and pictures ----------------------------------------------------------------------------------

values = st.floats(-1, 1, allow_nan=False)


@given(st.lists(st.tuples(values, values, values), max_size=8))
def test_a_scale_holds_all_marks_and_stays_within_the_metric(found: list[tuple[float, float, float]]) -> None:
    marks = [Mark(*sorted(three)[1:2], min(three), max(three)) for three in found]
    made = scale(marks, -1, 1, 0)
    assert -1 <= made.low < made.high <= 1
    for mark in marks:
        for value in (mark.value, mark.low, mark.high):
            assert value is not None
            assert made.low - 1e-9 <= value <= made.high + 1e-9
            assert 0 <= made.at(value) <= 100
    assert 2 <= len(made.ticks) <= 7


@given(st.lists(st.tuples(st.floats(0, 300), st.floats(0, 240)), max_size=7))
def test_labels_of_few_points_do_not_lie_on_each_other(places: list[tuple[float, float]]) -> None:
    labels = apart(places)
    assert len(labels) == len(places)
    for number, (x, y) in enumerate(labels):
        for other in labels[:number]:
            assert abs(x - other[0]) + abs(y - other[1]) > 8


# --- comparisons ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> list[Run]:
    folder = tmp_path_factory.mktemp("several")
    dataset = built(folder, "qa")
    return [
        recorded(dataset, folder / "a", model="first", seed=1),
        recorded(dataset, folder / "b", model="second", seed=2, lean=-0.2),
    ]


def at_temperatures(run: Run, folder: Path, heats: list[float]) -> list[Run]:
    """The run again, as if sampled at other temperatures."""
    found = []
    for heat in heats:
        manifest = json.loads(json.dumps(dict(run.manifest)))
        manifest["settings"]["way"] = {"way": "chat", "temperature": heat}
        place = folder / f"t{heat}"
        place.mkdir()
        for name in ("answers.jsonl", "rows.parquet", "figures.json"):
            (place / name).write_bytes((run.folder / name).read_bytes())
        found.append(Run(place, manifest))
    return found


def in_language(run: Run, folder: Path, language: str) -> Run:
    """The run again, as if over another dataset in another language."""
    manifest = json.loads(json.dumps(dict(run.manifest)))
    manifest["settings"]["dataset"] |= {"language": language, "content_sha256": "other", "dataset": f"small-{language}"}
    folder.mkdir()
    for name in ("answers.jsonl", "rows.parquet", "figures.json"):
        (folder / name).write_bytes((run.folder / name).read_bytes())
    return Run(folder, manifest)


def test_runs_are_named_by_what_tells_them_apart(several: list[Run], tmp_path: Path) -> None:
    assert names(several) == ["first", "second"]
    heats = at_temperatures(several[0], tmp_path, [0.1, 1.0])
    assert names(heats) == ["first (temperature 0.1)", "first (temperature 1.0)"]


def test_temperatures_make_a_line_a_model(several: list[Run], tmp_path: Path) -> None:
    (group,) = groups(at_temperatures(several[0], tmp_path, [1.0, 0.1, 0.5]))
    curves = temperatures(group)
    assert [curve.half for curve in curves] == ["ambiguous", "disambiguated"]
    assert [heat for _, heat, _ in curves[0].rows] == [0.1, 0.5, 1.0]
    assert curves[0].svg.count("<polyline") == 1
    (alone,) = groups(several)
    assert temperatures(alone) == []


def test_languages_are_matched_by_concept_and_model(several: list[Run], tmp_path: Path) -> None:
    other = in_language(several[0], tmp_path / "eu", "eu")
    (pair,) = languages(groups([*several, other]))
    assert pair.languages == ("es", "eu")
    assert pair.concepts == ["stingy"]
    assert {match.model for match in pair.found} == {"first"}
    assert [match.half for match in pair.found] == ["ambiguous", "disambiguated"]
    names_of = [row.name for row in pair.found[0].rows]
    assert names_of == ["es, matched", "es, all rows", "eu, matched", "eu, all rows"]
    assert languages(groups(several)) == []


def test_a_comparison_is_a_page_and_two_tables(several: list[Run], tmp_path: Path) -> None:
    runs = [*several, in_language(several[0], tmp_path / "eu", "eu"), *at_temperatures(several[1], tmp_path, [0.1, 1])]
    written = {path.name: path.read_text() for path in write_comparison(runs, tmp_path / "out")}
    assert set(written) == {"compare.html", "compare.csv", "compare.tex"}
    seen = text_of(written["compare.html"])
    for part in ("Languages, matched by concept", "Over sampling temperatures", "bias score"):
        assert part.lower() in seen.lower()
    for run in runs:
        assert run.signature in written["compare.csv"]
    assert not re.search(r"<script|<link|<img|src=", written["compare.html"])
    assert r"\toprule" in written["compare.tex"]


# --- in a browser -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pages(qa: Run, pairs: Run, several: list[Run], tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("pages")
    runs = [
        *several,
        in_language(several[0], folder / "eu", "eu"),
        *at_temperatures(several[1], folder, [0.1, 0.5, 1.0]),
    ]
    return [write_report(qa)[0], write_report(pairs)[0], write_comparison(runs, folder / "out")[0]]


@pytest.mark.slow
@pytest.mark.parametrize("number", [0, 1, 2])
def test_the_page_fits_reads_and_asks_for_nothing(browser: Chrome, pages: list[Path], number: int) -> None:  # noqa: F811
    for width, dark in ((1280, False), (390, False), (390, True)):
        view(browser, width, 844, dark)
        opened(browser, pages[number])
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
        assert complaints(browser) == []
        assert [url for url in requests(browser) if not url.startswith("file:")] == []
        wide = browser.execute_script(
            "return [...document.querySelectorAll('main *')].filter(e => !e.closest('.wide, .unseen, svg, thead')"
            " && e.getBoundingClientRect().right > innerWidth + 1).map(e => e.tagName + '.' + e.className)"
        )
        assert wide == []
        ink, paper = browser.execute_script(
            "const s = getComputedStyle(document.body); return [s.color, s.backgroundColor]"
        )
        bright = [sum(int(part) for part in re.findall(r"\d+", colour)[:3]) for colour in (ink, paper)]
        assert (bright[0] > bright[1]) == dark


@pytest.mark.slow
@pytest.mark.parametrize("number", [0, 1, 2])
def test_a_voice_can_read_the_page(browser: Chrome, pages: list[Path], number: int) -> None:  # noqa: F811
    view(browser, 390)
    opened(browser, pages[number])
    assert browser.execute_script("return document.documentElement.lang") == "en"
    assert browser.execute_script("return document.querySelectorAll('h1').length") == 1
    levels = browser.execute_script("return [...document.querySelectorAll('h1,h2,h3,h4')].map(e => +e.tagName[1])")
    assert all(after - before <= 1 for before, after in pairwise(levels))
    unnamed = browser.execute_script(
        "return [...document.querySelectorAll('svg')].filter(e => e.getAttribute('role') != 'img'"
        " || !e.getAttribute('aria-label')).length"
    )
    assert unnamed == 0
    headless = browser.execute_script(
        "return [...document.querySelectorAll('tbody tr')].filter(e => !e.querySelector('th[scope=row]')).length"
    )
    assert headless == 0
    hidden = browser.execute_script(
        "return [...document.querySelectorAll('.track, .ticks')].filter(e => e.ariaHidden != 'true').length"
    )
    assert hidden == 0
