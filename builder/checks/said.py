"""What the rows of a dataset say, gathered while they are made: words, longest sentences, a sample, groups' rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.compute as pc

from ..rows import Block

# RE2: what stands between two words, and what between two sentences
BETWEEN_WORDS = r"[^\p{L}\p{M}\p{N}'’\-]+"
BETWEEN_SENTENCES = r"[.!?…]+[\"”»’)\]]*\s+|\n+"
A_WORD = r"[\p{L}\p{N}][^\s]*"
SAMPLE = 12  # texts of a template and column that a slow rule looks at
GROUPS = ("target_group", "target")


@dataclass
class Said:
    """`texts` names the columns of running text, of which those in another language than the rows' are left out."""

    texts: Sequence[str]
    words: dict[str, set[str]] = field(default_factory=dict)  # template -> its words, as they are written
    longest: dict[tuple[str, str], tuple[int, str]] = field(default_factory=dict)  # template, column -> words, sentence
    sample: dict[str, dict[str, list[str]]] = field(default_factory=dict)  # template -> column -> some of its texts
    groups: dict[str, Counter[str]] = field(default_factory=dict)  # axis -> rows of each target group

    def add(self, block: Block) -> None:
        """Takes a block of one template's rows."""
        table = block.table
        template = str(table.column("template")[0].as_py())
        columns = [name for name in self.texts if f"{name}_language" not in table.column_names]
        for name in columns:
            for chunk in table.column(name).chunks:
                texts = chunk.dictionary if isinstance(chunk, pa.DictionaryArray) else pc.unique(chunk)
                if len(texts):
                    self._look(template, name, texts)
        self._count(table)

    def _look(self, template: str, name: str, texts: pa.Array) -> None:
        split = pc.split_pattern_regex(texts, BETWEEN_WORDS).flatten()
        self.words.setdefault(template, set()).update(bare for word in unique(split) if (bare := word.strip("'’-")))
        sentences = pc.split_pattern_regex(texts, BETWEEN_SENTENCES).flatten()
        counts = pc.count_substring_regex(sentences, A_WORD)
        most = int(pc.max(counts).as_py())
        if most > self.longest.get((template, name), (0, ""))[0]:
            self.longest[template, name] = most, sentences[pc.index(counts, most).as_py()].as_py().strip()
        kept = self.sample.setdefault(template, {}).setdefault(name, [])
        kept += texts[:: max(1, len(texts) // SAMPLE)][: SAMPLE - len(kept)].to_pylist()

    def _count(self, table: pa.Table) -> None:
        name = next((n for n in GROUPS if n in table.column_names and is_text(table.column(n).type)), None)
        if name is None:
            return
        rows = pa.table({"axis": plain(table.column("axis")), "group": plain(table.column(name))})
        counted = rows.group_by(["axis", "group"]).aggregate([([], "count_all")])
        for row in counted.to_pylist():
            self.groups.setdefault(row["axis"], Counter())[row["group"]] += row["count_all"]


def unique(words: pa.Array) -> Iterable[str]:
    return (word for word in pc.unique(words).to_pylist() if word)


def is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind.value_type if pa.types.is_dictionary(kind) else kind))


def plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column.cast(pa.string())


def sentences(text: str) -> Iterator[str]:
    """The sentences of one text, by the same signs."""
    split = pc.split_pattern_regex(pa.array([text]), BETWEEN_SENTENCES).flatten()
    return (sentence for sentence in split.to_pylist() if sentence.strip())
