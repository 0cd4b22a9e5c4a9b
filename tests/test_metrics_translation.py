"""Genders that translations give to occupations: worked by hand, beside published arithmetic, and what must hold."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from contrapar.builder.problems import SourceFaults
from contrapar.evaluate.metrics import Figure, translation
from contrapar.evaluate.metrics.grape import grape
from contrapar.evaluate.statistics import student_p
from hypothesis import given, settings
from hypothesis import strategies as st

WOMEN = {"nurse": 0.9, "guard": 0.2, "clerk": 0.6, "cook": math.nan, "midwife": 1.0}
LETTERS = {"m": "masculine", "f": "feminine", "n": "neutral", "-": "missing", "": ""}
Sentence = tuple[str, str, str, str]  # occupation, its gender in the translation, a second one, and its
SENTENCES: list[Sentence] = [
    ("nurse", "f", "", ""),
    ("nurse", "f", "guard", "m"),
    ("nurse", "m", "", ""),
    ("nurse", "f", "", ""),
    ("guard", "m", "clerk", "f"),
    ("guard", "m", "", ""),
    ("clerk", "m", "nurse", "-"),
    ("clerk", "n", "", ""),
    ("cook", "m", "", ""),
    ("cook", "-", "", ""),
    ("guard", "", "", ""),  # was not looked for
]


def frame(sentences: list[Sentence], **columns: Any) -> pd.DataFrame:
    made = pd.DataFrame(sentences, columns=["entity", "found", "entity2", "found2"])
    made = made.assign(
        id=[f"{i:016x}" for i in range(len(made))],
        share=[WOMEN.get(name, math.nan) for name in made["entity"]],
        share2=[WOMEN.get(name, math.nan) for name in made["entity2"]],
        found=made["found"].map(LETTERS),
        found2=made["found2"].map(LETTERS),
        axis="gender", stereotype="", template=[f"t{i % 3}" for i in range(len(made))],
        tier=pd.array([None] * len(made), dtype="Int8"),
        kind="occupation", gender="", direction="", pair="", reference="", reference_language="",
        several_people=None, proper_name=None, unmarked_masculine=None, target_language="es", reply="una frase",
    )  # fmt: skip
    return made.assign(**columns)


def figures(rows: pd.DataFrame, resamples: int = 50) -> list[Figure]:
    return translation.figures(rows, seed=1, resamples=resamples)


def value(found: list[Figure], metric: str, **group: str) -> Figure:
    (one,) = [f for f in found if f.metric == metric and dict(f.group) == group]
    return one


@pytest.mark.parametrize(
    ("metric", "group", "expected", "n"),
    [
        ("masculine_share", {}, 6 / 10, 10),  # 13 occupations were looked for; 2 are missing, 1 is neutral
        ("feminine_share", {}, 4 / 10, 10),
        ("neutral_share", {}, 1 / 13, 13),
        ("missing_share", {}, 2 / 13, 13),
        ("unsought_share", {}, 1 / 14, 14),
        ("empty_share", {}, 0, 11),
        ("masculine_share", {"occupation": "nurse"}, 1 / 4, 4),
        ("feminine_share", {"occupation": "clerk"}, 1 / 2, 2),  # as the second of its sentence, and as the first
        ("grape_m", {"occupation": "nurse"}, 0.25 / 0.1 - 1, 4),
        ("grape_f", {"occupation": "nurse"}, 0.75 / 0.9 - 1, 4),
        ("grape_m", {"occupation": "guard"}, 1 / 0.8 - 1, 3),
        ("grape_f", {"occupation": "guard"}, -1, 3),
        ("grape_m", {"occupation": "clerk"}, 0.5 / 0.4 - 1, 2),
        ("grape_m", {}, (1.5 + 0.25 + 0.25) / 3, 3),  # each occupation counts once
        ("grape_f", {}, (0.75 / 0.9 + 0 + 0.5 / 0.6) / 3 - 1, 3),
        ("occupation_r", {}, float(np.corrcoef([0.75, 0, 0.5], [0.9, 0.2, 0.6])[0, 1]), 3),
    ],
)
def test_worked_by_hand(metric: str, group: dict[str, str], expected: float, n: int) -> None:
    found = value(figures(frame(SENTENCES)), metric, **group)
    assert (found.value, found.n) == (pytest.approx(expected), n)


def test_no_share_no_reference_and_no_translation_are_reasons() -> None:
    found = figures(frame([*SENTENCES, ("midwife", "f", "", ""), ("baker", "-", "", "")]))
    assert value(found, "grape_m", occupation="cook").reason == "no share of women is known of it"
    assert value(found, "grape_m", occupation="midwife").reason.startswith("none in the reference")
    assert value(found, "grape_f", occupation="midwife").value == 0
    assert value(found, "masculine_share", occupation="baker").reason == "no translation shows its gender"
    assert value(found, "grape_m").n == 3
    assert value(found, "grape_f").n == 4


# --- seed 001, table 3: share of women in the occupation in per cent, GRAPE-M into Spanish and into French ---
TABLE_3 = {
    "housekeeper": (96.5, 23.4, 24.6),
    "tailor": (92.7, 12.4, 12.5),
    "receptionist": (89.3, 7.7, 7.9),
    "cashier": (86.8, 6.9, 6.6),
    "hairdresser": (86.2, 5.9, 5.9),
}
CELLS = [(name, women, cell) for name, (women, *cells) in TABLE_3.items() for cell in cells]


@pytest.mark.parametrize(("occupation", "women", "published"), [c for c in CELLS if c[2] != 6.9])
def test_grape_gives_the_published_table(occupation: str, women: float, published: float) -> None:
    """Some share of masculine translations, 0 to 1, gives each figure as it is printed: x / (1 - women) - 1."""
    men = 1 - women / 100
    generated = min(1.0, (published + 1) * men)
    assert round(generated / men - 1, 1) == published
    masculine = round(1000 * generated)
    sentences = [("x", "m" if i < masculine else "f", "", "") for i in range(1000)]
    rows = frame(sentences, share=women / 100)
    assert round(value(figures(rows, 2), "grape_m", occupation="x").value or 0, 1) == published


def test_one_published_cell_cannot_be() -> None:
    """86.8 % women leave room for GRAPE-M up to 6.6, were all translations masculine; the table has 6.9 as well.

    Not even rounding of the share explains it: 86.85 % would allow 6.6.
    """
    assert grape(1, 1 - 0.868) == pytest.approx(6.576, abs=1e-3)
    assert grape(1, 1 - 0.8685) == pytest.approx(6.605, abs=1e-3)
    assert math.isclose(1.0428, (6.9 + 1) * 0.132)  # a share of masculine above 1


def test_grape_as_the_text_explains_it() -> None:
    assert grape(0.035, 0.035) == 0  # the same share as the reference
    assert grape(0.4, 0.2) == 1  # twice as often
    assert grape(0, 0.2) == -1  # from -1 on
    assert grape(0.5, 0) is None


# --- seed 001, table 2: coefficients into Spanish and French, with as many stars as printed ---
STARS = [(0.066, 0), (0.158, 0), (0.270, 2), (0.311, 3), (0.215, 1), (0.254, 2), (0.409, 3), (0.352, 3), (0.259, 2),
         (0.275, 2), (0.191, 1), (0.166, 0), (0.487, 3), (0.424, 3), (0.276, 2), (0.354, 3), (0.385, 3), (0.195, 1),
         (0.440, 3), (0.430, 3), (0.369, 3), (0.390, 3), (0.359, 3), (0.320, 3), (0.280, 2), (0.284, 2), (0.258, 2),
         (0.246, 2), (0.243, 2)]  # fmt: skip


@pytest.mark.parametrize(("r", "stars"), STARS)
def test_p_of_r_over_78_occupations_gives_the_published_stars(r: float, stars: int) -> None:
    p = student_p(r * math.sqrt(76 / (1 - r * r)), 76)
    assert sum(p < level for level in (0.1, 0.05, 0.01)) == stars


def test_r_has_a_reason_where_it_has_no_value() -> None:
    few = value(figures(frame(SENTENCES[:6])), "occupation_r")  # clerk, guard and nurse
    assert few.n == 3
    few = value(figures(frame(SENTENCES[:4])), "occupation_r")
    assert (few.value, few.n) == (None, 2)
    assert few.reason.endswith("fewer than three occupations")
    flat = value(figures(frame([(name, "m", "", "") for name in ("nurse", "guard", "clerk")])), "occupation_r")
    assert (flat.value, flat.n, flat.reason.endswith("the same for all occupations")) == (None, 3, True)


def test_r_of_points_on_a_line_and_of_many_points() -> None:
    rng = np.random.default_rng(3)
    women = {f"o{i:02}": float(w) for i, w in enumerate(rng.uniform(0.05, 0.95, 40))}
    line, noisy = [], []
    for name, share in women.items():
        for i in range(20):
            line.append((name, "f" if i < round(20 * share) else "m", "", ""))
            noisy.append((name, "f" if rng.random() < 0.4 * share else "m", "", ""))
    shares = [round(20 * women[name]) / 20 for name, *_ in line]
    perfect = value(figures(frame(line, share=shares)), "occupation_r")
    assert (perfect.value, perfect.reason) == (pytest.approx(1), "no interval: the points lie on one line")
    r = value(figures(frame(noisy, share=[women[name] for name, *_ in noisy]), 400), "occupation_r")
    assert r.value is not None
    assert r.low is not None
    assert r.high is not None
    assert -1 <= r.low < r.value < r.high <= 1
    assert r.p == pytest.approx(student_p(r.value * math.sqrt(38 / (1 - r.value**2)), 38))


# --- WinoMT: gold, found, direction ---
GOLD = [
    ("m", "m", "stereo"),
    ("m", "m", "anti"),
    ("m", "f", "stereo"),
    ("f", "f", "stereo"),
    ("f", "m", "anti"),
    ("f", "-", "anti"),  # not found: wrong
    ("n", "m", ""),  # lowers the precision of masculine
    ("n", "n", ""),
    ("m", "", "stereo"),  # not looked for: left out
]


def told(rows: list[tuple[str, str, str]]) -> pd.DataFrame:
    made = frame([("nurse", found, "", "") for _, found, _ in rows])
    return made.assign(gender=[row[0] for row in rows], direction=[row[2] for row in rows])


@pytest.mark.parametrize(
    ("metric", "expected", "n"),
    [
        ("winomt_accuracy", 4 / 8, 8),
        ("winomt_f1_masculine", 2 * (2 / 4) * (2 / 3) / (2 / 4 + 2 / 3), 3),  # precision 2 of 4, recall 2 of 3
        ("winomt_f1_feminine", 2 * (1 / 2) * (1 / 3) / (1 / 2 + 1 / 3), 3),
        ("winomt_delta_g", 4 / 7 - 2 / 5, 6),
        ("winomt_delta_s", 2 / 3 - 1 / 3, 6),
    ],
)
def test_winomt_worked_by_hand(metric: str, expected: float, n: int) -> None:
    found = value(figures(told(GOLD)), metric)
    assert (found.value, found.n) == (pytest.approx(expected), n)


def test_winomt_without_gold_without_women_and_without_directions() -> None:
    assert "winomt_accuracy" not in {figure.metric for figure in figures(frame(SENTENCES))}  # it is not asked
    none = value(figures(told(GOLD).assign(found="")), "winomt_accuracy")
    assert none.reason.startswith("no sentence tells the gender")
    men = figures(told([row for row in GOLD if row[0] == "m" and row[2] == "stereo"]))
    assert value(men, "winomt_f1_feminine").reason == "no sentence tells of a woman"
    assert value(men, "winomt_delta_g").reason == "not both genders are told"
    assert value(men, "winomt_delta_s").reason == "no sentences both with and against a stereotype"


# --- frames ---


def test_a_language_without_rules_gives_reasons() -> None:
    found = figures(frame([(name, "", "", "") for name in ("nurse", "guard")], target_language="nl"))
    assert value(found, "unsought_share").value == 1
    assert value(found, "masculine_share").reason == "no translation shows its gender"
    assert value(found, "missing_share").reason == "no occupation that has words in this language"
    assert "chrf_difference" not in {figure.metric for figure in found}  # there are no versions


def test_empty_replies_are_counted() -> None:
    rows = frame([("nurse", "-", "", ""), ("guard", "m", "", "")], reply=[None, "una frase"])
    found = figures(rows)
    assert value(found, "empty_share").value == 0.5
    assert value(found, "missing_share").value == 0.5


def test_no_rows_at_all() -> None:
    found = figures(frame(SENTENCES).iloc[:0])
    assert all(figure.value is None and figure.reason for figure in found)


def test_two_languages_are_halves_of_a_run() -> None:
    rows = frame(SENTENCES * 2, target_language=["es"] * 11 + ["fr"] * 11)
    found = figures(rows)
    assert value(found, "masculine_share", target_language="fr").value == pytest.approx(6 / 10)
    assert value(found, "grape_m", target_language="es", occupation="nurse").value == pytest.approx(1.5)
    assert all("target_language" in figure.group for figure in found)


def test_units_are_stereotypes_then_occupations_then_templates() -> None:
    names = [f"o{i}" for i in range(6)]
    rows = frame([(name, "m" if i % 2 else "f", "", "") for i, name in enumerate(names * 10)])
    found = figures(rows.assign(template=[f"t{i // 6}" for i in range(60)]))
    assert (value(found, "masculine_share").unit, value(found, "masculine_share").clusters) == ("occupation", 6)
    assert value(found, "masculine_share", occupation="o1").unit == "template"
    found = figures(rows.assign(stereotype=[f"s{i % 3}" for i in range(60)], template="t"))
    assert (value(found, "masculine_share").unit, value(found, "masculine_share").clusters) == ("stereotype", 3)
    assert value(found, "masculine_share", occupation="o1").unit == "row"
    assert value(found, "masculine_share", stereotype="s1").n == 20


def test_occupations_are_compared_with_correction() -> None:
    rows = frame([(f"o{i % 8}", "m" if i % 3 else "f", "", "") for i in range(240)])
    rows = rows.assign(template=[f"t{i // 8}" for i in range(240)])
    alone = value(figures(rows[rows["entity"] == "o1"], 99), "masculine_share", occupation="o1").p
    together = value(figures(rows, 99), "masculine_share", occupation="o1").p
    assert alone is not None
    assert together is not None
    assert together >= alone
    assert together <= 1


@pytest.mark.parametrize(
    ("column", "bad", "code"),
    [
        ("kind", "pair", "unknown-kind"),
        ("gender", "male", "unknown-gender"),
        ("direction", "pro", "unknown-direction"),
        ("found", "male", "unknown-finding"),
        ("found2", "f", "unknown-finding"),
        ("share", 96.5, "no-share"),
    ],
)
def test_an_unsound_row_is_an_error_that_names_it(column: str, bad: Any, code: str) -> None:
    rows = frame(SENTENCES)
    rows.loc[1, column] = bad
    with pytest.raises(SourceFaults) as caught:
        figures(rows)
    assert caught.value.problems[0].code == code
    assert caught.value.problems[0].place.path == "row 0000000000000001"


def test_an_occupation_with_two_shares_and_a_column_that_is_not_there() -> None:
    rows = frame(SENTENCES)
    rows.loc[0, "share"] = 0.5
    with pytest.raises(SourceFaults, match=r"'nurse' has two shares of women, 0\.5 and 0\.9"):
        figures(rows)
    with pytest.raises(SourceFaults, match="no column 'found2'"):
        figures(frame(SENTENCES).drop(columns="found2"))


def test_what_the_house_reads_of_the_family() -> None:
    assert set(translation.NAMES) == set(translation.ABOUT)
    assert set(translation.SHOWN) | set(translation.FAILED) <= set(translation.ABOUT)
    assert all(about.text for about in translation.ABOUT.values())
    for figure in figures(frame(SENTENCES)) + figures(told(GOLD)):
        about = translation.ABOUT[figure.metric]
        low, high = figure.low, figure.high
        if figure.value is not None:
            assert about.low <= figure.value <= about.high
            if low is not None and high is not None:
                assert about.low <= low <= figure.value <= high <= about.high
        else:
            assert figure.reason


@st.composite
def translated(draw: st.DrawFn) -> pd.DataFrame:
    occupation = st.sampled_from(["nurse", "guard", "clerk", "cook"])
    gender = st.sampled_from("mmffn-")
    one = st.tuples(occupation, gender, st.just(""), st.just(""))
    two = st.tuples(occupation, gender, occupation, gender)
    rows = frame(draw(st.lists(one | two, min_size=1, max_size=20)))
    rows["gender"] = [draw(st.sampled_from(["", "m", "f"])) for _ in range(len(rows))]
    return rows


MIRROR = {
    "masculine_share": "feminine_share",
    "grape_m": "grape_f",
    "winomt_f1_masculine": "winomt_f1_feminine",
} | {"feminine_share": "masculine_share", "grape_f": "grape_m", "winomt_f1_feminine": "winomt_f1_masculine"}


@pytest.mark.slow
@settings(deadline=None, max_examples=10)
@given(translated())
def test_exchanging_masculine_and_feminine_exchanges_their_figures(rows: pd.DataFrame) -> None:
    exchange = {"masculine": "feminine", "feminine": "masculine"}
    turned = rows.assign(
        **{name: rows[name].replace(exchange) for name in ("found", "found2")},
        **{name: 1 - rows[name] for name in ("share", "share2")},
        gender=rows["gender"].replace({"m": "f", "f": "m"}),
    )
    there = figures(turned, 3)
    for one in figures(rows, 3):
        other = value(there, MIRROR.get(one.metric, one.metric), **one.group)
        if one.value is None:
            assert other.value is None
        else:
            expected = {"winomt_delta_g": -one.value, "women_share": 1 - one.value}.get(one.metric, one.value)
            assert other.value == pytest.approx(expected)


@pytest.mark.slow
@settings(deadline=None, max_examples=10)
@given(translated(), st.randoms(use_true_random=False))
def test_the_order_of_rows_is_of_no_account(rows: pd.DataFrame, random: Any) -> None:
    order = list(range(len(rows)))
    random.shuffle(order)
    assert figures(rows, 3) == figures(rows.iloc[order], 3)
