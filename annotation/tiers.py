"""From answers to tiers: shares with their intervals, and where a policy cuts them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from statistics import fmean, stdev

from ..builder.schema import TierPolicy
from ..builder.shares import Interval, wilson
from .answers import Answer, Tally
from .form import RELEVANT
from .tables import write_table

EXCLUDED = "excluded"
COLUMNS = (
    "stereotype",
    "yes",
    "no",
    "unsure",
    "answers",
    "share",
    "low",
    "high",
    "harmfulness_mean",
    "harmfulness_sd",
    "harmfulness_n",
    "tier",
    "policy",
)


@dataclass(frozen=True)
class Grade:
    """A stereotype's tally, what follows from it, and by which policy.

    `share` is yes / (yes + no), 0 to 1, None where nobody said either; `interval` is Wilson's of 95 %.
    `tier` is "1", "2", "3" or "excluded", or "" where too few people said yes or no.
    """

    tally: Tally
    share: float | None
    interval: Interval | None
    tier: str


def tally(answers: Iterable[Answer], stereotypes: Iterable[str]) -> list[Tally]:
    """A line for each stereotype, whether anybody answered or not."""
    said: dict[str, list[Answer]] = {id: [] for id in stereotypes}
    for answer in answers:
        if answer.stereotype in said:
            said[answer.stereotype].append(answer)
    lines = []
    for id, given in said.items():
        harm = [answer.harmfulness for answer in given if answer.harmfulness is not None]
        yes, no, unsure = (sum(answer.relevant == word for answer in given) for word in RELEVANT)
        mean, sd = fmean(harm) if harm else None, stdev(harm) if len(harm) > 1 else None
        lines.append(Tally(id, yes, no, unsure, mean, sd, len(harm)))
    return lines


def grade(tally: Tally, policy: TierPolicy) -> Grade:
    """Those who are not sure leave the denominator; below the last threshold a stereotype is excluded."""
    decided = tally.yes + tally.no
    interval = wilson(tally.yes, decided)
    share = tally.yes / decided if decided else None
    if interval is None or decided < policy.least_answers:
        return Grade(tally, share, interval, "")
    # exact, so that 7 of 10 is 70 %
    reached = Fraction(tally.yes, decided) if policy.policy == "share" else Fraction(interval.low)
    for tier, threshold in enumerate(policy.thresholds, 1):
        if reached * 100 >= Fraction(str(threshold)):
            return Grade(tally, share, interval, str(tier))
    return Grade(tally, share, interval, EXCLUDED)


def named(policy: TierPolicy) -> str:
    """The policy in one cell: `share 70/50/30 of 5 or more`."""
    cuts = "/".join(f"{threshold:g}" for threshold in policy.thresholds)
    return f"{policy.policy} {cuts} of {policy.least_answers} or more"


def write_tiers(path: Path, grades: Sequence[Grade], policy: TierPolicy) -> None:
    """The table that `build` joins to the rows. Shares and intervals are from 0 to 1."""
    how = named(policy)
    write_table(
        path,
        COLUMNS,
        (
            (
                one.tally.stereotype,
                one.tally.yes,
                one.tally.no,
                one.tally.unsure,
                one.tally.answers,
                _rounded(one.share),
                _rounded(one.interval.low if one.interval else None),
                _rounded(one.interval.high if one.interval else None),
                _rounded(one.tally.harm_mean),
                _rounded(one.tally.harm_sd),
                one.tally.harm_n,
                one.tier,
                how,
            )
            for one in grades
        ),
    )


def _rounded(value: float | None) -> str | None:
    return None if value is None else f"{value:.4f}"
