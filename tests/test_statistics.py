"""Intervals, tests and corrections, against worked values and by simulation."""

from __future__ import annotations

import time

import numpy as np
import pytest
from contrapar.evaluate.statistics import (
    Array,
    Interval,
    Statistic,
    binomial_test,
    cluster_bootstrap,
    cluster_sums,
    holm,
    resampled_sums,
    share_interval,
    sign_test,
    wilson,
)

SHARE = Statistic(lambda part, whole: part / whole, (0, 1))


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        (0, 10, 0.0, 0.2775),  # z^2 / (n + z^2) = 3.8415 / 13.8415
        (10, 10, 0.7225, 1.0),
        (5, 10, 0.2366, 0.7634),  # 0.5 -+ z / (n + z^2) * sqrt(n / 4 + z^2 / 4)
        (81, 263, 0.2553, 0.3662),  # Newcombe 1998, table I
    ],
)
def test_wilson(successes: int, n: int, low: float, high: float) -> None:
    assert wilson(successes, n) == pytest.approx((low, high), abs=5e-5)


def test_wilson_of_nothing_is_nothing() -> None:
    assert wilson(0, 0) is None


def test_sums_of_clusters() -> None:
    columns = np.array([[1.0, 1], [0, 1], [1, 1], [1, 1]])
    assert cluster_sums(columns, np.array([0, 0, 2, 1])).tolist() == [[1, 2], [1, 1], [1, 1]]


@pytest.mark.parametrize(
    ("p_values", "corrected"),
    [
        ([0.01, 0.04, 0.03], [0.03, 0.06, 0.06]),  # 3 x 0.01; 2 x 0.03; then never smaller than before
        ([0.5, None, 0.02], [0.5, None, 0.04]),
        ([0.9, 0.8], [1.0, 1.0]),
        ([], []),
    ],
)
def test_holm(p_values: list[float | None], corrected: list[float | None]) -> None:
    assert holm(p_values) == pytest.approx(corrected)


@pytest.mark.parametrize(
    ("successes", "n", "p", "expected"),
    [
        (0, 5, 0.5, 2 / 32),
        (1, 5, 0.5, 12 / 32),
        (5, 10, 0.5, 1.0),
        (3, 3, 0.25, 1 / 64),  # no outcome on the other side is as unlikely
        (0, 0, 0.5, 1.0),
    ],
)
def test_binomial(successes: int, n: int, p: float, expected: float) -> None:
    assert binomial_test(successes, n, p) == pytest.approx(expected)


def test_sign_test_of_many_does_not_overflow() -> None:
    assert sign_test(8, 2) == pytest.approx(2 * 56 / 1024)
    assert 0.99 < sign_test(25_000, 25_000) <= 1
    assert 0 <= sign_test(30_000, 20_000) < 1e-9


def _some(clusters: int, rows: int = 50_000) -> Array:
    rng = np.random.default_rng(7)
    hit = (rng.random(rows) < 0.6).astype(float)
    return cluster_sums(np.stack([hit, np.ones(rows)], axis=1), np.arange(rows) % clusters)


def test_error_is_the_linearised_one() -> None:
    sums = _some(40)
    share = sums[:, 0].sum() / sums[:, 1].sum()
    residual = sums[:, 0] - share * sums[:, 1]
    error = np.sqrt(40 / 39 * (residual**2).sum()) / sums[:, 1].sum()
    assert cluster_bootstrap(sums, {"share": SHARE}, seed=1, resamples=10)["share"].error == pytest.approx(error)


def test_the_same_seed_gives_the_same_interval_in_any_order_of_clusters() -> None:
    sums = _some(30)
    first, again, turned, other = (
        cluster_bootstrap(s, {"share": SHARE}, seed=seed, resamples=200)["share"].interval((0, 1))
        for s, seed in ((sums, 3), (sums, 3), (sums[::-1], 3), (sums, 4))
    )
    assert first == again == turned != other


def test_blocks_do_not_change_the_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    sums = _some(30)
    whole = resampled_sums(sums, seed=3, resamples=100)
    monkeypatch.setattr("contrapar.evaluate.statistics._CELLS", 300)
    assert np.array_equal(whole, resampled_sums(sums, seed=3, resamples=100))


def test_equal_clusters_may_share_a_column_of_weights() -> None:
    """5,000 clusters of ten kinds: the sums vary as the binomial says."""
    sums = np.array([[kind, 10.0] for kind in range(10)] * 500)
    drawn = resampled_sums(sums, seed=1, resamples=2_000)
    assert (drawn[:, 1] == 50_000).all()
    assert drawn[:, 0].mean() == pytest.approx(22_500, abs=15)
    assert drawn[:, 0].std() == pytest.approx(np.sqrt(5_000 * 8.25), rel=0.05)


def test_one_cluster_has_no_interval() -> None:
    done = cluster_bootstrap(np.array([[3.0, 10.0]]), {"share": SHARE}, seed=1, resamples=50)["share"]
    assert done.value == pytest.approx(0.3)
    assert done.interval((0, 1)) is None
    assert done.p_value(0.5) is None
    assert share_interval(done, np.array([10.0])) is None


def test_a_share_without_variation_gets_wilsons_interval_over_clusters() -> None:
    """No refusal in 12 clusters of 100: up to 24 %, were all rows of a cluster alike."""
    done = cluster_bootstrap(np.array([[0.0, 100.0]] * 12), {"share": SHARE}, seed=1, resamples=50)["share"]
    assert done.interval((0, 1)) is None
    assert share_interval(done, np.full(12, 100.0)) == wilson(0, 12)


