"""From a dataset's name to its files, whole or not at all."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from .._version import __version__
from .chain import SOURCE_RULES, Chain, Progress, blocks, check, doubles, prepare, quiet, tables
from .files import whole_folder
from .problems import Problem, SourceFaults
from .rows import Block
from .tables import Writer, fields, file_sha256, row_hashes

__all__ = ["SOURCE_RULES", "Built", "Chain", "Progress", "build", "check", "prepare", "quiet", "tables"]


@dataclass(frozen=True)
class Built:
    """A dataset that was written: where, what is in it, what was found, how long it took."""

    folder: Path
    manifest: dict[str, Any]
    problems: list[Problem]
    seconds: float


def build(
    name_or_path: str,
    out: Path | None = None,
    *,
    strict: bool = False,
    tiers: Sequence[int] = (),
    progress: Progress = quiet,
) -> Built:
    """Writes `out/data/*.parquet` and `out/manifest.json`, whole or not at all.

    Raises SourceFaults where an error was found, or with `strict` a warning.
    """
    started = perf_counter()
    chain = prepare(name_or_path)
    _stop_at_errors(chain.problems(complete=False), strict=False)
    dataset = chain.sources.dataset.model
    out = out or Path("out") / chain.sources.name
    schema = fields(chain.family.FIELDS)
    content = _Content(chain.family.SAYS)
    with whole_folder(out, "manifest.json", "a built dataset") as work:
        (work / "data").mkdir()
        about = {"canary": dataset.canary, "content_warning": dataset.content_warning, "dataset": chain.sources.name}
        writer = Writer(work / "data", schema, about)
        with doubles(chain) as note:
            try:
                for block in blocks(chain, progress, tiers):
                    note(block)
                    content.add(block)
                    writer.add(block.table)
            finally:
                writer.close()
        problems = chain.problems(complete=not tiers)
        _stop_at_errors(problems, strict)
        manifest = {
            "dataset": chain.sources.name,
            "title": dataset.title,
            "family": dataset.family,
            "language": dataset.language,
            "version": dataset.version,
            "licence": dataset.licence,
            "canary": dataset.canary,
            "content_warning": dataset.content_warning,
            "tiers": sorted(tiers) if tiers else "all",
            "rows": writer.rows,
            "stereotypes": len(chain.stereotypes),
            "templates": chain.templates,
            "content_sha256": content.digest(),
            "source_sha256": chain.sources.sha256,
            "tool": f"contrapar {__version__}",
            "files": {f"data/{path.name}": file_sha256(path) for path in writer.files},
            "features": {field.name: str(field.type) for field in schema},
        }
        text = json.dumps(manifest, ensure_ascii=False, indent=2, sort_keys=True) + "\n"
        (work / "manifest.json").write_text(text, encoding="utf-8")
    return Built(out, manifest, problems, perf_counter() - started)


def _stop_at_errors(problems: list[Problem], strict: bool) -> None:
    if strict:
        problems = [replace(problem, severity="error") for problem in problems]
    if any(problem.severity == "error" for problem in problems):
        raise SourceFaults(problems)


class _Content:
    """A digest of what the rows say, in their order, whatever wrote the files."""

    # what an id stands for already, and what is the same in all rows
    IMPLIED = frozenset({"id", "template", "slots", "dataset", "language", "canary"})

    def __init__(self, says: Sequence[str]) -> None:
        self._whole = hashlib.sha256()
        self._implied = self.IMPLIED | set(says)

    def add(self, block: Block) -> None:
        others = [name for name in block.table.column_names if name not in self._implied]
        for values in (block.ids, block.said, row_hashes(block.table, others)):
            self._whole.update(np.ascontiguousarray(values).astype("<u8").data)

    def digest(self) -> str:
        return self._whole.hexdigest()
