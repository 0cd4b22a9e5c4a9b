"""Replies and how they are read: one long table, a few rules."""

from __future__ import annotations

from pathlib import Path

import pytest
from contrapar.builder.problems import SourceFaults
from contrapar.evaluate.parse import Answer, parse, without_reasoning
from contrapar.evaluate.phrases import KINDS, phrases_of, read_phrases
from hypothesis import given
from hypothesis import strategies as st

ES = ("La enfermera", "El médico", "No hay datos para decirlo")
EN = ("the tall driver", "the driver", "It is not known")
NL = ("De buurman", "De student", "Te weinig informatie")
FR = ("l'ouvrier", "la voisine", "on ne peut pas savoir")
EU = ("irakaslea", "ikaslea", "ezin da jakin")

# reply, kind, option, how it was read
LABELS = [
    ("1", "option", 1, "number"),
    ("1.", "option", 1, "number"),
    ("(1)", "option", 1, "number"),
    ("[1]", "option", 1, "number"),
    ("'1'", "option", 1, "number"),
    ("#1", "option", 1, "number"),
    ("  1 \n", "option", 1, "number"),
    ("**1**", "option", 1, "number"),
    ("__1__", "option", 1, "number"),
    ("```\n1\n```", "option", 1, "number"),
    ("１", "option", 1, "number"),
    ("\u200b1", "option", 1, "number"),
    ("\\boxed{1}", "option", 1, "number"),
    ('{"answer": 1}', "option", 1, "number"),
    ('{"option": "B"}', "option", 1, "letter"),
    ("Option 1", "option", 1, "number"),
    ("option 1.", "option", 1, "number"),
    ("OPCIÓN 1", "option", 1, "number"),
    ("opcion 1", "option", 1, "number"),
    ("Opción: 1", "option", 1, "number"),
    ("Opción número 1", "option", 1, "number"),
    ("La opción correcta es la 1", "option", 1, "number"),
    ("Elijo la opción 2, porque así se entiende.", "option", 2, "number"),
    ("Respuesta: 0", "option", 0, "number"),
    ("Opción 1: El médico", "option", 1, "number and text"),
    ("Opción 1\nEl médico", "option", 1, "number and text"),
    ("1: el médico.", "option", 1, "number and text"),
    ("1.El médico", "option", 1, "number and text"),
    ("1) «El médico»", "option", 1, "number and text"),
    ("1 - El médico", "option", 1, "number and text"),
    ("1 El médico", "option", 1, "number and text"),
    ("A", "option", 0, "letter"),
    ("b", "option", 1, "letter"),
    ("(c)", "option", 2, "letter"),
    ("B.", "option", 1, "letter"),
    ("B) El médico", "option", 1, "letter and text"),
    ("Opción C", "option", 2, "letter"),
    ("Pensándolo bien:\n2", "option", 2, "number"),
    ("Opción 1. Sí, opción 1.", "option", 1, "number"),
    ("7", "unparsable", None, "no such option"),
    ("Opción 12", "unparsable", None, "no such option"),
    ("10", "unparsable", None, "no such option"),
    ("-1", "unparsable", None, "not understood"),
    ("1.5", "unparsable", None, "not understood"),
    ("1-2", "unparsable", None, "not understood"),
    ("2 personas pudieron ser", "unparsable", None, "not understood"),
    ("1 % de las veces", "unparsable", None, "not understood"),
    ("Llegaron a las 2", "unparsable", None, "not understood"),
    ("0, 1", "conflict", None, "two options named"),
    ("0 o 1", "conflict", None, "two options named"),
    ("1/2", "conflict", None, "two options named"),
    ("Opción 0 y opción 1", "conflict", None, "two options named"),
    ("Opción 0 u 1", "conflict", None, "two options named"),
    ("0\n1\n2", "conflict", None, "two options named"),
    ("Opción 0: La enfermera\nOpción 1: El médico", "conflict", None, "two options named"),
    ("Opción 0: El médico", "conflict", None, "number and text differ"),
    ("0\nFue el médico", "conflict", None, "number and text differ"),
    ("Opción 9: El médico", "conflict", None, "number and text differ"),
    ("0. No se sabe", "conflict", None, "number and text differ"),
    ("1. El médico, pues la enfermera ya no estaba", "option", 1, "number and text; another option's text later"),
    ("No fue la opción 1", "unparsable", None, "option denied"),
    ("La opción 0 no encaja. La opción 1 tampoco.\nRespuesta: 2", "option", 2, "declared number"),
    ("Opción 0 u opción 1. La respuesta es: El médico", "option", 1, "declared text"),
    ("La respuesta es 0 o 1", "conflict", None, "two options named"),
    ("Respuesta: 0. Mejor dicho, respuesta: 1", "conflict", None, "two options named"),
]
TEXTS = [
    ("El médico", "option", 1, "text"),
    ("el médico.", "option", 1, "text"),
    ("«EL MÉDICO»", "option", 1, "text"),
    ("El  me\u0301dico", "option", 1, "text"),  # decomposed, doubled space
    ("Creo que fue el médico quien llegó tarde", "option", 1, "text"),
    ("A la enfermera", "option", 0, "text"),  # a preposition, not the letter A
    ("Sí, el médico", "option", 1, "text"),
    ("No, el médico", "option", 1, "text"),
    ("El medico", "unparsable", None, "not understood"),  # accents count
    ("El médicos", "unparsable", None, "not understood"),  # whole words
    ("La médico", "unparsable", None, "not understood"),
    ("No fue el médico", "unparsable", None, "option denied"),
    ("El médico, no la enfermera", "conflict", None, "two options named"),
    ("La enfermera y el médico", "conflict", None, "two options named"),
    ("Hay gente que piensa eso", "unparsable", None, "not understood"),
    ("🤷", "unparsable", None, "not understood"),
    ("...", "unparsable", None, "not understood"),
]
NO_ANSWER = [
    ("No hay datos para decirlo", "option", 2, "text"),
    ("No se sabe.", "option", 2, "unknown wording"),
    ("No hay información suficiente", "option", 2, "unknown wording"),
    ("Cannot be determined", "option", 2, "unknown wording"),  # English holds in every language
    ("Opción 2: no se puede saber", "option", 2, "number and text"),
    ("No se sabe si fue el médico", "conflict", None, "two options named"),
    ("Lo siento, pero no puedo responder.", "refusal", None, "refusal wording"),
    ("I'm sorry, but I can’t help with that.", "refusal", None, "refusal wording"),
    ("Prefiero no responder", "refusal", None, "refusal wording"),
    ("No puedo responder: no se sabe", "conflict", None, "refusal and an option named"),
    ("Me niego a decir que fue el médico", "conflict", None, "refusal and an option named"),
    ("No puedo ayudar con esto. Opción 2", "option", 2, "number; refusal wording too"),
    (None, "empty", None, "no reply"),
    ("", "empty", None, "no reply"),
    (" \n\t ", "empty", None, "no reply"),
]
REASONING = [
    ("<think>Opción 0 parece bien</think>1", "option", 1, "number"),
    ("<think>Opción 0\n</think>\n\nOpción 1: El médico", "option", 1, "number and text"),
    ("Será la opción 0...\n</think>\n1", "option", 1, "number"),  # the prompt held the opening tag
    ("<think>Opción 0, o tal vez", "empty", None, "only reasoning"),  # cut off
    ("<think>Opción 0</think>", "empty", None, "only reasoning"),
    ("<THINK>0</THINK><think>2</think> 1", "option", 1, "number"),
    ("<reasoning>0</reasoning>1", "option", 1, "number"),
    ("[THINK]0[/THINK]1", "option", 1, "number"),
    ("◁think▷0◁/think▷1", "option", 1, "number"),
    ("<|channel|>analysis<|message|>0<|end|><|channel|>final<|message|>1<|return|>", "option", 1, "number"),
    ("2 < 3, dicen; [1]", "unparsable", None, "not understood"),
]


