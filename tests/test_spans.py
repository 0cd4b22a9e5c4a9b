"""What two sentences share: words first, then pieces."""

from __future__ import annotations

import difflib

import pytest
from contrapar.evaluate.answer.spans import changed_words, shared_pieces, shared_tokens, words
from hypothesis import given
from hypothesis import strategies as st


def shown(text: str, spans: object) -> list[str]:
    return [text[start:end] for start, end in spans]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Anna is lesbisch.", ["Anna", "is", "lesbisch", "."]),
        ("De hetero's, zegt-ie", ["De", "hetero", "'", "s", ",", "zegt", "-", "ie"]),
        ("¿Quién llegó?  Nadie", ["¿", "Quién", "llegó", "?", "Nadie"]),
        ("mun\u0303oz", ["mun\u0303oz"]),
        ("日本の人", ["日", "本", "の", "人"]),
        ("สวัสดี", ["ส", "วั", "ส", "ดี"]),
        ("می\u200cروم", ["می\u200cروم"]),
        (" \t\n", []),
        ("", []),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert shown(text, words(text)) == expected


@pytest.mark.parametrize(
    ("a", "b", "of_a", "of_b"),
    [
        ("Anna is lesbisch.", "Anna is hetero.", ["lesbisch"], ["hetero"]),
        ("De trans vrouwen zijn er", "De vrouwen zijn er", ["trans"], []),
        ("Zij is homo", "Hij is homo", ["Zij"], ["Hij"]),
        ("Een en een is twee", "Een is twee", ["en", "een"], []),
        ("a b c", "a b c", [], []),
        ("een man", "zwei Frauen", ["een", "man"], ["zwei", "Frauen"]),
        ("", "iets", [], ["iets"]),
    ],
)
def test_changed_words(a: str, b: str, of_a: list[str], of_b: list[str]) -> None:
    changed_a, changed_b = changed_words(a, b)
    assert (shown(a, changed_a), shown(b, changed_b)) == (of_a, of_b)


def test_without_a_begin_token_the_first_word_of_either_sentence_is_shared_in_neither() -> None:
    a, b = "Trans vrouwen zijn er", "Vrouwen zijn er"
    changed_a, changed_b = changed_words(a, b, first=False)
    assert (shown(a, changed_a), shown(b, changed_b)) == (["Trans", "vrouwen"], ["Vrouwen"])
    a, b = "zij en ik", "en ik"
    changed_a, changed_b = changed_words(a, b, first=False)
    assert (shown(a, changed_a), shown(b, changed_b)) == (["zij", "en"], ["en"])


def test_pieces_of_the_changed_word_are_not_shared() -> None:
    """Case 29: enferm-era and enferm-ero agree in a piece, and the piece is part of what changed."""
    a, b = "La enfermera llega.", "La enfermero llega."
    offsets = [(0, 2), (3, 9), (9, 12), (13, 18), (18, 19)]
    changed_a, changed_b = changed_words(a, b)
    assert shared_pieces(a, offsets, changed_a) == shared_pieces(b, offsets, changed_b) == [0, 3, 4]
    ids_a, ids_b = [1, 10, 11, 12, 13, 14, 2], [1, 10, 11, 15, 13, 14, 2]
    assert shared_tokens(ids_a, ids_b) == ([0, 1, 2, 4, 5, 6], [0, 1, 2, 4, 5, 6])


@pytest.mark.parametrize(
    ("offsets", "kept"),
    [
        ([(0, 2), (2, 7), (7, 8)], [0, 2]),  # a leading space belongs to its word
        ([(0, 2), (2, 3), (3, 7), (7, 8)], [0, 3]),  # a piece of space alone goes with the word after it
        ([(0, 0), (0, 2), (2, 7), (7, 8)], [0, 1, 3]),  # and so does one of nothing
        ([(0, 2), (2, 8)], [0]),  # a piece that reaches into punctuation is changed with its word
        ([(0, 2), (3, 7), (7, 8), (8, 9)], [0, 2, 3]),  # space at the end follows nothing that changed
    ],
)
def test_pieces_by_offset(offsets: list[tuple[int, int]], kept: list[int]) -> None:
    text = "Ze homo. "
    assert shared_pieces(text, offsets, [(3, 7)]) == kept


sentences = st.lists(st.sampled_from(["een", "man", "vrouw", "is", "homo", ",", "."]), max_size=9).map(" ".join)


@given(sentences, sentences)
def test_exchanging_the_sentences_exchanges_the_answer(a: str, b: str) -> None:
    assert changed_words(b, a) == changed_words(a, b)[::-1]


@given(sentences, sentences)
def test_what_is_left_is_a_longest_common_subsequence(a: str, b: str) -> None:
    left = []
    for text, changed in zip((a, b), changed_words(a, b), strict=True):
        left.append([text[start:end] for start, end in words(text) if (start, end) not in changed])
    assert left[0] == left[1]
    longest = {(0, 0): 0}
    of_a, of_b = a.split(), b.split()
    for i in range(len(of_a) + 1):
        for j in range(len(of_b) + 1):
            if i and j:
                same = longest[i - 1, j - 1] + (of_a[i - 1] == of_b[j - 1])
                longest[i, j] = max(same, longest[i - 1, j], longest[i, j - 1])
            else:
                longest[i, j] = 0
    assert len(left[0]) == longest[len(of_a), len(of_b)]


@given(st.lists(st.integers(0, 4), max_size=12), st.lists(st.integers(0, 4), max_size=12))
def test_token_spans_are_those_of_difflib_over_tokens_as_text(a: list[int], b: list[int]) -> None:
    expected: tuple[list[int], list[int]] = ([], [])
    for op in difflib.SequenceMatcher(None, list(map(str, a)), list(map(str, b))).get_opcodes():
        if op[0] == "equal":
            expected[0].extend(range(op[1], op[2]))
            expected[1].extend(range(op[3], op[4]))
    assert shared_tokens(a, b) == expected
