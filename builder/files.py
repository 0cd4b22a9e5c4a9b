"""A file, or a folder of files, is written whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .problems import UsageError


def write_whole(path: Path, data: bytes | str) -> None:
    """Puts a file in its place at once; text is UTF-8. What was there keeps its rights."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data.encode("utf-8") if isinstance(data, str) else data)
        os.chmod(name, path.stat().st_mode & 0o777 if path.exists() else 0o644)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


@contextmanager
def whole_folder(out: Path, mark: str, what: str) -> Iterator[Path]:
    """A folder to fill, which takes the place of `out` at the end; where the filling fails, nothing is left of it.

    An older `out` is replaced if it is empty or holds the file `mark`; UsageError where it holds something else.
    """
    if out.exists() and not (out / mark).is_file() and any(out.iterdir() if out.is_dir() else [out]):
        raise UsageError(f"{out}: holds something else than {what}; name another folder with --out")
    made = [folder for folder in out.parents if not folder.exists()]
    out.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
    try:
        yield work
        os.chmod(work, 0o755)
        _replace(work, out)
    except BaseException:
        shutil.rmtree(work, ignore_errors=True)
        for folder in made:
            with suppress(OSError):  # it holds what somebody else put there meanwhile
                folder.rmdir()
        raise


def _replace(work: Path, out: Path) -> None:
    """Puts a finished folder in the place of an older one."""
    if not out.exists():
        os.replace(work, out)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{out.name}-old-", dir=out.parent))
    os.replace(out, old / "was")
    os.replace(work, out)
    shutil.rmtree(old, ignore_errors=True)
