"""What `new` writes is valid at once or tells what it lacks, never writes over anything, and an editor knows it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from conftest import Run, write
from contrapar.builder.build import build, check
from contrapar.builder.changes import markdown
from contrapar.builder.families import FAMILIES
from contrapar.builder.json_schema import KINDS, schema_of
from contrapar.builder.problems import UsageError
from contrapar.builder.scaffold import new_dataset, new_language, new_lexicon, new_stereotype, next_steps
from contrapar.builder.schema import KINDS as LEXICONS
from contrapar.builder.skeleton_files import append_row, write_all
from contrapar.builder.sources import PACKAGE, bundled_datasets, dataset_folder
from contrapar.builder.yaml_files import read_yaml
from small import PAIRS, QA

LANGUAGES = ["en", "es", "eu", "fr", "nl", "pt", "es-CO"]
WAITING = {"incomplete-dataset"}  # authors and citation are for the authors to say


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def faults(dataset: Path | str) -> list[str]:
    return [f"{p.code} {p.place}" for p in check(str(dataset)).problems(complete=True) if p.code not in WAITING]


# --- a dataset --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_a_new_dataset_builds_as_it_is(tmp_path: Path, family: str, language: str) -> None:
    made = new_dataset(tmp_path / "tea", family=family, language=language, title='A "title": with marks')
    assert all(path.is_file() for path in made)
    assert faults(tmp_path / "tea") == []
    built = build(str(tmp_path / "tea"), tmp_path / "out")
    assert built.manifest["rows"] > 0
    assert built.manifest["language"] == language
    assert built.manifest["title"] == 'A "title": with marks'
    assert built.manifest["canary"].startswith("contrapar:tea:")


def test_a_new_dataset_has_all_that_a_group_needs(tmp_path: Path) -> None:
    new_dataset(tmp_path / "tea", language="pt")
    assert sorted(files_of(tmp_path / "tea")) == [
        ".github/workflows/check.yml",
        ".gitignore",
        ".schemas/dataset.json",
        ".schemas/templates-qa.json",
        "README.md",
        "lexicons/pt/identities.csv",
        "lexicons/pt/unknown.csv",
        "templates/tea/dataset.yaml",
        "templates/tea/example.yaml",
        "templates/tea/stereotypes.csv",
    ]
    steps = yaml.safe_load((tmp_path / "tea/.github/workflows/check.yml").read_text(encoding="utf-8"))["jobs"]["check"]
    commands = " ".join(step.get("run", "") for step in steps["steps"])
    assert "contrapar check templates/*/ --format github" in commands
    assert "contrapar build templates/*/" in commands


def test_two_datasets_have_two_canaries(tmp_path: Path) -> None:
    for name in ("a", "b"):
        new_dataset(tmp_path / name, name="same")
    texts = [(tmp_path / name / "templates/same/dataset.yaml").read_text(encoding="utf-8") for name in ("a", "b")]
    assert texts[0] != texts[1]


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_one_more_dataset_leaves_what_is_there(tmp_path: Path, family: str) -> None:
    new_dataset(tmp_path, name="one")
    before = files_of(tmp_path)
    made = new_dataset(tmp_path, name="two", family=family, language="es")
    assert {path.name for path in made} >= {"dataset.yaml", "stereotypes.csv"}
    assert before.items() <= files_of(tmp_path).items()
    assert {fault.split()[0] for fault in faults(tmp_path / "templates/two")} == {"no-templates"}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"family": "pair"}, "did you mean 'pairs'"),
        ({"language": "Spanish"}, "no language code"),
        ({"name": "../x"}, "--name"),
        ({"name": "My data"}, "--name"),
    ],
)
def test_what_cannot_be_made_is_said_and_nothing_is_written(tmp_path: Path, options: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        new_dataset(tmp_path / "tea", **options)
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_written_over(tmp_path: Path) -> None:
    write(tmp_path / "tea", {"README.md": "mine"})
    with pytest.raises(UsageError, match=r"README\.md: is there already"):
        new_dataset(tmp_path / "tea")
    assert files_of(tmp_path) == {"tea/README.md": b"mine"}
    new_dataset(tmp_path / "other")
    before = files_of(tmp_path)
    with pytest.raises(UsageError, match="is there already"):
        new_dataset(tmp_path / "other")
    assert files_of(tmp_path) == before
    with pytest.raises(UsageError, match="is a file"):
        new_dataset(tmp_path / "tea" / "README.md", name="x")


def test_files_are_written_all_or_none(tmp_path: Path) -> None:
    write(tmp_path, {"old": "old", "file": ""})
    old, blocked = tmp_path / "old", tmp_path / "file" / "x"
    with pytest.raises(OSError):  # noqa: PT011
        write_all({tmp_path / "new" / "deep" / "a": "1", old: "2", blocked: "3"}, replace=[old])
    assert files_of(tmp_path) == {"old": b"old", "file": b""}
    assert not (tmp_path / "new").exists()


# --- a stereotype -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_a_new_stereotype_says_what_is_to_be_filled(tmp_path: Path, family: str) -> None:
    new_dataset(tmp_path, name="tea", family=family, language="pt")
    table, template = new_stereotype(str(tmp_path), "pt/example/messy")
    assert table.read_text(encoding="utf-8").splitlines()[-1].startswith("pt/example/messy;example;;")
    assert template.name == "example-messy.yaml"
    found = faults(tmp_path)
    assert any(fault.startswith("stray-brace") and "example-messy.yaml" in fault for fault in found)
    assert any(fault.startswith("unsourced") for fault in found)
    assert {Path(fault.split()[1].split(":")[0]).name for fault in found} == {"example-messy.yaml", "stereotypes.csv"}


def test_a_new_stereotype_names_groups_by_the_form_that_there_is(tmp_path: Path) -> None:
    write(tmp_path, QA)
    _, template = new_stereotype(str(tmp_path), "es/clase/terco")
    assert "{{ first.el }}" in template.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "id", ["late", "en/example", "es/example/late", "en/example/../x", "en/Example/Late", "en/a/b/c", "en//x"]
)
def test_an_id_is_of_the_dataset_s_language_and_of_three_parts(tmp_path: Path, id: str) -> None:
    new_dataset(tmp_path, name="tea")
    before = files_of(tmp_path)
    with pytest.raises(UsageError, match="write en/AXIS/NAME"):
        new_stereotype(str(tmp_path), id)
    assert files_of(tmp_path) == before


def test_a_stereotype_is_begun_once(tmp_path: Path) -> None:
    new_dataset(tmp_path, name="tea")
    new_stereotype(str(tmp_path), "en/example/messy")
    before = files_of(tmp_path)
    with pytest.raises(UsageError, match="already, line 3"):
        new_stereotype(str(tmp_path), "en/example/messy")
    with pytest.raises(UsageError, match="already, line 2"):
        new_stereotype(str(tmp_path), "en/example/late")
    assert files_of(tmp_path) == before


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("last", [True, False])
def test_a_row_is_added_in_the_table_s_own_way(tmp_path: Path, separator: str, end: str, mark: str, last: bool) -> None:
    lines = [["axis", "id", "text"], ["a", "one", f"with{separator}a mark"]]
    text = io.StringIO()
    csv.writer(text, delimiter=separator, lineterminator=end).writerows(lines)
    before = mark + (text.getvalue() if last else text.getvalue().removesuffix(end))
    path = tmp_path / "table.csv"
    path.write_bytes(before.encode())
    after = append_row(path, ["id"], {"id": "two", "text": 'said "so"', "state": "draft"}, ["id", "text"])
    assert after.startswith(before)
    rows = list(csv.reader(io.StringIO(after.removeprefix("\ufeff"), newline=""), delimiter=separator))
    assert rows == [*lines, ["", "two", 'said "so"']]
    assert after.count("\r\n") == (3 if end == "\r\n" else 0)


def test_a_table_that_cannot_hold_the_row_is_left_alone(tmp_path: Path) -> None:
    new_dataset(tmp_path, name="tea")
    table = tmp_path / "templates/tea/stereotypes.csv"
    table.write_text("axis;text\n", encoding="utf-8")
    before = files_of(tmp_path)
    with pytest.raises(UsageError, match="no column 'id'"):
        new_stereotype(str(tmp_path), "en/example/messy")
    assert files_of(tmp_path) == before
    table.unlink()
    new_stereotype(str(tmp_path), "en/example/messy")
    assert table.read_text(encoding="utf-8").startswith("id;axis;")


# --- lexicons and languages -------------------------------------------------------------------------------


def test_a_new_lexicon_has_the_forms_that_templates_use(tmp_path: Path) -> None:
    write(tmp_path, {name: text for name, text in QA.items() if "identities" not in name})
    (path,) = new_lexicon("identities", None, str(tmp_path))
    head = path.read_text(encoding="utf-8").strip().split(";")
    assert path == tmp_path / "lexicons/es/identities.csv"
    assert head[:4] == ["id", "axis", "role", "contrast"]
    assert [name for name in head if name.startswith("form")] == ["form.el", "form.un"]
    assert head[-3:] == ["source", "state", "note"]
    with pytest.raises(UsageError, match="is there already"):
        new_lexicon("identities", None, str(tmp_path))


def test_a_condition_is_no_form(tmp_path: Path) -> None:
    write(tmp_path, {name: text for name, text in PAIRS.items() if "names" not in name})
    (path,) = new_lexicon("names", None, str(tmp_path))
    assert [n for n in path.read_text(encoding="utf-8").strip().split(";") if n.startswith("form")] == ["form"]


@pytest.mark.parametrize("kind", sorted(kind for kind in KINDS if kind in LEXICONS))
def test_every_kind_of_table_can_be_begun(tmp_path: Path, kind: str) -> None:
    new_dataset(tmp_path, name="tea", language="pt")
    path = tmp_path / f"lexicons/pt/{kind}.csv"
    path.unlink(missing_ok=True)
    assert new_lexicon(kind, "pt", str(tmp_path)) == [path]
    codes = {fault.split()[0] for fault in faults(tmp_path) if f"{kind}.csv" in fault}
    assert codes == set()
    with pytest.raises(UsageError, match="did you mean"):
        new_lexicon(f"{kind}x", "pt", str(tmp_path))


def test_a_lexicon_needs_a_place_and_a_language(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="--dataset"):
        new_lexicon("names", "pt", None)
    new_dataset(Path("home"), name="one", language="es")
    monkeypatch.chdir(tmp_path / "home")
    assert new_lexicon("names", None, None) == [Path("lexicons/es/names.csv")]
    new_dataset(Path(), name="two", language="pt")
    with pytest.raises(UsageError, match="--language"):
        new_lexicon("terms", None, None)


def test_a_new_language_begins_with_words_to_translate(tmp_path: Path) -> None:
    new_dataset(tmp_path, name="tea")
    made = new_language("gl", str(tmp_path))
    assert [path.name for path in made] == ["identities.csv", "names.csv", "unknown.csv"]
    rows = list(csv.DictReader(io.StringIO(made[2].read_text(encoding="utf-8")), delimiter=";"))
    assert [row["form"] for row in rows] == ["", ""]
    assert all(row["note"].startswith("in English: ") for row in rows)
    with pytest.raises(UsageError, match="has its first tables"):
        new_language("gl", str(tmp_path))
    with pytest.raises(UsageError, match="no language code"):
        new_language("../gl", str(tmp_path))


def test_a_language_without_a_module_of_its_own_builds(tmp_path: Path) -> None:
    new_dataset(tmp_path, name="tea", language="gl")
    assert build(str(tmp_path), tmp_path / "out").manifest["rows"] == 12


def test_every_command_says_what_to_do_next(tmp_path: Path) -> None:
    made = new_dataset(tmp_path, name="tea")
    assert next_steps(made)[:3] == [
        f"next: contrapar check {tmp_path}",
        f"then: contrapar build {tmp_path}",
        f"then: contrapar new stereotype {tmp_path} en/AXIS/NAME",
    ]
    stereotype = next_steps(new_stereotype(str(tmp_path), "en/example/messy"))
    assert stereotype[0].endswith("stereotypes.csv, line 3")
    assert "example-messy.yaml" in stereotype[1]
    language = next_steps(new_language("gl", str(tmp_path)))
    assert "unknown.csv" in language[0]
    assert any("new dataset" in line for line in language)
    assert next_steps(new_lexicon("terms", None, str(tmp_path)))[1] == "what each column means: contrapar schema terms"
    more = next_steps(new_dataset(tmp_path, name="two"))
    assert more[0] == f"next: contrapar new stereotype {tmp_path / 'templates/two'} en/AXIS/NAME"


def test_what_a_change_does_to_the_rows(tmp_path: Path) -> None:
    new_dataset(tmp_path / "home", name="tea", family="pairs")
    build(str(tmp_path / "home"), tmp_path / "before" / "tea")
    template = tmp_path / "home/templates/tea/example.yaml"
    text = template.read_text(encoding="utf-8")
    template.write_text(text.replace('"Sam"', '"Kim", "Lou"').replace("always", "often"), encoding="utf-8")
    build(str(tmp_path / "home"), tmp_path / "after" / "tea")
    told = list(markdown(tmp_path / "before", tmp_path / "after"))
    assert told[2] == "| tea | 2 | 3 | 2 | 1 | 1 |"
    assert any("Alex drinks tea and often comes late." in line for line in told)
    assert list(markdown(tmp_path / "none", tmp_path / "after"))[2] == "| tea | 0 | 3 | 3 | 0 | 0 |"


# --- schemas ----------------------------------------------------------------------------------------------


def validator(kind: str) -> jsonschema.Draft7Validator:
    return jsonschema.Draft7Validator(schema_of(kind))


def complaints(kind: str, value: object) -> list[str]:
    return [f"{error.json_path}: {error.message}" for error in validator(kind).iter_errors(value)]


def sources(folder: Path) -> list[tuple[str, Path]]:
    """Every source file of a dataset with its kind."""
    family = yaml.safe_load((folder / "dataset.yaml").read_text(encoding="utf-8"))["family"]
    root = folder.parent.parent
    found = [("dataset", folder / "dataset.yaml"), ("stereotypes", folder / "stereotypes.csv")]
    found += [(f"templates-{family}", p) for p in sorted(folder.glob("*.yaml")) if p.name != "dataset.yaml"]
    return found + [(path.stem, path) for path in sorted(root.glob("lexicons/*/*.csv"))]


def conform(kind: str, path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".csv":
        rows = csv.DictReader(io.StringIO(text), delimiter=";")
        return [found for row in rows for found in complaints(kind, row)]
    # as we read it, and as an editor reads it
    return complaints(kind, read_yaml(str(path), text).value) + complaints(kind, yaml.safe_load(text))


@pytest.mark.parametrize("kind", KINDS)
def test_every_schema_is_one_and_every_key_is_explained(kind: str) -> None:
    made = schema_of(kind)
    jsonschema.Draft7Validator.check_schema(made)
    assert json.loads(json.dumps(made)) == made

    def unexplained(part: Any, path: str) -> list[str]:
        if isinstance(part, list):
            return [found for number, inner in enumerate(part) for found in unexplained(inner, f"{path}/{number}")]
        if not isinstance(part, dict):
            return []
        keys = part["properties"].items() if isinstance(part.get("properties"), dict) else ()
        lacking = [f"{path}/{name}" for name, value in keys if not value.get("description")]
        return lacking + [found for name, inner in part.items() for found in unexplained(inner, f"{path}/{name}")]

    # the columns that filter a slot are explained where the table is
    assert [found for found in unexplained(made, "") if "/Slot/" not in found] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", bundled_datasets())
def test_bundled_sources_conform(name: str) -> None:
    assert [found for kind, path in sources(dataset_folder(name)) for found in conform(kind, path)] == []


@pytest.mark.parametrize("family", sorted(FAMILIES))
def test_skeletons_conform_and_point_at_their_schema(tmp_path: Path, family: str) -> None:
    new_dataset(tmp_path, name="tea", family=family, language="pt")
    new_stereotype(str(tmp_path), "pt/example/messy")
    folder = tmp_path / "templates/tea"
    assert [found for kind, path in sources(folder) for found in conform(kind, path)] == []
    for kind, path in sources(folder):
        if path.suffix == ".yaml":
            first = path.read_text(encoding="utf-8").splitlines()[0]
            named = (folder / first.split("$schema=")[1]).resolve()
            assert json.loads(named.read_text(encoding="utf-8")) == schema_of(kind)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("dataset", {"family": "qa", "language": "es", "title": "x", "licens": "y"}),
        ("dataset", {"family": "qaa", "language": "es", "title": "x"}),
        ("dataset", {"family": "qa", "language": "Spanish", "title": "x"}),
        ("dataset", {"family": "qa", "language": "es", "title": "x", "sampling": {"kep": 3}}),
        ("dataset", {"family": "qa", "language": "es"}),
        ("templates-pairs", [{"id": "a", "slots": {"identity": "identities"}, "txt": "x"}]),
        ("templates-pairs", [{"id": "a", "slots": {"identity": "identites"}, "text": "x"}]),
        ("templates-pairs", [{"id": "a", "slots": {"identity": {"from": "identities", "axs": "x"}}, "text": "x"}]),
        ("templates-pairs", [{"id": "a b", "slots": {"identity": "identities"}, "text": "x"}]),
        ("templates-pairs", [{"id": "a", "slots": {"Identity": "identities"}, "text": "x"}]),
        ("templates-pairs", [{"id": "a", "slots": {"identity": "identities"}, "text": ""}]),
        ("templates-pairs", [{"id": "a", "slots": {"identity": "identities"}, "text": "x", "direction": "up"}]),
        ("templates-pairs", {"id": "a"}),
        ("identities", {"id": "a", "axis": "x", "role": "targt"}),
        ("identities", {"id": "a", "axis": "x", "role": "target", "froms": "x"}),
        ("identities", {"id": "a", "axis": "x", "role": "target", "form.gender": "x"}),
        ("occupations", {"id": "a", "share": "many"}),
        ("stereotypes", {"id": "a", "axis": "x"}),
    ],
)
def test_what_is_wrong_does_not_conform(kind: str, value: object) -> None:
    assert complaints(kind, value)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("dataset", {"family": "qa", "language": "es-CO", "title": 1984, "version": "0.1.0", "grammar": "no"}),
        ("dataset", {"family": "qa", "language": "es", "title": "x", "sampling": {"keep": "3", "per": "a|b"}}),
        ("templates-pairs", [{"id": 1, "slots": {"identity": "identities"}, "text": "x"}]),
        ("templates-pairs", [{"id": "a", "slots": {"name": "names|pronouns", "n": [1, "two"]}, "text": True}]),
        (
            "templates-pairs",
            [{"id": "ñandú/a", "slots": {"n": {"from": ["names", "pronouns"], "like": "gender"}}, "text": "x"}],
        ),
        (
            "templates-pairs",
            [{"id": "a", "slots": {"n": {"values": {"a": 1}}}, "text": "x", "agree": ["n.id", "m.id"]}],
        ),
        ("templates-pairs", [{"id": "a", "slots": {}, "text": "x", "agree": [["n.id", "m.id"]], "note": None}]),
        ("identities", {"id": "a", "axis": "x", "role": "target", "form": "", "form.sg.f": "x", "gender": "f|m"}),
        ("occupations", {"id": "a", "share": "0.25"}),
        ("occupations", {"id": "a", "share": ""}),
    ],
)
def test_what_people_write_conforms(kind: str, value: object) -> None:
    assert complaints(kind, value) == []


def test_an_unknown_kind_is_told_with_its_neighbour() -> None:
    with pytest.raises(UsageError, match="did you mean 'identities'"):
        schema_of("identites")


@pytest.mark.slow
def test_the_command_lists_and_prints_schemas(contrapar: Run) -> None:
    assert contrapar("schema").stdout.split() == list(KINDS)
    assert json.loads(contrapar("schema", "templates-qa").stdout) == schema_of("templates-qa")
    assert contrapar("schema", "nams").returncode == 2


def test_the_package_brings_its_skeletons() -> None:
    assert (PACKAGE / "builder" / "skeletons" / "dataset.yaml").is_file()


@pytest.mark.parametrize("checkout", [True, False])
def test_whatever_is_begun_points_to_how_to_write_well(
    tmp_path: Path, checkout: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("contrapar.builder.scaffold.PACKAGE", Path(__file__).parents[1] if checkout else tmp_path)
    made = new_dataset(tmp_path / "own", name="tea")
    last = next_steps(made)[-1]
    assert last.startswith("how to write well: ")
    assert "docs/authoring.md" in last
    assert Path(last.partition(": ")[2]).is_file() == checkout
    assert "docs/authoring.md" in (tmp_path / "own" / "README.md").read_text(encoding="utf-8")
