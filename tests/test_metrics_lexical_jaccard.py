"""The overlap of two sets beyond chance: every pair of small sets, and the equations of Kawasaki 2026, sec. 3.3."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from statistics import fmean

import pytest
from contrapar.evaluate.metrics.jaccard import adjusted, expected, expected_exactly, jaccard, usual_size

LARGEST = 7
SIZES = [(s, t, n) for n in range(1, LARGEST + 1) for s in range(n + 1) for t in range(1, n + 1)]


def subsets(options: int, size: int | None = None) -> Iterator[frozenset[int]]:
    for k in range(options + 1) if size is None else [size]:
        yield from map(frozenset, combinations(range(options), k))


def pairs() -> Iterator[tuple[frozenset[int], frozenset[int], int]]:
    """Every answered set and every right one, of 1 to LARGEST options; a right set is never empty."""
    for options in range(1, LARGEST + 1):
        for right in subsets(options):
            if right:
                for answered in subsets(options):
                    yield answered, right, options


def of(a: frozenset[int], b: frozenset[int]) -> float:
    return jaccard(len(a & b), len(a), len(b))


def test_the_coefficient_is_that_of_the_sets() -> None:
    for a, b, _ in pairs():
        assert of(a, b) == len(a & b) / len(a | b)


def test_the_expectation_as_the_paper_has_it_by_hand() -> None:
    assert expected(2, 3, 6) == pytest.approx((2 * 3 / 6) / (2 + 3 - 2 * 3 / 6))  # E[X] / E[|A u B|] = 1 / 4
    assert expected(2, 3, 6) == 0.25
    assert expected(1, 1, 2) == pytest.approx(1 / 3)
    assert expected(0, 3, 6) == 0


def test_adjusted_by_hand() -> None:
    assert adjusted(jaccard(1, 2, 3), 0.25) == pytest.approx(0)
    assert adjusted(jaccard(2, 2, 3), 0.25) == pytest.approx((2 / 3 - 1 / 4) / (3 / 4))
    assert adjusted(jaccard(0, 2, 3), 0.25) == pytest.approx(-1 / 3)


@pytest.mark.parametrize("chance", [expected, expected_exactly])
def test_the_three_properties_on_every_pair_of_small_sets(chance: object) -> None:
    assert callable(chance)
    seen = 0
    for a, b, options in pairs():
        of_chance, value = chance(len(a), len(b), options), of(a, b)
        found = adjusted(value, of_chance)
        assert (found == 1) == (a == b)
        if of_chance < 1:  # else chance is always right, and there is nothing beyond it
            assert (found == 0) == (value == of_chance)
            assert (found < 0) == (value < of_chance)
        assert -1 <= found <= 1
        seen += 1
    assert seen == sum(2**n * (2**n - 1) for n in range(1, LARGEST + 1))


@pytest.mark.parametrize(("s", "t", "n"), SIZES)
def test_the_exact_expectation_is_the_mean_over_all_answers_of_that_size(s: int, t: int, n: int) -> None:
    right = frozenset(range(t))
    assert expected_exactly(s, t, n) == pytest.approx(fmean(of(a, right) for a in subsets(n, s)))


@pytest.mark.parametrize(("s", "t", "n"), SIZES)
def test_the_papers_expectation_is_the_exact_one_to_first_order(s: int, t: int, n: int) -> None:
    """What is left out is half of J's second derivative, somewhere in X's range, times X's variance: never negative."""
    variance = s * t * (n - s) * (n - t) / (n * n * (n - 1)) if n > 1 else 0.0
    gap = expected_exactly(s, t, n) - expected(s, t, n)

    def half_curve(x: int) -> float:  # of x / (c - x) with c = s + t, which grows with x
        return (s + t) / (s + t - x) ** 3

    assert gap >= half_curve(max(0, s + t - n)) * variance - 1e-12
    assert gap <= half_curve(min(s, t)) * variance + 1e-12


def test_what_is_left_out_falls_as_one_over_the_number_of_options() -> None:
    gaps = [expected_exactly(2 * k, 3 * k, 7 * k) - expected(2 * k, 3 * k, 7 * k) for k in (8, 16, 32)]
    assert gaps[0] / gaps[1] == pytest.approx(2, rel=0.05)
    assert gaps[1] / gaps[2] == pytest.approx(2, rel=0.05)


def test_who_draws_at_random_stands_at_nought_only_under_the_exact_expectation() -> None:
    right = frozenset({0, 1})
    drawn = [of(a, right) for a in subsets(6, 2)]
    assert fmean(adjusted(j, expected_exactly(2, 2, 6)) for j in drawn) == pytest.approx(0)
    assert fmean(adjusted(j, expected(2, 2, 6)) for j in drawn) > 0.02


def test_the_usual_size_is_0_286_n_to_the_nearest_whole() -> None:
    assert [usual_size(n) for n in range(2, 21)] == [max(1, round(0.286 * n)) for n in range(2, 21)]
    assert (usual_size(2), usual_size(5), usual_size(6), usual_size(20)) == (1, 1, 2, 6)
