"""A run: a folder that says what was asked of which model, and holds every answer.

run.json        what was asked, of what, and how, with a signature and a digest over all of it
rows.parquet    the rows that are asked
answers.part-N  answers as they come, one file a process; gone once
answers.jsonl   all answers, in the order of the rows
figures.csv/json, not_understood.csv   what follows from them

It can be killed at any moment: what was answered stays, what was not is asked when the same command is given
again, and the finished files are the same bytes as those of a run that nobody disturbed.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from .._version import __version__
from ..builder.problems import ContraparError, UsageError
from . import journal
from .journal import Journal, write_whole
from .selection import Selected

MANIFEST, ROWS, ANSWERS, TEXTS = "run.json", "rows.parquet", "answers.jsonl", "stereotypes.json"
Settings = Mapping[str, Any]


class Run:
    """A run's folder. `settings` are what all of its answers have in common."""

    def __init__(self, folder: Path, manifest: Mapping[str, Any]) -> None:
        self.folder = folder
        self.manifest = manifest
        self.settings: Settings = manifest["settings"]

    @property
    def family(self) -> str:
        return str(self.settings["dataset"]["family"])

    @property
    def signature(self) -> str:
        """How its figures were made, in one line."""
        return str(self.manifest["signature"])

    @property
    def digest(self) -> str:
        """12 hex digits that stand for all its settings."""
        return str(self.manifest["settings_sha256"])[:12]

    @property
    def is_complete(self) -> bool:
        return (self.folder / ANSWERS).is_file()

    def rows(self) -> pa.Table:
        return pq.read_table(self.folder / ROWS)

    def texts(self) -> dict[str, str]:
        """What each stereotype says; empty where the run was made without the dataset's sources."""
        path = self.folder / TEXTS
        found: dict[str, str] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        return found

    def parts(self) -> list[Path]:
        """The files that hold answers so far."""
        whole = self.folder / ANSWERS
        return [*([whole] if whole.is_file() else []), *sorted(self.folder.glob("answers.part-*"))]

    def answers(self) -> dict[str, dict[str, Any]]:
        """Answers so far by id; of an item that was asked twice, the first."""
        found: dict[str, dict[str, Any]] = {}
        for id, record in journal.read(self.parts()):
            found.setdefault(id, record)
        return found

    def journal(self, process: int = 0) -> Journal:
        return Journal(self.folder / f"answers.part-{process:03d}")

    def finish(self) -> None:
        """All answers in one file, in the order of the rows; the parts go when it is there."""
        found = self.answers()
        ids = self.rows().column("id").to_pylist()
        missing = sum(id not in found for id in ids)
        if missing:
            raise ContraparError(
                f"{self.folder}: {missing:,} of {len(ids):,} answers are missing; the same command asks for them"
            )
        parts = self.parts()
        if parts != [self.folder / ANSWERS]:
            write_whole(self.folder / ANSWERS, b"".join(journal.line(found[id]) for id in ids))
            for path in parts:
                if path.name != ANSWERS:
                    path.unlink()


def begin(folder: Path, settings: Settings, selected: Selected, files: Mapping[str, bytes] | None = None) -> Run:
    """The run in a folder that has these settings: a new one, or the one there. UsageError where they differ."""
    path = folder / MANIFEST
    settings = json.loads(json.dumps({**settings, "dataset": selected.about, "tool": tool()}))
    if path.is_file():
        run = open_run(folder)
        refuse_other(run, settings, whole=True)
    else:
        if folder.exists() and (not folder.is_dir() or any(one.name != ".lock" for one in folder.iterdir())):
            raise UsageError(f"{folder}: holds something else than a run; name another folder with --out")
        folder.mkdir(parents=True, exist_ok=True)
        manifest = {
            **selected.notes,
            "signature": signature(settings),
            "settings_sha256": _digest(settings),
            "started": datetime.now(UTC).isoformat(timespec="seconds"),
            "settings": settings,
        }
        write_whole(path, (json.dumps(manifest, ensure_ascii=False, indent=2) + "\n").encode())
        run = Run(folder, manifest)
    if not (folder / ROWS).is_file():
        texts = {id: selected.texts[id] for id in sorted(set(selected.table.column("stereotype").to_pylist()))
                 if id in selected.texts}  # fmt: skip
        for name, content in (files or {}).items():
            write_whole(folder / name, content)
        if texts:
            write_whole(folder / TEXTS, (json.dumps(texts, ensure_ascii=False, indent=0) + "\n").encode())
        sink = pa.BufferOutputStream()
        pq.write_table(selected.table, sink, compression="zstd", write_statistics=False)
        write_whole(folder / ROWS, sink.getvalue().to_pybytes())
    return run


