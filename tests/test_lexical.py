"""Questions on the words of a country: which are asked, that they balance, and that one word more moves no other."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from conftest import DATASET, write
from contrapar.builder.audit import audit
from contrapar.builder.build import build, check
from contrapar.builder.export import export
from contrapar.builder.families import FAMILIES
from contrapar.builder.formats import plain
from contrapar.builder.preview_rows import LAYOUTS
from contrapar.builder.release.diff import difference
from contrapar.builder.tables import fields, read_rows
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small import LEXICAL

Row = dict[str, Any]
COUNTRIES = ("aa", "bb", "cc", "dd")
HEAD = "id;concept;description;country;doubtful;form;source\n"


def variants(words: Iterable[tuple[str, str, Iterable[str], Iterable[str]]]) -> str:
    """Concept, word, where it is used, where that is doubtful: as a table."""
    return HEAD + "".join(
        f"{concept}/{word};{concept};cosa {concept};{'|'.join(used)};{'|'.join(doubtful)};{word};Una fuente\n"
        for concept, word, used, doubtful in words
    )


def sources(root: Path, table: str, more: str = "") -> Path:
    return write(
        root,
        {
            **LEXICAL,
            "templates/small/dataset.yaml": DATASET.format(family="lexical", language="es") + more,
            "lexicons/es/countries.csv": "id;form\n" + "".join(f"{id};País {id}\n" for id in COUNTRIES),
            "lexicons/es/variants.csv": table,
        },
    )


def rows_of(root: Path, out: Path) -> list[Row]:
    rows: list[Row] = read_rows(build(str(root), out).folder).to_pylist()
    return rows


def of(rows: list[Row], format: str) -> list[Row]:
    return [row for row in rows if row["format"] == format]


@pytest.fixture(scope="module")
def small_rows(tmp_path_factory: pytest.TempPathFactory) -> list[Row]:
    return rows_of(write(tmp_path_factory.mktemp("own"), LEXICAL), tmp_path_factory.mktemp("out"))


# --- what is asked ----------------------------------------------------------------------------------------


def test_signs_become_answers(small_rows: list[Row]) -> None:
    """One country for each word of the kite; `nave` is doubtful, and nothing is asked of it, but in Norlandia."""
    signs = {(r["country"], r["variant"]): r["options"][r["gold"][0]] for r in of(small_rows, "yes_no")}
    assert signs["na", "kite/blim"] == "Sí"
    assert {signs.get(("na", f"boat/{word}")) for word in ("nave", "dulo")} == {"Sí", None}  # one pair: one no is known
    assert ("su", "kite/rame") not in signs
    assert {key for key in signs if key[1] == "boat/nave"} <= {("na", "boat/nave")}
    assert all(r["options"] == ["Sí", "No"] and len(r["gold"]) == 1 for r in of(small_rows, "yes_no"))


def test_a_choice_lists_the_words_whose_sign_is_known(small_rows: list[Row]) -> None:
    told = {(r["country"], r["concept_id"]): (set(r["options"]), {r["options"][n] for n in r["gold"]})
            for r in of(small_rows, "choice")}  # fmt: skip
    assert told == {
        ("na", "kite"): ({"blim", "tosco", "rame"}, {"blim"}),
        ("su", "kite"): ({"blim", "tosco"}, {"tosco"}),
        ("es", "kite"): ({"blim", "tosco", "rame"}, {"rame"}),
        ("na", "boat"): ({"dulo", "vepo", "nave"}, {"dulo", "nave"}),
        ("su", "boat"): ({"dulo", "vepo"}, {"dulo"}),
        ("es", "boat"): ({"dulo", "vepo"}, {"vepo"}),
    }


def test_what_a_row_says_of_itself(small_rows: list[Row]) -> None:
    row = next(r for r in of(small_rows, "yes_no") if (r["country"], r["variant"]) == ("na", "kite/blim"))
    assert row["slots"] == ["country=na", "variant=kite/blim", "concept=kite"]
    assert row["question"] == "¿Dicen «blim» en Norlandia para un juguete que vuela?"
    assert (row["concept_id"], row["source"], row["tier"], row["stereotype"]) == ("kite", "Una fuente", None, "")
    row = next(r for r in of(small_rows, "choice") if (r["country"], r["concept_id"]) == ("na", "boat"))
    assert (row["slots"], row["variant"], row["source"]) == (["country=na", "concept=boat"], "", "Una fuente")


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        pytest.param([("k", "uno", "aa", ())], False, id="one variant"),
        pytest.param([("k", f"w{n}", ["aa" if n % 2 else "bb"], ()) for n in range(20)], True, id="twenty"),
        pytest.param([("k", f"w{n}", ["aa" if n % 2 else "bb"], ()) for n in range(21)], False, id="twenty-one"),
        pytest.param([("k", f"w{n}", ["aa" if n % 2 else "bb"], ["aa", "bb"][n % 2 : n % 2 + 1] * (n > 9))
                      for n in range(21)], False, id="twenty-one, of which some are doubtful"),
        pytest.param([("k", "uno", ["aa"], ()), ("k", "dos", ["aa"], ())], False, id="all are used"),
        pytest.param([("k", "uno", ["aa"], ()), ("k", "dos", ["bb"], ["aa"])], False, id="the other is doubtful"),
        pytest.param([("k", "uno", ["bb"], ()), ("k", "dos", ["bb"], ())], False, id="none is known"),
        pytest.param([("k", "uno", ["aa"], ()), ("k", "dos", ["bb"], ())], True, id="two"),
    ],
)  # fmt: skip
def test_which_concepts_become_choices(words: list[Any], asked: bool, tmp_path: Path) -> None:
    other = [("z", "zas", ["aa", "bb", "cc", "dd"], ()), ("z", "zis", ["cc"], ()), ("z", "zos", ["dd"], ())]
    fixed = [(c, w, [u] if isinstance(u, str) else u, d) for c, w, u, d in words]
    rows = rows_of(sources(tmp_path / "own", variants([*fixed, *other])), tmp_path / "out")
    assert any(r["country"] == "aa" and r["concept_id"] == "k" for r in of(rows, "choice")) is asked


@pytest.mark.parametrize(
    ("template", "code"),
    [
        ('slots: {country: countries, variant: variants}\n  question: "¿{{ variant }}, {{ country }}, '
         '{{ concept.description }}?"\n  format: choice', "leak"),
        ('slots: {country: countries, word: variants}\n  question: "¿{{ word }}?"\n  format: yes_no', "slots"),
        ('slots: {country: countries, variant: countries}\n  question: "¿{{ variant }}?"\n  format: yes_no', "slots"),
        ('slots: {country: countries, variant: variants, concept: [a]}\n  question: "¿{{ concept }}?"\n'
         "  format: choice", "slots"),
        ('slots: {country: countries, variant: variants}\n  question: "¿Qué es {{ concept.description }}?"\n'
         "  format: choice", "unused-slot"),
        ('slots: {country: countries, variant: variants}\n  question: "¿{{ concept }} en {{ country }}?"\n'
         "  format: choice", "undefined-form"),
        ('slots: {country: countries, variant: variants}\n  together: [{variant: kite/blim, country: na}]\n'
         '  question: "¿{{ variant }} en {{ country }}: {{ concept.description }}?"\n  format: yes_no', "slots"),
    ],
)  # fmt: skip
def test_templates_that_do_not_ask_are_refused(template: str, code: str, tmp_path: Path) -> None:
    root = write(tmp_path, {**LEXICAL, "templates/small/a.yaml": f"- id: mala\n  {template}\n"})
    found = [p.code for p in check(str(root)).problems(complete=True) if p.severity == "error"]
    assert found == [code]


def test_a_slot_of_its_own_multiplies_whole_pairs(tmp_path: Path) -> None:
    more = LEXICAL["templates/small/a.yaml"].replace("variant: variants}", "variant: variants, tono: [Diga, Di]}")
    files = {**LEXICAL, "templates/small/a.yaml": more.replace('"¿', '"{{ tono }}: ¿')}
    rows = rows_of(write(tmp_path / "own", files), tmp_path / "out")
    plain_rows = rows_of(write(tmp_path / "plain", LEXICAL), tmp_path / "plain-out")
    assert len(rows) == 2 * len(plain_rows)
    assert balanced(rows)


# --- balance ----------------------------------------------------------------------------------------------


def balanced(rows: list[Row]) -> bool:
    """As many yes as no of each country, and of each of its concepts."""
    counts: Counter[tuple[str, str]] = Counter()
    for row in of(rows, "yes_no"):
        counts[row["country"], row["concept_id"]] += 1 if row["gold"] == [0] else -1
    return not any(counts.values())


WORDS = [f"w{n}" for n in range(6)]
PLACES = st.sets(st.sampled_from(COUNTRIES), max_size=4)
SIGNS = st.lists(st.tuples(st.sampled_from("kmn"), st.sampled_from(WORDS), PLACES, PLACES), min_size=2, max_size=12,
                 unique_by=lambda word: word[:2])  # fmt: skip


def cleaned(words: list[Any]) -> list[tuple[str, str, list[str], list[str]]]:
    return [(concept, word, sorted(used), sorted(doubtful - used)) for concept, word, used, doubtful in words]


@pytest.mark.slow
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words=SIGNS, keep=st.one_of(st.none(), st.integers(1, 4)))
def test_any_lexicon_gives_balanced_questions(
    words: list[Any], keep: int | None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    known = cleaned(words)
    signs = {(c, w): (set(u), set(d)) for c, w, u, d in known}
    root = tmp_path_factory.mktemp("own")
    sampling = "" if keep is None else f"sampling: {{keep: {keep}, per: [country, concept]}}\n"
    always = [("zz", "siempre", ["aa"], []), ("zz", "nunca", ["bb"], [])]
    rows = rows_of(sources(root, variants([*known, *always]), sampling), root / "out")
    assert balanced(rows)
    for row in of(rows, "yes_no"):
        if row["concept_id"] == "zz":
            continue
        concept, word = row["variant"].split("/")
        used, doubtful = signs[concept, word]
        if row["gold"] == [0]:
            assert row["country"] in used
        else:  # never where it is doubtful, nor where nothing is known of the concept
            assert row["country"] not in used | doubtful
            assert any(row["country"] in u for (c, _), (u, _) in signs.items() if c == concept)
    for row in of(rows, "choice"):
        assert 0 < len(row["gold"]) < len(row["options"])
        assert row["gold"] == sorted(set(row["gold"]))
        if row["concept_id"] != "zz":
            right = {word for n, word in enumerate(row["options"]) if n in row["gold"]}
            assert right == {w for (c, w), (u, _) in signs.items() if c == row["concept_id"] and row["country"] in u}


@pytest.mark.parametrize("per", ["template", "country", "variant", "concept"])
def test_a_sample_is_balanced_too(per: str, tmp_path: Path) -> None:
    words = [(k, f"{k}{n}", [COUNTRIES[n % 4]], ()) for k in "kmn" for n in range(8)]
    root = sources(tmp_path / "own", variants(words), f"sampling: {{keep: 3, per: [{per}]}}\n")
    rows = rows_of(root, tmp_path / "out")
    assert balanced(rows)
    pairs = {"template": 3, "country": 3 * 4, "variant": 24, "concept": 3 * 3}[per]  # a variant is used in one country
    assert len(of(rows, "yes_no")) == 2 * pairs
    whole = {r["id"] for r in rows_of(sources(tmp_path / "whole", variants(words)), tmp_path / "whole-out")}
    assert {r["id"] for r in rows} <= whole


# --- stability --------------------------------------------------------------------------------------------


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(words=SIGNS, new=PLACES.filter(bool), seed=st.randoms(use_true_random=False))
def test_one_variant_more_moves_no_other(
    words: list[Any], new: set[str], seed: Any, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Options keep their order, a country's questions change by a pair a concept, and no other concept's change."""
    known = [*cleaned(words), ("zz", "siempre", ["aa"], []), ("zz", "nunca", ["bb"], [])]
    more = [*known, ("k", "nueva", sorted(new), [])]
    seed.shuffle(more)  # nor does the order of lines
    one, two = tmp_path_factory.mktemp("one"), tmp_path_factory.mktemp("two")
    before, after = (
        rows_of(sources(one, variants(known)), one / "out"),
        rows_of(sources(two, variants(more)), two / "out"),
    )
    options = {row["id"]: row["options"] for row in of(after, "choice")}
    for row in of(before, "choice"):
        assert [word for word in options[row["id"]] if word != "nueva"] == row["options"]
    golds = {row["id"]: row["gold"] for row in of(after, "yes_no")}
    gone: Counter[str] = Counter()
    for row in of(before, "yes_no"):
        if row["id"] not in golds:
            assert row["concept_id"] == "k"
            gone[row["country"]] += 1
        else:
            assert golds[row["id"]] == row["gold"]
    assert all(count <= 1 for count in gone.values()), gone


