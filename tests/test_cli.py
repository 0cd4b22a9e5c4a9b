"""The command: exit codes, formats, help, near misses, and what it does not load."""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from conftest import Run, write
from contrapar.builder.sources import bundled_datasets
from contrapar.cli import cli, main
from small import PAIRS, QA

HEAVY = ("accelerate", "datasets", "huggingface_hub", "label_studio_sdk", "openai", "torch", "transformers")
SOURCELESS = {"templates/small/stereotypes.csv": PAIRS["templates/small/stereotypes.csv"].replace("Een bron", "")}
PREDICATES = PAIRS["lexicons/nl/predicates.csv"] + "weg;nl/orientation/weg;;stereo;gaat weg\n"
FAULTY = {"lexicons/nl/predicates.csv": PREDICATES}


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder, with three datasets in it."""
    write(tmp_path / "clean", PAIRS)
    write(tmp_path / "warned", {**PAIRS, **SOURCELESS})
    write(tmp_path / "faulty", {**PAIRS, **FAULTY})
    write(tmp_path / "mine", {"letter.txt": "mine"})
    monkeypatch.chdir(tmp_path)
    return tmp_path


class Said:
    """What a verb did: its exit code and what it wrote."""

    def __init__(self, capsys: pytest.CaptureFixture[str], *arguments: str) -> None:
        with pytest.raises(SystemExit) as stopped:
            main(arguments)
        self.code = stopped.value.code
        self.out, self.err = capsys.readouterr()


# --- exit codes -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ("check clean/templates/small", 0),
        ("check warned", 0),
        ("check warned --strict", 1),
        ("check faulty", 1),
        ("check clean faulty", 1),
        ("check nowhere", 2),
        ("check clean nowhere", 2),
        ("check mine", 2),
        ("check clean/templates/small/a.yaml", 2),
        ("check", 2),
        ("check clean --all", 2),
        ("check clean --format yaml", 2),
        ("check clean --loud", 2),
        ("chek clean", 2),
        ("", 2),
        ("--version", 0),
        ("--help", 0),
        ("check -h", 0),
        ("build clean --no-preview", 0),
        ("build warned --no-preview --strict", 1),
        ("build faulty --no-preview", 1),
        ("build clean faulty --no-preview", 1),
        ("build nowhere", 2),
        ("build clean --out mine", 2),
        ("build clean --tier 4", 2),
        ("build clean --tier one", 2),
        ("build", 2),
        ("preview nowhere", 2),
        ("schema", 0),
        ("schema identities", 0),
        ("schema nobody", 2),
        ("new", 2),
        ("import", 2),
    ],
)
def test_the_exit_code(arguments: str, code: int, small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = Said(capsys, *arguments.split())
    assert said.code == code, said.out + said.err
    assert "Traceback" not in said.out + said.err
    if code == 2 and arguments not in ("", "new", "import"):
        assert said.err.count("\n") == 1
        assert said.err.startswith("contrapar")


def test_of_several_datasets_the_clean_ones_are_built(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = Said(capsys, "build", "clean", "faulty", "--no-preview", "--out", "built")
    assert said.code == 1
    assert "unknown-stereotype" in said.out
    assert sorted(path.name for path in (small / "built").iterdir()) == ["clean"]


def test_check_says_what_multiplies_the_rows(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = Said(capsys, "check", "clean")
    assert said.out.splitlines() == [
        "naam-is: 18 rows; name 3 x identity 2 x predicate 3 x other 2 = 36",
        "naam-toch: 18 rows; name 3 x identity 2 x predicate 3 x other 2 = 36",
        "0 errors, 0 warnings",
    ]


def test_a_bundled_dataset_has_a_name(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert {"identiteit", "palabras", "refranes", "sayings"} <= {*bundled_datasets()}
    assert Said(capsys, "check", "sayings").code == 0


# --- formats ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", [["check"], ["build", "--no-preview"]])
def test_faults_as_json(verb: list[str], small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = Said(capsys, *verb, "faulty", "warned", "--format", "json")
    told = json.loads(said.out)
    assert said.code == 1
    assert {frozenset(one) for one in told} == {
        frozenset(("path", "line", "column", "field", "severity", "code", "message", "mend", "rows"))
    }
    assert {
        "path": "faulty/lexicons/nl/predicates.csv",
        "line": 5,
        "column": 0,
        "field": "stereotype",
        "severity": "error",
        "code": "unknown-stereotype",
        "message": "'nl/orientation/weg' is not in stereotypes.csv",
        "mend": "did you mean 'nl/orientation/stil'?",
        "rows": 0,
    } in told
    assert {one["severity"] for one in told if one["path"].startswith("warned/")} == {"warning"}
    assert json.loads(Said(capsys, *verb, "clean", "--format", "json").out) == []


def test_faults_as_annotations(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    template = PAIRS["templates/small/a.yaml"].replace("{{ name }} is", "{{ nmae }} is")
    write(small / "faulty", {"templates/small/a.yaml": template})
    said = Said(capsys, "check", "faulty", "warned", "--format", "github")
    lines = said.out.splitlines()
    form = r"::(error|warning) file=[\w/.]+(,line=\d+)?(,col=\d+)?,title=[a-z-]+::.+"
    assert all(re.fullmatch(form, line) for line in lines), lines
    place = "file=faulty/templates/small/a.yaml,line=4,col=13"
    assert any(line.startswith(f"::error {place},title=undefined-slot::'nmae' is no slot") for line in lines)
    assert any(line.startswith("::warning file=warned/templates/small/stereotypes.csv,line=2,") for line in lines)


def test_an_annotation_is_one_line_whatever_it_says() -> None:
    from contrapar.builder.problems import Place, Problem

    problem = Problem(Place("a,b:c%.yaml", 3, 4), "code", "100 %\nand more", "mend it")
    assert problem.as_github() == "::error file=a%2Cb%3Ac%25.yaml,line=3,col=4,title=code::100 %25%0Aand more; mend it"


# --- near misses ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        ("chekc refranes", "did you mean 'check'?"),
        ("audti x.csv", "did you mean 'audit'?"),
        ("new datset x", "Did you mean 'dataset'?"),
        ("import sesgoo x", "Did you mean 'sesgo'?"),
        ("check refrane", "did you mean 'refranes'?"),
        ("build identitiet", "did you mean 'identiteit'?"),
        ("preview saying", "did you mean 'sayings'?"),
        ("check refranes --strct", "Did you mean '--strict'?"),
        ("check refranes --format gihub", "'text', 'json', 'github'"),
        ("schema identites", "did you mean 'identities'?"),
    ],
)
def test_a_near_miss_is_named(arguments: str, meant: str, small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = Said(capsys, *arguments.split())
    assert said.code == 2
    assert meant in said.err, said.err


def test_a_folder_of_several_datasets_names_them(small: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(small / "clean", {path.replace("small", "large"): text for path, text in PAIRS.items()})
    said = Said(capsys, "check", "clean")
    assert said.code == 2
    assert "clean/templates/large, clean/templates/small" in said.err


# --- help -------------------------------------------------------------------------------------------------


def commands(
    command: click.Command = cli, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every verb, and those below it."""
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from commands(below, (*path, name))


