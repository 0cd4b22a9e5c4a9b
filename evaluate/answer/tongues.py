"""Languages as translators call them: in English, and by the codes of NLLB (ISO 639-3 and script)."""

from __future__ import annotations

from ...builder.problems import UsageError, nearest

NAMES = {
    "an": ("Aragonese", "arg_Latn"), "ar": ("Arabic", "arb_Arab"), "ast": ("Asturian", "ast_Latn"),
    "ca": ("Catalan", "cat_Latn"), "cs": ("Czech", "ces_Latn"), "de": ("German", "deu_Latn"),
    "el": ("Greek", "ell_Grek"), "en": ("English", "eng_Latn"), "es": ("Spanish", "spa_Latn"),
    "eu": ("Basque", "eus_Latn"), "fi": ("Finnish", "fin_Latn"), "fr": ("French", "fra_Latn"),
    "gl": ("Galician", "glg_Latn"), "he": ("Hebrew", "heb_Hebr"), "hu": ("Hungarian", "hun_Latn"),
    "it": ("Italian", "ita_Latn"), "nl": ("Dutch", "nld_Latn"), "oc": ("Occitan", "oci_Latn"),
    "pl": ("Polish", "pol_Latn"), "pt": ("Portuguese", "por_Latn"), "ro": ("Romanian", "ron_Latn"),
    "ru": ("Russian", "rus_Cyrl"), "tr": ("Turkish", "tur_Latn"), "uk": ("Ukrainian", "ukr_Cyrl"),
}  # fmt: skip


def name_of(code: str) -> str:
    """A language's name in English; the code itself where we know none."""
    return NAMES.get(code.split("-")[0], (code, ""))[0]


def nllb_code(code: str) -> str:
    """A language as NLLB calls it. UsageError where we do not know."""
    base = code.split("-")[0]
    if base not in NAMES:
        raise UsageError(f"--into {code}: what NLLB calls it is not known here; {nearest(base, NAMES)}")
    return NAMES[base][1]
