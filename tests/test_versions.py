"""What lies between two builds, which number follows, and the subsets of a release."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest
import small
from conftest import Run, write
from contrapar.builder.build import build
from contrapar.builder.release.configs import write_configs
from contrapar.builder.release.diff import difference, lines
from contrapar.builder.release.hub import scrubbed, versioned
from contrapar.builder.release.versions import following, latest, number
from contrapar.builder.tables import Writer, read_rows

TIERS = "stereotype;yes;no;unsure;answers;harmfulness_mean;tier\n"


@pytest.mark.parametrize(
    ("version", "level", "expected"),
    [
        ("1.2.3", "major", "2.0.0"),
        ("1.2.3", "minor", "1.3.0"),
        ("1.2.3", "patch", "1.2.4"),
        ("0.1.0", "major", "1.0.0"),
        ("9.9.9", "patch", "9.9.10"),
    ],
)
def test_the_number_that_follows(version: str, level: str, expected: str) -> None:
    assert following(version, level) == expected  # type: ignore[arg-type]


def test_the_latest_of_tags_is_the_highest_version() -> None:
    assert latest(["v1.9.0", "v1.10.0", "main", "v1.10.0-rc1", "2.0.0", "vv3.0.0", "v1.2"]) == "v1.10.0"
    assert latest(["main"]) is None
    assert number("v1.2.0") == (1, 2, 0)
    assert number("1.2") is None


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("owner/name@v1.2.0", ("owner/name", "v1.2.0")),
        ("owner/name@1.2.0", ("owner/name", "v1.2.0")),
        ("owner/name", None),
        ("owner/name@main", None),
        ("name@v1.2.0", None),
        ("a/b/c@v1.2.0", None),
        ("refranes", None),
    ],
)
def test_the_name_of_a_published_version(name: str, expected: tuple[str, str] | None) -> None:
    assert versioned(name) == expected


def test_a_token_is_taken_out_of_what_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "some-secret")
    assert scrubbed("for some-secret and hf_AbC9 there") == "for ... and ... there"


def changed(tmp_path: Path, name: str, files: dict[str, str]) -> Path:
    folder = write(tmp_path / name, {**small.PAIRS, **files}) / "templates" / "small"
    return build(str(folder), tmp_path / f"{name}-built").folder


@pytest.mark.parametrize(
    ("path", "old", "new", "level", "kinds"),
    [
        ("templates/small/dataset.yaml", "Tests.", "Tests only.", "patch", set()),
        ("lexicons/nl/names.csv", "daan;m;Daan\n", "daan;m;Daan\nbram;m;Bram\n", "minor", {"added"}),
        ("lexicons/nl/names.csv", "daan;m;Daan\n", "", "major", {"removed"}),
        ("lexicons/nl/names.csv", "Daan", "Daniël", "major", {"changed"}),
        ("lexicons/nl/names.csv", "daan;m;Daan\n", "bram;m;Bram\n", "major", {"added", "removed"}),
        ("templates/small/a.yaml", "wel.", "vaak.", "major", {"changed"}),
        ("templates/small/stereotypes.csv", "orientation;aandacht", "orientation;gezien", "major", {"changed"}),
        ("templates/small/tiers.csv", "", TIERS + "nl/orientation/stil;9;1;0;10;2.5;1\n", "minor", {"graded"}),
    ],
)
def test_what_a_change_is(tmp_path: Path, path: str, old: str, new: str, level: str, kinds: set[str]) -> None:
    text = small.PAIRS.get(path, "")
    assert old in text
    before = changed(tmp_path, "before", {})
    found = difference(before, changed(tmp_path, "after", {path: text.replace(old, new) if old else new}))
    assert found.change.level == level
    assert {kind for kind, count in found.counts.items() if count} == kinds
    for kind, count in found.counts.items():
        for column in ("axis", "stereotype", "tier"):
            assert sum(found.by[column][kind].values()) == count
    assert list(lines(found))[-1].startswith(f"that is a {level} change: ")


@pytest.mark.slow
def test_diff_for_people_and_for_machines(tmp_path: Path, contrapar: Run) -> None:
    """Of a built folder and of sources; two datasets have nothing between them."""
    before = changed(tmp_path, "before", {})
    names = small.PAIRS["lexicons/nl/names.csv"] + "bram;m;Bram\n"
    write(tmp_path / "after", {**small.PAIRS, "lexicons/nl/names.csv": names})
    after = tmp_path / "after" / "templates" / "small"
    told = contrapar("diff", before, after)
    assert told.returncode == 0, told.stderr
    assert "that is a minor change: 0.1.0 -> 0.2.0" in told.stdout
    found = json.loads(contrapar("diff", before, after, "--format", "json").stdout)
    assert found["level"] == "minor"
    assert found["follows"] == "0.2.0"
    assert found["added"] == sum(found["by"]["stereotype"]["added"].values()) > 0
    assert found["after"]["rows"] == found["before"]["rows"] + found["added"]
    write(tmp_path / "other", small.QA)
    wrong = contrapar("diff", before, tmp_path / "other" / "templates" / "small")
    assert wrong.returncode == 2
    assert "nothing to compare" in wrong.stderr
    assert "Traceback" not in wrong.stderr


def test_a_dataset_of_several_languages_has_a_configuration_for_each(tmp_path: Path) -> None:
    """Each with the same columns, and with the rows of its language in their order."""
    folder = changed(tmp_path, "one", {})
    rows = read_rows(folder)
    languages = pa.array(["nl", "fy"] * (rows.num_rows // 2) + ["nl"] * (rows.num_rows % 2))
    rows = rows.set_column(rows.column_names.index("language"), "language", languages)
    (tmp_path / "two" / "data").mkdir(parents=True)
    writer = Writer(tmp_path / "two" / "data", rows.schema, {})
    writer.add(rows)
    writer.close()
    configs = {config.name: config for config in write_configs(tmp_path / "two", {}, tmp_path / "out")}
    assert set(configs) == {"default", "fy", "nl"}
    for code in ("fy", "nl"):
        found = read_rows_of(tmp_path / "out", configs[code].files)
        assert found.schema == read_rows(tmp_path / "two").schema
        assert found.to_pylist() == [row for row in rows.to_pylist() if row["language"] == code]
        assert configs[code].rows == found.num_rows


def read_rows_of(folder: Path, files: object) -> pa.Table:
    import pyarrow.parquet as pq

    assert isinstance(files, list)
    return pa.concat_tables(pq.ParquetFile(folder / path).read() for path in files)
