"""Row rules: each finds what it is for, in the rows that have it, and leaves its innocent neighbours alone.

`rows/bad/CODE.csv` holds rows that rule CODE finds (marked in the column `faulty`) and no other rule does;
`rows/good/CODE.csv` holds rows that look like them and are right. Where two families have a rule of one name, the
file is CODE.FAMILY.csv.
"""

from __future__ import annotations

import csv
import json
import re
import sys
import unicodedata
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from contrapar.builder.audit import audit
from contrapar.builder.checks import ROW_RULES, TEXT_RULES, suspect, text_faults
from contrapar.builder.checks.pairs import compared
from contrapar.builder.checks.qa import is_tagged
from contrapar.builder.checks.text import normalised
from contrapar.builder.formats.tables import read_tables
from contrapar.builder.languages import KNOWN, language
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

ROWS = Path(__file__).parent / "rows"
DOCS = Path(__file__).parents[1] / "docs" / "checks.md"
BAD = sorted((ROWS / "bad").iterdir())
GOOD = sorted((ROWS / "good").iterdir())
LANGUAGES = [*KNOWN, "und"]


def code_of(path: Path) -> str:
    return path.name.split(".")[0]


def marked(path: Path) -> set[int]:
    table = next(read_tables(path))
    return {number for number, mark in enumerate(table.columns["faulty"]) if mark}


# --- one bad file and one good file a rule ----------------------------------------------------------------


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.name)
def test_a_bad_file_gives_its_own_finding_in_the_marked_rows_and_no_other(path: Path) -> None:
    report = audit(path)
    assert set(report.found) == {code_of(path)}
    assert report.found[code_of(path)].rows == marked(path)


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.name)
def test_a_good_file_is_left_alone(path: Path) -> None:
    report = audit(path)
    assert report.lines
    assert not report.found, report.as_text()


def test_every_rule_has_a_bad_and_a_good_file() -> None:
    expected = {"contraction-al"} | {rule.code for rule in TEXT_RULES if rule.code != "language"}
    for family, rules in ROW_RULES.items():
        for rule in (*rules.items, *rules.wholes):
            shared = any(
                rule.code == other.code
                for name, those in ROW_RULES.items()
                if name != family
                for other in (*those.items, *those.wholes)
            )
            expected.add(f"{rule.code}.{family}" if shared else rule.code)
    for files in (BAD, GOOD):
        assert {path.name.rpartition(".")[0] for path in files} == expected


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.name)
def test_rules_of_all_rows_find_the_same_in_any_blocks(path: Path) -> None:
    """A whole rule that is given rows one by one finds what it finds in all of them at once."""
    report = audit(path)
    rules = ROW_RULES[report.family]
    columns = next(read_tables(path)).columns
    held = {name: columns[name] for name in (*rules.needed, *rules.optional) if name in columns}
    for make in rules.wholes:
        at_once, one_by_one = make(), make()
        at_once.add(held)
        for row in range(len(report.lines)):
            one_by_one.add({name: column[row : row + 1] for name, column in held.items()})
        assert [numbers for _, numbers in at_once.finish()] == [numbers for _, numbers in one_by_one.finish()]


# --- texts ------------------------------------------------------------------------------------------------


def test_the_combined_pattern_holds_of_every_faulty_text() -> None:
    for path in BAD:
        report = audit(path)
        table = next(read_tables(path))
        spoken = language(report.language)
        for name in ROW_RULES[report.family].texts:
            for text in table.columns[name]:
                if text_faults(text, spoken):
                    assert pc.match_substring_regex(pa.array([text]), suspect(spoken))[0].as_py(), text


PIECES = st.sampled_from(
    [*"{}%aAeEdDlLyoO .,;:?!\"'”»()[]&;#\t\n\r\x07\x85", "{{ x }}", "..", "...", "&amp;", "(male)", "a el ", "de le ",
     "the the", "Ã±", "â€™", "\u0301", "n\u0303", "\u00a0", "\u202f", "\u200b", "\u00ad", "\u212b", "\u1112\u1161",
     "\u2066", "ñ", "í", "word", " de de ", " o o", "y i", "12", "\U0001f469\u200d"]
)  # fmt: skip


@pytest.mark.parametrize("code", LANGUAGES)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.lists(PIECES, max_size=9).map("".join))
def test_no_rule_finds_a_fault_that_the_combined_pattern_does_not_suspect(code: str, text: str) -> None:
    spoken = language(code)
    faults = text_faults(text, spoken)
    if faults:
        assert pc.match_substring_regex(pa.array([text]), suspect(spoken))[0].as_py()
    for fault in faults:
        start, end = fault.span or (0, 0)
        assert 0 <= start < end <= len(text)


