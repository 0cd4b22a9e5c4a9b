"""English: a/an by sound, plurals, possessives."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from types import MappingProxyType

from . import english_words as words
from .boundary import Edge, Joiner, like
from .contract import Language, Pattern, one_of, word_list
from .patterns import END, START, any_of, doubled, whole
from .sentence import Casing, capitalise
from .sentence import lower_first as _lower_first

CASING = Casing(
    word_list(
        """
        al. approx. assn. ave. capt. cf. co. col. corp. dept. dr. ed. eds. est. esq. etc. fig. gen. gov.
        hon. inc. jr. lt. ltd. messrs. mr. mrs. ms. mt. pp. prof. rep. rev. sen. sgt. sr. st. supt. vol. vs.
        """
    )
)

_A_BEFORE_VOWEL = re.compile(words.A_BEFORE_VOWEL)
_AN_BEFORE_CONSONANT = re.compile(words.AN_BEFORE_CONSONANT)
_UNSURE = re.compile(words.UNSURE)
_LETTERS_WITH_VOWEL = frozenset("AEFHILMNORSX")
_NUMBER = re.compile(r"\d+(?:,\d{3})*")
_LETTERS = re.compile(r"([A-Z]{2,})(?:s|['’]s)?(?![A-Za-z])")
_VOWELLESS = re.compile(r"[b-df-hj-np-tv-xz]{2,}(?![a-z'’])")
_ONE_LETTER = re.compile(r"[A-Za-z](?![A-Za-z'’])")


@lru_cache(maxsize=8192)
def indefinite(word: str) -> str | None:
    """The article, *a* or *an*, by the sound that `word` begins with; None where that is not one known sound.

    *an hour*, *a university*, *an MRI*, *a UN agency*, *an 8*. Huddleston & Pullum, The Cambridge Grammar of the
    English Language (2002), on the indefinite article.
    """
    if not word:
        return None
    number = _NUMBER.match(word)
    if number:
        return _before_number(number[0])
    if _ONE_LETTER.match(word):
        return "an" if word[0].upper() in _LETTERS_WITH_VOWEL else "a"
    capitals = _LETTERS.match(word)
    if capitals:
        return _before_capitals(capitals[1])
    if word.startswith("mRNA"):
        return "an"
    low = unicodedata.normalize("NFD", word.lower())
    if word[1:2].isupper() and word[0].upper() in _LETTERS_WITH_VOWEL - set("AEIO"):
        return None  # *mTOR*, *SQLite*: by letter or as a word
    if _AN_BEFORE_CONSONANT.match(low):
        return "an"
    if _A_BEFORE_VOWEL.match(low):
        return "a"
    letters = _VOWELLESS.match(low)
    if letters and letters[0] not in words.READ_AS_WORDS:
        return "an" if letters[0][0].upper() in _LETTERS_WITH_VOWEL else "a"  # *html*, *nth*
    if _UNSURE.match(low) or not "a" <= low[0] <= "z":
        return None
    return "an" if low[0] in "aeiou" else "a"


def _before_number(number: str) -> str | None:
    """*an 8*, *an 11*, *an 18,000*; but 1,800 and 1100 may be said in hundreds or thousands."""
    digits = number.replace(",", "")
    if digits[0] == "8":
        return "an"
    if digits[:2] in ("11", "18"):
        if len(digits) == 4:
            return "a" if "," in number else None
        return "an" if len(digits) % 3 == 2 else "a"
    return None if digits[0] == "0" else "a"


def _before_capitals(letters: str) -> str | None:
    """An abbreviation: by letters if it cannot be a word; by its list if it could."""
    if letters[0] in "AEIO":
        return None if len(letters) > 2 and _A_BEFORE_VOWEL.match(letters.lower()) else "an"
    if letters[0] == "U" and len(letters) > 3 and letters not in words.SPELLED_U:
        return None  # a word that shouts, perhaps: *UGLY*
    if letters[0] not in _LETTERS_WITH_VOWEL or letters in words.SPOKEN:
        return "a"
    return "an" if letters in words.SPELLED or not set(letters) & set("AEIOUY") else None


def _article(edge: Edge) -> tuple[str, str] | None:
    """*a* <-> *an* by sound. A capital *A* inside a sentence is a label (*grade A*), not an article."""
    if edge.last[0] == "A" and not edge.initial:
        return None
    if edge.word in words.AFTER_NO_ARTICLE:
        return None  # *between a and b*
    article = indefinite(edge.word)
    return edge.become(like(edge.last, article)) if article else None


def a(phrase: str) -> str:
    """The indefinite article before a phrase: "heir"|a -> "an heir". An unknown sound goes by its letter."""
    first = phrase.split(None, 1)[0].strip("\"'“”‘’([)].,;:!?") if phrase.strip() else ""
    article = indefinite(first) or ("an" if first[:1].lower() in tuple("aeio") else "a")
    return f"{article} {phrase}"


def s(name: str, number: str = "s") -> str:
    """The possessive: *James's*, *women's*; of a plural in -s (number p) the apostrophe alone, *teachers'*.

    Of the two usages for names in -s (*James's*, *James'*) the first is taken, as in the Chicago Manual of Style.
    """
    one_of(number, "sp", "number")
    if not name.strip():
        return name
    return f"{name}'" if number == "p" and name[-1] in "sS" else f"{name}'s"


def plural(phrase: str) -> str:
    """The plural of a noun phrase: of its last word, or of the one before a preposition (*people of colour*).

    Huddleston & Pullum, ch. 18, on inflectional morphology.
    """
    parts = re.split(r"(\s+|(?<=\w)-(?=in-law\b))", phrase)
    at = len(parts) - 1
    for index in range(2, len(parts), 2):
        if parts[index].lower() in words.PREPOSITIONS or parts[index].lower() == "in-law":
            at = index - 2
            break
    while at > 0 and not parts[at]:
        at -= 2
    parts[at] = _plural(parts[at])
    return "".join(parts)


def _plural(word: str) -> str:
    low = word.lower()
    if not low or not low[-1].isalpha() or low in words.INVARIABLE:
        return word
    if low in words.IRREGULAR_PLURAL:
        return like(word, words.IRREGULAR_PLURAL[low])
    if word[0].isupper() and low.endswith(("ese", "ois")):
        return word  # *Chinese*, *Iroquois*
    if len(word) > 1 and word.isupper():
        return word + "s"
    if low.endswith("person") and low != "person":
        return word[:-6] + "people"
    if low.endswith("man") and low not in words.NOT_MAN:
        return word[:-2] + "en"
    if low in words.VES:
        return word[: -2 if low.endswith("fe") else -1] + "ves"
    if low.endswith("sis") and low not in words.NOT_SIS:
        return word[:-2] + "es"
    if low.endswith(("s", "x", "z", "sh")) or (low.endswith("ch") and low not in words.HARD_CH):
        return word + "es"
    if low.endswith("y") and low[-2:-1] not in tuple("aeiou") and len(low) > 1:
        proper = word[0].isupper() and low not in ("gypsy", "lady", "tory")
        return word + "s" if proper else word[:-1] + "ies"
    return word + ("es" if low in words.OES else "s")


def lower_first(text: str) -> str:
    """As in every language, but *I* keeps its capital."""
    return text if re.match(r"\W*I(?![a-zA-Z])", text) else _lower_first(text)


_AN_SURELY = word_list(
    """
    adult African American Arab Asian Indian Iranian Iraqi Irish Italian Israeli English Egyptian Ethiopian
    Australian Austrian accountant actor actress address adolescent airport amazing animal answer apartment
    apple argument arm article artist athlete aunt awful early ear easy egg elderly electrician elephant
    employee employer employment empty engineer evening example exam excellent excuse expensive expert eye
    ice idea idiot illegal illness immigrant important impossible individual intelligent interesting
    interview invitation island item object obvious ocean offer office officer old onion open opinion
    opportunity option orange order organization outfit outsider owner ugly umbrella uncle unemployed unfair
    unhappy unknown unusual unwanted urgent heir heiress honest honor honour hour hourly
    """
)
_CAPITAL = r"(?:^|[.!?…]\s)"
_CONSONANT = (
    "(?:[bcdgjkptvwz][a-z]{2,}|[flmnqrs][aeiou][a-z]{2,}|European[a-z]*|one|once|union|unique|unit|united|universal"
    "|university|use|used|useful|useless|user|usual|uniform|hairy|half|hand|handsome|happy|hard|head|healthy|heart"
    "|heavy|helper|helpful|high|home|house|huge|human|hungry|husband)"
)
_PATTERNS = (
    Pattern(
        "a-before-vowel",
        f"(?:{START}a|{_CAPITAL}A) {any_of(_AN_SURELY)}{END}",
        "'a' before a vowel sound",
        "write 'an'",
    ),
    Pattern("an-before-consonant", whole(f"an {_CONSONANT}"), "'an' before a consonant sound", "write 'a'"),
    doubled("an and from of or the to with", "a a [a-z]{2,}", "The the", "a the", "an the", "the an"),
)


ENGLISH = Language(
    code="en",
    filters=MappingProxyType({"sentence": capitalise, "lower_first": lower_first, "a": a, "s": s, "plural": plural}),
    join=Joiner(CASING, {"a": _article, "an": _article, "A": _article, "An": _article}),
    patterns=_PATTERNS,
)