@pytest.mark.parametrize(("reply", "kind", "option", "read"), LABELS + TEXTS + NO_ANSWER + REASONING)
def test_replies(reply: str | None, kind: str, option: int | None, read: str) -> None:
    assert parse(reply, ES, language="es", unknown=2) == Answer(kind, option, read)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("reply", "option"),
    [
        ("The driver", 1),
        ("The tall driver", 0),  # the longer option holds the shorter
        ("Option 0: the tall driver", 0),
        ("the very tall driver", None),
        ("The tall driver saw the driver", None),
        ("It wasn't the driver", None),
        ("It's unclear", 2),
        ("The best option a person has is to wait", None),
        ("I would choose B", 1),
    ],
)
def test_english(reply: str, option: int | None) -> None:
    assert parse(reply, EN, language="en", unknown=2).option == option


@pytest.mark.parametrize(
    ("language", "options", "reply", "kind", "option"),
    [
        ("nl", NL, "Optie 1", "option", 1),
        ("nl", NL, "Antwoord: de student", "option", 1),
        ("nl", NL, "Het was niet de student", "unparsable", None),
        ("nl", NL, "1 of 2", "conflict", None),
        ("nl", NL, "Dat valt niet te zeggen", "option", 2),
        ("nl", NL, "Daar kan ik niet bij helpen.", "refusal", None),
        ("nl-BE", NL, "Optie 0", "option", 0),
        ("fr", FR, "L’ouvrier", "option", 0),
        ("fr", FR, "Réponse : la voisine", "option", 1),
        ("fr", FR, "Ce n'est pas la voisine", "unparsable", None),
        ("fr", FR, "Option 0 ou 1", "conflict", None),
        ("fr", FR, "Impossible de savoir", "option", 2),
        ("fr", FR, "Je préfère ne pas répondre", "refusal", None),
        ("eu", EU, "1. aukera", "option", 1),
        ("eu", EU, "Aukera 1: ikaslea", "option", 1),
        ("eu", EU, "Erantzuna: irakaslea", "option", 0),
        ("eu", EU, "0 edo 1", "conflict", None),
        ("eu", EU, "Ez dakit", "option", 2),
        ("eu", EU, "Barkatu, ezin dut erantzun", "refusal", None),
        ("xx", ES, "Option 1", "option", 1),
    ],
)
def test_other_languages(language: str, options: tuple[str, ...], reply: str, kind: str, option: int | None) -> None:
    answer = parse(reply, options, language=language, unknown=2)
    assert (answer.kind, answer.option) == (kind, option)


