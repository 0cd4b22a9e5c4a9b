"""Closed lists of French words that grammar treats apart: h, glides, aspirated words, masculines in a vowel.

Sources: Dictionnaire de l'Académie française, 9th ed., for the h of each word; Grevisse & Goosse, Le bon usage,
on élision and disjonction.
"""

from __future__ import annotations

import re

from .contract import word_list


def _starting(families: str) -> re.Pattern[str]:
    """A pattern for `match`: the first letters of word families, "$" where a word ends."""
    return re.compile("|".join(families.split()))


# h aspiré: no élision. The first letters of a family; "$" ends a whole word.
ASPIRATED = _starting(
    """
    ha$ hableu hâbleu hach hack haddock hadj hagard haï$ haïe$ haïs$ haïr haïss haie haillon hain halal
    halet halèt hall$ halls$ halle halles hallebard halo$ halos$ halte haltes halt$ hamac hamburger hameau
    hammam hampe hamster hanch hand hangar hanneton hanséat hant happ haquen hara-kiri harangu haras harass
    harcel harcèl hard harem hareng hargn haricot harissa harki harnach harnais harp hasard haschi hashtag
    hât hauban hausse haussé haussi haut havan havre heaume heavy henni héraut hère$ hères$ hériss herni
    héron héros hers hêtr heurt hibou hic$ hideu hidjab hijab hiérarch hip$ hip- hippie hippy hipster hiss
    hit$ hits$ hobb hobereau hoch hockey hold holland hollywood homard hondur hongr honni hont hooligan hop$
    hoquet horde horion hormis hors hot- hotte hottentot hou$ houblon houe$ houes$ houill houl houpp hourra
    houspill housse houx hublot huche hue hué huguenot huit hululem hulule hun$ huns$ hune$ huppe huppé
    hure$ hurla hurle hurlé huron husky hussard hutte
    """
)
# h muet: élision. What is in neither list is left as its author wrote it (names above all: *de Hugo*, *d'Hugo*).
MUTE = _starting(
    """
    habil habit hagiogr haïti halein hallucin halogèn haltèr haltéro hameçon harmon hébét hébr hebdo héberg
    hécatomb hectare hectolitre hédonis hégémon hélic hélio hélipor hellèn hellén helvét hémat hémi hémo
    hépat heptagon herb herculé hérédit hérés hérét hérit hermaphrodi herméneut hermét hermin héroïn héroïq
    héroïs hésit hétér heur hexa hibern hibiscus hidalgo hier$ hilar hindou hippiq hippis hippocamp
    hippodrom hippopotam hirondell hirsut hispan histo hiver holocaust hologramm homé homi homm homo honnêt
    honneur honor hôpit horair horizon horlog hormon horoscop horreur horribl horrif horripil hortensia
    horticul hospi hosti hôte hôti huil huissier huîtr humain human humbl humeur humid humili humor humour
    humus hybrid hydr hygi hymn hyper hypno hypo hystér
    """
)
# Capitalised, the lists hold for these only; other names in H vary.
MUTE_NAMES = word_list(
    """
    haïti haïtien haïtienne haïtiens haïtiennes hébreu hébreux hélène héloïse hercule hérode hérodote hindou
    hindoue hindous hindoues hippocrate hippolyte hispanique hispaniques histoire homère homme hommes horace
    hortense
    """
)

# Vowel letter, but no élision: numerals and words that begin with a glide.
DISJUNCT = _starting("onz oui$ ouistiti ouï-dire oued uhlan ulul y[aeiouéèêâô]")
# Elided all the same.
ELIDED_Y = word_list("yeux yeuse yonne")
# Both are found: left as written.
UNSURE = _starting("oua ouagadougou énième iota york")

# After *le*, *la*, *ce* these are no noun: *le ou la*, *ce à quoi*, *ce est* (which is *c'est*).
NO_NOUN = word_list(
    """
    a à ai ainsi après au aurait aussi autour aux avait avant avec elle elles en entre et étaient étant
    était est eu eut eût ici il ils on ont ou où un une
    """
)
# Masculine singular nouns and adjectives in a vowel sound that *beau*, *nouveau*, *vieux* stand before.
MASCULINE = word_list(
    """
    accident acteur adolescent adulte agent agriculteur album ami amour an âge animal apprenti appartement
    arbre architecte article artisan artiste avenir avion avocat écrivain électeur élève emploi employé
    employeur endroit enfant enseignant épisode espoir essai étage étranger étudiant examen exemple habit
    habitant habitué homme hôpital horaire hôtel idiot immeuble immigré immigrant infirmier ingénieur
    instituteur institut instrument objet ouvrage ouvrier oiseau oncle ordinateur ordre outil usage usager
    usurier univers uniforme
    """
)

# Towns with an article of their own that contracts: *du Havre*, *au Mans*, *des Sables-d'Olonne*. Surnames do not
# (*de Le Pen*), so only these.
TOWNS = word_list(
    """
    Bourget Caire Cap Creusot Havre Lavandou Mans Pirée Puy-en-Velay Touquet Tréport Vésinet Abymes Andelys
    Lilas Mureaux Sables-d'Olonne Ulis
    """
)

# Nouns that look like infinitives; after *de le* they are nouns, other words in -er, -ir, -re may be verbs.
NOUNS_LIKE_VERBS = word_list(
    """
    ancêtre arbitre avenir banquier berger boucher boulanger bénéficiaire cadre caissier cancer cavalier
    célibataire centre chantier charcutier chevalier commissaire conseiller couloir courrier
    cuisinier danger désir dîner dossier destinataire espoir étranger fer fermier fonctionnaire frère
    garde-malade genre gestionnaire héritier hiver hôtelier infirmier jardinier leader libraire livre loisir
    loyer maire maître manager martyr membre métier militaire ministre millionnaire miroir monde monstre
    moustiquaire notaire nombre ouvrier panier papier pâtissier peintre père plaisir plombier policier
    pompier prêtre premier propriétaire locataire quartier reporter salaire secrétaire séminaire soir
    stagiaire théâtre titre trottoir ventre verre vétérinaire vicaire volontaire
    """
)
# Words after *de le* that belong to a verb or to a comparison: left alone.
BEFORE_VERB = word_list("bien en leur lui mal mieux moins plus tout trop y")

PLURAL_S = word_list(
    """
    aval bal banal bancal cal caracal carnaval cérémonial chacal choral corral fatal festival final natal
    naval récital régal bleu émeu landau pneu sarrau
    """
)
PLURAL_X = word_list("bijou caillou chou genou hibou joujou pou")
PLURAL_AUX = word_list("bail corail émail soupirail travail vantail vitrail")
IRREGULAR_PLURAL = {
    "belle-mère": "belles-mères",
    "belle-sœur": "belles-sœurs",
    "beau-frère": "beaux-frères",
    "beau-père": "beaux-pères",
    "bonhomme": "bonshommes",
    "gentilhomme": "gentilshommes",
    "grand-mère": "grands-mères",
    "grand-père": "grands-pères",
    "madame": "mesdames",
    "mademoiselle": "mesdemoiselles",
    "monsieur": "messieurs",
    "œil": "yeux",
    "petit-fils": "petits-fils",
    "petite-fille": "petites-filles",
    "sage-femme": "sages-femmes",
}
PREPOSITIONS = word_list("à au aux avec chez dans de des du en par pour sans sous sur")
UNINFLECTED = word_list("bien et moins ou peu plus pas très trop")
