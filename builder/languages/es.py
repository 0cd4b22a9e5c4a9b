"""Spanish: contractions, y/e and o/u by sound, el/la before a stressed a, articles, plurals.

Sources, by their usual names: NGLE = RAE & ASALE, Nueva gramática de la lengua española (2009);
OLE = RAE & ASALE, Ortografía de la lengua española (2010); DPD = Diccionario panhispánico de dudas.
"""

from __future__ import annotations

import re
from types import MappingProxyType

from . import spanish_words as words
from .boundary import Edge, Joiner, both_cases, like
from .contract import Language, Pattern, one_of, word_list
from .patterns import START, any_of, doubled, whole
from .sentence import Casing, capitalise, lower_first

_VOWELS = frozenset("aeiouáéíóúü")
_NUMBER = re.compile(r"\d+")

CASING = Casing(
    word_list(
        """
        admón. al. aprox. art. av. avda. bibl. cap. cía. cf. col. corp. dir. dña. doc. dr. dra. dres. dto.
        dpto. ed. ee. ej. etc. excma. excmo. fdo. fig. fr. gral. ibíd. ilma. ilmo. ing. izq. jr. lic. máx.
        mín. mons. núm. pág. págs. párr. pbro. prof. profa. prov. ref. sr. sra. sras. sres. srta. ss. sta.
        sto. tel. ud. uds. uu. vd. vds. vol. vs.
        """
    )
)


def _branded(word: str) -> bool:
    """*iPhone*, *iPad*: the letter is read in English."""
    return word[:1].islower() and word[1:2].isupper()


def starts_with_i_sound(word: str) -> bool | None:
    """Whether a word begins with the vowel /i/, so that *y* becomes *e*; None where it is said in two ways.

    *hijo*, *Inés*: yes. *hielo*, *yerno*: no. *ion*, *hiato* may be said with a vowel or a glide, and both
    spellings are right. DPD, s. v. «y»; OLE.
    """
    low = word.lower()
    if not low or low in words.UNSURE_I or _branded(word):
        return None
    second, third = low[1:2], low[2:3]
    if low[0] == "i":
        return None if not second.isalpha() or second in _VOWELS else True
    if low[0] == "h" and second == "i":
        if word.isupper():
            return False  # an acronym, read from the letter *hache*
        if third == "e":
            return False
        return None if not third.isalpha() or third in _VOWELS else True
    if low[0] == "y":
        if second in _VOWELS:
            return False
        return None if not second or word.isupper() else True
    if low[0] == "e":
        return None  # English names: *Eve*, *Ethan*
    return low[0] == "í" or low.startswith("hí") if low[0].isalnum() else None


def starts_with_o_sound(word: str) -> bool | None:
    """Whether a word or number begins with /o/, so that *o* becomes *u*; None where that is not sure.

    *otro*, *hotel*, *8*, *11*: yes. DPD, s. v. «o».
    """
    low = word.lower()
    if not low or low in words.UNSURE_O or _branded(word):
        return None
    digits = _NUMBER.match(low)
    if digits:
        eleven = digits[0].startswith("11") and len(digits[0]) % 3 == 2
        return digits[0][0] == "8" or eleven
    if low[0] in "oó":
        return True if low[1:2] and low[1:2] != "u" else None
    if low.startswith(("ho", "hó")):
        return None if word.isupper() or low[2:3] in ("", "o", "u") else True
    if low.startswith("au"):
        return None  # French names: *Aurélie*
    return False if low[0].isalpha() else None


def _contraction(edge: Edge) -> tuple[str, str] | None:
    """*a* + *el* -> *al*, *de* + *el* -> *del*; *El Salvador* keeps its own article. DPD, s. vv. «al», «del»."""
    if edge.following != "el" or (edge.last in ("A", "De") and not edge.initial):
        return None
    if edge.body.split(None, 2)[1:2] in (["o"], ["y"]):
        return None  # *a el o los autores*: the article is half of a pair
    return edge.swallow(edge.last + "l")


def _article_el(edge: Edge) -> tuple[str, str] | None:
    """The same contraction where the article already stands on the left."""
    return edge.contract(edge.previous + "l") if edge.previous in _CONTRACTING else None


_CONTRACTING = frozenset(["a", "A", "de", "De"])


