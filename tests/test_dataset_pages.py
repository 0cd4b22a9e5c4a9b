"""The pages of the bundled datasets count what a build gives."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq
import pytest
from contrapar.builder.build import build
from contrapar.builder.sources import bundled_datasets

pytestmark = pytest.mark.slow  # builds six datasets
PAGES = Path(__file__).parents[1] / "docs" / "datasets"


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> dict[str, pd.DataFrame]:
    out = tmp_path_factory.mktemp("built")
    names = ("identiteit", "lanbideak", "kontrasteak-es", "kontrasteak-en", "refranes", "sayings")
    return {name: pq.read_table(build(name, out / name).folder / "data").to_pandas() for name in names}


def page(name: str) -> str:
    return (PAGES / f"{name}.md").read_text(encoding="utf-8")


def test_every_dataset_has_a_page() -> None:
    written = {path.stem for path in PAGES.glob("*.md")}
    assert {
        name.rpartition("-")[0] if name.startswith("kontrasteak") else name for name in bundled_datasets()
    } == written


@pytest.mark.parametrize("name", ["refranes", "sayings"])
def test_questions_are_counted_by_axis(name: str, rows: dict[str, pd.DataFrame]) -> None:
    table, text = rows[name], page(name)
    for axis, part in [*table.groupby("axis"), ("all", table)]:
        said = f"| {axis} | {part['template'].nunique()} | {part['stereotype'].nunique()} | {len(part):,} |"
        assert said in text, said
    ambiguous = int((table["context_condition"] == "ambig").sum())
    said = f"Of the rows, {ambiguous:,} have no evidence and {len(table) - ambiguous:,} have it."
    assert said in text, said


def test_pairs_are_counted_by_identity(rows: dict[str, pd.DataFrame]) -> None:
    table, text = rows["identiteit"], page("identiteit")
    for identity, part in [*table.groupby("target"), ("all", table)]:
        counts = " | ".join(f"{int((part['direction'] == one).sum()):,}" for one in ("stereo", "anti", "neutral"))
        assert f" | {counts} | {len(part):,} |" in text, identity
    stereotypes = table.loc[table["stereotype"] != "", "stereotype"].nunique()
    assert f"{table['template'].nunique()} templates, " in text
    assert f"{stereotypes} stereotypes; {len(table):,} pairs." in text


def test_sentences_for_translation_are_counted(rows: dict[str, pd.DataFrame]) -> None:
    table = rows["lanbideak"]
    counts = f"{table['template'].nunique()} templates and {table['entity'].nunique()} occupations"
    said = f"{counts} give {len(table):,} sentences"
    assert said in page("lanbideak"), said
    assert f"; {int((table['entity2'] != '').sum()):,} of them\nhold two different occupations" in page("lanbideak")
    spanish, english = rows["kontrasteak-es"], rows["kontrasteak-en"]
    text = page("kontrasteak")
    assert f"| pairs | {len(spanish) // 2:,} | {len(english) // 2:,} |" in text
    assert f"| templates | {spanish['template'].nunique()} | {english['template'].nunique()} |" in text
    for note in ("several_people", "proper_name", "unmarked_masculine"):
        counts = f"| {int(spanish[note].sum()) // 2} | {int(english[note].sum()) // 2} |"
        assert re.search(rf"\| pairs .* {re.escape(counts)}", text), (note, counts)


@pytest.mark.parametrize("name", ["identiteit", "lanbideak", "kontrasteak", "palabras", "refranes", "sayings"])
def test_a_page_has_what_a_reader_asks_for(name: str) -> None:
    for heading in ("## Counts", "## What it must not be used for", "## Ten examples", "## Known limits"):
        assert heading.replace("it must", "they must" if name == "kontrasteak" else "it must") in page(name), heading
    assert len(re.findall(r"^\d+\. ", page(name).partition("## Ten examples")[2], re.MULTILINE)) == 10


@pytest.mark.parametrize("name", ["identiteit", "lanbideak", "kontrasteak", "refranes", "sayings"])
def test_examples_are_rows(name: str, rows: dict[str, pd.DataFrame]) -> None:
    examples = page(name).partition("## Ten examples")[2].partition("## Known limits")[0]
    said = {
        " ".join(found.split())
        for found in re.findall(r"^\d+\. `[^`]+`[^:]*: (.*?)(?=^\d+\. |\Z)", examples, re.M | re.S)
    }
    assert len(said) == 10
    made: set[str] = set()
    for table in (part for key, part in rows.items() if key.startswith(name)):
        for row in table.to_dict("records"):
            if name in ("refranes", "sayings"):
                answers = [row[f"ans{n}"] for n in range(3)]
                answers[row["label"]] = f"**{answers[row['label']]}**"
                made.add(f"{row['context']} {row['question']} {' / '.join(answers)}")
            elif name == "identiteit":
                made.add(f"{row['sent_target']} / {row['sent_other']}")
            elif name == "lanbideak":
                made.add(f"{row['text']} ({', '.join(filter(None, (row['entity'], row['entity2'])))})")
        if name == "kontrasteak":
            for _, pair in table.groupby("pair"):
                text = dict(zip(pair["gender"], pair["text"], strict=True))
                made.add(f"{text['m']} / {text['f']} — {pair['reference'].iloc[0]}")
    assert said <= made, said - made
