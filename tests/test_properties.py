"""What must hold of any sources: text stays text, order means nothing, rows say what their ids say."""

from __future__ import annotations

import csv
import io
import itertools
import random
import re
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import yaml
from conftest import DATASET, write
from contrapar.builder import sources
from contrapar.builder.build import build
from contrapar.builder.chain import Chain, check, prepare, tables
from contrapar.builder.csv_files import clean, read_table
from contrapar.builder.tables import read_rows
from contrapar.builder.yaml_files import read_yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from small import QA

quick = settings(max_examples=20, deadline=None)
some = settings(max_examples=8, deadline=None)
few = settings(max_examples=5, deadline=None)

# what spreadsheets, YAML and pandas take for something else than text
WORDS_THAT_LOOK_LIKE_MORE = [
    "no", "No", "NO", "yes", "sí", "on", "off", "y", "n", "true", "False", "null", "Null", "NULL", "~", "none", "None",
    "nan", "NaN", "Nan", "NA", "N/A", "n/a", "inf", "-inf", ".inf", ".nan", "1e3", "1E5", "0123", "0x1F", "0o17",
    "1_000", "12:30:45", "2024-01-01", "1.0", "-1", "+1", "=", "<<", "#N/A", "#REF!", "TRUE", "1/2", "MARCH1", "=1+1",
    "@x",
]  # fmt: skip
NO_PLAIN_YAML = ["@x", "#N/A", "#REF!", "<<"]


# --- tables -----------------------------------------------------------------------------------------------

text = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Cn", "Co")) | st.sampled_from(";,\t\"'\n |="),
    max_size=12,
)
cells = text | st.sampled_from(WORDS_THAT_LOOK_LIKE_MORE)


def table_text(rows: list[list[str]], separator: str, end: str, quoting: Any, bom: bool) -> str:
    file = io.StringIO(newline="")
    csv.writer(file, delimiter=separator, lineterminator=end, quoting=quoting).writerows(rows)
    return ("\ufeff" if bom else "") + file.getvalue()


@given(
    st.lists(st.tuples(cells, cells, cells), max_size=5),
    st.sampled_from(";,\t"),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.booleans(),
)
@quick
def test_a_table_reads_back_as_it_was_written(
    written: list[tuple[str, str, str]], separator: str, end: str, quoting: int, bom: bool
) -> None:
    rows = [list(row) for row in written]
    table = table_text([["id", "form.sg", "note"], *rows], separator, end, quoting, bom)
    read, problems = read_table("x.csv", table, ("id",))
    expected = [[clean(cell) for cell in row] for row in rows if any(cell.strip() for cell in row)]
    assert [[*row.cells.values()] for row in read] == expected
    assert {problem.code for problem in problems} <= {"normalised"}
    changed = sum(cell != clean(cell) for row in rows if any(cell.strip() for cell in row) for cell in row)
    assert len(problems) == changed


@given(text)
@quick
def test_what_was_cleaned_is_clean(cell: str) -> None:
    once = clean(cell)
    assert clean(once) == once
    assert once == once.strip()
    assert "  " not in once
    assert unicodedata.is_normalized("NFC", once)


def test_words_that_look_like_more_stay_words_in_a_table() -> None:
    table = "id;form\n" + "".join(f"w{n};{word}\n" for n, word in enumerate(WORDS_THAT_LOOK_LIKE_MORE))
    read, problems = read_table("x.csv", table, ("id",))
    assert [row.cells["form"] for row in read] == WORDS_THAT_LOOK_LIKE_MORE
    assert problems == []


# --- YAML -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("word", [word for word in WORDS_THAT_LOOK_LIKE_MORE if word not in NO_PLAIN_YAML])
def test_words_that_look_like_more_stay_words_in_yaml(word: str) -> None:
    document = read_yaml("x.yaml", f"a: {word}\nb: [{word}, x]\n{word}: c\n")
    assert document.value == {"a": word, "b": [word, "x"], word: "c"}


def lists_and_mappings(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3)


