"""Which 64-bit hashes occur more than once, among any number of them and in bounded memory."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from types import TracebackType

import numpy as np

from ..expand import Hashes

MOST_AT_ONCE = 2_000_000


class Doubles:
    """Hashes are put aside on disk, and looked through a range of values at a time."""

    def __init__(self) -> None:
        self.count = 0
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 (closed by __exit__)

    def __enter__(self) -> Doubles:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._file.close()

    def add(self, hashes: Hashes) -> None:
        self._file.write(np.ascontiguousarray(hashes).data)
        self.count += len(hashes)

    def find(self) -> Hashes:
        """The values that occur more than once, sorted."""
        parts = -(-self.count // MOST_AT_ONCE)
        found = [np.zeros(0, np.uint64)]
        for part in range(parts):
            some = np.sort(np.concatenate([c[c % np.uint64(parts) == part] for c in self._chunks()]))
            found.append(np.unique(some[1:][some[1:] == some[:-1]]))
        return np.sort(np.concatenate(found))

    def _chunks(self) -> Iterator[Hashes]:
        self._file.seek(0)
        while data := self._file.read(8 * MOST_AT_ONCE):
            yield np.frombuffer(data, np.uint64)
