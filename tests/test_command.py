"""Answers of a program that reads lines and writes lines: whole batches, or one line that says what went wrong."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest
from contrapar.builder.problems import ContraparError, UsageError
from contrapar.evaluate.answer.command import Command, replies

LINES = [f"línea {n}" for n in range(10)]


@pytest.fixture
def program(tmp_path: Path):  # type: ignore[no-untyped-def]
    """The command line of a small program whose body is given; `lines` are what it reads."""

    def make(body: str) -> str:
        path = tmp_path / "a program.py"
        path.write_text(f"import sys, time, os\nlines = (line.rstrip('\\n') for line in sys.stdin)\n{body}\n")
        return f"{sys.executable} '{path}'"

    return make


def run(line: str, **settings: object) -> list[str]:
    return [answer for _, batch in replies(Command(line, **settings), LINES) for answer in batch]  # type: ignore[arg-type]


@pytest.mark.parametrize("batch", [1, 3, 10, 99])
def test_one_line_in_gives_one_line_out(program, batch: int) -> None:  # type: ignore[no-untyped-def]
    line = program("for line in lines: print(line.upper(), flush=True)")
    assert run(line, batch=batch) == [text.upper() for text in LINES]


def test_a_program_that_holds_its_output_back(program) -> None:  # type: ignore[no-untyped-def]
    assert run(program("print('\\n'.join(line[::-1] for line in lines))")) == [text[::-1] for text in LINES]


def test_more_than_pipes_hold(program) -> None:  # type: ignore[no-untyped-def]
    line = program("for line in lines: print(line * 10)")
    long = ["x" * 10_000] * 200
    assert [a for _, batch in replies(Command(line), long) for a in batch] == ["x" * 100_000] * 200


def test_batches_come_one_after_the_other(program) -> None:  # type: ignore[no-untyped-def]
    found = replies(Command(program("for line in lines: print(os.getpid())"), batch=4), LINES)
    starts, processes = zip(*((start, set(batch)) for start, batch in found), strict=True)
    assert starts == (0, 4, 8)
    assert len(set.union(*processes)) == 3


FAULTS = {
    "a lost line": (
        "for n, line in enumerate(lines):\n    if n != 5: print(line)",
        "ended after 9 of 10 answers; none of these lines is kept",
    ),
    "a line too many": (
        "for n, line in enumerate(lines): print(line + ('\\n?' if n == 5 else ''))",
        "more answers than lines, the first too many is 'línea 9'",
    ),
    "an empty line too many": ("for line in lines: print(line)\nprint()", "more answers than lines"),
    "a crash": (
        "for n, line in enumerate(lines):\n    print(line)\n    if n == 3: sys.exit('no more')",
        "ended with exit code 1 after 4 of 10 answers (no more)",
    ),
    "a crash at the end": ("for line in lines: print(line)\nsys.exit(3)", "ended with exit code 3 after 10 of 10"),
    "a signal": ("print(next(lines), flush=True)\nos.kill(os.getpid(), 9)", "killed by signal 9 after 1 of 10"),
    "a hang": ("print(next(lines), flush=True)\ntime.sleep(60)", "silent for 0.5 s after 1 of 10 answers"),
    "no end": (
        "for line in lines: print(line)\nsys.stdout.close(); os.close(1)\ntime.sleep(60)",
        "all answered, but it does not end",
    ),
    "other bytes": ("for line in lines: sys.stdout.buffer.write(b'\\xff\\n')", "answer 1 is not UTF-8"),
    "no line break": ("sys.stdout.write('x' * 3_000_000); time.sleep(60)", "answer 1 is longer than 1,048,576 bytes"),
    "endless": ("while True: print('x')", "more answers than lines"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_told_in_one_line_and_nothing_of_the_batch_is_kept(program, name: str) -> None:  # type: ignore[no-untyped-def]
    body, said = FAULTS[name]
    started = time.monotonic()
    timeout = 0.5 if name in ("a hang", "no end") else 20.0
    with pytest.raises(ContraparError) as told:
        run(program(body), timeout=timeout)
    assert said in str(told.value)
    assert "\n" not in str(told.value)
    assert time.monotonic() - started < 15


def test_batches_before_a_fault_are_kept(program) -> None:  # type: ignore[no-untyped-def]
    line = program("for line in lines: print(line) if line != 'línea 7' else sys.exit(1)")
    kept: list[str] = []
    with pytest.raises(ContraparError, match="lines 7 to 9"):  # noqa: PT012
        for _, batch in replies(Command(line, batch=3), LINES):
            kept += batch
    assert kept == LINES[:6]


def test_what_a_stopped_program_began_is_stopped_too(program, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    sign = tmp_path / "sign"
    child = f"import time, pathlib; time.sleep(1.5); pathlib.Path({str(sign)!r}).touch()"
    line = program(f"import subprocess\nsubprocess.Popen([sys.executable, '-c', {child!r}])\ntime.sleep(60)")
    with pytest.raises(ContraparError, match="silent"):
        run(line, timeout=0.5)
    time.sleep(1.5)
    assert not sign.exists()


@pytest.mark.parametrize(
    ("line", "said"),
    [("", "--command is empty"), ("there-is-no-such-program", "cannot be run: No such file"), ("a 'b", "No closing")],
)
def test_wrong_use(line: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        run(line)