VERBS = list(commands())


def test_there_are_the_verbs_that_readme_promises() -> None:
    new = {("new", kind) for kind in ("dataset", "stereotype", "lexicon", "language")}
    alone = {(verb,) for verb in ("check", "build", "preview", "audit", "schema")}
    assert {path for path, _ in VERBS} >= {*new, *alone, ("import", "sesgo")}


@pytest.mark.parametrize(("path", "command"), VERBS, ids=["-".join(path) or "contrapar" for path, _ in VERBS])
def test_every_verb_and_option_has_help(path: tuple[str, ...], command: click.Command) -> None:
    assert command.help
    assert command.get_short_help_str()
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, parameter.name


def test_help_answers_without_loading_what_works() -> None:
    """Each help in turn, in one process: nothing that takes time to load is there at the end."""
    script = (
        "import json, sys\n"
        "from contrapar.cli import main\n"
        "for path in json.loads(sys.argv[1]):\n"
        "    try:\n"
        "        main([*path, '--help'])\n"
        "    except SystemExit as stopped:\n"
        "        assert not stopped.code, path\n"
        "print('loaded:', *sorted({name.split('.')[0] for name in sys.modules}))\n"
    )
    paths = json.dumps([path for path, _ in VERBS])
    done = subprocess.run([sys.executable, "-c", script, paths], capture_output=True, text=True, check=True, timeout=60)
    loaded = set(done.stdout.rpartition("loaded: ")[2].split())
    assert done.stdout.count("Usage: contrapar") == len(VERBS)
    assert loaded.isdisjoint({*HEAVY, "jinja2", "numpy", "openpyxl", "pandas", "pyarrow", "pydantic", "yaml"})


