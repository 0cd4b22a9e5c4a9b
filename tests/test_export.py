"""Exports: what each layout holds, cuts, and files that come back as they went."""

from __future__ import annotations

import ast
import csv
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import small
from conftest import Run, write
from contrapar.builder.build import build
from contrapar.builder.export import FORMATS, Cut, export
from contrapar.builder.families import FAMILIES
from contrapar.builder.formats import plain
from contrapar.builder.problems import UsageError
from contrapar.builder.tables import fields, read_rows
from contrapar.cli_export import FORMATS as NAMES
from hypothesis import given, settings
from hypothesis import strategies as st

TIERS = (
    "stereotype;yes;no;unsure;answers;harmfulness_mean;tier\n"
    "nl/orientation/aandacht;9;1;0;10;2.5;1\nnl/orientation/stil;6;4;1;11;1.5;2\n"
)


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = write(tmp_path_factory.mktemp("pairs"), {**small.PAIRS, "templates/small/tiers.csv": TIERS})
    return build(str(root / "templates" / "small"), root / "built").folder


@pytest.fixture(scope="module")
def questions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = write(tmp_path_factory.mktemp("questions"), small.QA)
    return build(str(root / "templates" / "small"), root / "built").folder


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_the_verb_names_every_format() -> None:
    assert set(NAMES) == set(FORMATS)


def test_plain_files_hold_the_rows(pairs: Path, questions: Path, tmp_path: Path) -> None:
    """Parquet, JSON lines and CSV of both families, read back, are the rows."""
    for built, family in ((pairs, "pairs"), (questions, "qa")):
        rows, schema = read_rows(built), fields(FAMILIES[family].FIELDS)
        out = tmp_path / family
        for to in ("parquet", "jsonl", "csv"):
            export(built, to, out / to)
        assert pq.read_table(out / "parquet" / "data").to_pylist() == rows.to_pylist()
        assert lines(out / "jsonl" / plain.JSONL) == rows.to_pylist()
        assert plain.read_csv(out / "csv" / plain.CSV, schema).to_pylist() == rows.to_pylist()
        assert "contrapar:small" in (out / "csv" / "ABOUT.md").read_text(encoding="utf-8")


_TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
    st.sampled_from(
        ["", "NA", "null", "'", "''", "=1+1", " =1", "+", "-2", "@x", "\t=", "\r\n", '"', 'a"b', "a\nb", "a;b,c", "＝1",
         "﻿x", "\u00a0=1", "العربية", "हिन्दी", "漢字", "Euskara ñ", "\x00", "1e3", "007", "TRUE", "[1]"]
    ),
)  # fmt: skip
SCHEMA = pa.schema(
    [
        pa.field("text", pa.string()),
        pa.field("list", pa.list_(pa.string())),
        pa.field("numbers", pa.list_(pa.int16())),
        pa.field("tier", pa.int8()),
        pa.field("harm", pa.float32()),
        pa.field("flag", pa.bool_()),
    ]
)


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.none() | _TEXTS,
            st.none() | st.lists(_TEXTS, max_size=3),
            st.none() | st.lists(st.integers(-(2**15), 2**15 - 1), max_size=3),
            st.none() | st.integers(-128, 127),
            st.none() | st.floats(width=32, allow_nan=False),
            st.none() | st.booleans(),
        ),
        max_size=5,
    )
)
def test_any_cell_comes_back_from_csv_and_none_runs(rows: list[tuple[Any, ...]]) -> None:
    import tempfile

    columns = list(zip(*rows, strict=True)) or [()] * len(SCHEMA)
    table = pa.table([pa.array(c, f.type) for c, f in zip(columns, SCHEMA, strict=True)], schema=SCHEMA)
    with tempfile.TemporaryDirectory() as folder:
        plain.write_csv(iter([table]), SCHEMA, Path(folder), {})
        assert plain.read_csv(Path(folder) / plain.CSV, SCHEMA).equals(table)
        with (Path(folder) / plain.CSV).open(encoding="utf-8-sig", newline="") as file:
            cells = [cell for row in csv.reader(file) for cell in row]
    assert not [cell for cell in cells if cell.lstrip()[:1] in ("=", "+", "-", "@") and cell[:1] != "'"]


