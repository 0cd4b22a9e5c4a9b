"""The dictionaries of Hunspell on this machine, and the one door to spylls, which reads them."""

from __future__ import annotations

import gc
import os
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import import_module, util
from pathlib import Path
from typing import Any

FOLDERS = (
    "~/.local/share/hunspell",
    "/usr/share/hunspell",
    "/usr/local/share/hunspell",
    "/usr/share/myspell",
    "/usr/share/myspell/dicts",
    "/opt/homebrew/share/hunspell",
    "~/Library/Spelling",
    "/Library/Spelling",
)
OURS = "CONTRAPAR_DICTIONARIES"
# where a language's code names no dictionary: the country that is meant
MEANT = {"en": ("en_US", "en_GB"), "pt": ("pt_PT", "pt_BR")}


@dataclass(frozen=True)
class Speller:
    """One dictionary. `name` is that of its file, such as es_ES."""

    name: str
    dictionary: Any

    def knows(self, word: str) -> bool:
        return bool(self.dictionary.lookup(word))

    @cached_property
    def stems(self) -> frozenset[str]:
        """Its entries as they stand in it, without what may be added to them."""
        return frozenset(word.stem for word in self.dictionary.dic.words)


def folders() -> list[Path]:
    """Where dictionaries are looked for: our variable, then Hunspell's own, then the usual places."""
    named = [part for name in (OURS, "DICPATH") for part in os.environ.get(name, "").split(os.pathsep) if part]
    return [Path(part).expanduser() for part in (*named, *FOLDERS)]


def find(code: str) -> Path | None:
    """A dictionary for a language code such as es or es-CO, as the path of its .dic; None where there is none."""
    for name in _names(code):
        for folder in folders():
            path = folder / f"{name}.dic"
            if path.is_file() and path.with_suffix(".aff").is_file():
                return path
    base = code.partition("-")[0]
    for folder in folders():
        for path in sorted(folder.glob(f"{base}_*.dic")):
            if path.with_suffix(".aff").is_file():
                return path
    return None


def _names(code: str) -> Iterator[str]:
    base = code.partition("-")[0]
    if base != code:
        yield code.replace("-", "_")
    yield base
    yield from MEANT.get(base, (f"{base}_{base.upper()}",))


def installed() -> bool:
    """Whether spylls is."""
    return util.find_spec("spylls") is not None


@lru_cache(maxsize=4)
def load(path: Path) -> Speller:
    """Reads a dictionary, which takes some seconds. Raises ValueError where spylls does not understand it."""
    hunspell: Any = import_module("spylls.hunspell")
    found, fault = None, ""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # it leaves its files to be closed by whoever comes by
        try:
            found = hunspell.Dictionary.from_files(str(path.with_suffix("")))
        except Exception as error:  # a dictionary is somebody else's file, and spylls has no errors of its own
            fault = str(error).splitlines()[0] if str(error) else type(error).__name__
        gc.collect()
    if fault:
        raise ValueError(f"{path}: {fault}")
    return Speller(path.stem, found)
