"""A stretch: a part of a sentence that is made once for each distinct set of words of the slots it shows."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from .codes import Codes, codes
from .render import Part

Indices = npt.NDArray[np.int64]
WIDEST_TABLE = 4_000_000
LARGEST_KEY = 1 << 62


@dataclass(frozen=True)
class Classes:
    """Entries of a slot with the same words in a stretch: the class of each entry, and one entry of each class."""

    of: Indices
    one: list[int]


def classes_of(shown: Sequence[Sequence[str]]) -> Classes:
    """`shown` has, for each form, one word an entry."""
    number: dict[tuple[str, ...], int] = {}
    of = [number.setdefault(words, len(number)) for words in zip(*shown, strict=True)]
    one = [0] * len(number)
    for entry in reversed(range(len(of))):
        one[of[entry]] = entry
    return Classes(np.array(of, np.int64), one)


@dataclass
class Stretch:
    """`before` and `after` are the neighbouring words that a rule may change; `opens`: nothing stands before."""

    parts: tuple[Part, ...]
    classes: dict[str, Classes]
    opens: bool = False
    before: str = ""
    after: str = ""
    strings: list[str] = field(default_factory=list)
    table: Indices | None = None
    _arrow: pa.Array | None = None
    _codes: tuple[Codes, Codes] | None = None

    @property
    def size(self) -> int:
        """How many texts it can have."""
        return math.prod(len(classes.one) for classes in self.classes.values())

    def keys(self, entries: Mapping[str, Indices]) -> Indices:
        """One number a row for the words that it shows."""
        key: Indices | None = None
        for slot, classes in self.classes.items():
            which = classes.of[entries[slot]]
            if self.size > LARGEST_KEY:
                which = which.astype(object)
            key = which if key is None else key * len(classes.one) + which
        assert key is not None
        return key

    def entries(self, key: int) -> dict[str, int]:
        """An entry of each slot that has the words of a key."""
        found: dict[str, int] = {}
        for slot, classes in reversed(self.classes.items()):
            key, which = divmod(key, len(classes.one))
            found[slot] = classes.one[which]
        return found

    def index(self, keys: Indices, make: Callable[[dict[str, int]], str]) -> Indices:
        """Which of `strings` each row has; those that are not there yet are made."""
        if self.size > WIDEST_TABLE:
            self.strings, self._arrow = [], None
            distinct, index = np.unique(keys, return_inverse=True)
            self.strings = [make(self.entries(int(key))) for key in distinct]
            return index
        if self.table is None:
            self.table = np.full(self.size, -1, np.int64)
        index = self.table[keys]
        if (missing := index < 0).any():
            for key in np.unique(keys[missing]):
                self.table[key] = len(self.strings)
                self.strings.append(make(self.entries(int(key))))
            index = self.table[keys]
        return index

    def arrow(self) -> pa.Array:
        if self._arrow is None or len(self._arrow) != len(self.strings):
            self._arrow = pa.array(self.strings, pa.string())
            self._codes = None
        return self._arrow

    def codes(self) -> tuple[Codes, Codes]:
        """(code, power) of each string."""
        arrow = self.arrow()
        if self._codes is None:
            self._codes = codes(arrow)
        return self._codes
