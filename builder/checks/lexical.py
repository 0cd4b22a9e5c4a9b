"""Rules of `lexical`: a question on the words of a country, its options, and which of them are right."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import chain
from typing import Any, ClassVar

from ..languages import Language
from ..problems import Severity
from .balance import index
from .faults import Columns, Fault, Row, RowRules, WholeRule, item_rule
from .labels import Duplicates
from .text import normalised

YES_NO, CHOICE = "yes_no", "choice"
FEWEST, MOST = 2, 20
TEXTS = ("question",)
NAMED = ("country", "concept_id")


def _positions(gold: Any) -> list[int | None]:
    """Positions of the right options; None for what is no number."""
    return [index(cell) if isinstance(cell, int | str) else None for cell in gold or ()]


@item_rule("empty-text", "write it, or remove the row")
def empty_text(row: Row, language: Language) -> Iterator[str]:
    """A question or an option with no words in it."""
    if not normalised(row["question"]):
        yield "question holds no words"
    for number, option in enumerate(row["options"] or ()):
        if not normalised(str(option)):
            yield f"option {number} holds no words"


@item_rule("unknown-format", "say yes_no or choice")
def unknown_format(row: Row, language: Language) -> Iterator[str]:
    """A format that is none of the two."""
    if row["format"] not in (YES_NO, CHOICE):
        yield f"the format is {row['format']!r}"


@item_rule("unnamed", "say which country and concept it asks about, and which variant where it asks about one")
def unnamed(row: Row, language: Language) -> Iterator[str]:
    """A row that does not say its country, its concept or, in a yes_no, its variant: no figure can be cut by it."""
    for name in (*NAMED, "variant") if row["format"] == YES_NO else NAMED:
        if not row[name]:
            yield f"{name} is empty"


@item_rule("empty-gold", "leave out what no variant is known for")
def empty_gold(row: Row, language: Language) -> Iterator[str]:
    """No option is right, so that every answer is wrong."""
    if not row["gold"]:
        yield "no option is right"


@item_rule("gold-range", "each right option once, by its position from 0, in ascending order")
def gold_range(row: Row, language: Language) -> Iterator[str]:
    """A right answer that is none of the options, stands twice, or is out of order."""
    gold, count = _positions(row["gold"]), len(row["options"] or ())
    numbers = [at for at in gold if at is not None]
    if len(numbers) < len(gold) or any(not 0 <= at < count for at in numbers) or numbers != sorted(set(numbers)):
        yield f"of {count} options these are right: {', '.join(map(str, row['gold']))}"


@item_rule("all-right", "leave it out: it tells nothing apart")
def all_right(row: Row, language: Language) -> Iterator[str]:
    """Every option is right, so that chance is as good as knowledge."""
    options = row["options"] or ()
    if len(options) > 1 and set(_positions(row["gold"])) == set(range(len(options))):
        yield f"all {len(options)} options are right"


@item_rule("same-options", "ask for each word once")
def same_options(row: Row, language: Language) -> Iterator[str]:
    """Two options say the same."""
    said: dict[str, int] = {}
    for number, option in enumerate(row["options"] or ()):
        words = normalised(str(option))
        if words and (first := said.setdefault(words, number)) != number:
            yield f"options {first} and {number} both say {option!r}"


@item_rule("option-count", f"a choice has {FEWEST} to {MOST} options, a yes_no has two")
def option_count(row: Row, language: Language) -> Iterator[str]:
    """Too few options to choose from, or too many."""
    count = len(row["options"] or ())
    most = {YES_NO: FEWEST, CHOICE: MOST}.get(row["format"])
    if most and not FEWEST <= count <= most:
        yield "there is 1 option" if count == 1 else f"there are {count} options"


class DuplicateQuestions(Duplicates):
    def keys(self, rows: Columns) -> Iterator[Any]:
        for country, question, options in zip(rows["country"], rows["question"], rows["options"], strict=True):
            yield country, normalised(question), tuple(sorted(normalised(str(option)) for option in options or ()))


class TwoAnswers(WholeRule):
    """A word that is right for a country and a concept in one row, and wrong in another."""

    code = "two-answers"
    mend = "one of them is wrong, or they ask about two concepts"

    def __init__(self) -> None:
        super().__init__()
        self.rows: dict[tuple[str, ...], dict[bool, list[int]]] = defaultdict(lambda: defaultdict(list))

    def look(self, rows: Columns, numbers: range) -> None:
        names = ("format", *NAMED, "variant", "options", "gold")
        for number, form, *key, variant, options, gold in zip(numbers, *(rows[name] for name in names), strict=True):
            right = _positions(gold)
            if form == YES_NO and right:
                self.rows[(form, *key, variant)][right[0] == 0].append(number)
            elif form == CHOICE:
                for at, option in enumerate(options or ()):
                    self.rows[(form, *key, normalised(str(option)))][at in right].append(number)

    def finish(self) -> Iterator[tuple[Fault, list[int]]]:
        for (_, country, _, word), signs in self.rows.items():
            if len(signs) > 1:
                told = f"{word!r} in {country!r}: right in {len(signs[True]):,} rows, wrong in {len(signs[False]):,}"
                yield self.fault(told), sorted(chain(*signs.values()))


class UnbalancedCountry(WholeRule):
    """A country of which more is asked that it says than that it does not, or the other way round."""

    code = "unbalanced-country"
    mend = "ask as often of a word that is used there as of one that is not"
    severity: ClassVar[Severity] = "warning"

    def __init__(self) -> None:
        super().__init__()
        self.counts: dict[str, Counter[bool]] = defaultdict(Counter)
        self.rows: dict[str, list[int]] = defaultdict(list)

    def look(self, rows: Columns, numbers: range) -> None:
        for number, form, country, gold in zip(numbers, *(rows[n] for n in ("format", "country", "gold")), strict=True):
            if form == YES_NO and gold:
                self.counts[country][_positions(gold)[0] == 0] += 1
                self.rows[country].append(number)

    def finish(self) -> Iterator[tuple[Fault, list[int]]]:
        for country, counts in self.counts.items():
            if counts[True] != counts[False]:
                yield self.fault(f"{country!r}: {counts[True]:,} yes, {counts[False]:,} no"), self.rows[country]


RULES = RowRules(
    texts=TEXTS,
    needed=("format", *NAMED, "variant", *TEXTS, "options", "gold"),
    optional=("id", "axis", "stereotype", "template", "language"),
    items=(
        empty_text,
        unknown_format,
        unnamed,
        empty_gold,
        gold_range,
        all_right,
        same_options,
        option_count,
    ),
    wholes=(DuplicateQuestions, TwoAnswers, UnbalancedCountry),
    contrast=("format", *NAMED, "variant"),
    lists=("options", "gold"),
)