@pytest.mark.slow
def test_every_letter_that_nfc_writes_otherwise_is_suspected() -> None:
    letters = [chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code <= 0xDFFF]
    texts = [text for letter in letters for text in (letter, "a" + letter, "\u1112" + letter)]
    moved = [text for text in texts if not unicodedata.is_normalized("NFC", text)]
    assert len(moved) > 1000
    rule = next(rule for rule in TEXT_RULES if rule.code == "not-nfc")
    hits = pc.match_substring_regex(pa.array(moved), rule.suspect(language("und")))
    assert pc.all(hits).as_py()


@pytest.mark.parametrize(
    ("a", "b"),
    [("Él cantó.", "él  cantó"), ("«Sí», fue", "sí fue"), ("n\u0303", "ñ"), ("STRASSE", "straße"), ("a—b", "a b")],
)
def test_texts_that_say_the_same(a: str, b: str) -> None:
    assert normalised(a) == normalised(b)


@pytest.mark.parametrize(
    ("a", "b"), [("sí", "si"), ("año", "ano"), ("किताब", "कतब"), ("null", ""), ("12", "1 2"), ("NA", "N")]
)
def test_texts_that_do_not(a: str, b: str) -> None:
    assert normalised(a) != normalised(b)


def test_words_for_nothing_are_words() -> None:
    """Case 17: `null`, `NA`, `NaN`, `None` and `N/A` are text like any other."""
    for text in ("null", "NA", "NaN", "None", "N/A", "nan", "TRUE", "1e3"):
        assert normalised(text)
        assert not text_faults(text, language("en"))


# --- pairs ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "other", "differences"),
    [
        ("The baker sings.", "The baker sings.", []),
        ("The baker sings.", "The baker sings", []),
        ("The baker sings.", "The old sailor sings.", [("baker", "old sailor")]),
        ("Bakers sing.", "Most bakers sing.", [("Bakers", "Most bakers")]),
        ("A blue-eyed, tall baker.", "A blue-eyed tall sailor.", [("baker", "sailor")]),
        ("He doesn't sing.", "She doesn't sing.", [("He", "She")]),
        ("The baker – they say – sings.", "The sailor, they say, sings.", [("baker", "sailor")]),
        ("We know the baker.", "They know the sailor.", [("We", "They"), ("baker", "sailor")]),
        ("He lost his hat.", "She lost her hat.", [("He", "She"), ("his", "her")]),
        ("the baker", "The baker", [("the", "The")]),
        ("sing sing sing", "sing sing", [("sing", "")]),
        ("One.", "Two things.", [("One", "Two things")]),
        ("", "Sailors.", [("", "Sailors")]),
    ],
)
def test_how_words_are_cut(target: str, other: str, differences: list[tuple[str, str]]) -> None:
    assert compared(target, other).differences == differences


WORDS = st.lists(st.sampled_from(["the", "old", "baker", "sings,", "now", "-", "«so»"]), min_size=1, max_size=9)


@settings(max_examples=200, deadline=None)
@given(words=WORDS, at=st.integers(0, 8))
def test_a_pair_with_one_other_word_differs_in_one_place(words: list[str], at: int) -> None:
    changed = [*words]
    changed[at % len(words)] = "sailor"
    assert compared(" ".join(words), " ".join(words)).differences == []
    assert len(compared(" ".join(words), " ".join(changed)).differences) == 1


@settings(max_examples=200, deadline=None)
@given(a=WORDS, b=WORDS)
def test_both_directions_of_a_pair_differ_in_as_many_words(a: list[str], b: list[str]) -> None:
    """What is not told as a difference is the same in both, in the same order."""
    one, two = " ".join(a), " ".join(b)
    kept = []
    for sentence, side in ((one, 0), (two, 1)):
        words = [bare for word in sentence.split() if (bare := word.strip(" ,.-«»"))]
        for difference in compared(one, two).differences:
            for word in difference[side].split():
                words.remove(word)
        kept.append(sorted(words))
    assert kept[0] == kept[1]


# --- qa ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tag", "groups", "same"),
    [
        ("F-Black", ["Black", "African American"], True),
        ("trans_F", ["trans women"], False),
        ("Trans Women", ["trans women"], True),
        ("gay", ["lesbian"], False),
        ("", ["gay"], False),
        ("gay", [""], False),
    ],
)
def test_which_tags_are_of_a_group(tag: str, groups: list[str], same: bool) -> None:
    assert is_tagged(tag, groups) is same


