"""Closed lists of Spanish words that grammar treats apart.

Sources: RAE & ASALE, Nueva gramática de la lengua española (2009) and Diccionario panhispánico de dudas,
s. vv. *el*, *y*, *o*.
"""

from __future__ import annotations

from .contract import word_list

# Feminine nouns that begin with a stressed /a/: they take *el* and *un* in the singular. Not letters (*la hache*),
# not adjectives (*la alta*), not people of common gender (*la árabe*), not proper names (*la Ana*): none is here.
STRESSED_A = word_list(
    """
    acta agua ágata ágora águila ala alba álgebra alga alma anca áncora ánfora ánima ansia arca área aria
    arpa ascua asma aspa asta aula aura ave aya haba hacha hada hambre hampa
    """
)
# The same, but after *la* they may be a verb (*la ama*, *la habla*, *la haya visto*): the noun must be known.
STRESSED_A_OR_VERB = word_list("alza ama ancla ara arma asa habla haya")
# Of those, the ones that after *una* are nouns beyond doubt.
STRESSED_A_AFTER_UNA = STRESSED_A | {"ancla", "arma", "asa"}

# Foreign words whose first sound varies, or is aspirated: whatever the author wrote stays.
UNSURE_I = word_list(
    """
    hillary hilary hillbilly hilton himmler hip hippie hippies hippy hit hitchcock hitler hits ice iceberg
    icebergs ivy
    """
)
UNSURE_O = word_list(
    """
    hobbes hobbies hobbit hobby hockey holding holdings hollywood holmes home homer hong hopkins host
    hosting hot one
    """
)

# For plurals: invariable words, and those that move their stress or keep their foreign form.
INVARIABLE = word_list("cis gratis lgbt lgtb lgtbi lgtbiq lgbtq trans")
IRREGULAR_PLURAL = {
    "álbum": "álbumes",
    "carácter": "caracteres",
    "espécimen": "especímenes",
    "gay": "gais",
    "régimen": "regímenes",
}
# A plural stops at the first of these: *personas de color*, *hombres sin papeles*.
PREPOSITIONS = word_list("a al con de del en entre para por que sin")
# These stay as they are inside a phrase.
UNINFLECTED = word_list("bien casi e mal más menos muy ni no o poco u y")
