"""Answers appended to a file as they come, a JSON line each, so that a killed run loses nothing that it was told."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any

from ..builder.problems import ContraparError

Record = Mapping[str, Any]
_SYNC_SECONDS = 2.0
_DECIMALS = 6  # of nats: below what single precision keeps, so that a batch's shape leaves no trace


def line(record: Record) -> bytes:
    """One answer as one line; keys stay in their order, a number that does not exist is null."""
    text = json.dumps({key: _plain(value) for key, value in record.items()}, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace") + b"\n"


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, _DECIMALS) + 0.0 if math.isfinite(value) else None
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return value


class Journal:
    """Appends whole lines and nothing else. What a kill or a lost disk left torn at the end is cut off first."""

    def __init__(self, path: Path) -> None:
        self.path = path
        heal(path)
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        self._synced = monotonic()

    def add(self, records: Iterable[Record]) -> None:
        """Lines handed to the system at once: from then on a killed process loses none of them."""
        left = memoryview(b"".join(map(line, records)))
        while left:
            left = left[os.write(self._file, left) :]
        if monotonic() - self._synced > _SYNC_SECONDS:
            self.sync()

    def sync(self) -> None:
        """On the disk, also for a machine that loses its power."""
        os.fsync(self._file)
        self._synced = monotonic()

    def close(self) -> None:
        if self._file >= 0:
            self.sync()
            os.close(self._file)
            self._file = -1

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def heal(path: Path) -> None:
    """Cut off an unfinished last line, and zeros that a lost power left after the last whole one."""
    if not path.exists():
        return
    with path.open("rb+") as file:
        content = file.read()
        whole = content.rstrip(b"\0")
        end = whole.rfind(b"\n") + 1
        if end < len(content):
            file.truncate(end)


def read(paths: Sequence[Path]) -> Iterator[tuple[str, dict[str, Any]]]:
    """(id, answer) of each whole line, file after file. Raises ContraparError at a line that is no answer."""
    for path in paths:
        with path.open("rb") as file:
            for number, text in enumerate(file, start=1):
                if not text.endswith(b"\n"):
                    break  # torn, or being written
                try:
                    record = json.loads(text)
                    id = record["id"]
                except (ValueError, TypeError, KeyError):
                    raise ContraparError(
                        f"{path}:{number}: this line is no answer; remove it, and its item will be asked again"
                    ) from None
                yield str(id), record


def write_whole(path: Path, content: bytes) -> None:
    """A file that is there whole or not at all."""
    draft = path.with_name(f".{path.name}.new")
    with draft.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(draft, path)
