"""Answers of a program that reads lines and writes lines, one answer a line.

A batch of lines is one run of the program: its standard input is closed after them, so that a program which
holds its output back gives it; and as many lines must come out as went in, or a lost line would shift all
answers after it. A batch is taken whole or not at all.
"""

from __future__ import annotations

import os
import queue
import shlex
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import IO

from ...builder.problems import ContraparError, UsageError

_LONGEST_LINE = 1 << 20


@dataclass(frozen=True)
class Command:
    """A program and its arguments as in a shell, without one. `timeout`: seconds it may stay silent."""

    line: str
    batch: int = 256
    timeout: float = 300.0

    @property
    def arguments(self) -> list[str]:
        try:
            found = shlex.split(self.line)
        except ValueError as error:
            raise UsageError(f"--command {self.line}: {error}") from None
        if not found:
            raise UsageError("--command is empty; name a program that reads lines and writes lines")
        return found


def replies(command: Command, lines: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """(index of the first line, answers) batch by batch, in order. No line may hold a line break.

    ContraparError where the program crashes, hangs, or answers with another number of lines.
    """
    for start in range(0, len(lines), command.batch):
        yield start, _batch(command, lines[start : start + command.batch], start)


def _batch(command: Command, lines: Sequence[str], start: int) -> list[str]:
    arguments = command.arguments
    name = arguments[0]
    where = f"{name}: lines {start + 1:,} to {start + len(lines):,}"
    with tempfile.TemporaryFile() as complaints:
        try:
            program = subprocess.Popen(
                arguments,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=complaints,
                start_new_session=True,  # so that what it starts ends with it
            )
        except OSError as error:
            raise UsageError(f"--command {name}: cannot be run: {error.strerror or error}") from None
        assert program.stdin
        assert program.stdout
        came: queue.Queue[bytes | None] = queue.Queue(maxsize=1024)
        stopped = threading.Event()
        feeder = threading.Thread(target=_feed, args=(program.stdin, lines), daemon=True)
        reader = threading.Thread(target=_take, args=(program.stdout, came, stopped), daemon=True)
        feeder.start()
        reader.start()
        try:
            found = _collect(command, came, len(lines), where)
            try:
                code = program.wait(command.timeout)
            except subprocess.TimeoutExpired:
                raise ContraparError(f"{where}: all answered, but it does not end; stopped") from None
            if code or len(found) != len(lines):
                raise ContraparError(
                    f"{where}: {_ended(code)} after {len(found):,} of {len(lines):,} answers"
                    f"{_complaint(complaints)}; none of these lines is kept"
                )
        finally:
            stopped.set()
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(program.pid, signal.SIGKILL)
            program.wait()
            with suppress(queue.Empty):
                while True:
                    came.get_nowait()
            feeder.join(5)
            reader.join(5)
            program.stdout.close()
    return [_text(line, number, where) for number, line in enumerate(found, start=1)]


def _collect(command: Command, came: queue.Queue[bytes | None], wanted: int, where: str) -> list[bytes]:
    found: list[bytes] = []
    while True:
        try:
            line = came.get(timeout=command.timeout)
        except queue.Empty:
            raise ContraparError(
                f"{where}: silent for {command.timeout:g} s after {len(found):,} of {wanted:,} answers; stopped,"
                " and none of these lines is kept (--timeout gives it longer, --batch fewer lines)"
            ) from None
        if line is None:
            return found
        if len(line) >= _LONGEST_LINE:
            raise ContraparError(f"{where}: answer {len(found) + 1:,} is longer than {_LONGEST_LINE:,} bytes")
        if len(found) == wanted:
            shown = line[:60].decode("utf-8", "replace").rstrip()
            raise ContraparError(
                f"{where}: more answers than lines, the first too many is {shown!r};"
                " one line in gives one line out, and none of these lines is kept"
            )
        found.append(line)


def _feed(pipe: IO[bytes], lines: Sequence[str]) -> None:
    with suppress(OSError, ValueError):  # a program that ends early is told by what it answered
        try:
            for line in lines:
                pipe.write(line.encode() + b"\n")
        finally:
            pipe.close()


def _take(pipe: IO[bytes], came: queue.Queue[bytes | None], stopped: threading.Event) -> None:
    line: bytes | None = b" "
    while line and not stopped.is_set():
        try:
            line = pipe.readline(_LONGEST_LINE) or None
        except (OSError, ValueError):
            line = None
        while not stopped.is_set():
            try:
                came.put(line, timeout=1)
                break
            except queue.Full:
                continue


def _text(line: bytes, number: int, where: str) -> str:
    try:
        return line.decode("utf-8").rstrip("\r\n")
    except UnicodeDecodeError:
        raise ContraparError(f"{where}: answer {number:,} is not UTF-8") from None


def _ended(code: int) -> str:
    if code < 0:
        return f"killed by signal {-code}"
    return f"ended with exit code {code}" if code else "ended"


def _complaint(complaints: IO[bytes]) -> str:
    """The last line of what it wrote to its standard error."""
    complaints.seek(0, os.SEEK_END)
    complaints.seek(max(0, complaints.tell() - 4000))
    lines = complaints.read().decode("utf-8", "replace").split("\n")
    said = next((line.strip() for line in reversed(lines) if line.strip()), "")
    return f" ({said[:200]})" if said else ""
