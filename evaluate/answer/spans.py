"""What two sentences of a pair share: words first, then the pieces of a tokenizer that lie within them.

A diff of tokens counts pieces of the changed word as shared where they happen to agree (the `enferm` of
*enfermera* and *enfermero*). Here words are aligned first, and a piece is shared only where no character of
it belongs to a changed word. `shared_tokens` is the token-level diff of the published scorers, for
comparison.
"""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

Span = tuple[int, int]

# Scripts written without spaces: each character stands for itself, or a whole sentence would be one word.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
_PLAIN = re.compile(r"\w+|[^\w\s]")


@lru_cache(maxsize=1)
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """What makes a text need care, and the words of such a text: `\\w` leaves out combining marks."""
    found = (c for c in map(chr, range(0x10000)) if unicodedata.category(c)[0] == "M")
    marks = "".join(found) + "\u200c\u200d"  # marks beyond the basic plane would make the class slow
    careful = rf"[{_UNSPACED}][{marks}]*|(?:(?![{_UNSPACED}])\w[{marks}]*)+|[^\w\s][{marks}]*"
    return re.compile(f"[{marks}{_UNSPACED}]"), re.compile(careful)


@lru_cache(maxsize=65536)
def words(text: str) -> tuple[Span, ...]:
    """Where each word of a text starts and ends; every character that is not space is in exactly one.

    Words keep their combining marks; punctuation and symbols stand one by one.
    """
    if text.isascii():
        return tuple(match.span() for match in _PLAIN.finditer(text))
    care, careful = _patterns()
    return tuple(match.span() for match in (careful if care.search(text) else _PLAIN).finditer(text))


def changed_words(a: str, b: str, *, first: bool = True) -> tuple[list[Span], list[Span]]:
    """The words of each sentence that the other has not, by longest common subsequence of words.

    `first=False` counts the first word of either sentence as changed, in both: for models that have no
    begin-of-sequence token, and so cannot score it.
    """
    spans_a, spans_b = words(a), words(b)
    words_a = [a[start:end] for start, end in spans_a]
    words_b = [b[start:end] for start, end in spans_b]
    common = _align(words_a, words_b)
    if not first:
        common = [(i, j) for i, j in common if i and j]
    kept_a, kept_b = {i for i, _ in common}, {j for _, j in common}
    return (
        [span for i, span in enumerate(spans_a) if i not in kept_a],
        [span for j, span in enumerate(spans_b) if j not in kept_b],
    )


def _align(a: list[str], b: list[str]) -> list[tuple[int, int]]:
    """Index pairs of a longest common subsequence, ascending; exchanging the arguments exchanges the pairs."""
    if b < a:
        return [(i, j) for j, i in _align(b, a)]
    start = 0
    shorter = min(len(a), len(b))
    while start < shorter and a[start] == b[start]:
        start += 1
    tail = 0
    while tail < shorter - start and a[-1 - tail] == b[-1 - tail]:
        tail += 1
    pairs = [(i, i) for i in range(start)]
    pairs += _subsequence(a[start : len(a) - tail], b[start : len(b) - tail], start)
    return pairs + [(len(a) - k, len(b) - k) for k in range(tail, 0, -1)]


def _subsequence(a: list[str], b: list[str], offset: int) -> list[tuple[int, int]]:
    """Longest common subsequence by dynamic programming; `offset` is added to its indices."""
    if not a or not b or not set(a) & set(b):
        return []
    length = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in range(len(a) - 1, -1, -1):
        row, below = length[i], length[i + 1]
        for j in range(len(b) - 1, -1, -1):
            row[j] = below[j + 1] + 1 if a[i] == b[j] else max(below[j], row[j + 1])
    pairs, i, j = [], 0, 0
    while i < len(a) and j < len(b):
        if a[i] == b[j]:
            pairs.append((offset + i, offset + j))
            i, j = i + 1, j + 1
        elif length[i + 1][j] >= length[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs


def shared_pieces(text: str, offsets: Sequence[Span], changed: Sequence[Span]) -> list[int]:
    """Indices of the pieces that touch no changed word.

    `offsets` are the pieces' character ranges in `text`. A piece of nothing but space goes with the piece
    after it, of which it is the word boundary.
    """
    kept: list[int] = []
    waiting: list[int] = []
    for index, (start, end) in enumerate(offsets):
        waiting.append(index)
        piece = text[start:end]
        if not piece or piece.isspace():
            continue
        for low, high in changed:
            if start < high and low < end:
                break
        else:
            kept += waiting
        waiting = []
    return kept + waiting


def shared_tokens(a: Sequence[int], b: Sequence[int]) -> tuple[list[int], list[int]]:
    """The token-level span of the published scorers: indices that `difflib` finds equal in both.

    Both sequences are given with their special tokens, as those scorers do it (CrowS-Pairs, Nangia et al.
    2020; WinoQueer, Felkner et al. 2023); which of the indices are special is for the caller to leave out.
    """
    kept_a: list[int] = []
    kept_b: list[int] = []
    for op, low_a, high_a, low_b, high_b in difflib.SequenceMatcher(None, a, b).get_opcodes():
        if op == "equal":
            kept_a += range(low_a, high_a)
            kept_b += range(low_b, high_b)
    return kept_a, kept_b
