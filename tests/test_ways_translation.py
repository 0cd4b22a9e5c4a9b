"""Sentences translated in every way, from the rows of a dataset to the genders and figures of a run."""

from __future__ import annotations

import csv
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import DATASET, Run, write
from contrapar.builder.build import build
from contrapar.builder.problems import UsageError
from contrapar.builder.tables import read_rows
from contrapar.evaluate.conduct import conduct
from contrapar.evaluate.report import page
from contrapar.evaluate.results import answered, figures_of
from contrapar.evaluate.run import Run as Done
from contrapar.evaluate.ways import Options

OCCUPATIONS = """\
id;form;form.es.m;form.es.f;form.fr.m;form.fr.f;share;share_source;share_place;share_year
nurse;erizain;enfermero;enfermera;infirmier;infirmière;0.8;An office;Here;2025
judge;epaile;juez;jueza;juge;juge;0.5;An office;Here;2025
guard;zaindari;guardia;guardia;;;0.1;An office;Here;2025
miner;meatzari;;;;;;;;
"""
ROWS = """\
- id: bilera
  slots: {lanbide: occupations, non: {values: {etxe: etxean, kale: kalean}}}
  entities: [lanbide]
  text: "{{ lanbide|erg|sentence }} {{ non }} egin zuen bilera."
- id: emakumea
  slots: {lanbide: {from: occupations, id: [nurse, judge]}}
  entities: [lanbide]
  gender: f
  text: "Andre hori {{ lanbide|det }} da."
"""
VERSIONS = """\
- id: tarde
  slots: {job: occupations, day: {values: {hoy: Hoy, ayer: Ayer}}}
  masculine: "{{ day }} el {{ job.m }} llegó tarde."
  feminine: "{{ day }} la {{ job.f }} llegó tarde."
  reference: "{{ job.eu|det|sentence }} berandu iritsi zen."
  reference_language: eu
  several_people: false
  proper_name: false
  unmarked_masculine: true
"""
JOBS = """\
id;form.m;form.f;form.eu
nurse;enfermero;enfermera;erizain
judge;juez;jueza;epaile
"""
SPANISH = {"nurse": "La enfermera", "judge": "El juez", "guard": "La guardia", "miner": "El minero"}


def built(folder: Path, language: str, templates: str, occupations: str) -> Path:
    files = {
        "templates/small/dataset.yaml": DATASET.format(family="translation", language=language),
        "templates/small/a.yaml": templates,
        f"lexicons/{language}/occupations.csv": occupations,
    }
    return build(str(write(folder / language, files) / "templates" / "small"), folder / f"{language}-built").folder


@pytest.fixture(scope="module")
def basque(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("basque"), "eu", ROWS, OCCUPATIONS)


@pytest.fixture(scope="module")
def glossary(basque: Path) -> Path:
    """A built dataset has no lexicons beside it: the glossary is given."""
    return basque.parent / "eu" / "lexicons" / "eu" / "occupations.csv"


@pytest.fixture(scope="module")
def versions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("versions"), "es", VERSIONS, JOBS)


def run(dataset: Path, out: Path, **options: Any) -> Done:
    return conduct(str(dataset), Options(**options), out, resamples=50)


def values(found: Done, **group: str) -> dict[str, float | None]:
    return {figure.metric: figure.value for figure in figures_of(found) if dict(figure.group) == group}