def _article_la(edge: Edge) -> tuple[str, str] | None:
    """*la*, *una* -> *el*, *un* before a feminine noun in stressed /a/, then *al*, *del*. NGLE, ch. 14; DPD, «el»."""
    una = edge.last.lower() == "una"
    if edge.word not in (words.STRESSED_A_AFTER_UNA if una else words.STRESSED_A):
        return None
    if edge.last == "la" and edge.previous in _CONTRACTING:
        return edge.contract(edge.previous + "l")
    return edge.become(like(edge.last, "un" if una else "el"))


def _conjunction_y(edge: Edge) -> tuple[str, str] | None:
    """*y* <-> *e* by sound. At the head of a question *y* is adverbial and stays (*¿y Inés?*). DPD, s. v. «y»."""
    if "¿" in edge.opener:
        return None
    return _by_sound(edge, starts_with_i_sound(edge.word), "y", "e")


def _conjunction_o(edge: Edge) -> tuple[str, str] | None:
    """*o* <-> *u* by sound. DPD, s. v. «o»."""
    return _by_sound(edge, starts_with_o_sound(edge.word), "o", "u")


def _by_sound(edge: Edge, same_vowel: bool | None, plain: str, changed: str) -> tuple[str, str] | None:
    if same_vowel is None or edge.body[0] in "¿¡":
        return None
    if not same_vowel and edge.last == changed and edge.previous in _NAMING_A_LETTER:
        return None  # *la letra e mayúscula*
    return edge.become(changed if same_vowel else plain)


_NAMING_A_LETTER = frozenset(["la", "una", "letra", "vocal"])


def el(noun: str, gender: str, number: str = "s") -> str:
    """The definite article before a noun: "agua"|el("f") -> "el agua". gender m or f, number s or p. NGLE, ch. 14."""
    article = {"ms": "el", "fs": "la", "mp": "los", "fp": "las"}[_agreement(gender, number)]
    return f"{'el' if article == 'la' and _stressed_a(noun) else article} {noun}"


def un(noun: str, gender: str, number: str = "s") -> str:
    """The indefinite article before a noun: "alma"|un("f") -> "un alma". gender m or f, number s or p. NGLE, ch. 15."""
    article = {"ms": "un", "fs": "una", "mp": "unos", "fp": "unas"}[_agreement(gender, number)]
    return f"{'un' if article == 'una' and _stressed_a(noun) else article} {noun}"


def _agreement(gender: str, number: str) -> str:
    return one_of(gender, "mf", "gender") + one_of(number, "sp", "number")


def _stressed_a(noun: str) -> bool:
    first = noun.split(None, 1)[0].rstrip(".,;:!?…") if noun.strip() else ""
    return first in words.STRESSED_A or first in words.STRESSED_A_OR_VERB


def plural(phrase: str) -> str:
    """The plural of a noun with its adjectives, up to the first preposition. NGLE, ch. 3; DPD, «plural».

    Nouns in -í, -ú take -es (*marroquíes*), the form that the DPD prefers in demonyms.
    """
    parts = re.split(r"(\s+)", phrase)
    for at in range(0, len(parts), 2):
        if parts[at].lower() in words.PREPOSITIONS and at:
            break
        if parts[at] and parts[at].lower() not in words.UNINFLECTED:
            parts[at] = _plural(parts[at])
    return "".join(parts)


_UNACCENTED = str.maketrans("áéíóú", "aeiou")
_ACCENTED = str.maketrans("aeiou", "áéíóú")
_FINAL_STRESS = re.compile(r"(?:(?<![aeoáéó])[íú]|[áéó])[ns]$")
_FINAL_HIATUS = re.compile(r"[aeo][íú][ns]$")
_PENULT = re.compile(r"(?:[aeo]|[iu](?![aeo]))(?=[iu]?(?:[^aeiouáéíóúü]+|[^aeiouáéíóúü]*[qg]u(?=[ei]))[aeiou]n$)")
_WRITTEN_ACCENT = re.compile("[áéíóú]")


