"""Shares, intervals and tiers: exact at the cut, as published, and right as often as the intervals promise."""

from __future__ import annotations

import csv
import random
import re
from pathlib import Path

import pytest
from contrapar.annotation.answers import Answer, Tally, read_answers, read_counts
from contrapar.annotation.subjects import Subject
from contrapar.annotation.tiers import Grade, grade, tally
from contrapar.builder.schema import TierPolicy
from contrapar.builder.shares import wilson
from survey_folder import dataset, hats, read, survey, table

SHARED = Path(__file__).parents[1].parent / "shared" / "data" / "winoqueer_nl" / "survey_counts.csv"
SHARE, LOWER = TierPolicy(), TierPolicy(policy="lower-bound")


@pytest.mark.parametrize(
    ("yes", "n", "low", "high"),
    # Newcombe 1998, table I, method 3 (score without continuity correction)
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_is_as_published(yes: int, n: int, low: float, high: float) -> None:
    found = wilson(yes, n)
    assert found is not None
    assert (round(found.low, 4), round(found.high, 4)) == (low, high)


def test_nobody_gives_no_interval() -> None:
    assert wilson(0, 0) is None


@pytest.mark.parametrize(
    ("yes", "no", "unsure", "tier"),
    [
        (7, 3, 0, "1"),  # 70 % exactly
        (7, 3, 90, "1"),  # those who are not sure leave the denominator
        (69, 31, 0, "2"),
        (5, 5, 0, "2"),
        (49, 51, 0, "3"),
        (3, 7, 0, "3"),
        (29, 71, 0, "excluded"),
        (0, 5, 0, "excluded"),
        (4, 0, 9, ""),  # four said yes or no: too few, however many answered
        (0, 0, 0, ""),
    ],
)
def test_share_policy(yes: int, no: int, unsure: int, tier: str) -> None:
    assert grade(Tally("s", yes, no, unsure), SHARE).tier == tier


@pytest.mark.parametrize(
    ("yes", "no", "tier"), [(7, 3, "3"), (95, 5, "1"), (60, 40, "2"), (5, 0, "2"), (3, 7, "excluded")]
)
def test_lower_bound_policy_asks_for_more(yes: int, no: int, tier: str) -> None:
    assert grade(Tally("s", yes, no), LOWER).tier == tier


def test_a_threshold_is_decimal_not_binary() -> None:
    assert grade(Tally("s", 333, 667), TierPolicy(thresholds=[70, 50, 33.3])).tier == "3"


def test_tally_counts_and_spreads() -> None:
    answers = [
        Answer("a", "s", "yes", 4),
        Answer("b", "s", "no", 1),
        Answer("c", "s", "unsure"),
        Answer("d", "t", "no"),
    ]
    first, second = tally(answers, ["s", "u"])
    assert (first.yes, first.no, first.unsure, first.harm_mean, first.harm_n) == (1, 1, 1, 2.5, 2)
    assert first.harm_sd == pytest.approx(2.1213, abs=1e-4)
    assert second == Tally("u")


def draw(p: float, n: int, policy: TierPolicy, chance: random.Random) -> Grade:
    yes = sum(chance.random() < p for _ in range(n))
    return grade(Tally("s", yes, n - yes), policy)


def true_tier(p: float) -> str:
    return next((tier for tier, cut in (("1", 0.7), ("2", 0.5), ("3", 0.3)) if p >= cut), "excluded")


def test_in_simulation_tiers_are_right_as_often_as_the_intervals_promise() -> None:
    """Intervals hold the truth in 95 of 100; a tier whose interval crosses no cut is wrong in fewer than 5."""
    chance = random.Random(20)
    held = decided = wrong = trials = 0
    for _ in range(12_000):
        p, n = chance.random(), chance.choice([12, 20, 43, 100])
        found = draw(p, n, SHARE, chance)
        assert found.interval is not None
        trials += 1
        held += found.interval.low <= p <= found.interval.high
        if true_tier(found.interval.low) == true_tier(found.interval.high):
            decided += 1
            assert found.tier == true_tier(found.interval.low)
            wrong += found.tier != true_tier(p)
    # 12,000 draws: 0.95 give or take 0.006 at three standard errors
    assert held / trials == pytest.approx(0.95, abs=0.012)
    assert decided > 3000
    assert wrong / decided < 0.05


@pytest.mark.parametrize("p", [0.69, 0.49, 0.29])
def test_in_simulation_the_lower_bound_seldom_gives_too_good_a_tier(p: float) -> None:
    """Just under a cut, the lower end of a 95 % interval passes it in about 2.5 of 100."""
    chance = random.Random(int(p * 100))
    order = ["1", "2", "3", "excluded"]
    better = sum(order.index(draw(p, 60, LOWER, chance).tier) < order.index(true_tier(p)) for _ in range(4000))
    assert better / 4000 < 0.04


def test_counts_become_the_published_tiers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if not SHARED.is_file():
        pytest.skip(f"the published counts are not here: {SHARED}")
    with SHARED.open(encoding="utf-8", newline="") as file:
        published = list(csv.DictReader(file))
    ids = {row["stereotype"]: "nl/queer/" + re.sub(r"\W+", "-", row["stereotype"]).strip("-") for row in published}
    folder = dataset(tmp_path, [(ids[text], "queer", text) for text in ids], language="nl")
    # the file holds texts where ids are asked for, and not_sure for unsure: as it was published
    assert survey("tiers", folder, "--counts", SHARED) == 0
    found = {row["stereotype"]: row for row in read(folder / "tiers.csv")}
    assert {ids[row["stereotype"]]: row["tier"] or "excluded" for row in published} == {
        id: row["tier"] for id, row in found.items()
    }
    counts = [sum(row["tier"] == tier for row in found.values()) for tier in ("1", "2", "3", "excluded")]
    assert counts == [60, 48, 30, 26]
    assert found[ids["are abnormal"]]["harmfulness_mean"] == "2.7800"
    assert "60  tier 1" in capsys.readouterr().out


def subject(id: str, text: str) -> Subject:
    return Subject(id, "hats", text)


KNOWN = [subject("en/hats/late", "They are late."), subject("en/hats/loud", "They are loud.")]


def test_answers_from_a_form_in_any_language(tmp_path: Path) -> None:
    rows = [
        ("ana@example.org", "en/hats/late", "sí", "3"),
        ("b", "They are LATE", "Nee", ""),
        ("c", "en/hats/loud", "ez dakit", "-1"),
        ("c", "en/hats/loud", "Oui", "4"),  # the last of a respondent counts
    ]
    path = table(tmp_path / "form.csv", ("respondent", "stereotype", "relevant", "harmfulness"), rows)
    answers, problems = read_answers(path, KNOWN)
    assert [(one.stereotype[-4:], one.relevant, one.harmfulness) for one in answers] == [
        ("late", "yes", 3),
        ("late", "no", None),
        ("loud", "yes", 4),
    ]
    assert [problem.code for problem in problems] == ["earlier-answers"]


def test_answers_in_a_workbook(tmp_path: Path) -> None:
    import openpyxl

    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (("respondent", "stereotype", "relevant", "harmfulness"), (7, "en/hats/late", "Yes", 2.0)):
        sheet.append(row)
    book.save(tmp_path / "form.xlsx")
    answers, problems = read_answers(tmp_path / "form.xlsx", KNOWN)
    assert answers == [Answer("7", "en/hats/late", "yes", 2)]
    assert problems == []


@pytest.mark.parametrize(
    ("row", "code"),
    [
        (("a", "en/hats/lat", "yes", "1"), "unknown-stereotype"),
        (("a", "en/hats/late", "maybe", "1"), "impossible-answer"),
        (("a", "en/hats/late", "yes", "9"), "impossible-answer"),
        (("a", "en/hats/late", "yes", "1.5"), "impossible-answer"),
        (("a", "en/hats/late", "yes", "nan"), "impossible-answer"),
        (("", "en/hats/late", "yes", "1"), "no-respondent"),
    ],
)
def test_impossible_rows_are_told_and_left_out(tmp_path: Path, row: tuple[str, ...], code: str) -> None:
    good = ("b", "en/hats/late", "no", "0")
    columns = ("respondent", "stereotype", "relevant", "harmfulness")
    answers, problems = read_answers(table(tmp_path / "form.csv", columns, [row, good]), KNOWN)
    assert answers == [Answer("b", "en/hats/late", "no", 0)]
    assert [(problem.code, problem.place.line) for problem in problems] == [(code, 2)]


@pytest.mark.parametrize(
    "row", [("en/hats/late", "-1", "2"), ("en/hats/late", "many", "2"), ("en/hats/late", "1.5", "2")]
)
def test_impossible_counts_are_told_and_left_out(tmp_path: Path, row: tuple[str, ...]) -> None:
    path = table(tmp_path / "counts.csv", ("stereotype", "yes", "no"), [row, ("en/hats/loud", "3", "4")])
    tallies, problems = read_counts(path, KNOWN)
    assert tallies == [Tally("en/hats/loud", 3, 4)]
    assert [problem.place.line for problem in problems] == [2]


def test_tiers_says_where_to_and_what_was_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = dataset(tmp_path, hats(2))
    rows = [(f"p{n}", "en/hats/000", "yes" if n < 6 else "no", n % 4) for n in range(8)] + [
        ("p1", "en/hats/9", "no", "")
    ]
    path = table(tmp_path / "form.csv", ("respondent", "stereotype", "relevant", "harmfulness"), rows)
    out = tmp_path / "elsewhere" / "tiers.csv"
    assert survey("tiers", folder, "--answers", path, "--out", out) == 0
    assert not (folder / "tiers.csv").exists()
    first, second = read(out)
    assert (first["yes"], first["no"], first["share"], first["tier"]) == ("6", "2", "0.7500", "1")
    assert first["policy"] == "share 70/50/30 of 5 or more"
    assert (second["answers"], second["share"], second["tier"]) == ("0", "", "")
    told = capsys.readouterr()
    assert "form.csv:10:stereotype: warning unknown-stereotype" in told.err
    assert "p1" not in told.out + told.err + out.read_text()
    assert survey("tiers", folder, "--answers", path, "--out", out, "--strict") == 1


def test_answers_and_counts_do_not_mix(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = dataset(tmp_path, hats(1))
    assert survey("tiers", folder, "--answers", "a.csv", "--counts", "b.csv") == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"", b"one;two\n1;2\n"])
def test_a_file_that_holds_no_answers(tmp_path: Path, content: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    folder = dataset(tmp_path, hats(1))
    (tmp_path / "odd.csv").write_bytes(content)
    assert survey("tiers", folder, "--answers", tmp_path / "odd.csv") == 1
    assert not (folder / "tiers.csv").exists()
    assert "Traceback" not in capsys.readouterr().err