def test_numbers_and_their_text_are_one_label() -> None:
    row: dict[str, Any] = {
        "context": "A baker and a sailor met. The baker came late.", "question": "Who was late?", "ans0": "The baker",
        "ans1": "The sailor", "ans2": "Not known", "context_condition": "disambig", "question_polarity": "neg",
        "target_group": "baker", "other_group": "sailor",
    }  # fmt: skip
    for label, target, other, unknown in ((0, 0, 1, 2), ("0", "0", "1", "2")):
        whole = {**row, "label": label, "target": target, "other": other, "unknown": unknown}
        assert [fault for rule in ROW_RULES["qa"].items for fault in rule(whole, language("en"))] == []
    whole = {**row, "label": 3, "target": 0, "other": 1, "unknown": 2}
    assert [fault.code for rule in ROW_RULES["qa"].items for fault in rule(whole, language("en"))] == ["label-range"]


WORDS_OF_ROWS = st.sampled_from(["", "0", "1", "2", "3", "ambig", "disambig", "stereo", "The baker", "x."])
CELL = st.one_of(WORDS_OF_ROWS, st.text(max_size=8))


@pytest.mark.parametrize("family", ROW_RULES)
@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_any_cells_are_judged_and_none_stops_the_audit(family: str, data: st.DataObject) -> None:
    rules = ROW_RULES[family]
    names = [name for name in (*rules.needed, *rules.optional) if name not in ("tags", "stereotyped_groups", "spans")]
    rows = data.draw(st.lists(st.fixed_dictionaries(dict.fromkeys(names, CELL)), min_size=1, max_size=4))
    for row in rows:
        for rule in rules.items:
            assert all(fault.message for fault in rule(row, language("es")))
    for make in rules.wholes:
        whole = make()
        whole.add({name: [row[name] for row in rows] for name in names})
        for _, numbers in whole.finish():
            assert set(numbers) <= set(range(len(rows)))


# --- docs -------------------------------------------------------------------------------------------------


def documented() -> dict[tuple[str, str], list[str]]:
    """(heading, code) -> the cells of each row of the tables of row rules."""
    rows: dict[tuple[str, str], list[str]] = {}
    heading = ""
    for line in DOCS.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            heading = line.strip("# ")
        cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) == 5 and cells[0].startswith("`"):
            rows[heading, cells[0].strip("`")] = cells[1:]
    return rows


def expected_docs() -> dict[tuple[str, str], tuple[str, str, str]]:
    rules = {
        ("One text", rule.code): (rule.severity, rule.help, rule.mend) for rule in TEXT_RULES if rule.code != "language"
    }
    headings = {
        "lexical": "Words of countries",
        "pairs": "Pairs",
        "qa": "Questions and answers",
        "translation": "Sentences to be translated",
    }
    for family, heading in headings.items():
        for item in ROW_RULES[family].items:
            rules[heading, item.code] = (item.severity, item.help, item.mend)
        for whole in ROW_RULES[family].wholes:
            rules[heading, whole.code] = (whole.severity, whole.help(), whole.mend)
    return rules


def test_docs_list_every_row_rule_as_the_code_has_it() -> None:
    headings = {heading for heading, _ in expected_docs()}
    found = {key: (cells[0], cells[1], cells[3]) for key, cells in documented().items() if key[0] in headings}
    assert found == expected_docs()


def test_docs_list_every_pattern_of_every_language() -> None:
    listed = {key[1] for key in documented() if key[0] == "What a language forbids"}
    known = {pattern.code for code in KNOWN for pattern in language(code).patterns}
    assert listed == known


def test_examples_in_the_docs_are_what_the_rules_find() -> None:
    for (heading, code), cells in documented().items():
        assert cells[2], f"{code} has no example"
        if heading == "One text":
            example = json.loads(f'"{cells[2].strip("`").replace(chr(34), chr(92) + chr(34))}"')
            assert code in {fault.code for fault in text_faults(example, language("en"))}, code
        elif heading == "What a language forbids":
            spoken = [language(one) for one in KNOWN if any(p.code == code for p in language(one).patterns)]
            assert any(fault.code == code for one in spoken for fault in text_faults(cells[2].strip("`"), one)), code


def test_codes_are_stable_names() -> None:
    for (_, code), cells in documented().items():
        assert re.fullmatch(r"[a-z]+(-[a-z0-9]+)*", code)
        assert cells[0] in ("error", "warning")


def test_bad_files_are_plain_tables() -> None:
    for path in (*BAD, *GOOD):
        if path.suffix == ".csv":
            with path.open(encoding="utf-8", newline="") as file:
                assert all(None not in row for row in csv.DictReader(file))
