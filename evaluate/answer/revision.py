"""Which weights a figure was made with, without reading all of them."""

from __future__ import annotations

import hashlib
from pathlib import Path

_WEIGHTS = ("*.safetensors", "*.gguf", "*.bin", "*.pt")
_SETTINGS = ("config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json", "vocab.txt")


def gguf_file(folder: Path) -> str | None:
    """The GGUF file of a folder that holds one in place of a config; the first by name where it holds several."""
    if not folder.is_dir() or (folder / "config.json").exists():
        return None
    return next((path.name for path in sorted(folder.glob("*.gguf"))), None)


def folder_revision(folder: Path) -> str:
    """`files:` and 16 hex digits over settings (their bytes) and weights (their names and sizes).

    Weights of many gigabytes are not read, so two sets of equal names and sizes are told apart by their
    settings alone.
    """
    digest = hashlib.sha256()
    for name in _SETTINGS:
        path = folder / name
        if path.exists():
            digest.update(name.encode() + b"\0" + path.read_bytes() + b"\0")
    for pattern in _WEIGHTS:
        for path in sorted(folder.glob(pattern)):
            digest.update(f"{path.name}\0{path.stat().st_size}\0".encode())
    return f"files:{digest.hexdigest()[:16]}"
