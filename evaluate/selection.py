"""The rows that a run asks: a dataset by name or path, cut by tier and axis, and sampled by stereotype."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..builder.problems import UsageError, nearest

Progress = Callable[[str, int, int], None]
_ABOUT = ("dataset", "family", "language", "version", "content_sha256")
_NOTES = ("title", "licence", "canary", "content_warning")


@dataclass(frozen=True)
class Selected:
    """Rows in the dataset's order.

    about  what identifies them      notes  what people should know of the dataset
    known  ids of the whole dataset  texts  what each stereotype says, where the sources are at hand
    prompt  the dataset's own prompt file, where it has one
    root    the folder that holds its own lexicons, where it was read from sources
    """

    about: dict[str, Any]
    notes: dict[str, str]
    table: pa.Table
    known: list[str] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    prompt: Path | None = None
    root: Path | None = None

    @property
    def family(self) -> str:
        return str(self.about["family"])

    @property
    def ids(self) -> list[str]:
        ids: list[str] = self.table.column("id").to_pylist()
        return ids


def select(
    dataset: str,
    *,
    tiers: Sequence[int] = (),
    axes: Sequence[str] = (),
    limit: int | None = None,
    seed: int = 0,
    progress: Progress = lambda what, done, of: None,
) -> Selected:
    """Rows of a dataset: the name or path of its sources, a built folder, or a version such as owner/name@v1.2.0.

    Raises UsageError where nothing is left, SourceFaults where the sources have errors.
    """
    manifest, table, own = _read(dataset, progress)
    known_ids = table.column("id").to_pylist()
    if tiers:
        table = table.filter(pc.is_in(table.column("tier"), pa.array(tiers, pa.int8())))
    if axes:
        known = set(pc.unique(table.column("axis")).to_pylist())
        for axis in axes:
            if axis not in known:
                raise UsageError(f"--axis {axis}: {manifest['dataset']} has no such axis; {nearest(axis, known)}")
        table = table.filter(pc.is_in(table.column("axis"), pa.array(axes, pa.string())))
    if not table.num_rows:
        what = f"of tier {', '.join(map(str, tiers))}" if tiers else "at all"
        raise UsageError(f"{dataset}: no rows {what}; nothing to ask")
    if limit is not None and limit < table.num_rows:
        from .metrics import METRICS

        kept = sample(table, METRICS[str(manifest["family"])].STRATA, limit, seed)
        table = table.take(pa.array(kept))
    about: dict[str, Any] = {key: manifest.get(key, "") for key in _ABOUT} | {
        "rows": table.num_rows,
        "of_rows": len(known_ids),
        "stereotypes": len(set(pc.unique(table.column("stereotype")).to_pylist()) - {""}),
        "tiers": sorted(tiers),
        "axes": sorted(axes),
        "limit": limit,
        "ids_sha256": hashlib.sha256("\n".join(table.column("id").to_pylist()).encode()).hexdigest(),
    }
    notes = {key: str(manifest.get(key, "")) for key in _NOTES}
    return Selected(about, notes, table.combine_chunks(), known_ids, **own)


def _read(dataset: str, progress: Progress) -> tuple[dict[str, Any], pa.Table, dict[str, Any]]:
    """The manifest, the rows, and what else is known where the sources are at hand."""
    from ..builder.tables import read_rows

    folder = Path(dataset)
    if not (folder / "manifest.json").is_file():
        from ..builder.release.locate import published

        folder = published(dataset) or folder
    if (folder / "manifest.json").is_file():
        manifest: dict[str, Any] = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        return manifest, read_rows(folder), {}
    from ..builder.build import build
    from ..builder.families import TEMPLATE_MODELS
    from ..builder.sources import read_sources, root_of

    with tempfile.TemporaryDirectory(prefix="contrapar-") as work:
        made = build(dataset, Path(work) / "built", progress=progress)
        manifest, table = made.manifest, read_rows(made.folder)
    sources = read_sources(dataset, TEMPLATE_MODELS)
    texts = {id: stereotype.text for id, stereotype in sources.stereotypes.items()}
    name = sources.dataset.model.prompt
    prompt = sources.folder / name if name else None
    return manifest, table, {"texts": texts, "prompt": prompt, "root": root_of(sources.folder)}


def sample(table: pa.Table, strata: Sequence[str], limit: int, seed: int) -> list[int]:
    """Indices, ascending, of `limit` rows: the first of each stratum by stable hash, then the second of each.

    A larger sample holds every smaller one of the same seed; a row added to the dataset moves few others.
    """
    keys = ["\t".join(map(str, key)) for key in zip(*(table.column(name).to_pylist() for name in strata), strict=True)]
    own = np.array([_hash(seed, id) for id in table.column("id").to_pylist()], np.uint64)
    by_key = {key: _hash(seed, key) for key in set(keys)}
    stratum = np.array([by_key[key] for key in keys], np.uint64)
    order = np.lexsort((own, stratum))
    fresh = np.concatenate(([True], stratum[order][1:] != stratum[order][:-1]))
    first = np.maximum.accumulate(np.where(fresh, np.arange(len(order)), 0))
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order)) - first
    chosen = np.lexsort((own, stratum, rank))[:limit]
    return sorted(chosen.tolist())


def _hash(seed: int, text: str) -> int:
    return int.from_bytes(hashlib.blake2b(f"{seed}\0{text}".encode(), digest_size=8).digest(), "big")
