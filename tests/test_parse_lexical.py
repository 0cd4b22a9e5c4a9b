"""How replies to questions on words are read: a table of cases, and what holds of any reply."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from contrapar.evaluate.parse_lexical import Reading, parse_lexical
from hypothesis import given
from hypothesis import strategies as st

SPANISH = ("Sí", "No")
WORDS = ("palta", "aguacate", "cura", "avocado")


def yes_no(reply: str | None, language: str = "es", options: tuple[str, ...] = SPANISH) -> Reading:
    return parse_lexical(reply, options, format="yes_no", language=language)


def choice(reply: str | None, options: tuple[str, ...] = WORDS) -> Reading:
    return parse_lexical(reply, options, format="choice", language="es")


@pytest.mark.parametrize(
    "reply",
    ["Sí", "Si", "sí", "SÍ", "sí.", " Sí \n", "«Sí»", '"Sí."', "¡Sí!", "**Sí**", "`Sí`", "(sí)", "Sí,",
     "Si\u0301", "<think>¿Será que no?</think>Sí", "Sí<|eot_id|>"],
)  # fmt: skip
def test_a_yes(reply: str) -> None:
    assert yes_no(reply) == Reading("answer", (0,), "word")


@pytest.mark.parametrize("reply", ["No", "no", "NO.", "«No»", "'no'", "_No_", "No\n\n"])
def test_a_no(reply: str) -> None:
    assert yes_no(reply) == Reading("answer", (1,), "word")


@pytest.mark.parametrize(
    "reply",
    ["Sí, se usa mucho", "No, no es habitual.", "Respuesta: Sí", "Sí/No", "Sí o no", "Sí.\nEs común.", "Yes",
     "Depende", "1", "Sí Sí", "Claro", "No sé", "Sí y no", "true", "S", "N", "sic", "¿Sí?", "Sí No"],
)  # fmt: skip
def test_anything_more_or_else_is_invalid(reply: str) -> None:
    assert yes_no(reply).outcome == "invalid"
    assert yes_no(reply).answer is None


@pytest.mark.parametrize("reply", [None, "", " \n ", "<think>hmm</think>", "<think>cut off befo"])
def test_an_empty_reply(reply: str | None) -> None:
    assert yes_no(reply).outcome == "empty"
    assert choice(reply).outcome == "empty"


@pytest.mark.parametrize(
    "reply", ["Lo siento, pero no puedo responder a eso.", "I'm sorry, but I can't help with that."]
)
def test_a_refusal(reply: str) -> None:
    assert yes_no(reply).outcome == "refusal"
    assert choice(reply).outcome == "refusal"


@pytest.mark.parametrize(
    ("language", "yes", "no"),
    [("es", "Sí", "No"), ("es-CL", "si", "no"), ("en", "Yes", "No"), ("eu", "Bai", "Ez"), ("fr", "Oui", "Non"),
     ("nl", "Ja", "Nee")],
)  # fmt: skip
def test_yes_and_no_of_a_language(language: str, yes: str, no: str) -> None:
    assert yes_no(f"{yes}.", language, ()).answer == (0,)
    assert yes_no(f"{no}.", language, ()).answer == (1,)


def test_the_rows_own_words_hold_too_and_so_does_a_table_of_more(tmp_path: Path) -> None:
    assert yes_no("Da", "ro", ("Da", "Nu")).answer == (0,)
    assert yes_no("Nu", "ro", ("Da", "Nu")).answer == (1,)
    assert yes_no("Afirmativo").outcome == "invalid"
    more = tmp_path / "more.csv"
    more.write_text("language;kind;phrase\nes;yes;afirmativo\n", encoding="utf-8")
    found = parse_lexical("Afirmativo.", SPANISH, format="yes_no", language="es", phrases=more)
    assert found.answer == (0,)


@pytest.mark.parametrize(
    ("reply", "answer"),
    [("1", (0,)), ("4", (3,)), ("1/2", (0, 1)), ("1 / 2 /4", (0, 1, 3)), ("2.", (1,)), ("«3»", (2,)), ("(1/3)", (0, 2)),
     ("4/1", (0, 3)), ("**2/3**", (1, 2)), ("1/2/3/4", (0, 1, 2, 3)), ("[2]", (1,)), ("\n3\n", (2,)),
     ("<think>1 o 4</think>\n\n2", (1,))],
)  # fmt: skip
def test_numbers_from_1_on(reply: str, answer: tuple[int, ...]) -> None:
    assert choice(reply) == Reading("answer", answer, "numbers")


@pytest.mark.parametrize(
    ("reply", "read"),
    [("5", "no such option"), ("1/5", "no such option"), ("12", "no such option"), ("1/1", "an option twice"),
     ("2/3/2", "an option twice"), ("0", "no such option"), ("1/0", "no such option"), ("1, 2", "not joined by /"),
     ("1 2", "not joined by /"), ("1-2", "not joined by /"), ("1/", "not joined by /"), ("/1", "not joined by /"),
     ("1//2", "not joined by /"), ("01", "not joined by /"), ("-1", "not joined by /"), ("1.5", "not joined by /"),
     ("1\n2", "not joined by /"), ("1 palta", "text beside numbers"), ("1: palta", "text beside numbers"),
     ("Opción 1", "text beside numbers"), ("1 y 2", "text beside numbers"), ("palta", "no number"),
     ("Sí", "no number"), ("½", "not joined by /")],
)  # fmt: skip
def test_what_is_not_numbers_and_nothing_more_is_invalid(reply: str, read: str) -> None:
    assert choice(reply) == Reading("invalid", None, read)


@given(st.text(max_size=40))
def test_any_reply_is_read_and_only_two_words_are_answers(reply: str) -> None:
    found = yes_no(reply)
    assert (found.answer is not None) == (found.outcome == "answer")
    if found.answer is not None:
        assert re.search("s[ií]|n[oº]|ｓ|Ｓ|ⓢ", reply.casefold()) or not reply.isascii()


@given(st.sets(st.integers(0, 19), min_size=1), st.integers(1, 20), st.permutations(range(20)))
def test_a_set_that_is_written_is_read_again_or_is_beyond_the_options(
    chosen: set[int], options: int, order: list[int]
) -> None:
    reply = "/".join(str(n + 1) for n in sorted(chosen, key=order.index))
    found = choice(reply, tuple(f"w{n}" for n in range(options)))
    assert found.answer == (tuple(sorted(chosen)) if max(chosen) < options else None)
