"""Rules of `qa` that look at all rows: what does not balance, and what gives an answer away."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, ClassVar

from ..problems import Severity
from .faults import Columns, Fault, WholeRule
from .text import normalised

ANSWERS = ("ans0", "ans1", "ans2")
ROLES = ("target", "other", "unknown")
VALUES = {"context_condition": ("ambig", "disambig"), "question_polarity": ("neg", "nonneg")}
LEAST = 30


@lru_cache(maxsize=1 << 10)
def index(value: Any) -> int | None:
    """A label or a role as the number of an answer, or None where it is no number."""
    if isinstance(value, str):
        return int(value) if value.strip().isdecimal() else None
    return None if value is None else int(value)


class Positions(WholeRule):
    """The gold answer, or one role's, stands far more often in one place than in another."""

    code = "answer-positions"
    mend = "change the order of the answers from row to row"
    severity: ClassVar[Severity] = "warning"

    def __init__(self) -> None:
        super().__init__()
        self.counts: dict[str, Counter[int]] = defaultdict(Counter)

    def look(self, rows: Columns, numbers: range) -> None:
        for role in ("label", *ROLES):
            for said, count in Counter(rows.get(role, ())).items():
                if (at := index(said)) in (0, 1, 2):
                    self.counts[role][at] += count

    def finish(self) -> Iterator[tuple[Fault, list[int]]]:
        for role, counts in self.counts.items():
            total = counts.total()
            if total >= LEAST and any(far(counts[at], total, 1 / 3) for at in range(3)):
                told = ", ".join(f"ans{at} {counts[at]:,}" for at in range(3))
                yield self.fault(f"the {'gold' if role == 'label' else role} answer: {told}"), []


class Counts(WholeRule):
    """Rows that do not balance: none of a condition, or more of one polarity or gold role than of another."""

    code = "unbalanced"
    mend = "every combination gives as many rows of each kind"
    severity: ClassVar[Severity] = "warning"

    def __init__(self) -> None:
        super().__init__()
        self.counts: Counter[tuple[str, str, str]] = Counter()

    def look(self, rows: Columns, numbers: range) -> None:
        if not all(name in rows for name in VALUES):
            return
        roles = [rows.get(role) or [None] * len(numbers) for role in ROLES]
        for condition, polarity, label, *indices in zip(
            rows["context_condition"], rows["question_polarity"], rows["label"], *roles, strict=True
        ):
            gold = index(label)
            named = zip(ROLES, map(index, indices), strict=True)
            role = next((name for name, at in named if at is not None and at == gold), "")
            self.counts[condition, polarity, role] += 1

    def finish(self) -> Iterator[tuple[Fault, list[int]]]:
        if not self.counts:
            return
        for condition in VALUES["context_condition"]:
            here = {key: count for key, count in self.counts.items() if key[0] == condition}
            if not here:
                yield self.fault(f"no row is {condition}"), []
                continue
            yield from self._compare(condition, {p: _sum(here, 1, p) for p in VALUES["question_polarity"]})
            if condition == "disambig" and any(role in ("target", "other") for _, _, role in here):
                for polarity in VALUES["question_polarity"]:
                    golds = {f"gold {role}": here.get((condition, polarity, role), 0) for role in ROLES[:2]}
                    yield from self._compare(f"{condition}, {polarity}", golds)

    def _compare(self, where: str, counts: dict[str, int]) -> Iterator[tuple[Fault, list[int]]]:
        low, high = min(counts.values()), max(counts.values())
        if high - low > max(2, 0.05 * (high + low)):
            told = ", ".join(f"{name} {count:,}" for name, count in counts.items())
            yield self.fault(f"{where}: {told}"), []


def _sum(counts: dict[tuple[str, str, str], int], at: int, value: str) -> int:
    return sum(count for key, count in counts.items() if key[at] == value)


class AnswerLength(WholeRule):
    """In disambiguated rows the longer, or the shorter, of the two groups' answers is gold far too often."""

    code = "answer-length"
    mend = "word both answers alike, and let the evidence point to either"
    severity: ClassVar[Severity] = "warning"

    def __init__(self) -> None:
        super().__init__()
        self.longer = self.total = 0

    def look(self, rows: Columns, numbers: range) -> None:
        for gold, rest, _ in _settled(rows):
            if len(gold) != len(rest):
                self.total += 1
                self.longer += len(gold) > len(rest)

    def finish(self) -> Iterator[tuple[Fault, list[int]]]:
        if self.total >= LEAST and far(self.longer, self.total, 1 / 2):
            share = 100 * self.longer / self.total
            yield self.fault(f"the longer of the two is gold in {share:.0f} % of {self.total:,} rows"), []


class AnswerWording(WholeRule):
    """A wording that gives the gold answer away: nearly always right, or never, where others are not."""

    code = "answer-wording"
    mend = "use every wording as often where it is right as where it is wrong"
    severity: ClassVar[Severity] = "warning"

    def __init__(self) -> None:
        super().__init__()
        self.right: Counter[tuple[str, str]] = Counter()
        self.rows: dict[tuple[str, str], list[int]] = defaultdict(list)

    def look(self, rows: Columns, numbers: range) -> None:
        for gold, rest, at in _settled(rows):
            self._count("group", gold, numbers[at], True)
            self._count("group", rest, numbers[at], False)
        for at, none in enumerate(rows.get("unknown") or ()):
            where = index(none)
            if where in (0, 1, 2):
                right = index(rows["label"][at]) == where
                self._count("unknown", rows[ANSWERS[where]][at], numbers[at], right)

    def _count(self, kind: str, answer: str, number: int, right: bool) -> None:
        key = kind, normalised(answer)
        self.rows[key].append(number)
        self.right[key] += right

    def finish(self) -> Iterator[tuple[Fault, list[int]]]:
        totals: Counter[str] = Counter()
        rights: Counter[str] = Counter()
        for key, rows in self.rows.items():
            totals[key[0]] += len(rows)
            rights[key[0]] += self.right[key]
        for (kind, words), rows in self.rows.items():
            overall = rights[kind] / totals[kind]
            right = self.right[kind, words]
            if len(rows) >= LEAST and 0.1 <= overall <= 0.9 and not 0.05 <= right / len(rows) <= 0.95:
                share = f"{right:,} of {len(rows):,} rows, against {100 * overall:.0f} % of all"
                yield self.fault(f"{words!r} is right in {share}"), rows


def far(count: int, total: int, share: float) -> bool:
    """More than a tenth away from a share, and by more than three standard errors."""
    distance = abs(count / total - share)
    return distance > 0.1 * (1 - share) * 2 and distance > 3 * (share * (1 - share) / total) ** 0.5


def _settled(rows: Columns) -> Iterator[tuple[str, str, int]]:
    """Of each disambiguated row the gold group's answer, the other's, and the row's number in the block."""
    targets, others = rows.get("target") or (), rows.get("other") or ()
    conditions = rows.get("context_condition") or ()
    for at, (condition, target, other) in enumerate(zip(conditions, targets, others, strict=False)):
        pair = index(target), index(other)
        gold = index(rows["label"][at])
        if condition == "disambig" and gold in pair and all(where in (0, 1, 2) for where in pair):
            rest = pair[1] if gold == pair[0] else pair[0]
            yield rows[f"ans{gold}"][at], rows[f"ans{rest}"][at], at
