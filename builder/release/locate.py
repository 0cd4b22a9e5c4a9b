"""A dataset by what people call it: sources, a built folder, or a published version. Always a built folder."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

from ..build import Built, build
from ..chain import Progress, quiet
from ..files import whole_folder
from ..problems import ContraparError, UsageError
from ..tables import file_sha256
from .manifest import MANIFEST, data_files, read_manifest


@contextmanager
def built(name: str, progress: Progress = quiet) -> Iterator[Path]:
    """The folder of a built dataset: as it stands, out of the Hub's cache, or made for as long as it is needed."""
    if (Path(name) / MANIFEST).is_file():
        yield Path(name)
        return
    found = published(name)
    if found is not None:
        yield found
        return
    with tempfile.TemporaryDirectory(prefix="contrapar-") as work:
        yield build(name, Path(work) / "built", progress=progress).folder


def published(name: str) -> Path | None:
    """The folder of `owner/name@v1.2.0`, whole and as it was released; None where a name is none of these."""
    from .hub import Repository, versioned

    parts = versioned(name)
    if parts is None:
        return None
    folder = Repository(parts[0]).folder(parts[1])
    if not (folder / MANIFEST).is_file():
        raise UsageError(f"{name}: no release of contrapar's: it has no {MANIFEST}")
    for path, digest in data_files(read_manifest(folder)).items():
        if not (folder / path).is_file() or file_sha256(folder / path) != digest:
            raise ContraparError(f"{name}: {path} is not what the release's manifest names; remove {folder}")
    return folder


def fetch(name: str, out: Path | None) -> Built | None:
    """A published version as a folder of one's own, whole or not at all; None where a name is none of these."""
    started = perf_counter()
    found = published(name)
    if found is None:
        return None
    manifest = read_manifest(found)
    out = out or Path("out") / str(manifest["dataset"])
    with whole_folder(out, MANIFEST, "a built dataset") as work:
        (work / "data").mkdir()
        for path in [MANIFEST, *data_files(manifest)]:
            shutil.copyfile(found / path, work / path)
    return Built(out, manifest, [], perf_counter() - started)
