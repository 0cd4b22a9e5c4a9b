"""What each language does at slot boundaries: tables of cases, and what must hold of any text.

A table has the columns kind, left, right, expected_left, expected_right.
  join         left, right -> expected_left, expected_right
  filter:NAME  left is the text, right the arguments with commas between; expected_left is the result
  pattern      left is the text; expected_left the code of the pattern that finds it, empty for none
A table may have a column source: where the grammar says so, and of which class of words.
"""

from __future__ import annotations

import csv
import re
from pathlib import Path

import openpyxl
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from contrapar.builder.languages import KNOWN, Language, Pattern, language
from contrapar.builder.languages.contract import word_list
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jinja2 import Environment, StrictUndefined
from jinja2.exceptions import FilterArgumentError, UndefinedError

TABLES = Path(__file__).parent / "languages"
CODES = [*KNOWN, "qu"]

ARGUMENTS = {
    ("es", "el"): [("m", "s"), ("f", "s"), ("m", "p"), ("f", "p")],
    ("es", "un"): [("m", "s"), ("f", "s"), ("m", "p"), ("f", "p")],
    ("fr", "le"): [("m", "s"), ("f", "s"), ("m", "p"), ("f", "p")],
    ("fr", "un"): [("m", "s"), ("f", "s"), ("m", "p"), ("f", "p")],
    ("nl", "het_de"): [("het",), ("de",), ("de", "p")],
    ("en", "s"): [(), ("p",)],
    **{
        ("eu", case): [("s",), ("p",), ("indef",), ("proper",)]
        for case in ("det", "erg", "dat", "gen", "soc", "ben", "ins", "ine", "all", "abl")
    },
}


def _cases() -> list[object]:
    cases: list[object] = []
    for table in sorted(TABLES.glob("*.csv")):
        with table.open(encoding="utf-8", newline="") as lines:
            for line, row in enumerate(csv.DictReader(lines), 2):
                name = f"{table.stem}:{line}:{row['kind']}:{row['left']}+{row['right']}"
                cases.append(pytest.param(table.stem, row, id=name))
    return cases


@pytest.mark.parametrize(("code", "case"), _cases())
def test_case(code: str, case: dict[str, str]) -> None:
    spoken = language(code)
    kind, left, right = case["kind"], case["left"], case["right"]
    if kind == "join":
        assert spoken.join(left, right) == (case["expected_left"], case["expected_right"])
    elif kind == "pattern":
        found = {pattern.code for pattern in spoken.patterns if re.search(pattern.regex, left)}
        assert found == ({case["expected_left"]} if case["expected_left"] else set())
    else:
        arguments = right.split(",") if right else []
        assert spoken.filters[kind.removeprefix("filter:")](left, *arguments) == case["expected_left"]


@pytest.mark.parametrize(("code", "least"), [("es", 60), ("en", 40), ("fr", 60), ("nl", 30), ("eu", 120)])
def test_table_is_long_enough(code: str, least: int) -> None:
    with (TABLES / f"{code}.csv").open(encoding="utf-8", newline="") as lines:
        rows = [tuple(row.values()) for row in csv.DictReader(lines)]
    assert len(set(rows)) == len(rows) >= least


@pytest.mark.parametrize("case", ["erg", "dat", "gen", "soc"])
def test_every_class_of_basque_words_is_declined(case: str) -> None:
    """In the singular and the plural; names by themselves. Each case names its source in the grammar."""
    with (TABLES / "eu.csv").open(encoding="utf-8", newline="") as lines:
        rows = [row for row in csv.DictReader(lines) if row["kind"] == f"filter:{case}"]
    seen = {(row["source"].partition(": ")[2] or row["source"].partition(", ")[2], row["right"]) for row in rows}
    for words in ("vowel", "consonant", "-r", "soft -r", "-a of its own"):
        assert {(words, ""), (words, "p")} <= seen
    assert {(ending, "proper") for ending in ("vowel", "consonant", "-r")} <= seen
    assert all(row["source"].startswith(("EGLU-I, ", "EBE, ")) for row in rows)
    assert len(rows) >= 30


def test_every_language_has_a_table() -> None:
    assert sorted(table.stem for table in TABLES.glob("*.csv")) == sorted(KNOWN)


def test_region_falls_back_to_its_language() -> None:
    assert language("es-CO") is language("es")
    assert language("nl_BE") is language("nl")


def test_language_without_a_module() -> None:
    quechua = language("qu")
    assert quechua.code == "qu"
    assert sorted(quechua.filters) == ["lower_first", "sentence"]
    assert quechua.patterns == ()
    assert quechua.join("", "warmi hamun") == ("", "Warmi hamun")
    assert quechua.join("a ", "el") == ("a ", "el")


def test_sentence_case_of_other_scripts() -> None:
    assert language("tr").filters["sentence"]("istanbul") == "İstanbul"
    assert language("tr").filters["lower_first"]("Irmak") == "ırmak"
    assert language("ka").filters["sentence"]("ქალი") == "ქალი"
    assert language("el").filters["sentence"]("γυναίκα") == "Γυναίκα"


