"""One page of what people said, in itself whole: no script, no request, for a phone and for a voice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..builder.schema import Dataset
from .agreement import Agreement, Respondent, agreements, respondents
from .answers import Answer, read_proposals
from .candidates import Candidate, candidates
from .gathering import blocks_of
from .plan import Plan
from .store import Store
from .subjects import Subject
from .tables import rows_of
from .tiers import EXCLUDED, Grade, named

TEMPLATE = Path(__file__).parent / "report.html"
TIERS = {"1": "tier 1", "2": "tier 2", "3": "tier 3", EXCLUDED: "excluded", "": "too few answers"}


@dataclass(frozen=True)
class Coverage:
    """How much is known of one group. `answers` are those of all its stereotypes."""

    group: str
    stereotypes: int
    answers: int
    wanted: int
    tiers: Counter[str]


@dataclass(frozen=True)
class Findings:
    """All that the page shows."""

    survey: str
    dataset: Dataset
    subjects: dict[str, Subject]
    groups: dict[str, str]
    grades: Sequence[Grade]
    people: Sequence[Respondent]
    answers: int
    agreement: Sequence[Agreement]
    coverage: Sequence[Coverage]
    belonging: Sequence[tuple[str, str]]
    proposed: Sequence[Candidate]

    @classmethod
    def gather(
        cls,
        survey: str,
        dataset: Dataset,
        known: Sequence[Subject],
        plan: Plan | None,
        answers: Sequence[Answer],
        grades: Sequence[Grade],
        store: Store,
    ) -> Findings:
        """From the answers and their grades, and from what the survey's folder holds."""
        proposals = read_proposals(store.proposals) if store.proposals.is_file() else []
        belonging = rows_of(store.belonging, ("group", "respondents")) if store.belonging.is_file() else []
        blocks = plan.blocks if plan else ()
        groups = {subject.id: subject.group for subject in known}
        groups |= {item.stereotype: block.group for block in blocks for item in block.items}
        return cls(
            survey=survey,
            dataset=dataset,
            subjects={subject.id: subject for subject in known},
            groups=groups,
            grades=grades,
            people=respondents(answers),
            answers=sum(one.tally.answers for one in grades),
            agreement=agreements(answers, blocks_of(store)) if answers else [],
            coverage=_coverage(groups, grades, plan.answers if plan else dataset.survey.answers),
            belonging=[(row.cells["group"], row.cells["respondents"]) for row in belonging],
            proposed=candidates(proposals, known),
        )


def _coverage(group_of: dict[str, str], grades: Sequence[Grade], wanted: int) -> list[Coverage]:
    groups: dict[str, list[Grade]] = {}
    for one in grades:
        groups.setdefault(group_of[one.tally.stereotype], []).append(one)
    return [
        Coverage(
            group,
            len(members),
            sum(one.tally.answers for one in members),
            wanted * len(members),
            Counter(one.tier for one in members),
        )
        for group, members in sorted(groups.items())
    ]


def page(found: Findings) -> str:
    """The page as HTML. Everything that people wrote is escaped."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters["per_cent"] = lambda value: f"{100 * value:.0f}"
    environment.filters["place"] = lambda value: f"{value:.2f}"
    template = environment.from_string(TEMPLATE.read_text(encoding="utf-8"))
    order = {tier: place for place, tier in enumerate(TIERS)}
    grades = sorted(found.grades, key=lambda one: (order[one.tier], -(one.share or 0), one.tally.stereotype))
    return template.render(
        found=found,
        grades=grades,
        tiers=TIERS,
        counts=Counter(one.tier for one in found.grades),
        policy=found.dataset.tiers,
        named=named(found.dataset.tiers),
        points=[one for one in grades if one.share is not None and one.tally.harm_mean is not None],
        flagged=[one for one in found.people if one.flags],
    )
