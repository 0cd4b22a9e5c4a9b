"""Plural and feminine that regular morphology makes of a Spanish or French noun (pure).

Sources: RAE and ASALE, Nueva gramática de la lengua española, 2 and 3; Grevisse and Goosse, Le bon usage, on the
feminine and plural of nouns. What is irregular belongs into the glossary.
"""

from __future__ import annotations

import re

_PLAIN = str.maketrans("áéíóú", "aeiou")


def plural_of(form: str, language: str) -> str:
    """The plural of an equivalent: of its first word, and of an adjective's after it (RAE, NGLE 3.1)."""
    head, space, rest = form.partition(" ")
    if language == "fr":
        if head.endswith(("s", "x", "z")):
            made = head
        elif head.endswith(("eau", "eu")):
            made = head + "x"
        elif head.endswith("al"):
            made = head[:-2] + "aux"
        else:
            made = head + "s"
    elif head.endswith("z"):
        made = head[:-1] + "ces"
    elif re.search(r"[áéíóú][ns]$", head):
        made = head[:-2] + head[-2].translate(_PLAIN) + head[-1] + "es"
    elif head[-1:] in "aeiouáéó":
        made = head + "s"
    else:
        made = head + "es"
    if rest and not rest.startswith(("de ", "du ", "d'", "en ", "au ", "aux ")):
        rest = plural_of(rest, language)
    return made + space + rest


_FEMININE = {
    "es": ((r"or$", "ora"), (r"o$", "a"), (r"án$", "ana"), (r"ón$", "ona"), (r"és$", "esa"), (r"ín$", "ina")),
    "fr": ((r"teur$", "trice"), (r"eur$", "euse"), (r"er$", "ère"), (r"ien$", "ienne"), (r"é$", "ée"),
           (r"(ant|at|and)$", r"\1e")),
}  # fmt: skip


def feminine_of(form: str, language: str) -> str:
    """The feminine that regular morphology makes of a masculine; the form itself where its ending has both."""
    for ending, other in _FEMININE[language]:
        if re.search(ending, form):
            return re.sub(ending, other, form)
    return form if form.endswith(("e", "a")) else ""
