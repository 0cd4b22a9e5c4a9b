"""Closed lists of English words whose first sound is not that of their first letter, and irregular plurals.

Sources: Huddleston & Pullum, The Cambridge Grammar of the English Language (2002), ch. 5 and 18; sounds as in
Wells, Longman Pronunciation Dictionary.
"""

from __future__ import annotations

from .contract import word_list

# Vowel letter, consonant sound: /j/ or /w/.
A_BEFORE_VOWEL = (
    r"eu(?!ler)|ew(?!w)|"
    r"u(?:biqu|fo|gand|kulele|krain|lysses|nanim|ra(?:n|l)|re(?:a|mi|t)|ri(?:a|c|n)|rolog|rugua|vula|yghur|ighur|"
    r"ni(?:$|c(?!ed)|f|l|on(?!i[sz]ed$)|p(?:a|ed|o)|q|s(?:ex|o)|t(?!em)|v|x)|s(?:ab|ag|e|ing|u(?:al|r))|t(?:ah|ensil|er|ic|il|op))|"
    r"one(?:(?![a-z])|s$|self|ness|time)|once(?![a-z])|ouija|ouagadougou"
)
# Consonant letter, vowel sound.
AN_BEFORE_CONSONANT = r"h(?:eir|onest|ono[u]?r|our(?!i)|ors$)|y(?:ttri|vonne|vette|ves$)|x[bcdfgj-np-tvwxz]"
# Said in two ways, or unknown: what the author wrote stays.
UNSURE = (
    r"herb|homage|hombre|oaxac|unioni[sz]ed$|us$|uri$|y[^aeiou]|eww"
    r"|[hn](?![aeiouy])|f(?![aeioujlry])|l(?![aeiouly])|m(?![aceinouy])|r(?![aehiouy])"
)

# Before these there is no article but the letter's name.
AFTER_NO_ARTICLE = word_list("a an and are as at if in is it of on or")
# Abbreviations without a vowel letter that are read as the words they stand for (*a Mr Smith*) or as sounds.
READ_AS_WORDS = word_list("hm hmm hz lb lbs lt ltd mm mr mrs ms msgr mssrs mt rd sgt sh shh sr st")
# Abbreviations in capitals that are read letter by letter although they could be words, and those read as words.
SPELLED = word_list(
    """
    FAA FBI FDA HIV HOA LED LGBTQIA LSAT MA MBA MCAT MIT MRI NAACP NBA NCAA NGO NIH NRA NYU RNA RSI SAT SEO
    SOS STI SUV
    """
)
SPELLED_U = word_list("UCLA UEFA UNESCO UNHCR UNICEF USAID USDA USSR")
SPOKEN = word_list("FEMA FIFA HUD LAN NAFTA NASA NATO RAM ROM SARS SIM SWAT")

IRREGULAR_PLURAL = {
    "child": "children",
    "foot": "feet",
    "goose": "geese",
    "grandchild": "grandchildren",
    "louse": "lice",
    "mouse": "mice",
    "ox": "oxen",
    "passer-by": "passers-by",
    "passerby": "passersby",
    "person": "people",
    "stepchild": "stepchildren",
    "tooth": "teeth",
}
# -f, -fe to -ves.
VES = word_list(
    """
    calf elf half housewife knife leaf life loaf midwife scarf self sheaf shelf thief wife wolf
    """
)
# -o to -oes.
OES = word_list("echo embargo hero mosquito negro potato tomato torpedo veto")
# -ch said /k/: plain -s.
HARD_CH = word_list("epoch eunuch matriarch monarch oligarch patriarch stomach tech")
INVARIABLE = word_list(
    """
    aircraft cod deer fish moose offspring salmon series sheep species swiss trout
    """
)
# -man that is no man.
NOT_MAN = word_list(
    """
    ataman brahman caiman german human hetman mussulman norman ottoman roman shaman superhuman talisman
    turkman turkoman
    """
)
# -sis that is no Greek noun in -sis.
NOT_SIS = frozenset(["chassis", "sis"])
# A plural stops before the first of these: *people of colour*, *mothers-in-law*.
PREPOSITIONS = word_list("at by for from in of on to under who with without")
