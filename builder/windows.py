"""Which sentences must be looked at, so that all words that can stand side by side are looked at once.

A fault of wording lies within a few words. Of millions of sentences made of the same stretches, it is enough to
look at one for each way in which neighbouring stretches can be filled.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .stretches import WIDEST_TABLE, Indices, Stretch

# with three words between them, two stretches are looked at together only by a pattern of five words or more
WORDS_BETWEEN = 3


@dataclass
class _Window:
    pieces: list[int]
    sizes: list[int]
    seen: npt.NDArray[np.bool_]


class Windows:
    """The groups of neighbouring stretches of a phrase, and which of their fillings were seen."""

    def __init__(self, pieces: Sequence[str | Stretch]) -> None:
        self.windows: list[_Window] = []
        self.everything = False
        groups: list[list[int]] = []
        for first, piece in enumerate(pieces):
            if isinstance(piece, str):
                continue
            group, between = [first], _words(piece.after)
            for later in range(first + 1, len(pieces)):
                other = pieces[later]
                if not isinstance(other, str):
                    if between + _words(other.before) >= WORDS_BETWEEN:
                        break
                    group.append(later)
                between += _words(other)
            if not any(set(group) <= set(known) for known in groups):
                groups.append(group)
        for group in groups:
            sizes = [piece.size for number in group if isinstance(piece := pieces[number], Stretch)]
            if np.prod(sizes, dtype=float) > WIDEST_TABLE:
                self.everything = True
                return
            self.windows.append(_Window(group, sizes, np.zeros(int(np.prod(sizes)), np.bool_)))

    def new(self, keys: Sequence[Indices | None], count: int) -> Indices:
        """Numbers of the rows to look at; `keys` are those of each piece."""
        if self.everything:
            return np.arange(count)
        wanted = np.zeros(count, np.bool_)
        wanted[: 0 if self.windows else 1] = True
        for window in self.windows:
            key: Indices = np.zeros(count, np.int64)
            for number, size in zip(window.pieces, window.sizes, strict=True):
                one = keys[number]
                assert one is not None
                key = key * size + one
            unseen = np.flatnonzero(~window.seen[key])
            if len(unseen):
                values, at = np.unique(key[unseen], return_index=True)
                window.seen[values] = True
                wanted[unseen[at]] = True
        return np.flatnonzero(wanted)


def _words(piece: str | Stretch) -> int:
    """The least number of whole words in a piece."""
    if isinstance(piece, str):
        return len(re.findall(r"\w+", piece))
    if piece.size > len(piece.strings):  # not all of it is made yet
        return 0
    return min((len(re.findall(r"\w+", text)) for text in piece.strings), default=0)
