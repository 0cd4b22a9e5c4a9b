"""What is wrong with rows and sources: plain lists of rules.

A row rule looks at one text (`TEXT_RULES`), at one row (`items` of a family) or at all rows (`wholes`).
`ROW_RULES` is the only place here that names a family.
"""

from __future__ import annotations

from . import lexical, pairs, qa, translation
from .faults import Fault, ItemRule, RowRules, TextRule, WholeRule
from .text import TEXT_RULES, suspect, text_faults

ROW_RULES: dict[str, RowRules] = {
    "lexical": lexical.RULES,
    "pairs": pairs.RULES,
    "qa": qa.RULES,
    "translation": translation.RULES,
}

__all__ = [
    "ROW_RULES",
    "TEXT_RULES",
    "Fault",
    "ItemRule",
    "RowRules",
    "TextRule",
    "WholeRule",
    "suspect",
    "text_faults",
]