def test_options_stand_in_no_fixed_order(tmp_path: Path) -> None:
    """Neither that of the file nor one order for all: each place holds the right answer about as often."""
    words = [(f"k{n}", f"{w}{n}", [COUNTRIES[i]], ()) for n in range(150) for i, w in enumerate("abcd")]
    rows = of(rows_of(sources(tmp_path / "own", variants(words)), tmp_path / "out"), "choice")
    places = Counter(row["gold"][0] for row in rows)
    assert len(rows) == 600
    assert all(abs(places[n] / 600 - 1 / 4) < 0.06 for n in range(4)), places
    orders = Counter(tuple(word[0] for word in row["options"]) for row in rows)
    assert len(orders) == 24
    assert max(orders.values()) < 60


def test_a_correction_of_a_sign_is_a_change_of_its_row(tmp_path: Path) -> None:
    table = variants([("k", w, [c], ()) for w, c in zip(("uno", "dos", "tres"), ("aa", "bb", "cc"), strict=True)])
    one = build(str(sources(tmp_path / "one", table)), tmp_path / "a").folder
    two = build(str(sources(tmp_path / "two", table.replace(";bb;;dos", ";bb|aa;;dos"))), tmp_path / "b").folder
    found = difference(one, two)
    assert found.counts["removed"] == 0
    changed = {(r["country"], r["format"]) for r in read_rows(two).to_pylist()} & {("aa", "choice"), ("aa", "yes_no")}
    assert len(changed) == 2
    assert found.counts["changed"] >= 1


