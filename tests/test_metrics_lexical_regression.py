"""Least squares, and distances between countries: worked by hand, and against the normal equations."""

from __future__ import annotations

import math

import numpy as np
import pytest
from contrapar.evaluate.metrics.distances import lexical_distances, words_in_use
from contrapar.evaluate.metrics.regression import Regression, regress

COUNTRIES = ("ar", "cl", "es", "mx")


def over(values: list[float]) -> dict[str, float]:
    return dict(zip(COUNTRIES, values, strict=True))


def coefficients(found: Regression) -> dict[str, float]:
    return {one.name: one.value for one in found.coefficients}


def test_one_predictor_by_hand() -> None:
    """x = 1, 2, 3, 4 has mean 2.5 and standard deviation sqrt(1.25); y = 2, 3, 5, 6 has slope 1.4 over x."""
    found = regress(over([2, 3, 5, 6]), {"x": over([1, 2, 3, 4])})
    assert coefficients(found) == pytest.approx({"intercept": 4.0, "x": 1.4 * math.sqrt(1.25)})
    # residuals 0.1, -0.3, 0.3, -0.1: their squares are 0.2, of 10 in all
    assert found.r2 == pytest.approx(1 - 0.2 / 10)
    assert found.adjusted_r2 == pytest.approx(1 - 0.02 * 3 / 2)
    slope = found.coefficients[1]
    assert slope.error == pytest.approx(math.sqrt(0.2 / 2 / 4))
    # of two degrees of freedom Student's t has p = 1 - t / sqrt(2 + t^2)
    t = slope.value / math.sqrt(0.025)
    assert slope.p == pytest.approx(1 - t / math.sqrt(2 + t * t))


def test_two_predictors_agree_with_the_normal_equations() -> None:
    draw = np.random.default_rng(5)
    names = [f"c{n}" for n in range(21)]
    x, z = draw.normal(8, 2, 21), draw.normal(0, 0.1, 21)
    y = 0.3 + 0.02 * x - 0.4 * z + draw.normal(0, 0.02, 21)
    found = regress(dict(zip(names, y, strict=True)),
                    {"size": dict(zip(names, x, strict=True)), "far": dict(zip(names, z, strict=True))})  # fmt: skip
    design = np.column_stack([np.ones(21), (x - x.mean()) / x.std(), (z - z.mean()) / z.std()])
    inverse = np.linalg.inv(design.T @ design)
    expected = inverse @ design.T @ y
    left = y - design @ expected
    errors = np.sqrt(left @ left / 18 * np.diag(inverse))
    assert [one.value for one in found.coefficients] == pytest.approx(expected.tolist())
    assert [one.error for one in found.coefficients] == pytest.approx(errors.tolist())
    assert found.coefficients[0].value == pytest.approx(y.mean())  # predictors are centred
    assert found.adjusted_r2 == pytest.approx(1 - (1 - found.r2) * 20 / 18)
    assert found.n == 21


def test_the_unit_of_a_predictor_is_of_no_account() -> None:
    y, x = over([2, 3, 5, 6]), over([1, 2, 4, 3])
    tokens = {country: 10**6 * value + 7 for country, value in x.items()}
    assert coefficients(regress(y, {"x": x})) == pytest.approx(coefficients(regress(y, {"x": tokens})))


def test_only_what_has_everything_is_counted() -> None:
    found = regress(over([2, 3, 5, 6]) | {"pe": 9.0}, {"x": over([1, 2, 3, 4]) | {"ve": 3.0}})
    assert found.n == 4


@pytest.mark.parametrize(
    ("predictors", "message"),
    [
        ({"x": over([1, 1, 1, 1])}, "'x' is the same"),
        ({"x": over([1, 2, 3, 4]), "z": over([2, 4, 6, 8])}, "follow from each other"),
        ({"x": {"ar": 1.0, "cl": 2.0}}, "need at least 3"),
    ],
)
def test_what_cannot_be(predictors: dict[str, dict[str, float]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        regress(over([2, 3, 5, 6]), predictors)


def test_scores_that_do_not_vary_have_no_share_explained() -> None:
    assert math.isnan(regress(over([1, 1, 1, 1]), {"x": over([1, 2, 3, 4])}).adjusted_r2)


def test_distances_by_hand() -> None:
    rows = [
        {"country": "es", "concept_id": "a", "options": ["x", "y", "z"], "gold": [0, 1]},
        {"country": "es", "concept_id": "b", "options": ["p", "q"], "gold": [0]},
        {"country": "cl", "concept_id": "a", "options": ["y", "x", "z"], "gold": [0, 2]},
        {"country": "cl", "concept_id": "b", "options": ["p", "q"], "gold": [0]},
        {"country": "mx", "concept_id": "b", "options": ["q", "p"], "gold": [0]},
        {"country": "pe", "concept_id": "c", "options": ["k", "l"], "gold": [0]},
    ]
    found = lexical_distances(words_in_use(rows), "es")
    assert found == pytest.approx({"es": 0.0, "cl": (2 / 3 + 0) / 2, "mx": 1.0})