@given(st.recursive(text, lists_and_mappings, max_leaves=6))
@quick
def test_yaml_reads_back_as_it_was_written(value: Any) -> None:
    for style in (None, '"', "'"):
        written = yaml.safe_dump(value, allow_unicode=True, default_style=style)
        assert read_yaml("x.yaml", written).value == value


def test_every_value_of_yaml_knows_its_place() -> None:
    document = read_yaml("x.yaml", "- id: a\n  slots: {x: [b,\n    c]}\n- text: >-\n    d\n")
    assert {location: document.marks[location] for location in document.marks if location} == {
        (0,): (1, 3),
        (0, "id"): (1, 3),
        (0, "slots"): (2, 3),
        (0, "slots", "x"): (2, 11),
        (0, "slots", "x", 0): (2, 15),
        (0, "slots", "x", 1): (3, 5),
        (1,): (4, 3),
        (1, "text"): (4, 3),
    }


def test_words_that_look_like_more_reach_the_rows(tmp_path: Path) -> None:
    words = ["No", "Sí", "On", "Null", "NaN", "NA", "None", "TRUE", "Inf", "1e3", "0123"]
    surnames = "id;form\n" + "".join(f"{word.lower()}-{n};{word}\n" for n, word in enumerate(words))
    template = (
        "- id: null\n  stereotype: no\n  slots: {apellido: surnames, cosa: [no, sí, on, 1e3, null, ~]}\n"
        "  together: [{target: NA, other: NaN}]\n"
        '  context: "{{ apellido }} vio a {{ first }} y a {{ second }}: {{ cosa }}."\n'
        '  evidence: "Era {{ target }}."\n  questions: {negative: no, nonnegative: sí}\n'
        '  answer: "{{ who }}"\n  unknown: null\n'
    )
    files = {
        **QA,
        "templates/small/a.yaml": template,
        "templates/small/stereotypes.csv": "id;axis;concept;text;source\nno;null;NA;None;N/A\n",
        "lexicons/es/surnames.csv": surnames,
    }
    rows = read_rows(build(str(write(tmp_path, files)), tmp_path / "out").folder).to_pylist()
    assert {row["context"].split(" vio")[0] for row in rows} == set(words)
    assert {row["context"].split(": ")[1].split(".")[0] for row in rows} == {"no", "sí", "on", "1e3", "null", "~"}
    assert {answer for row in rows for answer in (row["ans0"], row["ans1"], row["ans2"])} == {"NA", "NaN", "null"}
    said = ("template", "stereotype", "axis", "concept", "source", "question", "target_group", "other_group")
    assert {tuple(row[name] for name in said) for row in rows} == {
        ("null", "no", "null", "NA", "N/A", question, "NA", "NaN") for question in ("no", "sí")
    }


# --- generated datasets -----------------------------------------------------------------------------------

LANGUAGES = ("nl", "es", "en", "fr", "eu", "sw")
# words of an identity begin with these letters, so that a test can find them; no grammar acts before them
MARK = "zq"


@dataclass(frozen=True)
class Entry:
    id: str
    gender: str = ""
    more: str = ""  # contrast or groups
    role: str = ""

    def agrees(self, other: Entry) -> bool:
        mine, theirs = set(self.gender.split("|")) - {""}, set(other.gender.split("|")) - {""}
        return not mine or not theirs or bool(mine & theirs)