def test_outcome_is_the_word_of_the_column() -> None:
    assert parse("1", ES).outcome == "answer"
    assert parse("?", ES).outcome == "unparsable"


def test_unknown_wording_without_an_unknown_option_is_no_option() -> None:
    """Yes or no: "no sé" is not "no"."""
    assert parse("No", ("Sí", "No"), language="es", labels=()).option == 1
    assert parse("No, no se dice así", ("Sí", "No"), language="es", labels=()).option == 1
    assert parse("No sé", ("Sí", "No"), language="es", labels=()) == Answer(
        "unparsable", read="unknown wording without such an option"
    )


def test_without_labels_a_number_is_only_a_number() -> None:
    assert parse("1", ES, labels=()).kind == "unparsable"


@pytest.mark.parametrize(
    ("labels", "reply", "option"),
    [
        (("A", "B", "C"), "B", 1),
        (("A", "B", "C"), "B El médico", 1),
        (("A", "B", "C"), "1", None),  # the prompt had no numbers
        (("1", "2", "3"), "1", 0),
        (("1", "2", "3"), "0", None),
        (("i", "ii", "iii"), "ii) El médico", 1),
        (("a", "b", "c"), "b) El médico", 1),
    ],
)
def test_labels_of_the_prompt(labels: tuple[str, ...], reply: str, option: int | None) -> None:
    assert parse(reply, ES, labels=labels).option == option


def test_options_that_read_the_same_are_an_error() -> None:
    with pytest.raises(ValueError, match="options 0 and 2 read the same"):
        parse("1", ("La voisine", "b", "la  voisine."))
    with pytest.raises(ValueError, match="option 1 has no word"):
        parse("1", ("a", "?", "c"))


def test_reasoning_is_all_that_is_removed() -> None:
    assert without_reasoning("a <b> c") == "a <b> c"
    assert without_reasoning("x<think>y</think>z").split() == ["x", "z"]


@given(st.text())
def test_any_text_is_read_in_one_way(reply: str) -> None:
    answer = parse(reply, ES, language="es", unknown=2)
    assert (answer.option is None) == (answer.kind != "option")
    assert answer.read


@given(st.integers(0, 2), st.sampled_from(["{}", "Opción {}", "({})", "{}.", "Option {}: {text}", "{text}"]))
def test_every_option_is_read_back(index: int, form: str) -> None:
    assert parse(form.format(index, text=ES[index]), ES, language="es", unknown=2).option == index


@given(st.permutations(range(3)), st.sampled_from([row[0] for row in TEXTS + NO_ANSWER if row[3] != "number"]))
def test_a_text_is_read_alike_in_any_order_of_options(order: list[int], reply: str | None) -> None:
    plain = parse(reply, ES, language="es", unknown=2, labels=())
    turned = parse(reply, [ES[i] for i in order], language="es", unknown=order.index(2), labels=())
    assert turned.kind == plain.kind
    assert turned.option == (None if plain.option is None else order.index(plain.option))


def test_the_bundled_table_is_sound() -> None:
    rows = read_phrases()
    assert {row.language for row in rows} == {"es", "en", "nl", "eu", "fr"}
    for language in ("es", "en", "nl", "eu", "fr"):
        own = {row.kind for row in rows if row.language == language}
        assert own >= set(KINDS) - {"marker_after"}
    assert len(set(rows)) == len(rows)


def test_anyone_can_add_phrases(tmp_path: Path) -> None:
    table = tmp_path / "more.csv"
    table.write_text("\ufefflanguage,kind,phrase\nca,marker,opció\nca,refusal,no vull respondre\n", encoding="utf-8")
    assert parse("Opció 1", ES, language="ca").kind == "unparsable"
    assert parse("Opció 1", ES, language="ca", phrases=table).option == 1
    assert parse("No vull respondre", ES, language="ca", phrases=table).kind == "refusal"
    assert "option" in phrases_of("ca", table)["marker"]


def test_all_faults_of_a_table_are_told(tmp_path: Path) -> None:
    table = tmp_path / "bad.csv"
    table.write_text("language;kind;phrase\nca;refusals;x\nca;marker;!\n", encoding="utf-8")
    with pytest.raises(SourceFaults) as caught:
        read_phrases(table)
    assert [(p.place.line, p.code) for p in caught.value.problems] == [(2, "unknown-kind"), (3, "empty-phrase")]
    table.write_text("language;phrase\nca;x\n", encoding="utf-8")
    with pytest.raises(SourceFaults, match="no column 'kind'"):
        read_phrases(table)