def _plural(word: str) -> str:
    low = word.lower()
    if low in words.IRREGULAR_PLURAL:
        return like(word, words.IRREGULAR_PLURAL[low])
    if low in words.INVARIABLE or not low[-1].isalpha() or (len(word) > 1 and word.isupper()):
        return word
    if low[-1] in "aeiouáéó":
        return word + "s"
    if low[-1] in "íú":
        return word + "es"
    if low[-1] == "z":
        return word[:-1] + "ces"
    if low[-1] in "ns" and _FINAL_STRESS.search(low):
        return word[:-2] + word[-2].translate(_UNACCENTED) + word[-1] + "es"
    if low[-1] == "s":
        return word + "es" if _FINAL_HIATUS.search(low) or _one_syllable(low) else word
    if low[-1] == "n" and not _WRITTEN_ACCENT.search(low) and (nucleus := _PENULT.search(low)):
        at = nucleus.start()  # *joven*, *jóvenes*: the stress stays where it was
        return word[:at] + word[at].translate(_ACCENTED) + word[at + 1 :] + "es"
    if low[-1] in "dnlrj":
        return word + "es"
    if low[-1] == "y" and low[-2:-1] in _VOWELS:
        return word + "es"
    return word if low[-1] == "x" else word + "s"


def _one_syllable(word: str) -> bool:
    return len(re.findall(r"[aeiouáéíóúü]+", word)) == 1


_WORD = "[a-záéíóúüñ]"
# Not *el o los*, where the article is half of a pair.
_EL = r"el(?:\s*$|[.,;:!?…)\]»”’\"']|\s(?:[^oy]|[oy]\S))"
_PATTERNS = (
    Pattern("contraction-al", f"{START}a {_EL}", "'a el' contracts to 'al'", "write 'al'"),
    Pattern("contraction-del", f"{START}de {_EL}", "'de el' contracts to 'del'", "write 'del'"),
    Pattern(
        "y-before-i",
        rf"(?:^|[\s(\[«“„‘\"'—–])y (?:(?:í|i[bdfghjklmnñpqrstvxz]|ic[^e]){_WORD}"
        r"|I(?:gnacio|nés|ndia|nglaterra|rak|rán|rene|rlanda|saac|sabel|smael|srael|talia|ván|ñaki|ñigo)"
        rf"|h(?:í|i(?:j[oa]|st|sp|dr|g[iou]|m|n[cdoó]|po|pó|pn))){_WORD}*",
        "'y' before the sound /i/",
        "write 'e'",
    ),
    Pattern(
        "o-before-o",
        whole(
            rf"o (?:[oó][aábcdeéfghiíjklmnñpqrstvxyz]{_WORD}+"
            rf"|ho(?:mbre|mo|ra|ja|nesto|nesta|spital|stil|tel|y){_WORD}*)"
        ),
        "'o' before the sound /o/",
        "write 'u'",
    ),
    Pattern(
        "la-before-stressed-a",
        whole(f"[Ll]a {any_of(words.STRESSED_A)}"),
        "'la' before a noun in stressed a",
        "write 'el' (the noun stays feminine)",
    ),
    Pattern(
        "una-before-stressed-a",
        whole(f"[Uu]na {any_of(words.STRESSED_A_AFTER_UNA)}"),
        "'una' before a noun in stressed a",
        "write 'un' (the noun stays feminine)",
    ),
    Pattern(
        "masculine-before-stressed-a",
        whole(f"(?:[Ee]ste|[Ee]se|[Aa]quel) {any_of(words.STRESSED_A)}"),
        "a feminine noun in stressed a takes the feminine demonstrative",
        "write 'esta', 'esa' or 'aquella'",
    ),
    doubled(
        "al con de del e el en las le lo los por que se sin su un una y",
        f"{_WORD}{{3,}} a a {_WORD}{{2,}}",
        f"la la {_WORD}{{3,}}",
    ),
)


SPANISH = Language(
    code="es",
    filters=MappingProxyType(
        {"sentence": capitalise, "lower_first": lower_first, "el": el, "un": un, "plural": plural}
    ),
    join=Joiner(
        CASING,
        both_cases({"a": _contraction, "de": _contraction, "la": _article_la, "una": _article_la})
        | {"el": _article_el, "y": _conjunction_y, "e": _conjunction_y, "o": _conjunction_o, "u": _conjunction_o},
    ),
    patterns=_PATTERNS,
)