@dataclass(frozen=True)
class Pairs:
    language: str
    names: list[Entry]
    identities: list[Entry]
    predicates: list[Entry]
    templates: list[tuple[str, str]]

    def files(self) -> dict[str, str]:
        folder = f"lexicons/{self.language}"
        slots = "{name: names, identity: identities, predicate: predicates}"
        agree = "[[name.gender, identity.gender], [predicate.groups, identity.id]]"
        return {
            "templates/small/dataset.yaml": DATASET.format(family="pairs", language=self.language),
            "templates/small/stereotypes.csv": "id;axis;text;source\ns;a;Men zegt het.;Een bron\n",
            "templates/small/a.yaml": "".join(
                f"- id: {id}\n  slots: {slots}\n  agree: {agree}\n  text: '{said}'\n" for id, said in self.templates
            ),
            f"{folder}/names.csv": "id;gender;form\n"
            + "".join(f"{e.id};{e.gender};{e.id.title()}\n" for e in self.names),
            f"{folder}/identities.csv": "id;axis;role;gender;contrast;form.sg\n"
            + "".join(f"{e.id};a;{e.role};{e.gender};{e.more};{MARK}{e.id}\n" for e in self.identities),
            f"{folder}/predicates.csv": "id;stereotype;groups;form.sg\n"
            + "".join(f"{e.id};s;{e.more};doet {e.id}\n" for e in self.predicates),
        }

    def expected(self) -> set[tuple[str, ...]]:
        """Template and entries of every row, by the words of docs: who contrasts, who agrees, of whom it is said."""
        known = {entry.id: entry for entry in self.identities}
        return {
            (template, f"name={n.id}", f"identity={i.id}", f"predicate={p.id}", f"other={o}")
            for template, _ in self.templates
            for n, i, p in itertools.product(self.names, self.identities, self.predicates)
            for o in i.more.split("|")
            if i.role == "target" and o
            if n.agrees(i) and n.agrees(known[o])
            if not p.more or i.id in p.more.split("|")
        }


@st.composite
def pairs(draw: st.DrawFn) -> Pairs:
    gender = st.sampled_from(["", "f", "m", "f|m", "n"])

    def ids(letter: str, most: int) -> list[str]:
        return [f"{letter}{number}" for number in range(draw(st.integers(1, most)))]

    others = ids("o", 3)
    targets = ids("t", 3)
    some_others = st.lists(st.sampled_from(others), unique=True, min_size=1).map("|".join)
    some_targets = st.lists(st.sampled_from(targets), unique=True).map("|".join)
    names = [Entry(id, draw(gender)) for id in ids("n", 3)]
    identities = [Entry(id, draw(gender), draw(some_others), "target") for id in targets]
    identities += [Entry(id, draw(gender), "", "other") for id in others]
    predicates = [Entry(id, "", draw(some_targets)) for id in ids("p", 3)]
    shown = ["{{ name }}", "{{ identity.sg }}", "{{ predicate.sg }}"]
    optional = [
        '{% if name.gender == "f" %}zij{% else %}die{% endif %}',
        '{% if identity.gender == "f" %}zqvrouw{% elif identity.gender %}zqman{% else %}zqiemand{% endif %}',
        "{{ identity.sg | sentence }}",
        "{{ name ~ identity.sg }}",
        "kort",
        "lang.",
        "«ja»",
    ]
    templates = []
    for number in range(draw(st.integers(1, 2))):
        parts = draw(st.permutations([*shown, *draw(st.lists(st.sampled_from(optional), max_size=4))]))
        templates.append((f"template-{number}", f"Sjabloon {number} " + " ".join(parts)))
    return Pairs(draw(st.sampled_from(LANGUAGES)), names, identities, predicates, templates)


@contextmanager
def written(files: Mapping[str, str]) -> Iterator[Path]:
    """The dataset in a folder of its own, with no bundled lexicon beside it."""
    with tempfile.TemporaryDirectory() as folder, patch.object(sources, "PACKAGE", Path(folder) / "nothing"):
        yield write(Path(folder) / "own", files)


def rows_of(root: Path) -> tuple[Chain, list[dict[str, Any]]]:
    chain = prepare(str(root))
    return chain, [row for table in tables(chain) for row in table.to_pylist()]


@given(pairs())
@some
def test_a_template_gives_the_rows_that_its_words_say(made: Pairs) -> None:
    with written(made.files()) as root:
        chain, rows = rows_of(root)
    assert {(row["template"], *row["slots"]) for row in rows} == made.expected()
    assert len(rows) == len(made.expected()) == len({row["id"] for row in rows})
    assert {problem.code for problem in chain.problems(complete=True) if problem.severity == "error"} <= {"no-rows"}


