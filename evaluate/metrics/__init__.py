"""From answers to figures. A family is one module.

REQUIRED, figures(frame, ...)   the columns that it needs, and what follows from them
ABOUT, NAMES                    of each metric what it says, and its name in a table
HALVES                          groups that split a run into parts, and what their values are called
SHOWN, CUTS                     metrics that are shown of each cut, and the cuts with their titles
FAILED                          shares of which none is the usual and wanted case
RANKING                         how stereotypes are put in order, or None
COUNTED                         where replies are read: how those that are no answer count
signatures                      where scores are another library's: what it says of their settings
STRATA                          columns of which a sample takes as many rows of each as of the others
"""

from __future__ import annotations

from collections.abc import Mapping
from types import ModuleType

from . import lexical, pairs, qa, translation
from .figure import About, Figure, Ranking, to_frame

METRICS: dict[str, ModuleType] = {"lexical": lexical, "pairs": pairs, "qa": qa, "translation": translation}

HALVES: dict[str, Mapping[str, str]] = {key: of for module in METRICS.values() for key, of in module.HALVES.items()}
NAMES: dict[str, str] = {metric: name for module in METRICS.values() for metric, name in module.NAMES.items()}
FAILED = frozenset(metric for module in METRICS.values() for metric in module.FAILED)

__all__ = ["FAILED", "HALVES", "METRICS", "NAMES", "About", "Figure", "Ranking", "to_frame"]
