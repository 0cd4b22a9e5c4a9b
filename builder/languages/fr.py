"""French: élision, contraction, the possessive and demonstrative before a vowel, articles, plurals.

Sources: Grevisse & Goosse, Le bon usage, on élision, on the contracted article, on *mon*, *ton*, *son*, *cet*,
*bel*, *nouvel*, *vieil*, and on the plural of nouns; Dictionnaire de l'Académie française for h.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from types import MappingProxyType

from . import french_words as words
from .boundary import Edge, Joiner, Rule, both_cases, like
from .contract import Language, Pattern, one_of, word_list
from .patterns import any_of, doubled, whole
from .sentence import Casing, capitalise, lower_first

CASING = Casing(
    word_list(
        """
        al. apr. art. av. bd. boul. cf. chap. corp. dir. doc. dr. éd. env. etc. ex. fig. hab. janv. jr.
        févr. juill. sept. oct. nov. déc. max. mgr. min. mm. mme. mlle. p. pp. prof. réf. st. ste. suiv. t.
        tél. v. vol. vs.
        """
    )
)


@lru_cache(maxsize=8192)
def elides(word: str) -> bool | None:
    """Whether a word before this one loses its final vowel; None where usage varies or is not known.

    *homme*, *école*, *Yves*, *ONU*: yes. *haricot*, *onze*, *yaourt*: no. *Hugo*, *hyène*: both are written.
    Grevisse & Goosse, Le bon usage, on élision and its exceptions (h aspiré, *onze*, *oui*, glides).
    """
    if not word:
        return None
    low = unicodedata.normalize("NFC", word.lower()).replace("’", "'")
    if len(low) == 1:
        return low == "y" or (None if low in "aàeéiouhô" else False)
    if word[:2].isupper():
        return True if word[0] in "AEIOUÉ" else (None if word[0] in "HY" else False)
    if low[0] == "h":
        if word[0].isupper():
            return True if low in words.MUTE_NAMES else None
        if words.ASPIRATED.match(low):
            return False
        return True if words.MUTE.match(low) else None
    if low in words.ELIDED_Y:
        return True
    if words.DISJUNCT.match(low):
        return False
    if words.UNSURE.match(low):
        return None
    if low[0] == "y":
        return True
    letter = unicodedata.normalize("NFD", low)[0]
    return letter in "aeiouœæ"


def _elision(edge: Edge) -> tuple[str, str] | None:
    """*le*, *la*, *de*, *que*, *je*, *ne*, *se*, *me*, *te*, *jusque* before a vowel; then *de le* -> *de l'*."""
    article = edge.last.lower() in ("le", "la")
    if edge.word in ("a", "à") and not article and edge.last.lower() != "de":
        return edge.elide(edge.last[:-1] + _apostrophe(edge))  # *qu'à*, *jusqu'à*, *n'a*
    if edge.word in ("et", "ou") or not elides(edge.word) or (article and edge.word.lower() in words.NO_NOUN):
        return None
    return edge.elide(edge.last[:-1] + _apostrophe(edge))


def _apostrophe(edge: Edge) -> str:
    return "’" if "’" in edge.body or "’" in edge.stem else "'"


def _le(edge: Edge) -> tuple[str, str] | None:
    """*le* elides; else *de le médecin* -> *du médecin*, *à le* -> *au*, where a noun follows."""
    if edge.last.lower() == "le" and elides(edge.word):
        return _elision(edge)
    contracted = _CONTRACTED.get((edge.previous.lower(), edge.last))
    if not contracted or not _is_nominal(edge.last, edge.word):
        return None
    return edge.contract(like(edge.previous, contracted))


def _preposition(edge: Edge) -> tuple[str, str] | None:
    """*de* + *le médecin* -> *du médecin*; *de le voir* stays: there *le* is a pronoun. Le bon usage, on the article.

    The article of *Le Havre* contracts (*du Havre*), a surname's does not (*de Le Pen*).
    """
    parts = edge.body.split(None, 2)
    contracted = _CONTRACTED.get((edge.last.lower(), parts[0].lower()))
    if contracted and len(parts) > 1:
        following = parts[1].rstrip('.,;:!?…»”")]').replace("’", "'")
        fits = following in words.TOWNS if parts[0][0] == "L" else _is_nominal(parts[0], following)
        if fits:
            return edge.swallow(like(edge.last, contracted))
    return _elision(edge) if edge.last[0] in "dD" else None