def test_wrong_argument_is_jinjas_error_and_names_what_may_be() -> None:
    with pytest.raises(FilterArgumentError, match="gender is 'x'; it may be m, f"):
        language("es").filters["el"]("agua", "x")
    with pytest.raises(FilterArgumentError, match="number is 'plural'"):
        language("eu").filters["erg"]("gizon", "plural")


def test_filters_in_jinja() -> None:
    environment = Environment(undefined=StrictUndefined, autoescape=False)
    environment.filters.update(language("es").filters)
    template = environment.from_string("{{ thing | el(gender) | sentence }}")
    assert template.render(thing="agua", gender="f") == "El agua"
    with pytest.raises(UndefinedError):
        template.render(thing="agua")


# Time is not what these measure.
PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
# What is likely at a boundary, mixed with anything at all.
WORDS = st.sampled_from(
    sorted(
        word_list(
            """
            a el la una de y e o u Y ¿Y ¿a le les à ce que si lorsque beau an A An 's ijs agua homme hija otro hotel
            Inés heir university 8 11 FBI El Le Havre médecin voir Dr. etc. J. no. fin. ¿ « " ( (a «de ... ! ? , l' d'
            """
        )
    )
)
TEXTS = st.lists(st.one_of(WORDS, st.text(max_size=6)), max_size=3).map(" ".join)
BEFORE = st.one_of(st.just(""), TEXTS, TEXTS.map(lambda text: text + " "))
AFTER = st.one_of(TEXTS, TEXTS.map(lambda text: " " + text))


@pytest.mark.parametrize("code", CODES)
@PATIENT
@given(before=BEFORE, after=AFTER)
def test_join_is_idempotent(code: str, before: str, after: str) -> None:
    join = language(code).join
    once = join(before, after)
    assert join(*once) == once


@pytest.mark.parametrize("code", CODES)
@PATIENT
@given(before=BEFORE, after=AFTER)
def test_join_changes_only_the_words_that_meet(code: str, before: str, after: str) -> None:
    left, right = language(code).join(before, after)
    kept = before.split()[:-2]
    assert left.split()[: len(kept)] == kept
    # The first word stands behind opening marks; Dutch *'s ochtends* takes its capital on the word after *'s*.
    first = re.match(r"""\s*(?:[¿¡«“„‘"'(\[—–]+\s+|['’][stnkmr]\s+)*\S*""", after)
    assert first
    rest = after[first.end() :].split()
    assert right.split()[len(right.split()) - len(rest) :] == rest


@pytest.mark.parametrize("code", CODES)
@PATIENT
@given(text=st.one_of(TEXTS, st.text()))
def test_filters_take_any_text(code: str, text: str) -> None:
    spoken = language(code)
    for name, apply in spoken.filters.items():
        for arguments in ARGUMENTS.get((code, name), [()]):
            assert isinstance(apply(text, *arguments), str)


@pytest.mark.parametrize("code", CODES)
@PATIENT
@given(text=st.one_of(TEXTS, st.text()))
def test_sentence_is_idempotent_and_changes_no_more_than_case(code: str, text: str) -> None:
    sentence = language(code).filters["sentence"]
    once = sentence(text)
    assert sentence(once) == once
    assert once.upper() == text.upper()


def _patterns() -> list[object]:
    return [
        pytest.param(language(code), pattern, id=f"{code}-{pattern.code}")
        for code in KNOWN
        for pattern in language(code).patterns
    ]


@pytest.mark.parametrize(("spoken", "pattern"), _patterns())
def test_pattern_means_the_same_to_re2(spoken: Language, pattern: Pattern) -> None:
    with (TABLES / f"{spoken.code}.csv").open(encoding="utf-8", newline="") as lines:
        texts = [row["left"] + row["right"] for row in csv.DictReader(lines)]
    texts += [f"«{text}»" for text in texts]
    by_re2 = pc.match_substring_regex(pa.array(texts), pattern.regex).to_pylist()
    assert by_re2 == [bool(re.search(pattern.regex, text)) for text in texts]
    assert any(by_re2), "no case in the table shows this pattern"
    assert pattern.message
    assert pattern.mend


def test_contractions_in_a_published_file(shared: Path) -> None:
    """Fault 18: 'a el' in 36 contexts and 'de el' in 20 of SESGO's Spanish gender prompts."""
    path = shared / "sesgo" / "prompts_genero_es.xlsx"
    workbook = openpyxl.load_workbook(path, read_only=True)
    header, *rows = list(workbook.worksheets[0].iter_rows(values_only=True))
    workbook.close()
    for code, expected in (("contraction-al", 36), ("contraction-del", 20)):
        (pattern,) = (one for one in language("es").patterns if one.code == code)
        hits = [any(isinstance(cell, str) and re.search(pattern.regex, cell) for cell in row) for row in rows]
        in_context = [bool(re.search(pattern.regex, str(row[header.index("context")]))) for row in rows]
        assert hits == in_context
        assert sum(hits) == expected