@given(pairs())
@some
def test_a_pair_differs_only_where_it_speaks_of_the_identity(made: Pairs) -> None:
    with written(made.files()) as root:
        _, rows = rows_of(root)
    for row in rows:
        target, other = row["sent_target"], row["sent_other"]
        assert target != other
        around = [re.sub(rf"(?i)\w*{MARK}\w*", MARK, sentence) for sentence in (target, other)]
        assert around[0] == around[1]
        slots = dict(slot.split("=") for slot in row["slots"])
        assert re.search(rf"(?i){MARK}{slots['identity']}\b", target)
        assert re.search(rf"(?i){MARK}{slots['other']}\b", other)
        assert not re.search(rf"(?i){MARK}{slots['identity']}\b", other)


@given(pairs(), st.randoms(use_true_random=False), st.sampled_from(";,\t"), st.booleans())
@few
def test_order_of_files_and_rows_changes_no_byte(made: Pairs, chance: random.Random, separator: str, bom: bool) -> None:
    files = made.files()
    mixed: dict[str, str] = {}
    for path, content in files.items():
        if path.endswith(".csv"):
            head, *lines = [line.split(";") for line in content.splitlines()]
            order = list(range(len(head)))
            chance.shuffle(order)
            chance.shuffle(lines)
            rows = [[row[at] for at in order] for row in (head, *lines)]
            mixed[path] = table_text(rows, separator, "\r\n", csv.QUOTE_MINIMAL, bom)
        elif path.endswith("a.yaml"):
            for number, template in enumerate(yaml.safe_load(content)):
                keys = list(template)
                chance.shuffle(keys)
                one = [{key: template[key] for key in keys}]
                mixed[f"templates/small/{chance.randrange(10)}-{number}.yaml"] = yaml.safe_dump(one, sort_keys=False)
        else:
            mixed[path] = content
    paths = list(mixed)
    chance.shuffle(paths)
    if not made.expected():
        return
    with written(files) as one, written({path: mixed[path] for path in paths}) as two:
        chains = [check(str(root)) for root in (one, two)]
        if any(problem.severity == "error" for chain in chains for problem in chain.problems(complete=True)):
            assert Counter(p.code for p in chains[0].found) == Counter(p.code for p in chains[1].found)
            return
        first, second = (build(str(root), root / "out").manifest for root in (one, two))
    assert first["files"] == second["files"]
    assert first["content_sha256"] == second["content_sha256"]
    assert first["source_sha256"] != second["source_sha256"]


@given(pairs(), st.integers(0, 2))
@few
def test_what_is_built_reads_back_as_it_was_made(made: Pairs, spare: int) -> None:
    if not made.expected():
        return
    with written(made.files()) as root:
        chain, rows = rows_of(root)
        if any(problem.severity == "error" for problem in chain.problems(complete=True)):
            return
        assert read_rows(build(str(root), root / "out").folder).to_pylist() == rows


@given(pairs(), st.dictionaries(st.sampled_from("abcd"), st.sampled_from(["nu", "dan", "Nu", "nu!"]), min_size=1))
@some
def test_rows_that_say_the_same_are_told(made: Pairs, times: dict[str, str]) -> None:
    files = made.files()
    slot = ", ".join(f"{id}: {word}" for id, word in times.items())
    template = files["templates/small/a.yaml"].replace("slots: {", f"slots: {{time: {{values: {{{slot}}}}}, ")
    files["templates/small/a.yaml"] = re.sub(r"text: '(.*)'\n", r"text: '\1 {{ time }}'\n", template)
    with written(files) as root:
        _, rows = rows_of(root)
        problems = check(str(root)).problems(complete=True)
    said = Counter((row["sent_target"], row["sent_other"]) for row in rows)
    doubled = sum(count - 1 for count in said.values())
    assert sum(problem.rows for problem in problems if problem.code == "doubled-row") == doubled
    assert bool(doubled) == any(problem.code == "doubled-row" for problem in problems)


# --- questions --------------------------------------------------------------------------------------------


