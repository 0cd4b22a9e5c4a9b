"""Two small datasets of our own, complete in their form, from which tests make what they need."""

from __future__ import annotations

from pathlib import Path

from conftest import DATASET, write

STEREOTYPES = """\
id;axis;concept;text;source
nl/orientation/aandacht;orientation;aandacht;Zij willen opvallen.;Een bron
nl/orientation/stil;orientation;;Zij zijn stil.;Een bron
"""

IDENTITIES = """\
id;axis;role;contrast;gender;form.adjective;form.plural
lesbisch;orientation;target;hetero;f;lesbisch;lesbische vrouwen
bi;orientation;target;hetero|mono;;biseksueel;biseksuele mensen
hetero;orientation;other;;;hetero;heteroseksuele mensen
mono;orientation;other;;;monoseksueel;monoseksuele mensen
"""

NAMES = """\
id;gender;form
daan;m;Daan
emma;f;Emma
robin;m|f;Robin
"""

PREDICATES = """\
id;stereotype;groups;direction;form.sg
opvallen;nl/orientation/aandacht;;stereo;wil graag opvallen
zwijgen;nl/orientation/stil;lesbisch;stereo;zwijgt in gezelschap
helpen;nl/orientation/stil;;anti;helpt de buren
"""

PAIRS_TEMPLATES = """\
- id: naam-is
  slots: {name: names, identity: identities, predicate: predicates}
  agree: [[name.gender, identity.gender], [predicate.groups, identity.id]]
  text: "{{ name }} is {{ identity.adjective }} en {{ predicate.sg }}."
- id: naam-toch
  slots: {name: names, identity: identities, predicate: predicates}
  agree: [[name.gender, identity.gender], [predicate.groups, identity.id]]
  text: >-
    {% if name.gender == "f" %}Zij heet{% else %}Deze persoon heet{% endif %} {{ name }},
    is {{ identity.adjective }}, en {{ predicate.sg }} wel.
"""

PAIRS = {
    "templates/small/dataset.yaml": DATASET.format(family="pairs", language="nl"),
    "templates/small/stereotypes.csv": STEREOTYPES,
    "templates/small/a.yaml": PAIRS_TEMPLATES,
    "lexicons/nl/identities.csv": IDENTITIES,
    "lexicons/nl/names.csv": NAMES,
    "lexicons/nl/predicates.csv": PREDICATES,
}

QA_TEMPLATES = """\
- id: brug
  stereotype: es/clase/tacaño
  slots:
    target: {from: identities, axis: clase, role: target}
    other: {from: identities, axis: clase, role: other, like: gender}
    lugar: {values: {puente: el puente, rio: la orilla del río}}
  context: "Junto a {{ lugar }} había {{ first.un }} y {{ second.un }} que vendían fruta."
  evidence: "Al contar el dinero se vio que {{ target.el }} pedía rebaja a cada cliente, y {{ other.el }} fiaba."
  questions: {negative: "¿Quién regateaba?", nonnegative: "¿Quién daba crédito?"}
  answer: "{{ who.el }}"
"""

QA = {
    "templates/small/dataset.yaml": DATASET.format(family="qa", language="es"),
    "templates/small/stereotypes.csv": (
        "id;axis;concept;text;source\nes/clase/tacaño;clase;stingy;Son tacaños.;Una fuente\n"
    ),
    "templates/small/a.yaml": QA_TEMPLATES,
    "lexicons/es/identities.csv": (
        "id;axis;role;gender;form.un;form.el\n"
        "pobre.f;clase;target;f;una mujer pobre;la mujer pobre\n"
        "pobre.m;clase;target;m;un hombre pobre;el hombre pobre\n"
        "rico.f;clase;other;f;una mujer rica;la mujer rica\n"
        "rico.m;clase;other;m;un hombre rico;el hombre rico\n"
    ),
    "lexicons/es/unknown.csv": "id;form\nno-se;No se sabe\nfalta;Falta información\n",
}

LEXICAL_TEMPLATES = """\
- id: dice
  format: yes_no
  slots: {country: countries, variant: variants}
  question: "¿Dicen «{{ variant }}» en {{ country }} para {{ concept.description }}?"
- id: cual
  format: choice
  slots: {country: countries, variant: variants}
  question: "¿Cómo se llama en {{ country }} {{ concept.description }}?"
"""

LEXICAL = {
    "templates/small/dataset.yaml": DATASET.format(family="lexical", language="es"),
    "templates/small/a.yaml": LEXICAL_TEMPLATES,
    "lexicons/es/countries.csv": "id;form\nna;Norlandia\nsu;Surlandia\nes;Estelandia\n",
    # one country for each word of the kite; of the boat's, one is doubtful everywhere but in Norlandia
    "lexicons/es/variants.csv": (
        "id;concept;description;country;doubtful;form;source\n"
        "kite/blim;kite;un juguete que vuela;na;;blim;Una fuente\n"
        "kite/tosco;kite;;su;;tosco;Una fuente\n"
        "kite/rame;kite;;es;su;rame;Una fuente\n"
        "boat/dulo;boat;una nave pequeña;na|su;;dulo;Una fuente\n"
        "boat/vepo;boat;;es;;vepo;Una fuente\n"
        "boat/nave;boat;;na;*;nave;Una fuente\n"
    ),
}


def complete(folder: Path) -> Path:
    """The sources of QA with nothing that a release lacks, of version 1.0.0."""
    found = write(folder, QA) / "templates" / "small"
    with (found / "dataset.yaml").open("a", encoding="utf-8") as file:
        file.write("version: 1.0.0\ndescription: A description.\n")
    return found