def open_run(folder: Path) -> Run:
    """The run in a folder. UsageError where there is none, ContraparError where its manifest was changed."""
    path = folder / MANIFEST
    if not path.is_file():
        raise UsageError(f"{folder}: no run; `contrapar evaluate ... --out {folder}` makes one")
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        settings, said = manifest["settings"], manifest["settings_sha256"]
        named = manifest["signature"]
    except (ValueError, KeyError, TypeError) as error:
        raise ContraparError(f"{path}: cannot be read as a run's manifest: {error!r}") from None
    if _digest(settings) != said or named != signature(settings):
        raise ContraparError(f"{path}: was changed after the run began; its signature does not fit its settings")
    return Run(folder, manifest)


def tool() -> str:
    return f"contrapar {__version__}"


def refuse_other(run: Run, settings: Settings, *, whole: bool) -> None:
    """UsageError where settings differ from the run's, naming the first difference.

    `whole` says that these are all settings, and not only what is known before a model is loaded.
    """
    mine, theirs = flat(run.settings), flat(json.loads(json.dumps(settings)))
    differing = [key for key in theirs if key in mine and mine[key] != theirs[key]]
    differing += [key for key in theirs if key not in mine]
    if whole:
        differing += [key for key in mine if key not in theirs]
    if differing:
        key = differing[0]
        more = f" (and {len(differing) - 1} more)" if len(differing) > 1 else ""
        raise UsageError(
            f"{run.folder}: is a run with {key} {said(mine.get(key))}, not {said(theirs.get(key))}{more};"
            " name another folder with --out"
        )


def flat(settings: Settings, before: str = "") -> dict[str, Any]:
    """Settings with their places: {"model": {"name": "x"}} is {"model.name": "x"}."""
    found: dict[str, Any] = {}
    for key, value in settings.items():
        if isinstance(value, Mapping):
            found |= flat(value, f"{before}{key}.")
        else:
            found[f"{before}{key}"] = value
    return found


def said(value: Any) -> str:
    """A setting in words."""
    if value is None or value == [] or value == "":
        return "unset"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _digest(settings: Settings) -> str:
    text = json.dumps(settings, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def signature(settings: Settings) -> str:
    """One line that says how figures were made, for a paper's appendix."""
    data = settings["dataset"]
    cut = [f"{name}:{said(data[name])}" for name in ("tiers", "axes", "limit") if data[name] not in (None, [])]
    parts = [
        f"{data['dataset']}:{data['version']}@{data['content_sha256'][:12]}",
        *cut,
        f"rows:{data['rows']}",
        *(f"{name}:{_short(name, value)}" for name, value in settings.get("model", {}).items() if tells(value)),
        *(f"{name}:{_short(name, value)}" for name, value in settings["way"].items() if tells(value)),
        f"seed:{settings['seed']}",
        settings["tool"].replace(" ", ":"),
    ]
    return "|".join(part.replace("|", "/") for part in parts)


def tells(value: Any) -> bool:
    """Whether a setting says anything: 0 does."""
    return value is not None and value is not False and value != "" and value != []


def _short(name: str, value: Any) -> str:
    return str(value)[:12] if name.endswith("_sha256") else said(value)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Nobody else writes to this run meanwhile. UsageError where somebody does."""
    try:
        import fcntl
    except ImportError:  # no such locks on this system
        yield
        return
    folder.mkdir(parents=True, exist_ok=True)
    file = os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UsageError(f"{folder}: another process is at this run; wait for it, or end it") from None
        yield
    finally:
        os.close(file)
