"""Rules of `translation`: sentences with an occupation, and sentences in a masculine and a feminine version."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from ..languages import Language
from .faults import Columns, Fault, Row, RowRules, WholeRule, item_rule
from .labels import Duplicates, MisspeltLabel
from .text import normalised

KINDS = ("occupation", "contrast")
GENDERS = ("", "m", "f", "n")
DIRECTIONS = ("", "stereo", "anti")


@item_rule("empty-text", "write the sentence, or remove the row")
def empty_text(row: Row, language: Language) -> Iterator[str]:
    """A sentence with no words in it."""
    if not normalised(row["text"]):
        yield "text holds no words"


@item_rule("entity-place", "let the text show the occupation, or write its words as they stand")
def entity_place(row: Row, language: Language) -> Iterator[str]:
    """The words of an occupation are not where the row says, or are not in the text."""
    words, start = row.get("entity_text") or "", row.get("entity_start")
    start = "" if start is None else str(start)
    if row.get("kind") == "occupation" and row.get("entity") and "entity_text" in row and not words:
        yield f"the text does not show {row['entity']!r}"
    elif words and start and not (start.isdecimal() and row["text"].startswith(words, int(start))):
        yield f"{words!r} does not stand at character {start}"
    if (second := row.get("entity2_text")) and second not in row["text"]:
        yield f"{second!r} is not in the text"


@item_rule("same-entity", "ask for two different occupations, or for one")
def same_entity(row: Row, language: Language) -> Iterator[str]:
    """Both occupations of a sentence are one, so that a translation cannot be asked which it is."""
    if row.get("entity") and row.get("entity") == row.get("entity2"):
        yield f"both occupations are {row['entity']!r}"


@item_rule("unknown-value", "write what the column says: `contrapar schema` lists it")
def unknown_value(row: Row, language: Language) -> Iterator[str]:
    """A kind, gender or direction that is none of those known."""
    for name, known in (("kind", KINDS), ("gender", GENDERS), ("direction", DIRECTIONS)):
        if name in row and (row[name] or "") not in known and (row[name] or name != "kind"):
            yield f"{name} is {row[name]!r}"


@item_rule("no-reference", "give the translation that people made, and its language")
def no_reference(row: Row, language: Language) -> Iterator[str]:
    """A version of a sentence without a reference, so that its translation cannot be scored."""
    if row.get("kind") == "contrast":
        if not normalised(row.get("reference") or ""):
            yield "there is no reference"
        elif not row.get("reference_language"):
            yield "the reference has no language"


@item_rule("same-as-reference", "a reference is in another language")
def same_as_reference(row: Row, language: Language) -> Iterator[str]:
    """The reference says the text itself."""
    if row.get("reference") and normalised(row["reference"]) == normalised(row["text"]):
        yield "the reference is the text itself"


class DuplicateSentences(Duplicates):
    """Rows that ask the same: one text, about one occupation."""

    def keys(self, rows: Columns) -> Iterator[Any]:
        texts = map(normalised, rows["text"])
        count = len(rows["text"])
        others = (rows.get(name) or [""] * count for name in ("entity", "gender", "kind"))
        return zip(texts, *others, strict=True)


class Versions(WholeRule):
    """A pair that is not one masculine and one feminine version, which differ, with one reference."""

    code = "versions"
    mend = "a pair has two versions that differ, and one reference"

    def __init__(self) -> None:
        super().__init__()
        self.pairs: dict[str, list[tuple[str, str, str, int]]] = defaultdict(list)

    def look(self, rows: Columns, numbers: range) -> None:
        if "pair" not in rows:
            return
        count = len(rows["text"])
        genders, references = (rows.get(name) or [""] * count for name in ("gender", "reference"))
        for number, pair, *version in zip(numbers, rows["pair"], genders, rows["text"], references, strict=True):
            if pair:
                gender, text, reference = version
                self.pairs[pair].append((gender or "", normalised(text), normalised(reference or ""), number))

    def finish(self) -> Iterator[tuple[Fault, list[int]]]:
        for pair, found in self.pairs.items():
            rows = [number for *_, number in found]
            genders = sorted(gender for gender, *_ in found)
            if genders != ["f", "m"]:
                told = ", ".join(gender or "no gender" for gender in genders)
                yield self.fault(f"pair {pair!r} has {len(found)} versions: {told}"), rows
            elif len({text for _, text, *_ in found}) < 2:
                yield self.fault(f"both versions of pair {pair!r} say the same"), rows
            elif len({reference for *_, reference, _ in found}) > 1:
                yield self.fault(f"pair {pair!r} has two references"), rows


class MisspeltEntity(MisspeltLabel):
    columns = ("axis",)


RULES = RowRules(
    texts=("text", "reference"),
    needed=("text", "kind"),
    optional=(
        "id", "axis", "stereotype", "template", "language", "entity", "entity_text", "entity_start", "entity2",
        "entity2_text", "gender", "direction", "pair", "reference", "reference_language",
    ),
    items=(empty_text, entity_place, same_entity, unknown_value, no_reference, same_as_reference),
    wholes=(DuplicateSentences, Versions, MisspeltEntity),
    contrast=("entity", "entity2", "gender"),
)  # fmt: skip