# --- files ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = write(tmp_path_factory.mktemp("own"), LEXICAL)
    return build(str(root), tmp_path_factory.mktemp("out") / "built").folder


def test_lists_come_back_from_every_plain_file(built: Path, tmp_path: Path) -> None:
    rows, schema = read_rows(built), fields(FAMILIES["lexical"].FIELDS)
    assert rows.cast(schema).schema.equals(schema)
    lines = (export(built, "jsonl", tmp_path / "j").folder / plain.JSONL).read_text(encoding="utf-8").splitlines()
    assert [plain.json.loads(line) for line in lines] == rows.to_pylist()
    assert plain.read_csv(export(built, "csv", tmp_path / "c").folder / plain.CSV, schema) == rows.cast(schema)
    parts = sorted((export(built, "parquet", tmp_path / "p").folder / "data").iterdir())
    assert pq.read_table(parts[0]).to_pylist() == rows.to_pylist()


@pytest.mark.parametrize("to", ["jsonl", "csv", "parquet"])
def test_an_exported_file_is_audited_without_a_finding(built: Path, to: str, tmp_path: Path) -> None:
    folder = export(built, to, tmp_path / to).folder
    report = audit(next(path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != "ABOUT.md"))
    assert (report.family, report.found) == ("lexical", {})


