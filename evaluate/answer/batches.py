"""Work cut into batches: by token budget and length, halved when memory runs out; and into blocks and shares.

Pure: what a batch does is a function that is handed in, so nothing here knows of torch.

A block is the unit that a run saves: scores within it are computed from it alone, so a run that is killed
and resumed, or split over processes, computes the same numbers in the same batches.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from concurrent.futures import FIRST_EXCEPTION, Executor, wait
from threading import Lock
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...builder.problems import ContraparError

Item = TypeVar("Item")
Pair = tuple[str, str]
Ints = NDArray[np.int64]

_OUT_OF_MEMORY = ("out of memory", "can't allocate memory", "cannot allocate memory", "not enough memory")


class Rectangle(NamedTuple):
    """Token sequences padded on the right with 0, and what comes before each in a memory of keys and values.

    `ids` (rows, columns) and `lengths` (rows); `past` (rows, longest past) names the slots of the tokens
    before a row, `keep` (rows, columns) the slots that its own tokens go to; -1 where there is nothing.
    """

    ids: Ints
    lengths: Ints
    past: Ints
    keep: Ints


def rectangle(rows: Sequence[Ints]) -> Rectangle:
    """Whole sequences, with nothing before them and nothing to keep."""
    lengths = np.array([len(row) for row in rows])
    ids = np.zeros((len(rows), int(lengths.max())), dtype=np.int64)
    ids[np.arange(ids.shape[1]) < lengths[:, None]] = np.concatenate(rows)
    return Rectangle(ids, lengths, np.empty((len(rows), 0), dtype=np.int64), np.full(ids.shape, -1))


def shard(items: Sequence[Item], process_index: int, processes: int) -> list[Item]:
    """The share of one process: every `processes`-th item from its own index on. All shares make the whole."""
    if not 0 <= process_index < processes:
        raise ValueError(f"process {process_index} of {processes}")
    return list(items[process_index::processes])


def out_of_memory(error: BaseException) -> bool:
    """Whether an exception says that memory ran out, on a GPU or on the CPU."""
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return True
    return isinstance(error, RuntimeError) and any(text in str(error).lower() for text in _OUT_OF_MEMORY)


class Budget:
    """How many tokens, padding counted, go into one batch. Shrinks for good when memory runs out."""

    def __init__(self, tokens: int) -> None:
        if tokens < 1:
            raise ValueError("a batch holds at least one token")
        self.tokens = tokens

    def run(
        self,
        order: Sequence[int],
        lengths: Sequence[int],
        work: Callable[[list[int]], None],
        release: Callable[[], None] = lambda: None,
        pool: Executor | None = None,
        workers: int = 1,
    ) -> None:
        """Do `work` on the items of `order` (which is sorted by length), batch after batch.

        When memory runs out, `release` is called, the budget becomes half of what was tried, and the same
        items are tried again; one item that does not fit alone is an error. With a `pool`, so many workers take
        batches in turn; which batches there are does not hang on them.
        """
        waiting = [list(order)]
        lock = Lock()

        def take() -> list[int]:
            with lock:
                while waiting:
                    last = waiting.pop()
                    if last:
                        end = self._end(last, lengths)
                        waiting.append(last[end:])
                        return last[:end]
                return []

        def labour() -> None:
            while batch := take():
                if not _fits(work, batch):
                    release()
                    with lock:
                        self._shrink(batch, lengths)
                        waiting.append(batch)

        if pool is None:
            labour()
            return
        shifts = [pool.submit(labour) for _ in range(workers)]
        try:
            wait(shifts, return_when=FIRST_EXCEPTION)
        finally:  # after an error or an interrupt nobody takes another batch
            with lock:
                waiting.clear()
        for shift in shifts:
            shift.result()

    def _shrink(self, batch: list[int], lengths: Sequence[int]) -> None:
        longest = max(lengths[i] for i in batch)
        if len(batch) == 1:
            raise ContraparError(
                f"out of memory: one sentence of {longest} tokens does not fit beside the model; "
                "take a smaller model, or a device with more memory"
            )
        self.tokens = max(1, min(self.tokens, longest * len(batch) // 2))

    def _end(self, order: Sequence[int], lengths: Sequence[int]) -> int:
        """Where the first batch ends: at least one item, then as the budget allows."""
        longest = 0
        for end, item in enumerate(order):
            longest = max(longest, lengths[item])
            if end and longest * (end + 1) > self.tokens:
                return end
        return len(order)


def _fits(work: Callable[[list[int]], None], batch: list[int]) -> bool:
    """Do the work; False where memory ran out. What the failed work held is let go when this returns."""
    try:
        work(batch)
    except (MemoryError, RuntimeError) as error:
        if not out_of_memory(error):
            raise
        return False
    return True


def blocks(count: int, size: int) -> list[Ints]:
    """Consecutive numbers from 0, `size` to a block; the last may be shorter."""
    return [np.arange(start, min(start + size, count)) for start in range(0, count, size)]


def even(count: int, most: int) -> list[tuple[int, int]]:
    """Where so many are cut into as few parts as hold `most` at most, all about as large."""
    parts = -(-count // most)
    return [(count * k // parts, count * (k + 1) // parts) for k in range(parts)]


def wanted(all_blocks: Sequence[Ints], todo: Collection[int] | None) -> list[int]:
    """Numbers of the blocks that hold anything still to do; all of them where `todo` is None."""
    if todo is None:
        return list(range(len(all_blocks)))
    missing = np.array(sorted(todo), dtype=np.int64)
    return [number for number, block in enumerate(all_blocks) if np.isin(block, missing).any()]
