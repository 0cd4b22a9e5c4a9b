"""Krippendorff's alpha is the library's and the literature's; odd respondents are flagged."""

from __future__ import annotations

import time

import pytest
from contrapar.annotation.agreement import Level, agreements, krippendorff_alpha, respondents
from contrapar.annotation.answers import Answer

pytest.importorskip("krippendorff", reason="krippendorff, of the extra survey, is not installed")

_ = None
# Krippendorff 2011, "Computing Krippendorff's Alpha-Reliability", example C: four observers, twelve units
EXAMPLE_C = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, _, _, _],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, _, 3],
    [_, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, _],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, _],
]
# the same paper, example A: two observers, ten units, two values
EXAMPLE_A = [[0, 1, 0, 0, 0, 0, 0, 0, 1, 0], [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]]
# the same paper, example B: two observers, twelve units, five values
EXAMPLE_B = [list("aabbdcccedda"), list("babbbccceddd")]
# the library's own first example
LIBRARY = [
    [_, _, _, _, _, 3, 4, 1, 2, 1, 1, 3, 3, _, 3],
    [1, _, 2, 1, 3, 3, 4, 3, _, _, _, _, _, _, _],
    [_, _, 2, 1, 3, 4, 4, _, 2, 1, 1, 3, 3, _, 4],
]


@pytest.mark.parametrize(
    ("data", "scale", "level", "published"),
    [
        (EXAMPLE_A, [0, 1], "nominal", 0.095),
        (EXAMPLE_B, list("abcde"), "nominal", 0.692),
        (EXAMPLE_C, [1, 2, 3, 4, 5], "nominal", 0.743),
        (EXAMPLE_C, [1, 2, 3, 4, 5], "ordinal", 0.815),
        (LIBRARY, [1, 2, 3, 4], "nominal", 0.691),
    ],
)
def test_alpha_is_as_published(data: list[list[object]], scale: list[object], level: Level, published: float) -> None:
    units = [[value for value in unit if value is not None] for unit in zip(*data, strict=True)]
    alpha, reason = krippendorff_alpha(units, scale, level)
    assert alpha is not None
    assert round(alpha, 3) == published
    assert reason == ""


def test_harmfulness_has_its_own_scale() -> None:
    values = {1: -1, 2: 0, 3: 1, 4: 3, 5: 4}
    answers = [
        Answer(f"p{person}", f"s{unit}", "yes", values[value])
        for person, line in enumerate(EXAMPLE_C)
        for unit, value in enumerate(line)
        if value is not None
    ]
    found = {(line.block, line.question): line for line in agreements(answers, {"one": ["s0", "s1"]})}
    alpha = found["all", "harmfulness"].alpha
    # ordinal: only the order of the values counts
    assert alpha is not None
    assert round(alpha, 3) == 0.815
    assert found["all", "relevant"].reason == "everybody answered alike"
    assert found["one", "harmfulness"].answers == 7


@pytest.mark.parametrize(
    ("units", "reason"),
    [
        ([], "no two people answered the same"),
        ([["yes"], ["no"]], "no two people answered the same"),
        ([["yes", "yes"], ["no"]], "everybody answered alike"),
    ],
)
def test_where_there_is_no_alpha_it_says_why(units: list[list[str]], reason: str) -> None:
    assert krippendorff_alpha(units, ("yes", "no"), "nominal") == (None, reason)


def test_who_is_not_sure_gives_no_value() -> None:
    answers = [Answer("a", "s", "yes"), Answer("b", "s", "no"), Answer("c", "s", "unsure")]
    assert agreements(answers, {})[0].answers == 2


def test_alike_and_fast_are_flagged() -> None:
    answers = [Answer("alike", f"s{n}", "yes", 4, 9.0) for n in range(8)]
    answers += [Answer("fast", f"s{n}", "yes", n % 3, 1.0 if n else 60.0) for n in range(8)]
    answers += [Answer("short", f"s{n}", "yes", 4, 9.0) for n in range(7)]
    answers += [Answer("fine", f"s{n}", "no" if n else "yes", 4) for n in range(8)]
    assert {one.respondent: one.flags for one in respondents(answers)} == {
        "alike": "alike",
        "fast": "fast",
        "fine": "",
        "short": "",
    }


@pytest.mark.slow
def test_many_blocks_cost_little() -> None:
    answers = [
        Answer(f"p{p}", f"s{n}", "yes" if (n + p) % 3 else "no", (n * p) % 5) for n in range(5000) for p in range(3)
    ]
    start = time.perf_counter()
    agreements(answers, {f"b{n}": [f"s{20 * n + k}" for k in range(20)] for n in range(250)})
    assert time.perf_counter() - start < 10