def test_winoqueer_has_that_scripts_columns(pairs: Path, tmp_path: Path) -> None:
    """Its script reads by pandas: four text columns in this order, x the target, stereotypes only."""
    import pandas as pd

    found = export(pairs, "winoqueer", tmp_path / "out")
    table = pd.read_csv(tmp_path / "out" / "winoqueer.csv")
    assert list(table.columns) == ["Gender_ID_x", "Gender_ID_y", "sent_x", "sent_y"]
    assert all(isinstance(value, str) for value in table.to_numpy().ravel())
    stereotypes = [row for row in read_rows(pairs).to_pylist() if row["direction"] == "stereo"]
    assert table.to_dict("list")["sent_x"] == [row["sent_target"] for row in stereotypes]
    assert found.rows == len(stereotypes) < found.of


def test_crows_pairs_and_bbq_are_read_by_our_own_reader(
    pairs: Path, questions: Path, tmp_path: Path, contrapar: Run
) -> None:
    """What is written is recognised as that layout, and holds the same sentences and answers."""
    from contrapar.builder.formats import LAYOUTS, recognised

    export(pairs, "crows-pairs", tmp_path / "crows")
    with (tmp_path / "crows" / "crows_pairs.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    layout = recognised(rows[0])
    assert layout in LAYOUTS
    assert layout is not None
    assert layout.name == "CrowS-Pairs"
    read = layout.read({name: [row[name] for row in rows] for name in rows[0]})
    known = read_rows(pairs).to_pylist()
    for name in ("sent_target", "sent_other", "direction", "axis"):
        assert read[name] == [row[name] for row in known]

    export(questions, "bbq", tmp_path / "bbq")
    items = lines(tmp_path / "bbq" / plain.JSONL)
    layout = recognised(items[0])
    assert layout is not None
    assert layout.name == "BBQ"
    read = layout.read({name: [item[name] for item in items] for name in items[0]})
    known = read_rows(questions).to_pylist()
    for name in ("context", "question", "ans0", "ans1", "ans2", "label", "target_group", "other_group"):
        assert read[name] == [row[name] for row in known], name
    assert read["target"] == [str(row["target"]) for row in known]


def test_cuts_keep_exactly_what_they_name(pairs: Path, tmp_path: Path) -> None:
    rows = read_rows(pairs).to_pylist()
    for tiers in ((1,), (2,), (1, 2)):
        found = export(pairs, "jsonl", tmp_path / "out", Cut(tiers=tiers))
        assert lines(tmp_path / "out" / plain.JSONL) == [row for row in rows if row["tier"] in tiers]
        assert f"{found.rows:,} of {len(rows):,} rows" in (tmp_path / "out" / "ABOUT.md").read_text(encoding="utf-8")
    with pytest.raises(UsageError, match="no row is left of tier 3; nothing was written"):
        export(pairs, "jsonl", tmp_path / "none", Cut(tiers=(3,)))
    assert not (tmp_path / "none").exists()
    with pytest.raises(UsageError, match="no row has it; did you mean 'orientation'"):
        export(pairs, "jsonl", tmp_path / "none", Cut(axes=("orientatio",)))
    with pytest.raises(UsageError, match="--language es: no row has it"):
        export(pairs, "jsonl", tmp_path / "none", Cut(languages=("es",)))


def test_what_a_format_cannot_hold_is_refused(pairs: Path, questions: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="holds no rows of the family qa; these do: parquet, jsonl, csv, bbq"):
        export(questions, "winoqueer", tmp_path / "out")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").touch()
    with pytest.raises(UsageError, match="holds something else than an export"):
        export(pairs, "csv", tmp_path / "mine")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine"]


def test_bbq_has_that_benchmarks_fields(questions: Path, tmp_path: Path, shared: Path) -> None:
    """Names, their order, nesting and types of the published files; only the id is a text, as our ids are."""

    def shape(value: Any) -> Any:
        if isinstance(value, dict):
            return [(name, shape(part)) for name, part in value.items()]
        return [shape(part) for part in value[:1]] if isinstance(value, list) else type(value).__name__

    export(questions, "bbq", tmp_path / "out")
    (published, *_), ours = lines(shared / "bbq" / "Religion.jsonl"), lines(tmp_path / "out" / plain.JSONL)
    expected = [(name, "str" if name == "example_id" else of) for name, of in shape(published)]
    assert all(shape(item) == expected for item in ours)


@pytest.mark.parametrize("name", ["mi.set-2", "3x"])
def test_a_task_is_code_of_ours_alone(tmp_path: Path, name: str) -> None:
    """Whatever a dataset is called and warns of, the modules beside a task parse, and hold it as text."""
    from contrapar.cli import main

    warning = 'It says "\\u12" and \'\'\', and """ too \\'
    files = {path.replace("/small/", f"/{name}/"): text for path, text in small.QA.items()}
    head = f"templates/{name}/dataset.yaml"
    files[head] = files[head].replace("It repeats stereotypes.", json.dumps(warning))
    root = write(tmp_path, files)
    for to, module in (("inspect", "task.py"), ("lm-eval", "contrapar_rows.py")):
        with pytest.raises(SystemExit) as stopped:
            main(["export", str(root / "templates" / name), "--to", to, "--out", str(root / to)])
        assert not stopped.value.code
        tree = ast.parse((root / to / module).read_text(encoding="utf-8"))
        assert warning in [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]


def test_equal_likelihoods_count_as_in_our_own_figures() -> None:
    """Half for pairs, wrong for questions; the harness itself would take the first."""
    from contrapar.builder.formats import harnesses

    for scoring, doc, cases in (
        (harnesses._PAIRS, {}, {(-1.0, -2.0): 1, (-2.0, -1.0): 0, (-1.0, -1.0): 0.5}),
        (harnesses._QUESTIONS, {"label": 0}, {(-1.0, -2.0, -3.0): 1, (-2.0, -1.0, -3.0): 0, (-1.0, -1.0, -3.0): 0}),
    ):
        known: dict[str, Any] = {}
        exec(f"def scored(doc, results):\n{scoring['body']}", known)
        for likelihoods, value in cases.items():
            assert known["scored"](doc, [(one, False) for one in likelihoods]) == {scoring["metric"]: value}


@pytest.mark.slow
def test_the_documentation_runs(tmp_path: Path, contrapar: Run) -> None:
    """Each of our commands in docs/export.md, in its order, and its Python; the harnesses' are run further down."""
    text = DOCS.read_text(encoding="utf-8")
    blocks = re.findall(r"(?s)```sh\n(.*?)```", text)
    commands = [
        shlex.split(line)[1:] for block in blocks for line in block.splitlines() if line.startswith("contrapar ")
    ]
    assert len(commands) >= 4
    for words in commands:
        done = contrapar(*words, cwd=tmp_path)
        assert done.returncode == 0, (words, done.stderr)
    (python,) = re.findall(r"(?s)```python\n(.*?)```", text)
    done = subprocess.run(
        [sys.executable, "-c", python + "\nprint(rows.num_rows)"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert f"{int(done.stdout):,} of" in (tmp_path / "table" / "ABOUT.md").read_text(encoding="utf-8")


# --- the harnesses themselves ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def harness() -> Path:
    """The environment of the harnesses' programs."""
    given = os.environ.get("CONTRAPAR_HARNESSES")
    if not given or not (Path(given) / "installed").exists():
        pytest.skip("lm-evaluation-harness and Inspect are not there; tests/prepare_harnesses.py makes them")
    return Path(given)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from local_models import saved

    pytest.importorskip("transformers", reason="transformers is not installed")
    return saved(tmp_path_factory.mktemp("model"), "gpt2")


OFFLINE = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "PYTHONUTF8": "1"}


DOCS = Path(__file__).parents[1] / "docs" / "export.md"


def documented(program: str) -> list[str]:
    """The one command of docs/export.md that runs a harness, without the program's name."""
    (line,) = re.findall(rf"(?m)^{program} (.*)$", DOCS.read_text(encoding="utf-8"))
    return shlex.split(line)


def lm_eval(harness: Path, model: Path, folder: Path, out: Path) -> dict[str, Any]:
    """The command of docs/export.md, started elsewhere than in the task's folder."""
    from prepare_harnesses import program

    task = next(folder.glob("*.yaml")).stem
    mine = {"MODEL": str(model), "contrapar_sayings": task}
    words = [mine.get(word, word).replace("pretrained=MODEL", f"pretrained={model}") for word in documented("lm_eval")]
    words[words.index("--include_path") + 1] = str(folder)
    out.mkdir(parents=True)
    done = subprocess.run(
        [program(harness, "lm_eval"), *words, "--device", "cpu", "--batch_size", "8", "--output_path", out],
        cwd=out, env={**os.environ, **OFFLINE, "HF_HOME": str(out / "home")}, capture_output=True, text=True,
        check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    result = json.loads(next(out.rglob("results_*.json")).read_text(encoding="utf-8"))
    found: dict[str, Any] = result["results"][task]
    return found


_KNOWN = {"context_condition", "metric", "value", "low", "high", "n", "clusters", "unit", "p", "reason", "run"}


def own_figure(sources: Path, model: Path, out: Path, name: str, *more: str) -> float:
    """The metric over everything that `contrapar evaluate` writes."""
    done = subprocess.run(
        [sys.executable, "-c", "from contrapar.cli import main; main()", "evaluate", str(sources), "--model",
         str(model), "--out", str(out), "--device", "cpu", *more],
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    with (out / "figures.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["metric"] == name]
    # by condition, where a family tells conditions apart, and then weighted by their rows
    over = [row for row in rows if not any(row[key] for key in row if key not in _KNOWN)]
    assert over, rows
    return sum(float(row["value"]) * int(row["n"]) for row in over) / sum(int(row["n"]) for row in over)


@pytest.mark.slow
def test_lm_eval_gives_our_figures(harness: Path, model: Path, tmp_path: Path) -> None:
    """The real lm_eval on the exported folders, and `contrapar evaluate` on the same rows, with one tiny model."""
    from contrapar.cli import main

    for files, way, name, unit, called in (
        (small.PAIRS, ("--way", "causal", "--whole"), "bias_score", 100, "pct_stereotype"),
        (small.QA, ("--way", "choice"), "accuracy", 1, "acc"),
    ):
        root = write(tmp_path / name, files)
        sources = root / "templates" / "small"
        with pytest.raises(SystemExit) as stopped:
            main(["export", str(sources), "--to", "lm-eval", "--out", str(root / "task")])
        assert not stopped.value.code
        theirs = lm_eval(harness, model, root / "task", root / "lm")
        ours = own_figure(sources, model, root / "run", name, *way)
        assert theirs[f"{called},none"] == pytest.approx(ours / unit, abs=1e-6), (theirs, ours)


@pytest.mark.slow
def test_inspect_runs_the_task(harness: Path, model: Path, questions: Path, tmp_path: Path) -> None:
    from prepare_harnesses import program

    export(questions, "inspect", tmp_path / "scenes")
    words = [word.replace("MODEL", str(model)) for word in documented("inspect")]
    done = subprocess.run(
        [program(harness, "inspect"), *words, "--display", "plain", "--limit", "4", "--log-dir", tmp_path / "logs",
         "--log-format", "json", "--max-tokens", "4"],
        cwd=tmp_path, env={**os.environ, **OFFLINE}, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    log = json.loads(next((tmp_path / "logs").glob("*.json")).read_text(encoding="utf-8"))
    assert log["status"] == "success"
    assert log["eval"]["metadata"]["canary"] == "contrapar:small"
    known = {row["id"]: row for row in read_rows(questions).to_pylist()}
    assert len(log["samples"]) == 4
    for sample in log["samples"]:
        row = known[sample["id"]]
        assert sample["choices"] == [row["ans0"], row["ans1"], row["ans2"]]
        assert sample["target"] == "ABC"[row["label"]]


@pytest.mark.slow
def test_from_a_survey_to_what_is_built_exported_and_scored(tmp_path: Path, contrapar: Run) -> None:
    """Counts make tiers; tiers reach rows, a build that is cut, an export that is cut, and a score by tier."""
    write(tmp_path, small.PAIRS)
    sources = tmp_path / "templates" / "small"
    (tmp_path / "counts.csv").write_text("stereotype,yes,no,unsure\nnl/orientation/aandacht,9,1,2\n", encoding="utf-8")

    def run(*words: str | Path) -> str:
        done = contrapar(*words, cwd=tmp_path)
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        return done.stdout

    run("survey", "tiers", sources, "--counts", tmp_path / "counts.csv")
    assert (sources / "tiers.csv").is_file()
    run("build", sources, "--out", "built")
    rows = read_rows(tmp_path / "built").to_pylist()
    tiers = {row["stereotype"]: row["tier"] for row in rows}
    assert tiers == {"nl/orientation/aandacht": 1, "nl/orientation/stil": None}
    graded = [row for row in rows if row["tier"] == 1]
    run("build", sources, "--tier", "1", "--out", "first")
    assert read_rows(tmp_path / "first").to_pylist() == graded
    run("export", sources, "--to", "jsonl", "--tier", "1,2", "--out", "cut")
    assert lines(tmp_path / "cut" / plain.JSONL) == graded
    run("evaluate", sources, "--baseline", "chance", "--out", "run")
    with (tmp_path / "run" / "figures.csv").open(encoding="utf-8", newline="") as file:
        found = {row["tier"] for row in csv.DictReader(file) if "tier" in row}
    assert "1" in found
    assert any("none" in tier for tier in found), found
