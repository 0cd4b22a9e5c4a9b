"""A build: rows that say what the sources say, the same on any machine, whole or not at all."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from conftest import write
from contrapar.builder.build import build, check, prepare, tables
from contrapar.builder.problems import SourceFaults, UsageError
from contrapar.builder.tables import read_rows
from small import PAIRS, PREDICATES, QA


def rows_of(root: Path) -> list[dict[str, object]]:
    chain = prepare(str(root))
    assert [str(p) for p in chain.problems(False)] == []
    return [row for table in tables(chain) for row in table.to_pylist()]


def test_pairs_say_what_the_sources_say(tmp_path: Path) -> None:
    rows = rows_of(write(tmp_path, PAIRS))
    sentences = {(row["sent_target"], row["sent_other"]) for row in rows if row["template"] == "naam-is"}
    everybody = ("wil graag opvallen", "helpt de buren")
    assert sentences == {
        (f"{name} is {target} en {said}.", f"{name} is {other} en {said}.")
        for names, target, others, predicates in (
            (("Emma", "Robin"), "lesbisch", ("hetero",), (*everybody, "zwijgt in gezelschap")),
            (("Daan", "Emma", "Robin"), "biseksueel", ("hetero", "monoseksueel"), everybody),
        )
        for name in names
        for other in others
        for said in predicates
    }


def test_a_condition_chooses_by_the_lexicon(tmp_path: Path) -> None:
    rows = rows_of(write(tmp_path, PAIRS))
    openings = {
        next(slot for slot in row["slots"] if slot.startswith("name=")): str(row["sent_target"]).split(" heet")[0]  # type: ignore[attr-defined]
        for row in rows
        if row["template"] == "naam-toch"
    }
    assert openings == {"name=emma": "Zij", "name=daan": "Deze persoon", "name=robin": "Deze persoon"}


def test_direction_stereotype_and_concept_come_from_the_predicate(tmp_path: Path) -> None:
    rows = rows_of(write(tmp_path, PAIRS))
    found = {(row["slots"][2], row["direction"], row["stereotype"], row["concept"]) for row in rows}  # type: ignore[index]
    assert found == {
        ("predicate=opvallen", "stereo", "nl/orientation/aandacht", "aandacht"),
        ("predicate=zwijgen", "stereo", "nl/orientation/stil", ""),
        ("predicate=helpen", "anti", "nl/orientation/stil", ""),
    }


def test_questions_follow_from_the_evidence(tmp_path: Path) -> None:
    rows = rows_of(write(tmp_path, QA))
    assert len(rows) == 2 * 2 * 2 * 6  # genders, places, orders
    for row in rows:
        answers = [row["ans0"], row["ans1"], row["ans2"]]
        gold = str(answers[row["label"]])  # type: ignore[call-overload]
        if row["context_condition"] == "ambig":
            assert row["label"] == row["unknown"]
            continue
        evidence = str(row["context"]).split("se vio que ")[1]
        haggles, trusts = evidence.split(" pedía rebaja")[0], evidence.split(", y ")[1].removesuffix(" fiaba.")
        assert gold.lower() == (haggles if row["question_polarity"] == "neg" else trusts)
        assert str(row["context"]).startswith("Junto a")
        assert answers[row["target"]] in ("La mujer pobre", "El hombre pobre")  # type: ignore[call-overload]


def test_positions_are_balanced_in_every_combination(tmp_path: Path) -> None:
    rows = rows_of(write(tmp_path, QA))
    groups: dict[tuple[object, ...], list[dict[str, object]]] = {}
    for row in rows:
        groups.setdefault(tuple(row["slots"]), []).append(row)  # type: ignore[arg-type]
    for group in groups.values():
        for role in ("target", "other", "unknown", "label"):
            assert Counter(row[role] for row in group) == {0: 2, 1: 2, 2: 2}
        assert len({(row["target"], row["other"], row["unknown"]) for row in group}) == 6


def test_both_groups_are_mentioned_first_equally_often(tmp_path: Path) -> None:
    rows = rows_of(write(tmp_path, QA))
    first = Counter(str(row["context"]).split("había ")[1].split(" que")[0].split(" y ")[0].split()[-1] for row in rows)
    assert first == {"pobre": 24, "rica": 12, "rico": 12}


def test_the_order_of_files_and_rows_changes_no_byte(tmp_path: Path) -> None:
    one = build(str(write(tmp_path / "one", PAIRS)), tmp_path / "out1")
    shuffled = dict(PAIRS)
    chance = random.Random(3)
    for name in ("identities", "names", "predicates"):
        head, *lines = PAIRS[f"lexicons/nl/{name}.csv"].splitlines(keepends=True)
        chance.shuffle(lines)
        shuffled[f"lexicons/nl/{name}.csv"] = head + "".join(lines)
    first, second = PAIRS["templates/small/a.yaml"].split("- id: naam-toch")
    shuffled["templates/small/a.yaml"] = "- id: naam-toch" + second
    shuffled["templates/small/z.yaml"] = first
    two = build(str(write(tmp_path / "two", dict(reversed(shuffled.items())))), tmp_path / "out2")
    assert one.manifest["content_sha256"] == two.manifest["content_sha256"]
    assert one.manifest["files"] == two.manifest["files"]


def test_ids_survive_an_edit_of_the_wording_and_a_new_entry(tmp_path: Path) -> None:
    before = {row["id"]: row["sent_target"] for row in rows_of(write(tmp_path / "a", PAIRS))}
    predicates = PREDICATES.replace("graag", "altijd") + "lachen;nl/orientation/stil;;stereo;lacht weinig\n"
    edited = {**PAIRS, "lexicons/nl/predicates.csv": predicates}
    after = {row["id"]: row["sent_target"] for row in rows_of(write(tmp_path / "b", edited))}
    assert before.keys() < after.keys()
    assert any(before[id] != after[id] for id in before)


def test_sampling_is_stable_under_additions(tmp_path: Path) -> None:
    sampled = PAIRS["templates/small/dataset.yaml"] + "sampling: {keep: 2, per: [template, identity]}\n"
    names = PAIRS["lexicons/nl/names.csv"] + "".join(f"n{i};m|f;Naam{i}\n" for i in range(40))
    files = {**PAIRS, "templates/small/dataset.yaml": sampled, "lexicons/nl/names.csv": names}
    before = {row["id"] for row in rows_of(write(tmp_path / "a", files))}
    files["lexicons/nl/names.csv"] = names + "nieuw;m|f;Nieuw\n"
    after = {row["id"] for row in rows_of(write(tmp_path / "b", files))}
    assert len(before) == len(after) == 2 * 2 * 2  # templates, identities, keep
    assert len(before - after) <= 2


def test_a_build_reads_back_as_it_was_made(tmp_path: Path) -> None:
    root = write(tmp_path, QA)
    built = build(str(root), tmp_path / "out")
    assert read_rows(built.folder).to_pylist() == rows_of(root)
    schema = pq.read_schema(built.folder / "data" / "part-00000.parquet")
    assert {name: str(schema.field(name).type) for name in ("context", "label", "tier", "harmfulness")} == {
        "context": "string",
        "label": "int8",
        "tier": "int8",
        "harmfulness": "float",
    }
    assert schema.metadata[b"canary"] == b"contrapar:small"
    manifest = json.loads((built.folder / "manifest.json").read_text())
    assert (manifest["rows"], manifest["stereotypes"]) == (48, 1)


def test_tiers_reach_the_rows_and_cut_them(tmp_path: Path) -> None:
    tiers = "stereotype;tier;harmfulness_mean\nnl/orientation/aandacht;1;2.5\nnl/orientation/stil;;\n"
    root = write(tmp_path, {**PAIRS, "templates/small/tiers.csv": tiers})
    found = {(row["stereotype"], row["tier"], row["harmfulness"]) for row in rows_of(root)}
    assert found == {("nl/orientation/aandacht", 1, 2.5), ("nl/orientation/stil", None, None)}
    cut = build(str(root), tmp_path / "out", tiers=[1])
    assert {row["stereotype"] for row in read_rows(cut.folder).to_pylist()} == {"nl/orientation/aandacht"}


def test_an_error_leaves_what_was_there(tmp_path: Path) -> None:
    root = write(tmp_path, PAIRS)
    built = build(str(root), tmp_path / "out")
    before = sorted(path.read_bytes() for path in built.folder.rglob("*") if path.is_file())
    write(root, {"lexicons/nl/predicates.csv": PREDICATES + "weg;nl/orientation/weg;;stereo;gaat weg\n"})
    with pytest.raises(SourceFaults, match="unknown-stereotype"):
        build(str(root), tmp_path / "out")
    assert before == sorted(path.read_bytes() for path in built.folder.rglob("*") if path.is_file())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lexicons", "out", "templates"]


def test_a_folder_that_is_no_build_is_not_touched(tmp_path: Path) -> None:
    root = write(tmp_path, PAIRS)
    write(tmp_path, {"out/letter.txt": "mine"})
    with pytest.raises(UsageError, match="something else"):
        build(str(root), tmp_path / "out")
    assert (tmp_path / "out" / "letter.txt").read_text() == "mine"


def test_rows_that_say_the_same_are_told_with_their_templates(tmp_path: Path) -> None:
    double = PAIRS["templates/small/a.yaml"] + (
        "- id: naam-weer\n"
        "  slots: {name: names, identity: identities, predicate: predicates}\n"
        "  agree: [[name.gender, identity.gender], [predicate.groups, identity.id]]\n"
        "  text: \"{{ name }} is {{ identity.adjective }} en {{ predicate.sg }}{{ '.' }}\"\n"
    )
    problems = check(str(write(tmp_path, {**PAIRS, "templates/small/a.yaml": double}))).problems(True)
    assert [(p.code, p.rows) for p in problems if p.code == "doubled-row"] == [("doubled-row", 18)]


def test_a_warning_becomes_an_error_when_strict(tmp_path: Path) -> None:
    sourceless = PAIRS["templates/small/stereotypes.csv"].replace("Een bron", "")
    root = write(tmp_path, {**PAIRS, "templates/small/stereotypes.csv": sourceless})
    assert {p.code for p in build(str(root), tmp_path / "out").problems} == {"unsourced"}
    with pytest.raises(SourceFaults, match="unsourced"):
        build(str(root), tmp_path / "out", strict=True)


def test_a_waiver_needs_something_to_waive(tmp_path: Path) -> None:
    sourceless = PAIRS["templates/small/stereotypes.csv"].replace("Een bron", "")
    waived = PAIRS["templates/small/dataset.yaml"] + (
        "waivers:\n- {code: unsourced, where: stereotypes.csv, reason: Told by the survey.}\n"
    )
    files = {**PAIRS, "templates/small/stereotypes.csv": sourceless, "templates/small/dataset.yaml": waived}
    assert check(str(write(tmp_path / "a", files))).problems(True) == []
    files["templates/small/stereotypes.csv"] = PAIRS["templates/small/stereotypes.csv"]
    assert [p.code for p in check(str(write(tmp_path / "b", files))).problems(True)] == ["idle-waiver"]