@st.composite
def questions(draw: st.DrawFn) -> dict[str, str]:
    number = st.integers(1, 3)
    groups = "id;axis;role;gender;form\n"
    for role in ("target", "other"):
        for one in range(draw(number)):
            groups += f"{role}{one};a;{role};{draw(st.sampled_from(['', 'f', 'm', 'f|m']))};{MARK}{role}{one}\n"
    unknown = "id;form\n" + "".join(f"u{one};Sijui {one}\n" for one in range(draw(number)))
    first, second = draw(st.sampled_from([("first", "second"), ("second", "first"), ("target", "other")]))
    like = draw(st.sampled_from(["", ", like: gender"]))
    order = draw(st.sampled_from(["", "  order: [unknown, target, other]\n"]))
    answer = draw(st.sampled_from(['answer: "{{ who }}"', 'answers: {target: "{{ target }}", other: "{{ other }}"}']))
    template = (
        "- id: swali\n  stereotype: s\n  slots:\n"
        "    target: {from: identities, role: target}\n"
        f"    other: {{from: identities, role: other{like}}}\n"
        f'  context: "Palikuwa na {{{{ {first} }}}} na {{{{ {second} }}}}."\n'
        '  evidence: "{{ target }} aliiba, {{ other }} alilipa."\n'
        f'  questions: {{negative: "Nani aliiba?", nonnegative: "Nani alilipa?"}}\n  {answer}\n{order}'
    )
    return {
        "templates/small/dataset.yaml": DATASET.format(family="qa", language="sw"),
        "templates/small/stereotypes.csv": "id;axis;text;source\ns;a;Wanasema.;Kitabu\n",
        "templates/small/a.yaml": template,
        "lexicons/sw/identities.csv": groups,
        "lexicons/sw/unknown.csv": unknown,
    }


@given(questions())
@some
def test_every_gold_answer_is_one_of_the_three_and_follows_from_the_evidence(files: dict[str, str]) -> None:
    with written(files) as root:
        chain, rows = rows_of(root)
    assert {problem.code for problem in chain.problems(complete=True)} <= {"mention-order", "no-rows", "unused"}
    for row in rows:
        answers = [row["ans0"], row["ans1"], row["ans2"]]
        assert len(set(answers)) == 3
        assert sorted((row["target"], row["other"], row["unknown"])) == [0, 1, 2]
        assert answers[row["target"]].lower() == MARK + row["target_group"]
        assert answers[row["other"]].lower() == MARK + row["other_group"]
        assert answers[row["unknown"]].startswith("Sijui")
        if row["context_condition"] == "ambig":
            assert row["label"] == row["unknown"]
            assert "aliiba" not in row["context"]
        else:
            thief, payer = re.findall(rf"(?i)({MARK}\w+) ali(?:iba|lipa)", row["context"])
            right = thief if row["question_polarity"] == "neg" else payer
            assert row["question"] == ("Nani aliiba?" if row["question_polarity"] == "neg" else "Nani alilipa?")
            assert answers[row["label"]].lower() == right.lower()
            assert {thief.lower(), payer.lower()} == {MARK + row["target_group"], MARK + row["other_group"]}


@given(questions())
@some
def test_a_question_is_asked_in_every_condition_equally_often(files: dict[str, str]) -> None:
    with written(files) as root:
        _, rows = rows_of(root)
    conditions = Counter((row["question_polarity"], row["context_condition"]) for row in rows)
    each = len(rows) // 6
    assert conditions == Counter(
        {(q, c): each * n for q in ("neg", "nonneg") for c, n in (("ambig", 1), ("disambig", 2)) if each}
    )
    golds = Counter(
        "target" if row["label"] == row["target"] else "other" for row in rows if row["label"] != row["unknown"]
    )
    assert golds["target"] == golds["other"] == 2 * each
    if "order:" in files["templates/small/a.yaml"]:
        assert {(row["unknown"], row["target"], row["other"]) for row in rows} <= {(0, 1, 2)}
    else:
        for role in ("target", "other", "unknown", "label"):
            assert set(Counter(row[role] for row in rows).values()) <= {2 * each}
    assert len({(row["context"], row["question"], row["ans0"], row["ans1"], row["ans2"]) for row in rows}) == len(rows)
