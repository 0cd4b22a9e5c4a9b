"""The families: a dict from name to module is the only place that lists them.

A family module has TEMPLATE (the model of its templates), FIELDS (its own columns), TEXTS (columns that are
running text), SAYS (columns by which two rows say the same), TASKS (what the Hub calls its task),
COLUMNS (what each of its own columns holds, for the card) and Plan (a template that is ready to be expanded).
It may have COUNTED: by which column a card counts its rows, and of which column rows of one value are alike; without
it these are the axis and the stereotype.
"""

from __future__ import annotations

from types import ModuleType

from . import lexical, pairs, qa, translation

FAMILIES: dict[str, ModuleType] = {"lexical": lexical, "pairs": pairs, "qa": qa, "translation": translation}
# what reads a dataset needs of each: the model of its templates
TEMPLATE_MODELS = {name: module.TEMPLATE for name, module in FAMILIES.items()}