def rows_of(dataset: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = read_rows(dataset).to_pylist()
    return rows


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def replies(folder: Path, dataset: Path, of: dict[str, str]) -> Path:
    """A translation of each row, by its occupation."""
    path = folder / "replies.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "reply"])
        writer.writerows((row["id"], f"{of[row['entity']]} vino.") for row in rows_of(dataset))
    return path


# --- from translations to figures -------------------------------------------------------------------------


def test_genders_and_figures_of_recorded_translations(basque: Path, glossary: Path, tmp_path: Path) -> None:
    found = run(
        basque, tmp_path / "run", answers=replies(tmp_path, basque, SPANISH), into="es", glossary=glossary, model="m"
    )
    rows = answered(found)
    assert dict(zip(rows["entity"], rows["found"], strict=True)) == {
        "nurse": "feminine", "judge": "masculine", "guard": "feminine", "miner": "",
    }  # fmt: skip
    assert dict(zip(rows["entity"], rows["by"], strict=True))["guard"] == "determiner"
    main = values(found)
    assert main["feminine_share"] == pytest.approx(5 / 8)
    assert main["unsought_share"] == pytest.approx(2 / 10)
    assert main["winomt_accuracy"] == 0.5
    # nurse 1 / 0.8, judge 0, guard 1 / 0.1, each less 1, of one occupation as much as of another
    assert main["grape_f"] == pytest.approx((0.25 - 1 + 9) / 3)
    assert values(found, occupation="nurse")["grape_f"] == pytest.approx(0.25)
    assert values(found, occupation="guard")["women_share"] == 0.1
    assert "chrf_difference" not in main  # there are no versions
    listed = table(found.folder / "genders.csv")
    assert len(listed) == 10
    assert {row["said"] for row in listed} == {"enfermera", "juez", "guardia", ""}
    assert json.loads((found.folder / "glossary.json").read_text(encoding="utf-8"))["nurse"]["share"] == 0.8


def test_a_report_shows_sentences_and_a_picture(basque: Path, glossary: Path, tmp_path: Path) -> None:
    odd = replies(tmp_path, basque, SPANISH | {"judge": "<b>La jueza</b>"})
    shown = page(run(basque, tmp_path / "run", answers=odd, into="es", glossary=glossary, model="m"))
    assert "<mark>enfermera</mark>" in shown
    assert "&lt;b&gt;La <mark>jueza</mark>&lt;/b&gt;" in shown
    assert shown.count("<title>nurse: 0.800, 1.000, n = 3</title>") == 1
    assert 'id="found"' in shown


def test_without_rules_for_a_language_it_is_said(basque: Path, glossary: Path, tmp_path: Path) -> None:
    found = run(
        basque, tmp_path / "run", answers=replies(tmp_path, basque, SPANISH), into="nl", glossary=glossary, model="m"
    )
    assert values(found)["unsought_share"] == 1
    reasons = {figure.metric: figure.reason for figure in figures_of(found) if not figure.group}
    assert reasons["masculine_share"] == "no translation shows its gender"


def test_versions_are_compared_with_their_reference(versions: Path, tmp_path: Path) -> None:
    path = tmp_path / "replies.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "reply"])
        for row in rows_of(versions):
            writer.writerow([row["id"], row["reference"] if row["gender"] == "m" else "Inor ez da etorri gaur."])
    found = run(versions, tmp_path / "run", answers=path, model="m")  # into the language of the references
    assert found.settings["way"]["into"] == "eu"
    told = json.loads((found.folder / "figures.json").read_text(encoding="utf-8"))["scores"]
    assert "nw:2" in told["chrF++"]
    assert "version:" in told["TER"]
    main = values(found)
    assert main["chrf_masculine"] == 100
    assert main["ter_masculine"] == 0
    assert (main["chrf_difference"] or 0) > 50
    assert "masculine_share" not in main or main["masculine_share"] is None


# --- programs and servers ---------------------------------------------------------------------------------


def test_a_program_translates_line_by_line(basque: Path, glossary: Path, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text("import sys\nfor line in sys.stdin:\n    print('La jueza:', line.strip())\n", encoding="utf-8")
    found = run(basque, tmp_path / "run", command=f"{sys.executable} {program}", into="es", glossary=glossary)
    table = answered(found)
    assert [f"La jueza: {text}" for text in table["text"]] == table["reply"].tolist()
    assert values(found, occupation="judge")["feminine_share"] == 1
    told = tmp_path / "told.py"
    told.write_text(
        "import json, sys\nfor line in sys.stdin:\n    print('+'.join(sorted(json.loads(line))))\n", encoding="utf-8"
    )
    found = run(basque, tmp_path / "told", command=f"{sys.executable} {told}", lines="json", into="es")
    assert set(answered(found)["reply"]) == {"id+into+source+text"}


def test_a_server_is_told_both_languages(basque: Path, glossary: Path, tmp_path: Path) -> None:
    pytest.importorskip("openai", reason="the extra `endpoint` (openai) is not installed")
    from loopback import serving

    with serving(lambda question, nth: "El enfermero vino.") as server:
        found = run(basque, tmp_path / "run", url=server.url, model="m", into="es", glossary=glossary)
        asked = [body["messages"][-1]["content"] for body in server.requests]
    assert len(asked) == len(rows_of(basque))
    for row, question in zip(rows_of(basque), sorted(asked), strict=False):
        assert "Basque" in question
        assert "Spanish" in question
        assert any(row["text"] in one for one in asked)
    assert values(found, occupation="nurse")["masculine_share"] == 1


def test_what_cannot_be_asked_is_told_in_one_line(basque: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"--into: say which language .* its rows have no references"):
        run(basque, tmp_path / "a", answers=tmp_path / "none.csv", model="m")
    with pytest.raises(UsageError, match=r"nowhere: "):
        run(basque, tmp_path / "b", way="translate", model=str(tmp_path / "nowhere"), into="es")
    with pytest.raises(UsageError, match="name the model with --model"):
        run(basque, tmp_path / "c", way="translate", into="es")


def test_a_tagger_that_is_not_there(basque: Path, glossary: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"--tagger xx_none_sm: (spaCy is not installed|cannot be loaded)"):
        run(
            basque, tmp_path / "run", answers=replies(tmp_path, basque, SPANISH), into="es", glossary=glossary,
            tagger="xx_none_sm", model="m",
        )  # fmt: skip


@pytest.mark.slow
def test_a_tagger_tells_what_glossary_and_determiner_do_not(basque: Path, glossary: Path, tmp_path: Path) -> None:
    pytest.importorskip("spacy", reason="the extra `tagger` (spacy) is not installed")
    pytest.importorskip("es_core_news_sm", reason="spaCy's model es_core_news_sm is not installed")
    odd = replies(tmp_path, basque, SPANISH | {"guard": "Cada guardia cansada"})
    options: dict[str, Any] = {"answers": odd, "into": "es", "glossary": glossary, "model": "m"}
    without = answered(run(basque, tmp_path / "without", **options))
    found = run(basque, tmp_path / "with", **options, tagger="es_core_news_sm")
    beside = answered(found)
    assert set(without[without["entity"] == "guard"]["found"]) == {"neutral"}
    guards = beside[beside["entity"] == "guard"]
    assert set(guards["by"]) <= {"tagger", "nothing"}
    assert "|tagger:es_core_news_sm " in found.signature
    assert without[without["entity"] != "guard"]["found"].tolist() == beside[beside["entity"] != "guard"][
        "found"
    ].tolist()


# --- local models -----------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["nllb", "madlad"])
def test_a_local_translator(kind: str, basque: Path, glossary: Path, tmp_path: Path) -> None:
    for name in ("torch", "transformers"):
        pytest.importorskip(name, reason="the extra `local` (torch, transformers) is not installed")
    from contrapar.evaluate.answer import translate
    from local_models import translator

    model = str(translator(tmp_path / kind, kind))
    found = run(basque, tmp_path / "run", model=model, into="es", glossary=glossary, beams=2, max_tokens=6)
    assert found.settings["way"]["way"] == "translate"
    assert found.settings["way"]["beams"] == 2
    table = answered(found)
    assert (table["reply"] != "").any()
    # one sentence alone is translated as it is beside others
    loaded = translate.load(model, "eu", "es", device="cpu")
    assert loaded.prefix == ("<2es> " if kind == "madlad" else "")
    assert (loaded.forced is not None) == (kind == "nllb")
    for row in table.head(4).to_dict("records"):
        assert loaded.translate([loaded.encode(row["text"])], 2, 6) == [row["reply"]]


@pytest.mark.slow
def test_a_local_model_that_chats_translates(basque: Path, glossary: Path, tmp_path: Path) -> None:
    for name in ("torch", "transformers"):
        pytest.importorskip(name, reason="the extra `local` (torch, transformers) is not installed")
    from local_models import saved

    model = str(saved(tmp_path / "gpt2", "gpt2", chats=True))
    found = run(basque, tmp_path / "run", model=model, into="es", glossary=glossary, max_tokens=3)
    assert found.settings["way"]["way"] == "chat"
    assert len(answered(found)) == len(rows_of(basque))


# --- a real system ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_apertium_from_end_to_end(contrapar: Run, tmp_path: Path) -> None:
    """What docs/evaluate.md shows: a bundled dataset through a real translator, as one would type it."""
    if not shutil.which("apertium") or not Path("/usr/share/apertium/modes/eu-es.mode").is_file():
        pytest.skip("Apertium with Basque to Spanish (Debian's apertium, apertium-eu-es) is not installed")
    command = ("evaluate", "lanbideak", "--command", "apertium -f line -u eu-es", "--into", "es")
    done = contrapar(*command, "--limit", "600", "--out", "run")
    assert done.returncode == 0, done.stderr
    assert "GRAPE-M" in done.stdout
    assert contrapar("report", "run").returncode == 0
    figures = {row["metric"]: row for row in table(tmp_path / "run" / "figures.csv") if not row["occupation"]}
    assert float(figures["masculine_share"]["value"]) > 0.9  # as tried by hand: nearly all
    assert 0.2 < float(figures["missing_share"]["value"]) < 0.6
    assert "What was found in the translations" in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert any(row["said"] and row["said"] in row["reply"] for row in table(tmp_path / "run" / "genders.csv"))
