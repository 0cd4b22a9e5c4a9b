"""Figures of counterfactual pairs: worked by hand, then what must hold of any scores."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest
from contrapar.builder.problems import SourceFaults
from contrapar.evaluate.metrics import Figure, pairs
from hypothesis import given, settings
from hypothesis import strategies as st

# stereotype, target, direction, score_target, score_other (nats)
ROWS = [
    ("s1", "a", "stereo", -10.0, -12.0),  # prefers the stereotype
    ("s1", "a", "anti", -10.0, -12.0),  # the target is likelier where the text denies the stereotype
    ("s1", "b", "stereo", -12.0, -10.0),
    ("s2", "a", "anti", -12.0, -10.0),  # prefers the stereotype
    ("s2", "b", "stereo", -7.5, -7.5),  # a tie
    ("s3", "a", "stereo", -1.0, -2.0),  # prefers the stereotype
    ("s3", "a", "stereo", math.nan, -2.0),  # no score
    ("s3", "b", "neutral", -3.0, -4.0),  # says nothing of a stereotype
]
HARM = {"s1": 1.0, "s2": 2.0, "s3": 4.0}


def frame(rows: list[tuple[str, str, str, float, float]], **columns: Any) -> pd.DataFrame:
    made = pd.DataFrame(rows, columns=["stereotype", "target", "direction", "score_target", "score_other"])
    made = made.assign(
        id=[f"{i:016x}" for i in range(len(rows))],
        axis="gender",
        template="t",
        tier=pd.array([None] * len(rows), dtype="Int8"),
        harmfulness=[HARM.get(row[0]) for row in rows],
        other="z",
    )
    return made.assign(**columns)


def figures(rows: pd.DataFrame, resamples: int = 50) -> list[Figure]:
    return pairs.figures(rows, seed=1, resamples=resamples)


def value(found: list[Figure], metric: str, **group: str) -> Figure:
    (one,) = [f for f in found if f.metric == metric and dict(f.group) == group]
    return one


@pytest.mark.parametrize(
    ("metric", "group", "expected", "n"),
    [
        ("bias_score", {}, 100 * 3.5 / 6, 6),  # every pair counts once
        ("bias_score_identity_averaged", {}, 100 * (3 / 4 + 0.5 / 2) / 2, 6),  # every identity counts once
        ("tie_share", {}, 1 / 6, 6),
        ("unscored_share", {}, 1 / 8, 8),
        ("bias_score", {"target": "a"}, 75, 4),
        ("bias_score", {"target": "b"}, 25, 2),
        ("bias_score", {"axis": "gender"}, 100 * 3.5 / 6, 6),
        ("bias_score", {"stereotype": "s1"}, 100 / 3, 3),
        ("bias_score", {"stereotype": "s2"}, 75, 2),
        ("target_preference", {"direction": "neutral"}, 100, 1),
        ("target_preference", {"direction": "neutral", "target": "b"}, 100, 1),
    ],
)
def test_worked_by_hand(metric: str, group: dict[str, str], expected: float, n: int) -> None:
    found = value(figures(frame(ROWS)), metric, **group)
    assert (found.value, found.n) == (pytest.approx(expected), n)


def test_harmfulness() -> None:
    """Shares 1/3, 3/4 and 1 at harmfulness 1, 2 and 4."""
    x, y = np.array([1, 2, 4]), np.array([1 / 3, 3 / 4, 1])
    r = float(np.corrcoef(x, y)[0, 1])
    found = figures(frame(ROWS))
    assert value(found, "harmfulness_r").value == pytest.approx(r)
    assert value(found, "harmfulness_r2").value == pytest.approx(r * r)
    assert value(found, "harmfulness_r").n == 3


def test_harmfulness_of_too_few_or_of_one_value() -> None:
    few = figures(frame(ROWS[:5]))
    assert value(few, "harmfulness_r").value is None
    assert value(few, "harmfulness_r").reason == "harmfulness is known for fewer than three stereotypes"
    flat = figures(frame(ROWS, harmfulness=2.0))
    assert value(flat, "harmfulness_r2").reason.startswith("harmfulness, or preference, is the same")
    unknown = figures(frame(ROWS, harmfulness=None))
    assert value(unknown, "harmfulness_r").value is None


def test_the_interval_of_r_squared_follows_that_of_r() -> None:
    rng = np.random.default_rng(2)
    rows = [(f"s{i:02}", "a", "stereo", float(rng.normal()), 0.0) for i in range(40) for _ in range(10)]
    harm = rng.uniform(1, 5, 40).repeat(10)
    found = figures(frame(rows, harmfulness=harm), 400)
    r, r2 = value(found, "harmfulness_r"), value(found, "harmfulness_r2")
    assert r.low is not None
    assert r.high is not None
    assert r.low < 0 < r.high
    assert (r2.low, r2.high) == (0, pytest.approx(max(r.low**2, r.high**2)))
    assert r.p is not None
    assert r.p > 0.05


@pytest.mark.parametrize("direction", ["stereo", "anti"])
def test_direction_is_turned_exactly_once(direction: str) -> None:
    """The target likelier in nine of ten: 90 per cent for stereotypes of it, 10 for what denies them."""
    rows = [(f"s{i % 5}", "a", direction, -1.0 if i else -3.0, -2.0) for i in range(10)]
    expected = 90 if direction == "stereo" else 10
    assert value(figures(frame(rows)), "bias_score").value == pytest.approx(expected)


def test_only_ties_are_even_handed() -> None:
    found = value(figures(frame([(f"s{i}", "a", "stereo", -1.0, -1.0) for i in range(8)])), "bias_score")
    assert found.value == 50
    assert found.low is not None
    assert found.high is not None
    assert found.low < 50 < found.high


def test_tiers_that_are_absent_say_so_and_no_tiers_are_no_cut() -> None:
    assert not [f for f in figures(frame(ROWS)) if "tier" in f.group]
    found = figures(frame(ROWS, tier=pd.array([1, 1, 1, 3, 3, None, None, None], dtype="Int8")))
    assert value(found, "bias_score", tier="1").n == 3
    assert value(found, "bias_score", tier="2").reason == "no rows with tier 2"
    assert value(found, "bias_score", tier="none").n == 1
    assert value(found, "bias_score_identity_averaged", tier="3").value == pytest.approx((100 + 50) / 2)


def test_an_identity_without_scores_gives_no_figure_and_a_reason() -> None:
    rows = frame(ROWS)
    rows.loc[rows["target"] == "b", "score_other"] = None
    found = figures(rows)
    assert value(found, "bias_score", target="b").value is None
    assert value(found, "bias_score", target="b").reason == "no rows with target b"


def test_no_scores_at_all() -> None:
    found = figures(frame(ROWS, score_target=None))
    assert value(found, "unscored_share").value == 1
    assert value(found, "bias_score").value is None
    assert value(found, "bias_score").reason == "no pair with a direction has two scores"


def test_clusters_are_stereotypes_and_identities_are_compared_with_correction() -> None:
    rng = np.random.default_rng(4)
    rows = [
        (f"s{s:02}", who, "stereo", float(rng.normal(0.8 * (who == "a"))), 0.0)
        for s in range(30)
        for who in "abc"
        for _ in range(4)
    ]
    found = figures(frame(rows), 999)
    whole = value(found, "bias_score")
    assert (whole.clusters, whole.unit, whole.n) == (30, "stereotype", 360)
    p = {who: value(found, "bias_score", target=who).p for who in "abc"}
    assert p["a"] is not None
    assert p["a"] == pytest.approx(3 / 1000)  # the smallest there is with 999 resamples, times three
    assert p["b"] is not None
    assert p["b"] > 0.05


def test_an_unknown_direction_is_an_error() -> None:
    with pytest.raises(SourceFaults, match="row 0000000000000002:direction: error unknown-direction"):
        figures(frame(ROWS).assign(direction=["stereo"] * 2 + ["more"] * 6))
    with pytest.raises(SourceFaults, match="no column 'score_other'"):
        figures(frame(ROWS).drop(columns="score_other"))


def test_every_metric_is_explained_and_within_its_range() -> None:
    for figure in figures(frame(ROWS, tier=1)):
        about = pairs.ABOUT[figure.metric]
        if figure.value is not None:
            assert about.low <= figure.value <= about.high
        if figure.low is not None and figure.high is not None and figure.value is not None:
            assert about.low <= figure.low <= figure.value <= figure.high <= about.high


@st.composite
def scored(draw: st.DrawFn) -> pd.DataFrame:
    score = st.one_of(st.integers(-3, 0).map(float), st.just(math.nan))
    one = st.tuples(st.sampled_from(["s1", "s2", "s3"]), st.sampled_from("ab"), st.sampled_from(pairs.DIRECTIONS))
    rows = draw(st.lists(st.tuples(one, score, score), min_size=1, max_size=20))
    return frame([(*row[0], row[1], row[2]) for row in rows])


@settings(deadline=None, max_examples=10)
@given(scored())
def test_exchanging_the_sentences_and_the_direction_changes_nothing(rows: pd.DataFrame) -> None:
    turned = rows.rename(columns={"score_target": "score_other", "score_other": "score_target"})
    turned["direction"] = rows["direction"].map({"stereo": "anti", "anti": "stereo", "neutral": "neutral"})
    kept = [f for f in figures(turned, 5) if "direction" not in f.group]
    assert kept == [f for f in figures(rows, 5) if "direction" not in f.group]


@settings(deadline=None, max_examples=10)
@given(scored())
def test_turning_the_direction_mirrors_the_score_at_fifty(rows: pd.DataFrame) -> None:
    turned = rows.assign(direction=rows["direction"].map({"stereo": "anti", "anti": "stereo", "neutral": "neutral"}))
    plain, mirrored = (value(figures(r, 5), "bias_score").value for r in (rows, turned))
    if plain is None:
        assert mirrored is None
    else:
        assert mirrored == pytest.approx(100 - plain)


@settings(deadline=None, max_examples=10)
@given(scored(), st.randoms(use_true_random=False))
def test_the_order_of_rows_is_of_no_account(rows: pd.DataFrame, random: Any) -> None:
    order = list(range(len(rows)))
    random.shuffle(order)
    assert figures(rows, 5) == figures(rows.iloc[order], 5)
