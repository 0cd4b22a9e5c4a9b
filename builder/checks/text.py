"""Rules of one text, whatever row it stands in."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from ..languages import Language
from ..problems import Severity
from .faults import Fault, Span, TextRule, text_rule

MARKS = (
    "male female masculine feminine masc fem neutral man woman boy girl m f n sg pl singular plural sic "
    "masculino masculina femenino femenina hombre mujer varón mannelijk vrouwelijk man vrouw "
    "masculin féminin homme femme gizona gizonezkoa emakumea emakumezkoa target other unknown todo"
)


@text_rule("placeholder", "fill it, or write the words themselves", suspect=r"[{}]")
def placeholder(text: str, language: Language) -> Iterator[tuple[str, Span]]:
    """A placeholder that nothing filled, whole or half, or a stray brace."""
    for match in re.finditer(r"\{+[^{}]{0,60}\}+|[{}]+", text):
        yield f"{match[0]!r} was left in the text", match.span()


@text_rule("double-space", "leave one", suspect=r"[ \t][ \t]", severity="warning")
def double_space(text: str, language: Language) -> Iterator[tuple[str, Span]]:
    """Two spaces where one belongs."""
    for match in re.finditer(r"(?<=\S)[ \t]{2,}(?=\S)", text):
        yield f"{len(match[0])} spaces between two words", match.span()


_BLANK = r"[ \t\n\r\u00a0\u202f]"


@text_rule("edge-space", "remove it", suspect=rf"^{_BLANK}|{_BLANK}$", severity="warning")
def edge_space(text: str, language: Language) -> Iterator[tuple[str, Span]]:
    """A space before the first word or after the last."""
    for match in re.finditer(rf"\A{_BLANK}+|{_BLANK}+\Z", text):
        yield f"the text {'ends' if match.end() == len(text) else 'begins'} with a space", match.span()


@text_rule(
    "odd-space",
    "write an ordinary space, or nothing",
    suspect=r"[\t\u00a0\u00ad\u2000-\u200b\u202f\u205f\u2060\ufeff]",
    severity="warning",
)
def odd_space(text: str, language: Language) -> Iterator[tuple[str, Span]]:
    """A space or mark that looks like none or like another: no-break, zero-width, tab, soft hyphen."""
    for match in re.finditer(r"[\t\u00a0\u00ad\u2000-\u200b\u202f\u205f\u2060\ufeff]+", text):
        before, after = text[: match.start()][-1:], text[match.end() :][:1]
        if match[0] in "\u00a0\u202f" and (
            (before.isdigit() and (after.isdigit() or after == "%"))
            or (_base(language) == "fr" and (before == "«" or after in tuple(";:!?»")))
        ):
            continue
        mark = match[0][0]
        yield f"{unicodedata.name(mark, 'TAB')} (U+{ord(mark):04X}) in the text", match.span()


@text_rule(
    "double-punctuation",
    "keep one: does the slot bring its own?",
    suspect=r"\. ?\.|[,;:] ?[.,;]|, ?[?!:]|[?!] ?\.|\.[\"”»’']\.",
)
def double_punctuation(text: str, language: Language) -> Iterator[tuple[str, Span]]:
    """Punctuation twice where a slot and its frame both bring it; "...", "?!" and "etc.," are left alone."""
    found = r"(?<!\.)\. ?\.(?!\.)|[,;:] ?[.,;](?![.\d])|, ?[?!:]|[?!] ?\.(?![.\w])|(?<!\.)\.[\"”»’']\.(?!\.)"
    for match in re.finditer(found, text):
        yield f"{match[0]!r} in the text", match.span()


@text_rule(
    "editorial-mark",
    "remove it: a reader would not see it, and it gives the group away",
    suspect=rf"(?i)[(\[] ?(?:{'|'.join(sorted(set(MARKS.split())))})\.? ?[)\]]",
)
def editorial_mark(text: str, language: Language) -> Iterator[tuple[str, Span]]:
    """A note to the editor left in the text, such as a gender in brackets after a name."""
    for match in re.finditer(rf"(?<!\w)[(\[] ?(?:{'|'.join(MARKS.split())})\.? ?[)\]]", text, re.IGNORECASE):
        yield f"{match[0]!r} in the text", match.span()


# Letters that NFC writes otherwise, and marks that may join the letter before them.
_DECOMPOSED = (
    r"\p{M}|[\u1160-\u1175\u11a8-\u11c2\u0340-\u0345\u0374\u037e\u0387\u0958-\u095f\u09dc-\u09df\u0a33-\u0a5e"
    r"\u0b5c-\u0b5d\u0f43-\u0fb9\u1f71-\u1fff\u2000-\u2001\u2126-\u212b\u2329-\u232a\u2adc\uf900-\ufad9"
    r"\ufb1d-\ufb4e]|[\x{1d15e}-\x{1d1c0}]|[\x{2f800}-\x{2fa1d}]|[\x{105c9}-\x{16d6a}]"
)


@text_rule("not-nfc", "write it composed (NFC)", suspect=_DECOMPOSED)
def not_nfc(text: str, language: Language) -> Iterator[tuple[str, Span]]:
    """A letter written decomposed, so that two texts that look the same are not."""
    if unicodedata.is_normalized("NFC", text):
        return
    for match in re.finditer(r"\S+", text):
        if not unicodedata.is_normalized("NFC", match[0]):
            yield f"{match[0]!r} is written {match[0]!a}", match.span()


@text_rule(
    "control-character",
    "remove it",
    suspect=r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]",
)
def control_character(text: str, language: Language) -> Iterator[tuple[str, Span]]:
    """A control character, which no reader sees and every model reads."""
    for match in re.finditer(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text):
        yield f"U+{ord(match[0]):04X} in the text", match.span()


@text_rule("html-entity", "write the character itself", suspect=r"&#?[A-Za-z0-9]{2,10};")
def html_entity(text: str, language: Language) -> Iterator[tuple[str, Span]]:
    """An HTML entity where its character belongs."""
    for match in re.finditer(r"&#?[A-Za-z0-9]{2,10};", text):
        if (meant := html.unescape(match[0])) != match[0]:
            yield f"{match[0]!r} stands for {meant!r}", match.span()


@text_rule(
    "mojibake",
    "read the file again in the encoding in which it was written",
    suspect=r"[ÃÂ][\x{80}-\x{bf}]|â€|\x{fffd}",
)
def mojibake(text: str, language: Language) -> Iterator[tuple[str, Span]]:
    """Letters that were read in a wrong encoding."""
    for match in re.finditer(r"(?<![^\W\d_a-z])[ÃÂ][\x80-\xbf]|â€.?|\ufffd", text):
        yield f"{match[0]!r} in the text", match.span()


class _Patterns:
    """What the language's own grammar forbids: one code a pattern of its module."""

    code = "language"
    severity: Severity = "error"

    @property
    def help(self) -> str:
        return (self.__doc__ or "").split("\n")[0]

    def suspect(self, language: Language) -> str:
        return "|".join(f"(?:{pattern.regex})" for pattern in language.patterns)

    def __call__(self, text: str, language: Language) -> Iterator[Fault]:
        for pattern in language.patterns:
            for match in re.finditer(pattern.regex, text, re.ASCII):  # so that \s is what it is to RE2
                message = f"{_whole_words(match)!r}: {pattern.message}"
                yield Fault(pattern.code, message, pattern.mend, span=match.span())


