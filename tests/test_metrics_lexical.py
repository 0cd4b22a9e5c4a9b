"""Figures of questions on words: by hand, and what holds of any answers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import pytest
from contrapar.builder.problems import SourceFaults
from contrapar.evaluate.metrics import Figure, lexical
from contrapar.evaluate.metrics.jaccard import adjusted, expected, expected_exactly
from contrapar.evaluate.metrics.ranks import ranks, spearman

Row = dict[str, Any]
YES, NO = [0], [1]


def asked(gold: Sequence[int], answer: Sequence[int] | None, *, country: str = "cl", concept: str = "a",
          outcome: str = "", options: int = 2, format: str = "yes_no") -> Row:  # fmt: skip
    """A row and what was answered to it."""
    return {
        "format": format,
        "country": country,
        "concept_id": concept,
        "variant": "",
        "n_options": options,
        "gold": list(gold),
        "answer": answer if answer is None else list(answer),
        "outcome": outcome or ("answer" if answer is not None else "invalid"),
    }


def chosen(gold: Sequence[int], answer: Sequence[int] | None, options: int, **more: Any) -> Row:
    return asked(gold, answer, options=options, format="choice", **more)


def frame(rows: Sequence[Row]) -> pd.DataFrame:
    made = pd.DataFrame(list(rows)).assign(id=[f"{i:016x}" for i in range(len(rows))])
    return made.assign(answer=pd.Series([row["answer"] for row in rows], dtype=object))


def figures(rows: Sequence[Row], **how: int) -> list[Figure]:
    return lexical.figures(frame(rows), **({"seed": 0, "resamples": 100} | how))


def one(found: Sequence[Figure], metric: str, **group: str) -> Figure:
    return next(figure for figure in found if figure.metric == metric and dict(figure.group) == group)


def value(found: Sequence[Figure], metric: str, **group: str) -> float | None:
    return one(found, metric, **group).value


# --- yes and no -------------------------------------------------------------------------------------------

ANSWERED = [
    asked(YES, YES, concept="a"),
    asked(YES, YES, concept="b"),
    asked(YES, NO, concept="c"),
    asked(YES, None, concept="c"),
    asked(NO, YES, concept="a"),
    asked(NO, NO, concept="b"),
    asked(NO, NO, concept="c"),
    asked(NO, None, concept="d", outcome="refusal"),
]


def test_yes_and_no_by_hand() -> None:
    found = figures(ANSWERED)
    of = {"format": "yes_no"}
    assert value(found, "valid_ratio", **of) == 6 / 8
    assert value(found, "accuracy", **of) == pytest.approx(4 / 6)
    assert value(found, "precision", **of) == pytest.approx(2 / 3)
    assert value(found, "recall", **of) == pytest.approx(2 / 3)  # the invalid one is left out, as the paper does
    assert value(found, "f1", **of) == pytest.approx(2 / 3)
    assert value(found, "yes_share", **of) == pytest.approx(3 / 6)
    assert value(found, "accuracy_all", **of) == pytest.approx(4 / 8)
    assert value(found, "f1_all", **of) == pytest.approx(2 * 2 / (2 * 2 + 1 + 2))
    assert value(found, "refusal_share", **of) == pytest.approx(1 / 8)
    assert value(found, "invalid_share", **of) == pytest.approx(1 / 8)
    assert value(found, "empty_share", **of) == 0


def test_a_published_line_of_the_paper_is_what_its_precision_and_recall_give() -> None:
    """Table 2, Ministral 3 8B: precision 0.515, recall 0.910, F1 0.658, from 5,082 yes and as many no."""
    right = round(0.910 * 5082)
    wrong = round(right * (1 - 0.515) / 0.515)
    rows = [asked(YES, YES)] * right + [asked(YES, NO)] * (5082 - right)
    rows += [asked(NO, YES)] * wrong + [asked(NO, NO)] * (5082 - wrong)
    found = figures(rows, resamples=2)
    assert value(found, "f1", format="yes_no") == pytest.approx(0.658, abs=0.0006)
    assert value(found, "accuracy", format="yes_no") == pytest.approx(0.527, abs=0.0015)


def test_who_says_no_to_everything_has_no_precision_and_an_f1_of_nought() -> None:
    found = figures([asked(YES, NO, concept="a"), asked(NO, NO, concept="b"), asked(YES, NO, concept="c")])
    assert one(found, "precision", format="yes_no").reason == "no valid answer is yes"
    assert value(found, "recall", format="yes_no") == 0
    assert value(found, "f1", format="yes_no") == 0


def test_who_answers_nothing_has_a_valid_ratio_and_no_more() -> None:
    found = figures([asked(YES, None), asked(NO, None, concept="b", outcome="empty")])
    assert value(found, "valid_ratio", format="yes_no") == 0
    for metric in ("accuracy", "precision", "recall", "f1"):
        assert value(found, metric, format="yes_no") is None
        assert one(found, metric, format="yes_no").reason
    assert value(found, "f1_all", format="yes_no") == 0


# --- choices ----------------------------------------------------------------------------------------------


def test_choices_by_hand() -> None:
    rows = [
        chosen([0, 1, 2], [0, 1], 6, concept="a"),  # J 2/3, E 1/4
        chosen([0, 1, 2], [3, 0], 6, concept="b"),  # J 1/4: at chance
        chosen([1], [1], 2, concept="c"),
        chosen([1], None, 4, concept="d"),
    ]
    found = figures(rows)
    of = {"format": "choice"}
    assert value(found, "valid_ratio", **of) == 3 / 4
    assert value(found, "jaccard", **of) == pytest.approx((2 / 3 + 1 / 4 + 1) / 3)
    first = (2 / 3 - 1 / 4) / (3 / 4)
    assert value(found, "jaccard_adjusted", **of) == pytest.approx((first + 0 + 1) / 3)
    assert value(found, "jaccard_adjusted_all", **of) == pytest.approx((first + 0 + 1) / 4)
    exact = expected_exactly(2, 3, 6)
    assert exact > expected(2, 3, 6) == 0.25
    assert value(found, "jaccard_adjusted_exactly", **of) == pytest.approx(
        (adjusted(2 / 3, exact) + adjusted(1 / 4, exact) + 1) / 3
    )
    assert value(found, "exact_share", **of) == pytest.approx(1 / 3)


def test_a_country_has_the_mean_over_its_questions_and_concepts_are_what_is_drawn() -> None:
    rows = [chosen([0], [0], 4, country="cl", concept=c) for c in "abc"]
    rows += [chosen([0], [1], 4, country="ar", concept=c) for c in "abcd"] + [
        chosen([0], [0], 4, country="ar", concept="e")
    ]
    found = figures(rows)
    assert value(found, "jaccard", format="choice", country="cl") == 1
    assert value(found, "jaccard", format="choice", country="ar") == pytest.approx(0.2)
    whole = one(found, "jaccard_adjusted", format="choice")
    assert (whole.unit, whole.clusters, whole.n) == ("concept", 5, 8)
    assert whole.low is not None
    assert whole.high is not None
    assert whole.value is not None
    assert whole.low < whole.value < whole.high
    assert one(found, "jaccard_adjusted", format="choice", concept_id="a").value == pytest.approx(
        (1 + adjusted(0, expected(1, 1, 4))) / 2
    )
    assert lexical.by_country(found, "choice")["cl"] == 1


def test_figures_do_not_hang_on_the_order_of_rows_or_of_an_answer() -> None:
    rows = [*ANSWERED, *(chosen([0, 2], [0, 1], 5, concept=c) for c in "abcde")]
    made = frame(rows)
    turned = made.assign(answer=[a if a is None else a[::-1] for a in made["answer"]]).iloc[::-1]
    assert lexical.figures(made, seed=3, resamples=50) == lexical.figures(turned, seed=3, resamples=50)


def test_both_formats_of_countries_are_ranked_against_each_other() -> None:
    rows: list[Row] = []
    for number, country in enumerate(("ar", "cl", "es", "mx")):
        for k in range(8):
            rows.append(asked(YES, YES if k < 2 * number + 1 else NO, country=country, concept=f"c{k}"))
            rows.append(chosen([0], [0] if k < 2 * number + 1 else [1], 4, country=country, concept=f"c{k}"))
    found = one(figures(rows, resamples=999), "formats_rho")
    assert found.value == pytest.approx(1)
    assert (found.n, found.unit) == (4, "country")
    assert found.p == pytest.approx(2 / 24, abs=0.03)  # two of the 24 orders are as far from 0
    assert found.low is None
    assert found.reason


def test_concepts_with_more_words_are_harder() -> None:
    rows = [
        chosen([0], [0] if k < 6 - n else [1], n + 2, concept=f"n{n}", country=f"k{k}")
        for n in range(6)
        for k in range(6)
    ]
    found = one(figures(rows), "options_rho", format="choice")
    assert found.value is not None
    assert found.value < -0.9
    assert (found.unit, found.n) == ("concept", 6)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"answer": [2]}, "index-beyond-options"),
        ({"answer": []}, "index-beyond-options"),
        ({"answer": [0, 0]}, "index-beyond-options"),
        ({"answer": [0, 1]}, "index-beyond-options"),  # of yes and no, one
        ({"gold": []}, "index-beyond-options"),
        ({"answer": None}, "answer-without-outcome"),
        ({"outcome": "invalid"}, "answer-without-outcome"),
        ({"outcome": "odd", "answer": None}, "unknown-outcome"),
        ({"format": "essay"}, "unknown-format"),
    ],
)
def test_rows_that_are_not_sound_are_told(change: Mapping[str, Any], code: str) -> None:
    with pytest.raises(SourceFaults) as caught:
        figures([asked(YES, YES) | dict(change)])
    assert code in [problem.code for problem in caught.value.problems]


def test_every_figure_is_described_and_named() -> None:
    found = {figure.metric for figure in figures([*ANSWERED, chosen([0], [0], 3)])}
    assert found <= set(lexical.ABOUT) == set(lexical.NAMES)
    assert set(lexical.SHOWN) <= found
    assert set(lexical.FAILED) <= found


# --- ranks ------------------------------------------------------------------------------------------------


def test_ties_share_the_mean_of_their_ranks() -> None:
    assert ranks([3.0, 1.0, 3.0, 2.0]).tolist() == [3.5, 1.0, 3.5, 2.0]
    assert ranks([]).tolist() == []


def test_spearman_by_hand() -> None:
    """Without ties it is 1 - 6 sum(d^2) / (n (n^2 - 1)); with ties, Pearson's of mean ranks."""
    plain = spearman([1, 2, 3, 4, 5], [2, 1, 4, 3, 5], seed=0, permutations=4000)
    assert plain.value == pytest.approx(1 - 6 * 4 / (5 * 24))
    assert plain.p == pytest.approx(16 / 120, abs=0.02)  # counted: 16 of the 120 orders have |rho| >= 0.8
    tied = spearman([1, 2, 2, 4], [1, 3, 2, 4], seed=0, permutations=10)
    assert tied.value == pytest.approx(4.5 / math.sqrt(4.5 * 5))
    assert spearman([1, 2, 3], [3, 2, 1], seed=0, permutations=10).value == pytest.approx(-1)


def test_nothing_is_ranked_where_all_is_the_same_or_few() -> None:
    assert math.isnan(spearman([1, 1, 1], [1, 2, 3], seed=0, permutations=10).value)
    assert spearman([1, 2], [1, 2], seed=0, permutations=10).p is None
