"""Dutch: sentence case with *ij* and *'s*, the adjective's -e, the article.

Sources: Nederlandse Taalunie, Woordenlijst Nederlandse Taal (het Groene Boekje) and its Technische Handleiding
on capitals and inflection; Haeseryn et al., Algemene Nederlandse Spraakkunst (ANS, 1997), ch. 6, on the adjective.
"""

from __future__ import annotations

import re
from types import MappingProxyType

from .boundary import Joiner, like
from .contract import Language, Pattern, one_of, word_list
from .patterns import doubled
from .sentence import Casing, first_letter
from .sentence import capitalise as _capitalise
from .sentence import lower_first as _lower_first

_CLITIC = re.compile(r"['’](?:s|t|n|k|m|r) +")


def capitalise(text: str) -> str:
    """Sentence case: *ijs* -> *IJs*; after *'s*, *'t* the next word takes the capital (*'s Morgens*). Taalunie."""
    at = 0
    while at < len(text) and text[at] in '¿¡«“„‘"([—– ':
        at += 1
    clitic = _CLITIC.match(text, at)
    if clitic:
        return text[: clitic.end()] + capitalise(text[clitic.end() :])
    at = first_letter(text)
    if text[at : at + 2] in ("ij", "íj"):
        return text[:at] + text[at : at + 2].upper() + text[at + 2 :]
    return _capitalise(text)


def lower_first(text: str) -> str:
    """The reverse: *IJs* -> *ijs*."""
    at = first_letter(text)
    if text[at : at + 2] == "IJ" and not text[at + 2 : at + 3].isupper():
        return text[:at] + "ij" + text[at + 2 :]
    return _lower_first(text)


CASING = Casing(
    word_list(
        """
        afb. al. alg. art. bijv. blz. bv. ca. cf. corp. ds. dhr. dr. dra. drs. enz. etc. evt. excl. fig.
        gem. hfst. hr. incl. ing. ir. jhr. jkvr. jl. jr. mevr. min. mr. mrs. mw. nr. pag. pnt. prof. red.
        resp. sr. st. tel. vgl. vnl. vs. zgn.
        """
    ),
    capitalise=capitalise,
)

# Adjectives that never take -e, beside those in a vowel letter or in an unstressed -en. *queer* is left to lexicons.
_UNINFLECTED = word_list(
    """
    aluminium cis cisgender linker nylon plastic platina queer rechter trans transgender
    """
)
_IRREGULAR = {"apocrief": "apocriefe", "cool": "coole", "grof": "grove"}
_ENDS_IN_VOWEL = re.compile(r"(?:(?:^|[^aeiou])en|(?<!aa)(?<!oo)(?<!oe)(?<!u)i|[aeouyáéíóúàèëïöü])$")
# A long vowel or diphthong before final s: most take z (*vies*, *vieze*), these keep s.
_TAKE_Z = re.compile(r"(?:aas|oos|(?<!h)eus|(?<!par)ijs|vies|precies)$")
_TAKE_V = re.compile(r"(?:aa|ee|oo|ie|ïe|ij|eu|oe|l)f$")
_LONG = re.compile(r"(?:aa|ee|oo|uu)[bdfgklmnprstvz]$")
_SHORT = re.compile(r"(?:^|[^aeiouyáéëïíóöúü])[aeiou][bdfgklmnprst]$")
_VOWELS = re.compile(r"ij|[aeiouyáéëïíóöúü]+")
# Final stress in longer words, compounds above all: the consonant is doubled too (*spierwit*, *spierwitte*).
_STRESSED_END = re.compile(
    r"(?:barok|bigot|bizar|dik|dol|dom|dun|fit|fris|gek|glad|hit|kapot|koket|lam|nat|nut|plat|slim|stil|stom|vlak|vol|wit|zat|zet|zwak)$"
)
# A prefix without stress leaves it on the last syllable (*besmet*, *besmette*).
_STRESSED_AFTER_PREFIX = re.compile(r"^(?:be|ge|ont|ver)[^aeiouy]+[aeiou][bdfgklmnprst](?<!ig)(?<!e[lmr])$")


def e(adjective: str) -> str:
    """The adjective with -e and its spelling: *groot* -> *grote*, *wit* -> *witte*, *lief* -> *lieve*.

    Unchanged: *houten*, *roze*, *lila*, *transgender*. Only the last word of a phrase is inflected (*erg dikke*).
    ANS, ch. 6; Taalunie, Woordenlijst.
    """
    word = re.split(r"[\s-]", adjective)[-1].lower()
    if not word or not word[-1].isalpha() or word in _UNINFLECTED or _ENDS_IN_VOWEL.search(word):
        return adjective
    if word in _IRREGULAR:
        return adjective[: -len(word)] + like(adjective[-len(word) :], _IRREGULAR[word])
    if word.endswith("ieel"):
        return adjective[:-3] + "ële"  # *financieel*, *financiële*
    if word.endswith("ëel"):
        return adjective[:-2] + "le"  # *reëel*, *reële*
    stem, last = adjective[:-1], adjective[-1]
    if _TAKE_Z.search(word):
        last = "z"
    elif _TAKE_V.search(word):
        last = "v"
    if _LONG.search(word):
        return stem[:-1] + last + "e"
    return stem + last * (2 if _doubles(word) else 1) + "e"


def _doubles(word: str) -> bool:
    """Whether the final consonant stands after a short stressed vowel."""
    if not _SHORT.search(word):
        return False
    one_syllable = len(_VOWELS.findall(word)) == 1
    return one_syllable or bool(_STRESSED_END.search(word) or _STRESSED_AFTER_PREFIX.search(word))


def het_de(noun: str, article: str, number: str = "s") -> str:
    """The definite article before a noun; in the plural (number p) it is always *de*. ANS, ch. 4."""
    one_of(article, ("de", "het"), "article")
    return f"{'de' if one_of(number, 'sp', 'number') == 'p' else article} {noun}"


_PATTERNS = (
    Pattern("capital-ij", r"(?:^|[\s(«“„‘\"'])Ij(?:s|z|ver|del)[a-z]*", "'Ij' at the start of a word", "write 'IJ'"),
    Pattern(
        "capital-clitic",
        r"(?:^|[.!?…]\s)['’]S (?:morgens|middags|avonds|nachts|ochtends|zomers|winters|maandags|zondags)",
        "'S takes no capital; the word after it does",
        'write "\'s Morgens"',
    ),
    doubled("de een en met of te van"),
)


DUTCH = Language(
    code="nl",
    filters=MappingProxyType({"sentence": capitalise, "lower_first": lower_first, "e": e, "het_de": het_de}),
    join=Joiner(CASING, {}),
    patterns=_PATTERNS,
)
