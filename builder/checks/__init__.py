"""What is wrong with rows and sources: plain lists of rules.

A row rule looks at one text (`TEXT_RULES`), at one row (`items` of a family) or at all rows (`wholes`).
`ROW_RULES` is the only place here that names a family. `THOROUGH_RULES` are an editor's, which a check looks at only
where it is asked to.
"""

from __future__ import annotations

from . import lexical, pairs, qa, translation
from .agreement import agreement
from .contrasts import dominant_group, mixed_contrast, unfounded_template
from .faults import Fault, ItemRule, RowRules, TextRule, WholeRule
from .spelling import spelling
from .style import alike_templates, long_sentence, repeated_question, same_but_name
from .text import TEXT_RULES, suspect, text_faults
from .thorough import ReadingRule

ROW_RULES: dict[str, RowRules] = {
    "lexical": lexical.RULES,
    "pairs": pairs.RULES,
    "qa": qa.RULES,
    "translation": translation.RULES,
}

THOROUGH_RULES: tuple[ReadingRule, ...] = (
    unfounded_template,
    mixed_contrast,
    dominant_group,
    long_sentence,
    same_but_name,
    alike_templates,
    repeated_question,
    spelling,
    agreement,
)

__all__ = [
    "ROW_RULES",
    "TEXT_RULES",
    "THOROUGH_RULES",
    "Fault",
    "ItemRule",
    "RowRules",
    "TextRule",
    "WholeRule",
    "suspect",
    "text_faults",
]