def test_the_same_sources_give_the_same_bytes(built: Path, tmp_path: Path) -> None:
    table = LEXICAL["lexicons/es/variants.csv"].splitlines(keepends=True)
    files = {**LEXICAL, "lexicons/es/variants.csv": "".join([table[0], *reversed(table[1:])])}
    # the description stands in whichever row of a concept has it
    again = build(str(write(tmp_path / "own", files)), tmp_path / "out").folder
    assert [p.read_bytes() for p in sorted((again / "data").iterdir())] == [
        p.read_bytes() for p in sorted((built / "data").iterdir())
    ]


def test_the_right_options_are_marked_in_a_preview(small_rows: list[Row]) -> None:
    row = next(r for r in of(small_rows, "choice") if len(r["gold"]) == 2)
    lines = LAYOUTS["lexical"](row, lambda row, slot: ())
    assert [n for n, line in enumerate(lines.lines[1:]) if line.right] == row["gold"]
    assert lines.tags == ["choice", row["country"]]


@pytest.mark.slow
def test_questions_of_many_words_fit_in_one_pass(tmp_path: Path) -> None:
    """As many variants as the largest database of them has: nothing is crossed that does not go together."""
    words = [(f"k{n}", f"w{n}x{m}", [COUNTRIES[(n + m) % 4]], ()) for n, m in itertools.product(range(900), range(10))]
    rows = read_rows(build(str(sources(tmp_path / "own", variants(words))), tmp_path / "out").folder)
    per_country: dict[str, Counter[str]] = defaultdict(Counter)
    for format, country in zip(rows["format"].to_pylist(), rows["country"].to_pylist(), strict=True):
        per_country[country][format] += 1
    assert set(per_country) == set(COUNTRIES)
    assert all(counts["choice"] == 900 for counts in per_country.values())