def test_a_share_of_few_clusters_is_no_wider_than_wilsons_over_clusters() -> None:
    sums = np.array([[30.0, 40], [0, 40], [38, 40], [20, 40]])
    done = cluster_bootstrap(sums, {"share": SHARE}, seed=1, resamples=2_000)["share"]
    widest = wilson(4 * done.value, 4)
    assert widest is not None
    assert done.interval((0, 1)) == Interval(0, 1)
    assert share_interval(done, sums[:, 1]) == pytest.approx(widest)


def test_a_share_may_be_spread_over_other_bounds() -> None:
    sums = _some(25)
    twice = Statistic(lambda part, whole: 2 * part / whole - 1, (0, 1))
    done = cluster_bootstrap(sums, {"share": SHARE, "twice": twice}, seed=1, resamples=500)
    plain = share_interval(done["share"], sums[:, 1])
    spread = share_interval(done["twice"], sums[:, 1], bounds=(-1, 1))
    assert plain is not None
    assert spread == pytest.approx((2 * plain.low - 1, 2 * plain.high - 1))


def test_p_value_and_interval_agree() -> None:
    done = cluster_bootstrap(_some(50), {"share": SHARE}, seed=1, resamples=4_000)["share"]
    interval = done.interval((0, 1))
    assert interval is not None
    inside, outside = done.value + 0.0005, interval.high + 0.01
    p_inside, p_outside = done.p_value(inside), done.p_value(outside)
    assert p_inside is not None
    assert p_inside > 0.5
    assert p_outside is not None
    assert 1 / 4001 <= p_outside < 0.05


def test_resamples_without_the_group_are_left_out() -> None:
    """A statistic that only one of three clusters knows does not exist in 8 of 27 draws."""
    sums = np.array([[1.0, 2.0], [0, 0], [0, 0]])
    done = cluster_bootstrap(sums, {"share": SHARE}, seed=1, resamples=2_000)["share"]
    assert 0.65 < len(done.studentised) / 2_000 < 0.76


@pytest.mark.parametrize("clusters", [60, 200, 1_000, 50_000])
def test_ten_thousand_resamples_of_fifty_thousand_rows_take_under_a_second(clusters: int) -> None:
    sums = _some(clusters)
    start = time.process_time()
    cluster_bootstrap(sums, {"share": SHARE}, seed=1, resamples=10_000)
    assert time.process_time() - start < 1


def _beta_binomial(
    rng: np.random.Generator, *, clusters: int, mean: float, correlation: float, rows: int = 40
) -> Array:
    """Hits and sizes of clusters of uneven size, rows of one cluster correlated by `correlation`."""
    strength = (1 - correlation) / correlation
    sizes = np.maximum(2, (rows * rng.lognormal(0, 0.4, clusters)).astype(int))
    hits = rng.binomial(sizes, rng.beta(mean * strength, (1 - mean) * strength, clusters))
    return np.stack([hits, sizes], axis=1).astype(float)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("clusters", "mean", "correlation"),
    [(12, 0.55, 0.1), (20, 0.9, 0.1), (40, 0.55, 0.3), (40, 0.9, 0.3), (60, 0.98, 0.1), (150, 0.7, 0.1)],
)
def test_the_interval_covers_the_truth_and_the_naive_one_does_not(
    clusters: int, mean: float, correlation: float
) -> None:
    """2,000 data sets a case, so that coverage is known to within 1 in 100 (two standard errors)."""
    rng = np.random.default_rng(20240607)
    repeats, covered, naive = 2_000, 0, 0
    for repeat in range(repeats):
        sums = _beta_binomial(rng, clusters=clusters, mean=mean, correlation=correlation)
        done = cluster_bootstrap(sums, {"share": SHARE}, seed=repeat, resamples=800)["share"]
        interval = share_interval(done, sums[:, 1])
        rows = wilson(sums[:, 0].sum(), sums[:, 1].sum())
        assert interval is not None
        assert rows is not None
        covered += interval.low <= mean <= interval.high
        naive += rows.low <= mean <= rows.high
    assert 0.93 <= covered / repeats <= 0.97
    assert naive / repeats < 0.75


@pytest.mark.slow
def test_the_interval_of_a_difference_covers_the_truth() -> None:
    """F(Target) - F(Other), with errors that lean to the target by stereotype; true difference 0.12."""
    rng = np.random.default_rng(11)
    difference = Statistic(lambda target, other, rows: (target - other) / rows, (0, 1, 2))
    repeats, covered = 2_000, 0
    for repeat in range(repeats):
        shares = rng.dirichlet([1.0, 0.4, 3.6], 30)  # target 0.2, other 0.08
        sizes = rng.integers(20, 60, 30)
        counts = np.stack([rng.multinomial(n, p) for n, p in zip(sizes, shares, strict=True)])
        sums = np.column_stack([counts[:, :2], sizes]).astype(float)
        done = cluster_bootstrap(sums, {"d": difference}, seed=repeat, resamples=800)["d"]
        interval = done.interval((-1, 1))
        assert interval is not None
        covered += interval.low <= 0.12 <= interval.high
    assert 0.93 <= covered / repeats <= 0.97


@pytest.mark.slow
def test_p_values_of_a_true_null_are_under_five_per_cent_five_times_in_a_hundred() -> None:
    rng = np.random.default_rng(5)
    repeats, rejected = 2_000, 0
    for repeat in range(repeats):
        sums = _beta_binomial(rng, clusters=30, mean=0.5, correlation=0.2)
        p = cluster_bootstrap(sums, {"share": SHARE}, seed=repeat, resamples=400)["share"].p_value(0.5)
        assert p is not None
        rejected += p < 0.05
    assert 0.03 <= rejected / repeats <= 0.07
