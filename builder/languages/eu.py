"""Basque: the cases of nouns and proper names, written as suffixes on the last word of a phrase.

Sources: Euskaltzaindia, Euskal Gramatika: Lehen Urratsak I (EGLU-I), on declension, and Euskara Batuaren
Eskuliburua (EBE), on -a, -r and proper names.

A stem ends in a consonant (*gizon*), in r, doubled before a vowel (*zakur*, *zakurra*) unless it is one of the few
soft ones (*paper*, *papera*), in a vowel or diphthong (*mendi*, *lehoi*), or in an -a of its own (*neska*).
number: s singular, p plural, indef indefinite (mugagabea), proper a name (declined as the indefinite).
"""

from __future__ import annotations

from types import MappingProxyType

from .boundary import Joiner
from .contract import Filter, Language, one_of, word_list
from .patterns import doubled
from .sentence import Casing, capitalise, lower_first

CASING = Casing(word_list("adib. and. art. ak. dk. etab. jn. or. tel. zk."), ordinals=True)

_NUMBERS = ("s", "p", "proper", "indef")
# r is a single tap in these: it is not doubled. EGLU-I; EBE.
_SOFT_R = word_list("kaier paper plater plazer segur ur zur")

# Case: its endings after a vowel, singular and plural; then indefinite after a vowel, after a consonant.
_ENDINGS = {
    "abs": ("a", "ak", "", ""),
    "erg": ("ak", "ek", "k", "ek"),
    "dat": ("ari", "ei", "ri", "i"),
    "gen": ("aren", "en", "ren", "en"),
    "ins": ("az", "ez", "z", "ez"),
}


def _decline(phrase: str, case: str, number: str) -> str:
    one_of(number, _NUMBERS, "number")
    if not phrase.strip():
        return phrase
    singular, plural, after_vowel, after_consonant = _ENDINGS[case]
    last = phrase[-1].lower()
    vowel = last in "aeiouyáéíóú"
    if number in ("s", "p"):
        stem = phrase[:-1] if last == "a" else phrase
        ending = singular if number == "s" else plural
    else:
        stem, ending = phrase, after_vowel if vowel else after_consonant
    if last == "r" and ending and phrase.split()[-1].lower() not in _SOFT_R:
        stem += "r"
    return stem + ending


def det(phrase: str, number: str = "s") -> str:
    """Absolutive: *gizona*, *gizonak*; a name and the indefinite stay bare."""
    return _decline(phrase, "abs", number)


def erg(phrase: str, number: str = "s") -> str:
    """Ergative, *nork*: *gizonak*, *gizonek*, *Mirenek*, *Jonek*."""
    return _decline(phrase, "erg", number)


def dat(phrase: str, number: str = "s") -> str:
    """Dative, *nori*: *gizonari*, *gizonei*, *Mireni*, *Joneri*."""
    return _decline(phrase, "dat", number)


def gen(phrase: str, number: str = "s") -> str:
    """Possessive genitive, *noren*: *gizonaren*, *gizonen*, *Mirenen*, *Joneren*."""
    return _decline(phrase, "gen", number)


def soc(phrase: str, number: str = "s") -> str:
    """Sociative, *norekin*: *gizonarekin*, *gizonekin*, *Mirenekin*, *Jonerekin*."""
    genitive = _decline(phrase, "gen", number)
    return genitive[:-1] + "kin" if genitive.strip() else genitive


def ins(phrase: str, number: str = "s") -> str:
    """Instrumental, *zertaz*, *nortaz*: *gizonaz*, *gizonez*, *Mirenez*, *Jonez*."""
    return _decline(phrase, "ins", number)


def _after_genitive(suffix: str, description: str) -> Filter:
    def case(phrase: str, number: str = "s") -> str:
        genitive = _decline(phrase, "gen", number)
        return genitive + suffix if genitive.strip() else genitive

    case.__doc__ = description
    return case


ben = _after_genitive("tzat", "Benefactive, *norentzat*: *gizonarentzat*, *gizonentzat*, *Jonerentzat*.")
ine = _after_genitive("gan", "Inessive of people and animals, *norengan*: *gizonarengan*, *Jonerengan*.")
all_ = _after_genitive("gana", "Allative of people and animals, *norengana*: *gizonarengana*, *Jonerengana*.")
abl = _after_genitive("gandik", "Ablative of people and animals, *norengandik*: *gizonarengandik*.")


def par(phrase: str) -> str:
    """Partitive: *gizonik*, *mendirik*, *zakurrik*."""
    if not phrase.strip():
        return phrase
    last = phrase[-1].lower()
    if last in "aeiouyáéíóú":
        return phrase + "rik"
    soft = phrase.split()[-1].lower() in _SOFT_R
    return phrase + ("rik" if last == "r" and not soft else "ik")


BASQUE = Language(
    code="eu",
    filters=MappingProxyType(
        {
            "sentence": capitalise,
            "lower_first": lower_first,
            "det": det,
            "erg": erg,
            "dat": dat,
            "gen": gen,
            "soc": soc,
            "ben": ben,
            "ins": ins,
            "ine": ine,
            "all": all_,
            "abl": abl,
            "par": par,
        }
    ),
    join=Joiner(CASING, {}),
    patterns=(doubled("baina da dira du edo eta zen zuen"),),
)
