"""Slots times entries, as indices: which combinations a template has, their ids, and which of them are kept. Pure.

A combination is a row of integers, one a slot: the number of the slot's entry. Nothing is rendered here, and no
more than one block of combinations exists at a time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Indices = npt.NDArray[np.int64]
Matrix = npt.NDArray[np.bool_]
Hashes = npt.NDArray[np.uint64]

BLOCK = 1 << 17


def agreement(left: Sequence[Sequence[str]], right: Sequence[Sequence[str]]) -> Matrix:
    """Shape (left, right): whether two entries share a value, or one of them says nothing."""
    values = sorted({value for values in (*left, *right) for value in values})
    number = {value: index for index, value in enumerate(values)}

    def flags(entries: Sequence[Sequence[str]]) -> npt.NDArray[np.float32]:
        table = np.zeros((len(entries), len(values)), np.float32)
        for row, entry in enumerate(entries):
            table[row, [number[value] for value in entry]] = 1
        return table

    a, b = flags(left), flags(right)
    silent_left = np.array([not entry for entry in left], np.bool_)
    silent_right = np.array([not entry for entry in right], np.bool_)
    matrix: Matrix = (a @ b.T > 0) | silent_left[:, None] | silent_right[None, :]
    return matrix


def combinations(
    sizes: Sequence[int], allowed: Mapping[tuple[int, int], Matrix], block: int = BLOCK
) -> Iterator[Indices]:
    """Blocks of shape (n, slots), in lexicographic order; `allowed[i, j]` (i < j) says which entries go together."""
    if not sizes:
        yield np.zeros((1, 0), np.int64)
        return

    def grow(rows: Indices) -> Iterator[Indices]:
        slot = rows.shape[1]
        if slot == len(sizes):
            yield rows
            return
        size = sizes[slot]
        step = max(block // max(size, 1), 1)
        for start in range(0, len(rows), step):
            some = rows[start : start + step]
            fits = np.ones((len(some), size), np.bool_)
            for before in range(slot):
                if (matrix := allowed.get((before, slot))) is not None:
                    fits &= matrix[some[:, before]]
            row, entry = np.nonzero(fits)
            if len(row):
                yield from grow(np.column_stack((some[row], entry)))

    yield from _gathered(grow(np.arange(sizes[0], dtype=np.int64)[:, None]), block)


def _gathered(blocks: Iterator[Indices], least: int) -> Iterator[Indices]:
    """Small blocks joined, so that what follows has few of them."""
    waiting: list[Indices] = []
    held = 0
    for rows in blocks:
        waiting.append(rows)
        held += len(rows)
        if held >= least:
            yield np.concatenate(waiting)
            waiting, held = [], 0
    if waiting:
        yield np.concatenate(waiting)


# --- ids --------------------------------------------------------------------------------------------------


def word_hash(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


def entry_hashes(slot: str, ids: Sequence[str]) -> Hashes:
    return np.array([word_hash(f"{slot}={id}") for id in ids], np.uint64)


def mixed(state: Hashes, more: Hashes) -> Hashes:
    """One 64-bit state from two (the finaliser of splitmix64, Steele et al. 2014)."""
    with np.errstate(over="ignore"):
        x = (state ^ more) + np.uint64(0x9E3779B97F4A7C15)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return x ^ (x >> np.uint64(31))


def combination_hashes(seed: str, slots: Sequence[str], hashes: Sequence[Hashes], rows: Indices) -> Hashes:
    """Of the seed and the ids in the slots, whatever the order of the slots."""
    state: Hashes = np.full(len(rows), word_hash(seed), np.uint64)
    for column in sorted(range(len(slots)), key=lambda column: slots[column]):
        state = mixed(state, hashes[column][rows[:, column]])
    return state


_HEX = np.frombuffer("".join(f"{byte:02x}" for byte in range(256)).encode(), np.uint16)


def hex_ids(hashes: Hashes) -> pa.Array:
    """16 hexadecimal digits each."""
    digits = _HEX[hashes.astype(">u8").view(np.uint8)]
    offsets = np.arange(len(hashes) + 1, dtype=np.int32) * 16
    return pa.StringArray.from_buffers(len(hashes), pa.py_buffer(offsets), pa.py_buffer(digits))


# --- sampling ---------------------------------------------------------------------------------------------


def sampled(blocks: Iterator[tuple[Indices, Hashes]], columns: int, keep: int) -> Iterator[tuple[Indices, Hashes]]:
    """Keeps the `keep` lowest hashes of each stratum; a stratum is a run of equal values in the first columns.

    What is kept depends on the ids alone: a new entry moves nothing but what it displaces.
    """
    held: tuple[Indices, Hashes] | None = None
    for rows, hashes in blocks:
        if held is not None:
            rows, hashes = np.concatenate((held[0], rows)), np.concatenate((held[1], hashes))
        changes = np.flatnonzero((rows[1:, :columns] != rows[:-1, :columns]).any(axis=1)) + 1
        last = int(changes[-1]) if len(changes) else 0
        if last:
            yield _lowest(rows[:last], hashes[:last], columns, keep)
        held = _lowest(rows[last:], hashes[last:], columns, keep)
    if held is not None:
        yield held


def _lowest(rows: Indices, hashes: Hashes, columns: int, keep: int) -> tuple[Indices, Hashes]:
    stratum = np.zeros(len(rows), np.int64)
    if columns and len(rows):
        stratum[1:] = np.cumsum((rows[1:, :columns] != rows[:-1, :columns]).any(axis=1))
    order = np.lexsort((hashes, stratum))
    starts = np.flatnonzero(np.r_[True, np.diff(stratum[order]) > 0])
    rank = np.arange(len(order)) - np.repeat(starts, np.diff(np.r_[starts, len(order)]))
    kept = np.sort(order[rank < keep])
    return rows[kept], hashes[kept]