@pytest.mark.slow
@pytest.mark.parametrize("path", [path for path, _ in VERBS], ids=["-".join(path) or "contrapar" for path, _ in VERBS])
def test_help_takes_less_than_half_a_second(path: tuple[str, ...], contrapar: Run) -> None:
    """Processor time, which is what remains on a machine that does nothing else; the best of three."""
    taken = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert contrapar(*path, "--help").returncode == 0
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        taken.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(taken) < 0.5


# --- what it loads, and how it ends -----------------------------------------------------------------------


def test_check_loads_no_model_and_no_hub(small: Path) -> None:
    script = (
        "import sys\nfrom contrapar.cli import main\n"
        "try:\n    main(['check', 'clean'])\nexcept SystemExit as stopped:\n    assert stopped.code == 0\n"
        "print('loaded:', *sorted({name.split('.')[0] for name in sys.modules}))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)
    loaded = set(done.stdout.rpartition("loaded: ")[2].split())
    assert "jinja2" in loaded
    assert loaded.isdisjoint({*HEAVY, "krippendorff", "openpyxl", "scipy", "sklearn"})


def test_nobody_reads_on(small: Path) -> None:
    """`contrapar ... | head -1` ends quietly."""
    command = [sys.executable, "-c", "from contrapar.cli import main; main()", "schema", "templates-qa"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        said = process.stderr.read()
    assert said == ""


def test_a_terminal_of_few_letters_is_no_reason_to_stop(tmp_path: Path, contrapar: Run) -> None:
    template = QA["templates/small/a.yaml"].replace("who.el", "who.eñe").replace("Junto", "Джунто")
    write(tmp_path / "ñ", {**QA, "templates/small/a.yaml": template})
    done = contrapar("check", "ñ", env={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert done.returncode == 1
    assert done.stderr == ""
    assert ": error undefined-form: " in done.stdout


def test_an_interrupt_is_one_line(
    monkeypatch: pytest.MonkeyPatch, small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("contrapar.builder.build.check", stop)
    said = Said(capsys, "check", "clean")
    assert (said.code, said.err.strip()) == (130, "contrapar: stopped")


def test_what_is_not_installed_is_named(
    monkeypatch: pytest.MonkeyPatch, small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def lacking(*_: object, **__: object) -> None:
        raise ModuleNotFoundError("No module named 'datasets'", name="datasets")

    monkeypatch.setattr("contrapar.builder.build.check", lacking)
    said = Said(capsys, "check", "clean")
    assert said.code == 2
    assert said.err == "contrapar: this needs datasets; pip install 'contrapar[hub]'\n"


def test_a_full_disk_is_one_line(
    monkeypatch: pytest.MonkeyPatch, small: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, os.strerror(28), "out/clean")

    monkeypatch.setattr("contrapar.builder.build.check", full)
    said = Said(capsys, "check", "clean")
    assert (said.code, said.err) == (2, f"contrapar: out/clean: {os.strerror(28)}\n")