_CONTRACTED = {("de", "le"): "du", ("de", "les"): "des", ("à", "le"): "au", ("à", "les"): "aux"}


def _is_nominal(article: str, word: str) -> bool:
    """Whether *le*, *les* before this word is an article, not the pronoun before an infinitive."""
    low = word.lower()
    if not low[:1].isalpha() or low in words.BEFORE_VERB:
        return False
    if article == "les":
        return low[-1] in "sxz"
    return not low.endswith(("er", "ir", "re")) or low in words.NOUNS_LIKE_VERBS


def _conjunction(edge: Edge) -> tuple[str, str] | None:
    """*lorsque*, *puisque*, *quoique* before *il*, *elle*, *on*, *un*, *une*, *en*, where all grammars elide."""
    if edge.word not in ("il", "ils", "elle", "elles", "on", "un", "une", "en"):
        return None
    return edge.elide(edge.last[:-1] + _apostrophe(edge))


def _si(edge: Edge) -> tuple[str, str] | None:
    """*si* + *il*, *ils* -> *s'il*, *s'ils*; *si elle* stays."""
    return edge.elide(edge.last[:-1] + _apostrophe(edge)) if edge.word in ("il", "ils") else None


def _ce(edge: Edge) -> tuple[str, str] | None:
    """*ce* -> *c'* before forms of *être* and *en* + *être*; -> *cet* before a masculine in a vowel sound."""
    parts = edge.body.split(None, 2)
    if parts[0] in _ETRE or (parts[0] == "en" and len(parts) > 1 and parts[1] in _ETRE):
        return edge.elide(edge.last[:-1] + _apostrophe(edge))
    if edge.word.lower() in words.NO_NOUN or not elides(edge.word):
        return None
    return edge.become(edge.last + "t")


_ETRE = frozenset(["est", "était", "étaient", "eût"])


def _possessive(edge: Edge) -> tuple[str, str] | None:
    """*ma*, *ta*, *sa* -> *mon*, *ton*, *son* before a feminine in a vowel sound (*mon amie*)."""
    if edge.word.lower() in words.NO_NOUN or not elides(edge.word):
        return None
    return edge.become(edge.last[0] + "on")


def _adjective(edge: Edge) -> tuple[str, str] | None:
    """*beau*, *nouveau*, *vieux* -> *bel*, *nouvel*, *vieil* before a masculine singular in a vowel sound."""
    forms = {"beau": "bel", "nouveau": "nouvel", "vieux": "vieil"}
    return edge.become(like(edge.last, forms[edge.last.lower()])) if edge.word in words.MASCULINE else None


_RULES: dict[str, Rule] = {
    **dict.fromkeys(("la", "que", "je", "ne", "se", "me", "te", "jusque"), _elision),
    **dict.fromkeys(("de", "à"), _preposition),
    **dict.fromkeys(("le", "les"), _le),
    **dict.fromkeys(("lorsque", "puisque", "quoique"), _conjunction),
    **dict.fromkeys(("ma", "ta", "sa"), _possessive),
    **dict.fromkeys(("beau", "nouveau", "vieux"), _adjective),
    "si": _si,
    "ce": _ce,
}


def le(noun: str, gender: str, number: str = "s") -> str:
    """The definite article before a noun: "homme"|le("m") -> "l'homme". gender m or f, number s or p."""
    one_of(gender, "mf", "gender")
    if one_of(number, "sp", "number") == "p":
        return f"les {noun}"
    if noun.strip() and elides(noun.split(None, 1)[0].rstrip(".,;:!?…")):
        return f"l'{noun}"
    return f"{'le' if gender == 'm' else 'la'} {noun}"


