"""Men's and women's versions of one sentence: scores beside sacrebleu's own, and a test that keeps its level."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pandas as pd
import pytest
from contrapar.evaluate.metrics import Figure, translation
from contrapar.evaluate.metrics.quality import SCORES, chrf, statistics, ter
from contrapar.evaluate.metrics.randomization import randomized
from contrapar.evaluate.statistics import student_p
from hypothesis import given, settings
from hypothesis import strategies as st

sacrebleu = pytest.importorskip("sacrebleu", reason="the extra `translation` (sacrebleu) is not installed")

WORDS = [
    "erizaina", "berandu", "iritsi", "zen", "gaur", "epailea", "etxera", "joan", "da", "bihar", "kaleko", "atea",
    "itxi", "du", "berriz",
]  # fmt: skip


def sentence(chance: random.Random, length: int = 8) -> str:
    return " ".join(chance.choices(WORDS, k=length)).capitalize() + "."


def worse(text: str, chance: random.Random, share: float) -> str:
    """A translation with a share of its words changed."""
    return " ".join(chance.choice(WORDS) if chance.random() < share else word for word in text.split())


def pairs(count: int, men: float, women: float, seed: int = 0, **columns: Any) -> pd.DataFrame:
    """Rows of `count` pairs; `men` and `women` are the shares of words that come out wrong in their versions."""
    chance = random.Random(seed)
    rows = []
    for number in range(count):
        reference = sentence(chance)
        for gender, share in (("m", men), ("f", women)):
            rows.append(
                {"id": f"{2 * number + (gender == 'f'):016x}", "template": f"t{number}", "pair": f"p{number}",
                 "gender": gender, "reference": reference, "reply": worse(reference, chance, share)}
            )  # fmt: skip
    common = {
        "axis": "", "stereotype": "", "tier": None, "kind": "contrast", "entity": "", "entity2": "", "direction": "",
        "reference_language": "eu", "several_people": False, "proper_name": False, "unmarked_masculine": False,
        "target_language": "eu", "found": "", "found2": "", "share": None, "share2": None,
    }  # fmt: skip
    return pd.DataFrame(rows).assign(**{**common, **columns})


def figures(rows: pd.DataFrame, seed: int = 1) -> list[Figure]:
    return translation.figures(rows, seed=seed, resamples=200)


def value(found: list[Figure], metric: str, **group: str) -> Figure:
    (one,) = [f for f in found if f.metric == metric and dict(f.group) == group]
    return one


# --- scores -----------------------------------------------------------------------------------------------

TEXTS = st.lists(
    st.tuples(*[st.lists(st.sampled_from([*WORDS, "Ña", "¿", "."]), min_size=1, max_size=12).map(" ".join)] * 2),
    min_size=1,
    max_size=8,
)


@settings(max_examples=60, deadline=None)
@given(TEXTS)
def test_scores_are_sacrebleus_own(texts: list[tuple[str, str]]) -> None:
    from sacrebleu.metrics import CHRF, TER

    said, told = [text for text, _ in texts], [text for _, text in texts]
    sums = {key: values.sum(axis=0) for key, values in statistics(said, told).items()}
    assert float(chrf(*sums["chrf"])) == pytest.approx(CHRF(word_order=2).corpus_score(said, [told]).score)
    assert float(ter(*sums["ter"])) == pytest.approx(TER().corpus_score(said, [told]).score)


def test_sides_and_their_difference_are_sacrebleus_own() -> None:
    from sacrebleu.metrics import CHRF, TER

    rows = pairs(40, 0.2, 0.4)
    found = figures(rows)
    for gender, side in (("m", "masculine"), ("f", "feminine")):
        mine = rows[rows["gender"] == gender]
        said, told = mine["reply"].tolist(), [mine["reference"].tolist()]
        assert value(found, f"chrf_{side}").value == pytest.approx(CHRF(word_order=2).corpus_score(said, told).score)
        assert value(found, f"ter_{side}").value == pytest.approx(TER().corpus_score(said, told).score)
    by = {f.metric: f.value or 0 for f in found if not f.group}
    assert by["chrf_difference"] == pytest.approx(by["chrf_masculine"] - by["chrf_feminine"])
    assert by["ter_difference"] == pytest.approx(by["ter_feminine"] - by["ter_masculine"])  # above 0: men's better
    assert min(by["chrf_difference"], by["ter_difference"]) > 0


def test_what_lacks_its_version_or_a_reference_is_left_out_and_told() -> None:
    rows = pairs(10, 0, 0)
    rows.loc[0, "pair"] = ""  # so the other of the pair stands alone
    rows.loc[4:5, "reference_language"] = "fr"
    found = figures(rows)
    assert value(found, "unpaired_share").value == pytest.approx(4 / 20)
    assert value(found, "chrf_masculine").n == 8


# --- the test by randomization ----------------------------------------------------------------------------


def test_p_by_hand() -> None:
    """Of two pairs with gaps 1 and 2 the four exchanges give 3, 1, -1, -3: half are as large as the one seen."""
    first, second = np.array([[1.0], [2.0]]), np.zeros((2, 1))
    p = randomized(first, second, {"sum": lambda a, b: a[..., 0] - b[..., 0]}, seed=1, permutations=20_000)["sum"]
    assert p == pytest.approx(0.5, abs=0.02)
    assert randomized(first[:1], second[:1], {"sum": lambda a, b: a[..., 0] - b[..., 0]}, seed=1)["sum"] is None


@pytest.mark.slow
def test_without_an_effect_p_is_uniform() -> None:
    """250 corpora whose versions are equally good: p falls below any level about as often as the level says."""
    gap = {key: _gap(score.formula, score.better) for key, score in SCORES.items()}
    found: dict[str, list[float]] = {key: [] for key in gap}
    chance = random.Random(3)
    for number in range(250):
        told = [sentence(chance) for _ in range(20)]
        both = [[worse(text, chance, 0.3) for text in told] for _ in range(2)]
        sums = [statistics(said, told) for said in both]
        for key in gap:
            p = randomized(sums[0][key], sums[1][key], {key: gap[key]}, seed=number, permutations=399)[key]
            assert p is not None
            found[key].append(p)
    for key, ps in found.items():
        # Kolmogorov and Smirnov: the largest distance from the uniform, whose 99.9 % bound is 1.95 / sqrt(n); edits are
        # whole numbers, so that both sides are now and then exactly as good, and p is 1
        ordered = np.sort(ps)
        expected = np.arange(1, len(ordered) + 1) / len(ordered)
        assert np.abs(ordered - expected)[ordered < 0.8].max() < 1.95 / np.sqrt(len(ordered)), key
        assert 0.005 <= np.mean(ordered <= 0.05) <= 0.10, key


def _gap(formula: Any, better: int) -> Any:
    def gap(first: Any, second: Any) -> Any:
        sides = [formula(*np.moveaxis(side, -1, 0)) for side in (first, second)]
        return better * (sides[0] - sides[1])

    return gap


@pytest.mark.slow
def test_a_true_effect_is_found() -> None:
    found = figures(pairs(60, 0.1, 0.5))
    assert (value(found, "chrf_difference").p or 1) < 0.001
    none = figures(pairs(60, 0.3, 0.3))
    assert (value(none, "chrf_difference").p or 0) > 0.01


def test_pairs_of_one_template_change_sides_together() -> None:
    """Sixty pairs that are all of six templates are no more than six units."""
    rows = pairs(60, 0.1, 0.5)
    rows["template"] = [f"t{int(pair[1:]) % 6}" for pair in rows["pair"]]
    one = value(figures(rows), "chrf_difference")
    assert (one.unit, one.clusters) == ("template", 6)
    assert one.p == pytest.approx(2 / 64, abs=0.01)  # the least that six units can have


# --- by annotation ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_an_interaction_is_where_the_difference_is() -> None:
    """Women's versions are worse only where a name stands in the sentence."""
    named, bare = pairs(60, 0.1, 0.6, proper_name=True), pairs(60, 0.1, 0.1, seed=9, proper_name=False)
    bare = bare.assign(
        id=[f"{500 + n:016x}" for n in range(len(bare))], pair="q" + bare["pair"], template="u" + bare["template"]
    )
    found = figures(pd.concat([named, bare], ignore_index=True))
    with_name = value(found, "chrf_difference", proper_name="true")
    without = value(found, "chrf_difference", proper_name="false")
    one = value(found, "chrf_interaction", annotation="a proper name")
    assert one.value == pytest.approx((with_name.value or 0) - (without.value or 0))
    assert (one.p or 1) < 0.01
    assert value(found, "chrf_interaction", annotation="several people").reason.startswith("the annotation is the same")


def test_student_p_is_two_sided() -> None:
    assert student_p(0.0, 10) == 1
    assert student_p(2.228, 10) == pytest.approx(0.05, abs=1e-4)  # a table of Student's t
