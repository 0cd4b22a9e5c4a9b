"""The manifest of a built dataset, read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..problems import UsageError

MANIFEST = "manifest.json"


def read_manifest(folder: Path) -> dict[str, Any]:
    """Raises UsageError where it is none of ours."""
    try:
        found = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{folder / MANIFEST}: no manifest that can be read ({type(error).__name__})") from None
    if not isinstance(found, dict) or not {"dataset", "family", "files"} <= found.keys():
        raise UsageError(f"{folder / MANIFEST}: not a manifest of contrapar's")
    return found


def data_files(manifest: dict[str, Any]) -> dict[str, str]:
    """Path -> sha256 of the files that hold everything, without the subsets of a release."""
    return {path: digest for path, digest in manifest["files"].items() if path.startswith("data/")}