def un(noun: str, gender: str, number: str = "s") -> str:
    """The indefinite article before a noun: un, une, des. gender m or f, number s or p."""
    one_of(gender, "mf", "gender")
    if one_of(number, "sp", "number") == "p":
        return f"des {noun}"
    return f"{'un' if gender == 'm' else 'une'} {noun}"


def plural(phrase: str) -> str:
    """The plural of a noun with its adjectives, up to the first preposition. Le bon usage, on the plural of nouns."""
    parts = re.split(r"(\s+)", phrase)
    for at in range(0, len(parts), 2):
        low = parts[at].lower()
        if at and (low in words.PREPOSITIONS or low.startswith(("d'", "d’"))):
            break
        if low and low not in words.UNINFLECTED:
            parts[at] = _plural(parts[at])
    return "".join(parts)


def _plural(word: str) -> str:
    low = word.lower()
    if low in words.IRREGULAR_PLURAL:
        return like(word, words.IRREGULAR_PLURAL[low])
    if not low[-1].isalpha() or low[-1] in "sxz" or (len(word) > 1 and word.isupper()):
        return word
    if low in words.PLURAL_AUX:
        return word[:-2] + "ux"
    if low in words.PLURAL_S:
        return word + "s"
    if low.endswith("al"):
        return word[:-1] + "ux"
    if low.endswith(("au", "eu")) or low in words.PLURAL_X:
        return word + "x"
    return word + "s"


_LETTER = "[a-zàâäçéèêëîïôöûùüœ]"
_NOT_INFINITIVE = f"{_LETTER}*(?:[a-qs-zàâäçéèêëîïôöûùü][a-df-qs-zçéêè]|[a-qs-z]e|[a-df-hj-z]r)"
_VOWEL_NOUNS = any_of(
    word_list(
        """
        acteur actrice ami amie ancien ancienne argent avocat avocate eau école élève emploi employé
        employée enfant erreur étranger étrangère étudiant étudiante histoire homme hôpital hôtel idée
        infirmier infirmière ouvrier ouvrière
        """
    )
)
_PATTERNS = (
    Pattern("contraction-du", whole(f"[Dd]e le {_NOT_INFINITIVE}"), "'de le' contracts to 'du'", "write 'du'"),
    Pattern(
        "contraction-des", whole(f"[Dd]e les (?:{_LETTER}{{4,}}[sx])"), "'de les' contracts to 'des'", "write 'des'"
    ),
    Pattern("contraction-au", whole(f"à le {_NOT_INFINITIVE}"), "'à le' contracts to 'au'", "write 'au'"),
    Pattern("contraction-aux", whole(f"à les (?:{_LETTER}{{4,}}[sx])"), "'à les' contracts to 'aux'", "write 'aux'"),
    Pattern(
        "elision",
        whole(
            f"(?:(?:[Ll][ea]|[Dd]e) {_VOWEL_NOUNS}|(?:[Qq]ue|[Dd]e) (?:elles?|ils?|une?)|[Ss]i ils?"
            "|[Jj]e (?:ai|aime|aimais|avais|étais|habite)|ne (?:a|ai|ont|est|était|étaient|avait)|[Cc]e est)"
        ),
        "a vowel before a vowel",
        "elide it with an apostrophe",
    ),
    Pattern(
        "possessive-before-vowel",
        whole("[MmTtSs]a (?:actrice|amie|école|employée|enfance|épouse|étudiante|histoire|idée|infirmière)"),
        "'ma', 'ta', 'sa' before a vowel sound",
        "write 'mon', 'ton', 'son'",
    ),
    Pattern(
        "ce-before-vowel",
        whole(
            "[Cc]e (?:acteur|ami|avocat|élève|employé|enfant|étranger|étudiant|homme|hôpital|hôtel|infirmier|ouvrier)"
        ),
        "'ce' before a vowel sound",
        "write 'cet'",
    ),
    doubled("au aux avec dans de des du et la le les ne par pour que sur à un"),
)


FRENCH = Language(
    code="fr",
    filters=MappingProxyType(
        {"sentence": capitalise, "lower_first": lower_first, "le": le, "un": un, "plural": plural}
    ),
    join=Joiner(CASING, both_cases(_RULES)),
    patterns=_PATTERNS,
)