def _whole_words(match: re.Match[str]) -> str:
    """What a pattern found, without what stands round it and without a word of which it saw a part only."""
    found, after = match[0], match.string[match.end() :]
    if found[-1:].isalnum() and after[:1].isalnum() and " " in bare(found):
        found = found.rpartition(" ")[0]
    return bare(found)


TEXT_RULES: tuple[TextRule, ...] = (
    placeholder,
    double_space,
    edge_space,
    odd_space,
    double_punctuation,
    editorial_mark,
    not_nfc,
    control_character,
    html_entity,
    mojibake,
    _Patterns(),
)


def suspect(language: Language) -> str:
    """One RE2 pattern that is true of every text in which a text rule could find a fault."""
    return "|".join(f"(?:{pattern})" for rule in TEXT_RULES if (pattern := rule.suspect(language)))


def text_faults(text: str, language: Language) -> list[Fault]:
    """Every fault that the text rules find in a text, each once."""
    return list(dict.fromkeys(fault for rule in TEXT_RULES for fault in rule(text, language)))


def _base(language: Language) -> str:
    return language.code.split("-")[0]


# --- what two texts say ---------------------------------------------------------------------------------

_RANGES = (
    " /:@[`{\u00a9\u00ab\u00b1\u00b4\u00b4\u00b6\u00b8\u00bb\u00bb\u00bf\u00bf\u2000\u206f\u2e00\u2e7f"
    "\u3000\u303f\uff01\uff0f\uff1a\uff20\uff3b\uff40\uff5b\uff65\t\r"
)
_BETWEEN = {
    code: " "
    for first, last in zip(_RANGES[::2], _RANGES[1::2], strict=True)
    for code in range(ord(first), ord(last) + 1)
}
_MARKS = "".join(map(chr, _BETWEEN))


@lru_cache(maxsize=1 << 17)
def normalised(text: str) -> str:
    """What a text says: its words, without regard to case, punctuation and spaces."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().translate(_BETWEEN).split())


def bare(word: str) -> str:
    """A word without the punctuation at its ends."""
    return word.strip(_MARKS)
