"""Conducts a run: picks the rows, opens or resumes the folder, asks what is missing, and writes the figures."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from . import results
from .processes import Processes
from .run import ANSWERS, MANIFEST, Run, begin, locked, open_run, refuse_other, tool
from .selection import Selected, select
from .ways import Asking, Options, prepare

Progress = Callable[[str, int, int], None]


def conduct(
    dataset: str,
    options: Options,
    out: Path | None = None,
    *,
    resamples: int = results.RESAMPLES,
    progress: Progress = lambda what, done, of: None,
    notice: Callable[[str], None] = lambda text: None,
) -> Run:
    """The run, finished: all its answers are there, and its figures are written.

    Every process of a launch calls this alike. `notice` hears what a person should know meanwhile.
    """
    processes = Processes.here()
    try:
        selected = select(
            dataset,
            tiers=options.tiers,
            axes=options.axes,
            limit=options.limit,
            seed=options.seed,
            progress=progress,
        )
        asking = prepare(selected, options, notice)
        known = {"dataset": selected.about, **asking.settings, "seed": options.seed, "tool": tool()}
        folder = out or default_folder(known, selected)
        with locked(folder) if processes.is_first else nullcontext():
            return _conduct(folder, known, selected, asking, options, processes, resamples, progress)
    finally:
        processes.close()


def _conduct(
    folder: Path,
    known: Mapping[str, Any],
    selected: Selected,
    asking: Asking,
    options: Options,
    processes: Processes,
    resamples: int,
    progress: Progress,
) -> Run:
    if (folder / MANIFEST).is_file():
        refuse_other(open_run(folder), known, whole=False)  # before a model is loaded
    processes.wait()
    if not (folder / ANSWERS).is_file():
        _answer(folder, selected, asking, options, processes, progress)
    run = open_run(folder)
    if processes.is_first:
        run.finish()
        progress("figures", 0, 1)
        results.write(run, resamples=resamples, phrases=options.phrases)
        progress("figures", 1, 1)
    processes.wait()
    return run


def _answer(
    folder: Path,
    selected: Selected,
    asking: Asking,
    options: Options,
    processes: Processes,
    progress: Progress,
) -> None:
    """An answer to every row that has none yet; begins the run where there is none."""
    details = asking.load()
    settings = {**asking.settings, "seed": options.seed}
    settings["model"] = {**settings["model"], **details}
    if processes.is_first:
        begin(folder, settings, selected, asking.files)
    processes.wait()
    run = open_run(folder)
    ids = selected.ids
    done = run.answers()
    todo = [number for number, id in enumerate(ids) if id not in done]
    processes.wait()  # nobody answers before everybody knows what is missing
    share = (processes.index, processes.count)
    said = len(ids) - len(todo)
    progress("answers", said, len(ids))
    with run.journal(processes.index) as journal:
        for records in asking.ask(todo, share):
            journal.add(records)
            said = min(len(ids), said + len(records) * processes.count)
            progress("answers", said, len(ids))
    processes.wait()


def default_folder(known: Mapping[str, Any], selected: Selected) -> Path:
    """A name that says what it is, and that the same command finds again."""
    model = re.sub(r"[^A-Za-z0-9.]+", "-", Path(str(known["model"]["name"])).name).strip("-.").lower()
    digest = hashlib.sha256(json.dumps(known, sort_keys=True, default=str).encode()).hexdigest()[:8]
    return Path("runs") / f"{selected.about['dataset']}-{known['way']['way']}-{model or 'model'}-{digest}"
