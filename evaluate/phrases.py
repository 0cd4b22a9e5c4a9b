"""The wordings by which replies are read: `phrases.csv`, one row a phrase, and tables like it.

kind         what the phrase does
marker       stands before an option's label: "Option 1"
marker_after stands after it: "1. aukera"
declares     opens the final answer, where options were weighed before: "Answer:"
conjunction  joins two labels: "1 or 2"
negation     stands right before what is denied: "not the first one"
unknown      says that it cannot be known; read as the option that says so
refusal      declines to answer
yes, no      a whole answer to a question of yes or no

The phrases of a language and those of English hold together: prompts are often English whatever the rows are. Of
yes and no only those of the language hold, for that is what is asked for.
"""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ..builder.problems import Place, Problem, SourceFaults, nearest

KINDS = ("marker", "marker_after", "declares", "conjunction", "negation", "unknown", "refusal", "yes", "no")
BUNDLED = Path(__file__).with_name("phrases.csv")
_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")  # marks without a width
Phrases = Mapping[str, tuple[str, ...]]
"""The phrases of each kind, longest first."""


@dataclass(frozen=True)
class Row:
    """One row of a table of phrases."""

    language: str
    kind: str
    phrase: str


@lru_cache
def read_phrases(path: Path = BUNDLED) -> tuple[Row, ...]:
    """The rows of a table of phrases (UTF-8; comma, semicolon or tab). SourceFaults tells all that is wrong."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        head = file.readline()
        file.seek(0)
        separator = max(";,\t", key=head.count)
        table = csv.DictReader(file, delimiter=separator)
        lacking = [c for c in ("language", "kind", "phrase") if c not in (table.fieldnames or ())]
        if lacking:
            place = Place(str(path), line=1)
            raise SourceFaults([Problem(place, "missing-column", f"no column {name!r}") for name in lacking])
        rows, problems = [], []
        for cells in table:
            language, kind, phrase = (normal(cells[c] or "") for c in ("language", "kind", "phrase"))
            place = Place(str(path), line=table.line_num, field="kind")
            if kind not in KINDS:
                problems.append(Problem(place, "unknown-kind", f"{kind!r} is no kind", nearest(kind, KINDS)))
            elif not re.search(r"\w", phrase):
                place = Place(str(path), line=table.line_num, field="phrase")
                problems.append(Problem(place, "empty-phrase", "a phrase without a word"))
            else:
                rows.append(Row(language, kind, phrase))
    if problems:
        raise SourceFaults(problems)
    return tuple(rows)


@lru_cache
def phrases_of(language: str, extra: Path | None = None) -> Phrases:
    """The bundled phrases of a language and of English, and those of a table that someone adds."""
    rows = [*read_phrases(), *(read_phrases(extra) if extra else ())]
    found: dict[str, set[str]] = {kind: set() for kind in KINDS}
    for row in rows:
        of_own = row.language in (language.split("-")[0], language)
        if of_own or (row.language == "en" and row.kind not in ("yes", "no")):
            found[row.kind].add(row.phrase)
    return {kind: tuple(sorted(found[kind], key=lambda p: (-len(p), p))) for kind in KINDS}


def normal(text: str) -> str:
    """Composed (NFKC), without emphasis marks and unseen characters, lines trimmed; letters keep case and accent."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
        text = _UNSEEN.sub("", text)
    text = re.sub(r"[*`]+|(?<!\w)_+|_+(?!\w)", "", text).replace("’", "'")
    return "\n".join(" ".join(line.split()) for line in text.splitlines()).strip()


def wording(phrases: Sequence[str]) -> str:
    """A regular expression for any of the phrases as whole words, whatever little punctuation joins them."""
    return rf"(?<!\w)(?:{'|'.join(map(_one, phrases))})" if phrases else r"(?!)"


def _one(phrase: str) -> str:
    words = re.findall(r"\w+", phrase)
    return r"\W{1,3}".join(map(re.escape, words)) + (r"\W{0,2}:" if phrase.endswith(":") else r"(?!\w)")
