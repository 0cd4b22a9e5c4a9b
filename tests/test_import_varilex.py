"""A table of variants and countries as questions of ours: a small twin of our own, for the database is not ours."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from contrapar.builder.build import build, check
from contrapar.builder.formats.varilex import Signs, import_varilex
from contrapar.builder.problems import SourceFaults, UsageError
from contrapar.builder.tables import read_rows
from contrapar.cli import main
from hypothesis import given, settings
from hypothesis import strategies as st

# invented: no sign here says anything of a country
TABLE = """\
item,description,english,variant,Argentina,ES,México
A1,cosa con ruedas que no hay,WHEELED,blim,-,+,\u2013
A1,,,tosco,+,-,+
A1,,,rame,\u2212,-,+
A2,fruta que no hay,FRUIT,dulo,+,-,-
A2,,,vepo nave,-,+,
A2,,,nunca,-,-,-
"""


def made(folder: Path, table: str = TABLE, name: str = "own.csv", **options: Any) -> Path:
    (folder / name).write_text(table, encoding="utf-8")
    import_varilex(folder / name, folder / "out", **options)
    return folder / "out"


def entries(out: Path, kind: str = "variants") -> list[dict[str, str]]:
    with (out / "lexicons" / "es" / f"{kind}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=";"))


def faults(folder: Path, table: str, **options: Any) -> list[str]:
    with pytest.raises(SourceFaults) as found:
        made(folder, table, **options)
    assert sorted(path.name for path in folder.iterdir()) == ["own.csv"]
    return [f"{one.place.line}:{one.place.field}:{one.code}" for one in found.value.problems]


def test_signs_become_countries_and_an_empty_cell_is_doubtful(tmp_path: Path) -> None:
    out = made(tmp_path)
    assert [(row["id"], row["concept"], row["form"], row["country"], row["doubtful"]) for row in entries(out)] == [
        ("a1/blim", "a1", "blim", "es", ""),
        ("a1/tosco", "a1", "tosco", "ar|mx", ""),
        ("a1/rame", "a1", "rame", "mx", ""),
        ("a2/dulo", "a2", "dulo", "ar", ""),
        ("a2/vepo-nave", "a2", "vepo nave", "es", "mx"),
        ("a2/nunca", "a2", "nunca", "", ""),
    ]
    assert [(row["description"], row["note"]) for row in entries(out)[::3]] == [
        ("cosa con ruedas que no hay", "WHEELED"),
        ("fruta que no hay", "FRUIT"),
    ]
    assert entries(out)[0]["source"] == "VARILEX-R, Ueda and Moreno-Fernández 2016, A1"
    assert entries(out, "countries") == [
        {"id": "ar", "form": "Argentina"},
        {"id": "es", "form": "España"},
        {"id": "mx", "form": "México"},
    ]


def test_what_was_imported_is_checked_and_builds(tmp_path: Path) -> None:
    """One word in use and one that is not of each item in each country, as the paper asks; what is unknown is not."""
    out = made(tmp_path)
    assert {p.code for p in check(str(out)).problems(complete=True)} == {"incomplete-dataset"}
    rows = read_rows(build(str(out), tmp_path / "built").folder).to_pylist()
    for country in ("ar", "es", "mx"):
        for item in ("a1", "a2"):
            golds = [
                r["gold"] for r in rows if (r["country"], r["concept_id"], r["format"]) == (country, item, "yes_no")
            ]
            assert sorted(golds) == ([] if (country, item) == ("mx", "a2") else [[0], [1]])
    choices = {
        (r["country"], r["concept_id"]): {r["options"][n] for n in r["gold"]} for r in rows if r["format"] == "choice"
    }
    assert choices["mx", "a1"] == {"tosco", "rame"}
    assert ("mx", "a2") not in choices


def test_an_empty_cell_may_be_said_to_be_a_no(tmp_path: Path) -> None:
    table = TABLE.replace("-", "").replace("\u2013", "").replace("\u2212", "").replace("+", "x")
    out = made(tmp_path, table, signs=Signs(("x",), ("",)))
    assert {row["doubtful"] for row in entries(out)} == {""}
    assert [row["country"] for row in entries(out)] == ["es", "ar|mx", "mx", "ar", "es", ""]


def test_columns_are_known_by_id_or_name_or_as_mapped(tmp_path: Path) -> None:
    table = TABLE.replace(
        "item,description,english,variant,Argentina,ES,México", "N;Qué;en;Voz;ARG;españa;Mexico".replace(";", ",")
    )
    maps = {"N": "item", "Qué": "description", "en": "english", "Voz": "variant", "ARG": "ar"}
    assert entries(made(tmp_path, table, maps=maps))[1]["country"] == "ar|mx"


def test_a_column_that_is_no_country_is_told_and_left_out(tmp_path: Path) -> None:
    lines = TABLE.splitlines()
    table = "\n".join([f"{lines[0]},Mejico", *(f"{line},?" for line in lines[1:])])
    (tmp_path / "own.csv").write_text(table, encoding="utf-8")
    written, told = import_varilex(tmp_path / "own.csv", tmp_path / "out")
    assert written == 6
    assert [one.code for one in told] == ["left-out"]
    assert "'Mejico' is no country" in told[0].message
    assert "did you mean 'mexico'" in told[0].mend


def test_all_faults_are_told_at_once_and_nothing_is_written(tmp_path: Path) -> None:
    table = (
        "item,description,variant,ar,es\n"
        "A1,cosa,blim,+,-\n"
        "A1,otra cosa,tosco,-,+\n"  # described otherwise
        "A1,,Blim,-,+\n"  # a second time
        ",,rame,-,+\n"  # of no item
        "A2,,dulo,?,+\n"  # no description; two cells of no known sign
        "A2,,,+,-\n"  # no word
        "A2,,vepo,?,+\n"
    )
    assert faults(tmp_path, table) == [
        "3:description:two-descriptions",
        "4:variant:doubled-variant",
        "5:item:no-item",
        "6:ar:sign",
        "6:description:no-description",
        "7:variant:no-variant",
    ]


def test_a_sign_is_told_once_with_how_many_cells_have_it(tmp_path: Path) -> None:
    with pytest.raises(SourceFaults) as found:
        made(tmp_path, TABLE.replace("+", "1"))
    assert [str(one).partition(": ")[2] for one in found.value.problems] == [
        "error sign: '1' is no sign (6 cells); say what it means: --yes '1' or --no '1'"
    ]
    assert entries(made(tmp_path, TABLE.replace("+", "1"), signs=Signs(("+", "1"))))[0]["country"] == "es"


@pytest.mark.parametrize(
    ("table", "options", "message"),
    [
        (TABLE.replace("variant", "voz"), {}, "nothing is variant"),
        ("item,description,variant,ar\nA1,cosa,blim,+\n", {}, "two countries at least"),
        (TABLE.replace("ES,", "AR,"), {}, "'Argentina' and 'AR' say the same"),
        (TABLE, {"maps": {"voz": "variant"}}, "there is no column 'voz'"),
        (TABLE, {"maps": {"english": "gloss"}}, "'gloss' is no column of ours"),
        (TABLE.splitlines()[0] + "\n", {}, "holds no variant"),
        ("item,description,variant,ar,es\nA1,cosa,blim,+,-\nA1,,rame,+,-\n", {}, "nothing can be asked"),
        ("", {}, "nothing is two countries"),
    ],
)
def test_what_is_no_such_table_is_refused_in_one_line(
    table: str, options: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=message) as error:
        made(tmp_path, table, **options)
    assert "\n" not in str(error.value)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["own.csv"]


def test_one_sign_means_one_thing() -> None:
    with pytest.raises(UsageError, match=r"both hold '\+'"):
        Signs(("+",), ("+",))


def test_nothing_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(UsageError, match="is not empty"):
        made(tmp_path)
    with pytest.raises(UsageError, match="no such file"):
        import_varilex(tmp_path / "none.csv", tmp_path / "new")


def test_long_words_that_begin_alike_get_ids_of_their_own(tmp_path: Path) -> None:
    words = ("w" * 300, "w" * 301, "w" * 20, "otro")
    table = "item,description,variant,ar,es\n" + "".join(
        f"A1,cosa,{word},{sign}\n" for word, sign in zip(words, ("+,-", "-,+", "+,-", "+,-"), strict=True)
    )
    ids = [row["id"] for row in entries(made(tmp_path, table))]
    assert len(set(ids)) == 4
    assert ids[3] == "a1/otro"
    assert max(map(len, ids)) <= 120
    (tmp_path / "b").mkdir()
    again = made(tmp_path / "b", table.replace("A1,cosa,otro,+,-\n", ""))
    assert [row["id"] for row in entries(again)] == ids[:3]  # none depends on other rows


WORDS = st.text(st.characters(categories=("L", "N", "P", "Zs")), min_size=1, max_size=12).filter(
    lambda word: any(letter.isalnum() for letter in word)
)


SIGNS = st.lists(st.sampled_from("+-."), min_size=3, max_size=3)
ITEMS = st.dictionaries(WORDS, SIGNS, min_size=1, max_size=6)


@pytest.mark.slow
@settings(max_examples=25, deadline=None)
@given(table=st.dictionaries(st.integers(1, 5), ITEMS, min_size=1, max_size=5))
def test_any_signs_come_back(table: dict[int, dict[str, list[str]]], tmp_path_factory: pytest.TempPathFactory) -> None:
    from contrapar.builder.checks.text import normalised
    from contrapar.builder.csv_files import clean
    from contrapar.builder.sources import read_lexicon

    folder = tmp_path_factory.mktemp("own")
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["item", "description", "variant", "ar", "es", "mx"])
    wanted = {}
    always = {"uno": ["+", "-", "-"], "dos": ["-", "+", "-"]}  # so that there is something to ask
    for item, words in {**table, 9: always}.items():
        once = {normalised(word): (word, signs) for word, signs in words.items() if normalised(word)}
        for word, signs in once.values():
            writer.writerow([f"B{item}", f"cosa {item}", word, *("" if sign == "." else sign for sign in signs)])
            wanted[f"b{item}", clean(word)] = signs
    found = read_lexicon(made(folder, text.getvalue()) / "lexicons" / "es" / "variants.csv", "variants").entries
    places = ("ar", "es", "mx")
    assert {
        (one.concept, one.form[""]): ["+" if p in one.country else "." if p in one.doubtful else "-" for p in places]
        for one in found.values()
    } == wanted


def test_the_verb(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "own.tsv").write_text(TABLE.replace(",", "\t").replace("item", "Índice"), encoding="utf-8")
    line = ["import", "varilex", str(tmp_path / "own.tsv"), "--out", str(tmp_path / "out")]

    def said(*more: str) -> tuple[object, str, str]:
        with pytest.raises(SystemExit) as end:
            main([*line, *more])
        return end.value.code, *capsys.readouterr()

    assert said() == (2, "", f"contrapar: {tmp_path / 'own.tsv'}: nothing is item; say --map THEIRS=OURS\n")
    assert said("--map", "Índice")[0] == 2
    assert said("--map", "Índice=item", "--source", "Una tabla") == (0, f"wrote 6 variants to {tmp_path / 'out'}\n", "")
    assert entries(tmp_path / "out")[0]["source"] == "Una tabla, A1"


def test_a_workbook_is_read_too(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")
    book = openpyxl.Workbook()
    for line in csv.reader(io.StringIO(TABLE)):
        book.active.append(line)
    book.save(tmp_path / "own.xlsx")
    import_varilex(tmp_path / "own.xlsx", tmp_path / "out")
    assert [row["country"] for row in entries(tmp_path / "out")] == ["es", "ar|mx", "mx", "ar", "es", ""]
