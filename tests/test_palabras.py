"""The bundled questions on words: every sign stands in the table, every country balances, no description tells."""

from __future__ import annotations

import csv
import re
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from contrapar.builder.build import build
from contrapar.builder.tables import read_rows
from hub_client import Client
from hub_server import Hub
from published_runs import published_texts, shared_runs

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared"
pytest_plugins = ["hub_fixtures"]
# the 21 of VARILEX and of Kawasaki 2026, by ISO 3166-1
COUNTRIES = {*re.findall(r"\w\w", "ar bo cl co cr cu do ec es gq gt hn mx ni pa pe pr py sv uy ve")}
UNASKED = {"gq"}  # no mark of which the editors were sure
Row = dict[str, Any]


def table(name: str) -> list[dict[str, str]]:
    with (ROOT / "lexicons" / "es" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=";"))


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> list[Row]:
    found: list[Row] = read_rows(build("palabras", tmp_path_factory.mktemp("palabras"), strict=True).folder).to_pylist()
    return found


def listed(cell: str) -> set[str]:
    return {*filter(None, cell.split("|"))}


def test_the_countries_are_those_that_speak_spanish() -> None:
    assert {row["id"] for row in table("countries")} == COUNTRIES


def test_at_least_sixty_concepts_with_a_source_for_every_sign() -> None:
    variants = table("variants")
    assert len({row["concept"] for row in variants}) >= 60
    for row in variants:
        assert listed(row["country"]), row
        assert listed(row["country"]) <= COUNTRIES - UNASKED, row
        assert listed(row["doubtful"]) <= COUNTRIES - UNASKED | {"*"}, row
        assert re.fullmatch(r"D(LE|A), s\. v\. \S.*", row["source"]), row
        assert row["state"] == "draft", row  # nobody has checked them line by line


def test_no_description_holds_a_word_that_it_asks_for() -> None:
    variants = table("variants")
    described = {row["concept"]: row["description"] for row in variants if row["description"]}
    assert len(described) == len({row["concept"] for row in variants})
    for row in variants:
        text = described[row["concept"]]
        assert not re.search(rf"\b{re.escape(row['form'])}s?\b", text, re.IGNORECASE), (row["form"], text)
        assert text == text.strip(" .")


def test_every_answer_follows_from_the_table(rows: list[Row]) -> None:
    """Told again from the files alone: yes where a row names the country; never no where it is doubtful."""
    known = {row["id"]: row for row in table("variants")}
    covered = {(row["concept"], country) for row in known.values() for country in listed(row["country"])}
    for row in rows:
        country, concept = row["country"], row["concept_id"]
        assert (concept, country) in covered
        if row["format"] == "yes_no":
            variant = known[row["variant"]]
            if row["options"][row["gold"][0]] == "Sí":
                assert country in listed(variant["country"])
            else:
                assert not listed(variant["country"]) & {country}
                assert not listed(variant["doubtful"]) & {country, "*"}
            assert f"«{variant['form']}»" in row["question"]
        else:
            of = {v["form"]: v for v in known.values() if v["concept"] == concept}
            for number, option in enumerate(row["options"]):
                assert (country in listed(of[option]["country"])) is (number in row["gold"])
            sure = {w for w, v in of.items() if not listed(v["doubtful"]) & {country, "*"}}
            used = {w for w, v in of.items() if country in listed(v["country"])}
            assert set(row["options"]) == sure | used


def test_every_country_balances(rows: list[Row]) -> None:
    yes: Counter[str] = Counter()
    no: Counter[str] = Counter()
    for row in rows:
        if row["format"] == "yes_no":
            (yes if row["gold"] == [0] else no)[row["country"]] += 1
    assert yes == no
    assert set(yes) == COUNTRIES - UNASKED
    assert min(yes.values()) >= 30


def test_the_page_counts_as_the_rows_do(rows: list[Row]) -> None:
    text = (ROOT / "docs" / "datasets" / "palabras.md").read_text(encoding="utf-8")
    told = {m[1]: (int(m[2]), int(m[3]), int(m[4]))
            for m in re.finditer(r"^\| `(\w\w)` \| (\d+) \| (\d+) \| (\d+) \|$", text, re.MULTILINE)}  # fmt: skip
    counted = {}
    for country in COUNTRIES:
        own = [row for row in rows if row["country"] == country]
        concepts = len({row["concept_id"] for row in own})
        asked = sum(row["format"] == "yes_no" for row in own)
        counted[country] = concepts, asked // 2, len(own) - asked
    assert told == counted
    whole = Counter(row["format"] for row in rows)
    assert f"{whole['yes_no']:,} yes/no questions and {whole['choice']:,} multiple choices" in text
    variants = table("variants")
    assert f"{len({row['concept'] for row in variants})} concepts with {len(variants)} variants" in text


def test_none_of_the_sentences_of_the_paper_is_ours(rows: list[Row]) -> None:
    papers = sorted((SHARED / "seeds").glob("002*.txt"))
    if not papers:
        pytest.skip(f"needs the paper in {SHARED.name}/seeds")
    words = re.findall(r"\w+", papers[0].read_text(encoding="utf-8").casefold())
    runs = {tuple(words[n : n + 5]) for n in range(len(words) - 4)}
    for text in {row["question"] for row in rows}:
        own = re.findall(r"\w+", text.casefold())
        assert not {tuple(own[n : n + 5]) for n in range(len(own) - 4)} & runs, text


@pytest.mark.slow
def test_no_eight_words_in_a_row_are_shared_with_other_benchmarks(rows: list[Row]) -> None:
    texts = {text for row in rows for text in (row["question"], *row["options"])}
    assert shared_runs(texts, published_texts()) == {}


@pytest.mark.slow
def test_a_release_comes_back_as_it_was_built(hub: Hub, client: Client, tmp_path: Path) -> None:
    """Published to a loopback Hub, lists and all; read by `datasets` in a process of its own."""
    pytest.importorskip("huggingface_hub", reason="huggingface_hub is not installed")
    pytest.importorskip("datasets", reason="datasets is not installed")
    folder = tmp_path / "templates" / "palabras"
    shutil.copytree(ROOT / "templates" / "palabras", folder)
    lexicons = tmp_path / "lexicons" / "es"
    lexicons.mkdir(parents=True)
    for name in ("countries", "variants"):
        shutil.copy(ROOT / "lexicons" / "es" / f"{name}.csv", lexicons)
    settings = folder / "dataset.yaml"
    settings.write_text(re.sub(r"(?m)^version: .*$", "version: 1.0.0", settings.read_text("utf-8")), "utf-8")
    code, said = client.verb("publish", folder, "--repo", "acme/palabras")
    assert (code, said.splitlines()[-1]) == (0, "released acme/palabras@v1.0.0"), said
    assert client.verb("build", folder, "--out", tmp_path / "built", "--no-preview")[0] == 0
    built = pq.read_table(tmp_path / "built" / "data").to_pylist()
    assert client.rows("acme/palabras", "default", "v1.0.0") == built
