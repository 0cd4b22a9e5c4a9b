"""Texts: what is refused in one, and that all at once says the same as one by one."""

from __future__ import annotations

import inspect
import itertools
import random
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata
from unittest.mock import patch

import jinja2
import numpy as np
import pyarrow as pa
import pytest
from contrapar.builder import phrases, stretches, windows
from contrapar.builder.codes import codes
from contrapar.builder.languages import Language, language
from contrapar.builder.phrases import Filling, Phrase
from contrapar.builder.render import TemplateFault, Variable, compile_text
from hypothesis import given, settings
from hypothesis import strategies as st

# --- one text, put together in every way ------------------------------------------------------------------

# what a boundary may change or be changed by, and what only looks like it; "sw" has no module
WORDS = {
    "es": "a de el la las los y o u e que una un El La A De hotel hielo hiato agua ama Ana oasis isla álgebra del al",
    "en": "a an the A An hour user apple European MBA one heir's of 11 8 eBay is",
    "nl": "de het een 's 't IJsland ijs iPhone en of van De Het mooi grijze",
    "fr": "le la les de du des à au que si ce ne je me homme héros onze été il Le De à l'ami oui huit aux vieil",
    "eu": "eta edo da Jon Miren gizon mendi zakur 3. etxe ur r Pilar ama",
    "sw": "na ya wa mtu Mtu ni i I",
}
MARKS = ["", " ", ". ", ", ", "? ", "! ", "… ", "¿", "¡", "«", "» ", '"', "'", "(", ") ", "—", "-", "1. ", "\n"]


@dataclass(frozen=True)
class Case:
    language: str
    grammar: bool
    source: str
    words: dict[str, dict[str, list[str]]]  # slot -> form -> a word an entry

    def phrase(self) -> Phrase:
        text = compile_text(self.source, frozenset(self.words), self.language)
        sizes = {slot: len(next(iter(forms.values()))) for slot, forms in self.words.items()}
        fillings = {slot: Filling(sizes[slot], forms) for slot, forms in self.words.items()}
        return Phrase(text, fillings, language(self.language) if self.grammar else None)


def filters(known: Language) -> list[str]:
    """Filters as they are written, with what they need."""
    found = []
    for name, used in known.filters.items():
        needed = sum(p.default is inspect.Parameter.empty for p in inspect.signature(used).parameters.values())
        argument = "de" if known.code == "nl" else "f"
        found.append(name if needed == 1 else f'{name}("{argument}")')
    return found


@st.composite
def cases(draw: st.DrawFn) -> Case:
    code = draw(st.sampled_from(sorted(WORDS)))
    known = language(code)
    word = st.sampled_from(WORDS[code].split())
    mark = st.sampled_from(MARKS)
    literal = st.lists(st.one_of(word, mark, word.map("{} ".format)), max_size=5).map("".join)
    said = st.lists(word, max_size=3).map(" ".join)
    spoken = st.one_of(said, said, said, st.tuples(mark, said, mark).map(lambda parts: "".join(parts).strip()))
    slots = ["x", "y", "z"][: draw(st.integers(1, 3))]
    words = {}
    for slot in slots:
        size = draw(st.integers(1, 3))
        some = st.lists(spoken, min_size=size, max_size=size)
        genders = st.lists(st.sampled_from(["f", "m", ""]), min_size=size, max_size=size)
        words[slot] = {"": draw(some), "sg": draw(some), "gender": draw(genders)}
    slot = st.sampled_from(slots)
    shown = st.builds("{}{}".format, slot, st.sampled_from(["", ".sg"]))
    filtered = st.builds("{}|{}".format, shown, st.sampled_from(filters(known)))
    constant = literal.map(lambda text: '"' + text.replace('"', "").replace("\n", " ") + '"')
    expression = st.one_of(
        shown,
        shown,
        filtered,
        constant,
        st.builds("{} ~ {}".format, shown, st.one_of(shown, constant)),
        st.builds('{} if {}.gender == "f" else {}'.format, shown, slot, st.one_of(shown, constant)),
    ).map("{{{{ {} }}}}".format)
    plain = st.one_of(literal, literal, expression, expression)
    inner = st.lists(plain, max_size=3).map("".join)
    condition = st.builds('{{% if {}.gender == "f" %}}{}{{% else %}}{}{{% endif %}}'.format, slot, inner, inner)
    source = draw(st.lists(st.one_of(plain, plain, plain, condition), min_size=1, max_size=6).map("".join))
    return Case(code, draw(st.booleans()), source, words)


def all_at_once(phrase: Phrase, sizes: Sequence[int], slots: Sequence[str]) -> tuple[list[str], list[str]]:
    """The texts of all combinations, made in two blocks; and one by one."""
    combinations = list(itertools.product(*map(range, sizes)))
    rows = np.array(combinations, np.int64).reshape(len(combinations), len(sizes))
    half = max(len(rows) // 2, 1)
    fast: list[str] = []
    for block in (rows[:half], rows[half:]):
        if len(block):
            made = phrase.made({slot: block[:, number] for number, slot in enumerate(slots)}, len(block))
            assert np.array_equal(made.codes, codes(pa.array(made.texts.to_pylist(), pa.string()))[0])
            assert set(made.new) <= set(range(len(block)))
            fast += made.texts.to_pylist()
    slow = [phrase.one({slot: int(row[number]) for number, slot in enumerate(slots)}) for row in rows]
    return fast, slow


@given(cases())
@settings(max_examples=40, deadline=None)
def test_all_at_once_is_one_by_one(case: Case) -> None:
    phrase = case.phrase()
    sizes = [phrase.fillings[slot].size for slot in phrase.slots]
    fast, slow = all_at_once(phrase, sizes, phrase.slots)
    assert fast == slow


@given(cases(), st.randoms(use_true_random=False))
@settings(max_examples=20, deadline=None)
def test_nothing_changes_but_where_a_changed_slot_is_shown(case: Case, chance: random.Random) -> None:
    phrase = case.phrase()
    entries = {slot: chance.randrange(phrase.fillings[slot].size) for slot in phrase.slots}
    for slot in phrase.slots:
        around = set()
        for entry in range(phrase.fillings[slot].size):
            filled = {**entries, slot: entry}
            text, kept, at = phrase.one(filled), [], 0
            for start, end in phrase.spans(filled, frozenset({slot})):
                assert at <= start <= end <= len(text)
                kept.append(text[at:start])
                at = end
            around.add((*kept, text[at:]))
        assert len(around) == 1


@given(cases())
@settings(max_examples=20, deadline=None)
def test_the_same_where_there_is_too_much_to_try(case: Case) -> None:
    with (
        patch.object(phrases, "MOST_TRIED", 2),
        patch.object(stretches, "WIDEST_TABLE", 2),
        patch.object(windows, "WIDEST_TABLE", 2),
    ):
        phrase = case.phrase()
        fast, slow = all_at_once(phrase, [phrase.fillings[slot].size for slot in phrase.slots], phrase.slots)
    assert fast == slow


def test_the_same_where_no_number_holds_all_combinations() -> None:
    slots = [f"s{number}" for number in range(9)]
    words = {"": [f"w{number}" for number in range(300)]}
    source = '{% if s0 == "w0" %}' + " ".join(f"{{{{ {slot} }}}}" for slot in slots) + "{% else %}{{ s8 }}{% endif %}"
    text = compile_text(source, frozenset(slots), "en")
    phrase = Phrase(text, {slot: Filling(300, words) for slot in slots}, None)
    rows = np.random.default_rng(1).integers(0, 300, (50, 9))
    rows[:, 0] %= 2
    made = phrase.made({slot: rows[:, number] for number, slot in enumerate(slots)}, len(rows))
    assert made.texts.to_pylist() == [
        phrase.one({slot: int(row[number]) for number, slot in enumerate(slots)}) for row in rows
    ]


def test_literal_text_stands_as_it_was_written() -> None:
    written = 'Según d\'Alembert & <otros>, 100 %  "así"\n\n#  o no.\n'
    for grammar in (True, False):
        phrase = Case("es", grammar, written, {}).phrase()
        assert phrase.one({}) == written
        assert phrase.made({}, 2).texts.to_pylist() == [written, written]


def test_a_word_stands_as_the_lexicon_has_it() -> None:
    odd = ["d'Alembert", "{{ x }}", "<b>&amp;</b>", "%s {0}", "\\n", "Null", "нет"]
    phrase = Case("sw", False, "{{ x }}|{{ x.sg }}", {"x": {"": odd, "sg": odd[::-1]}}).phrase()
    assert phrase.made({"x": np.arange(len(odd))}, len(odd)).texts.to_pylist() == [
        f"{a}|{b}" for a, b in zip(odd, odd[::-1], strict=True)
    ]


def test_a_sentence_is_made_once_for_the_words_in_it() -> None:
    words = {"x": {"": ["uno"] * 50 + ["dos"], "sg": ["x"] * 51}}
    phrase = Case("es", True, "Había {{ x }} aquí.", words).phrase()
    made = phrase.made({"x": np.arange(51)}, 51)
    assert [len(piece.strings) for piece in phrase.pieces if not isinstance(piece, str)] == [2]
    assert made.texts.to_pylist() == ["Había uno aquí."] * 50 + ["Había dos aquí."]


# --- what a text may be -----------------------------------------------------------------------------------

SLOTS = frozenset({"name", "other"})
FAULTS = [
    ("{{ nmae }}", "undefined-slot", 1, "nmae"),
    ("uno\ndos {{ name }}\n{{ nmae.sg }}", "undefined-slot", 3, "nmae"),
    ('{% if nmae.gender == "f" %}a{% endif %}', "undefined-slot", 1, "nmae"),
    ("a\nb {{ name }", "jinja", 2, ""),
    ("a\n{% if name %}", "jinja", 2, ""),
    ("{{ name }} {{", "jinja", 1, ""),
    ("{% endif %}", "jinja", 1, ""),
    ("{{ }}", "jinja", 1, ""),
    ("{{ name other }}", "jinja", 1, ""),
    ("{{ 'a' if name }}", "jinja", 1, ""),
    ("\n{{ name.__class__ }}", "jinja-cage", 2, "__class__"),
    ("{{ name._form }}", "jinja-cage", 1, "_form"),
    ("{{ 'a'.upper }}", "jinja-cage", 1, ""),
    ("{{ 3 }}", "jinja-cage", 1, ""),
    ("{{ None }}", "jinja-cage", 1, ""),
    ("{{ [name] }}", "jinja-cage", 1, ""),
    ("{{ name + other }}", "jinja-cage", 1, ""),
    ("{{ name is defined }}", "jinja-cage", 1, ""),
    ("{{ name|upper }}", "filter", 1, "upper"),
    ("{{ name|plural(other=name) }}", "filter", 1, "plural"),
    ('a\n{{ name|el("z") }}', "filter", 2, "el"),
    ("{{ name|el }}", "filter", 1, "el"),
    ('{{ name|sentence("f", "f") }}', "filter", 1, "sentence"),
    ("a" * 20_001, "template-size", 1, ""),
]


@pytest.mark.parametrize(("source", "code", "line", "word"), FAULTS, ids=[source[:30] for source, *_ in FAULTS])
def test_what_a_text_may_not_hold(source: str, code: str, line: int, word: str) -> None:
    with pytest.raises(TemplateFault) as caught:
        compile_text(source, SLOTS, "es")
    fault = caught.value
    assert (fault.code, fault.line, fault.word) == (code, line, word)
    assert fault.message
    assert fault.mend
    assert "\n" not in fault.message + fault.mend


def test_what_a_text_may_hold() -> None:
    source = (
        '{# a note #}{% if name.gender in ("f", "x") and not other.sg == "" %}{{ name.sg|plural }}'
        '{% elif name.gender != "m" or other.pl %}{{ name ~ " y " ~ other }}'
        '{% else %}{{ other if name else "" }}{% endif %}'
        "{%- raw %}{{{% endraw -%}  "
    )
    text = compile_text(source, SLOTS, "es")
    assert text.slots == ("name", "other")
    assert text.tested == {
        Variable("name", "gender"), Variable("other", "sg"), Variable("other", "pl"), Variable("name", "")
    }  # fmt: skip
    assert text.needed == {Variable("name", "sg"), Variable("other", "")}


def test_a_form_may_have_any_name_that_a_column_can_have() -> None:
    text = compile_text("{% if name.sg_.f %}{{ name.sg_.f_1 }}{% endif %}", SLOTS, "es")
    assert text.tested == {Variable("name", "sg_.f")}
    assert text.needed == {Variable("name", "sg_.f_1")}


def test_a_filter_is_told_what_it_cannot_take() -> None:
    text = compile_text("{{ name|el(other) }}", SLOTS, "es")
    with pytest.raises(TemplateFault, match="gender is 'z'"):
        Phrase(text, {"name": Filling(1, {"": ["agua"]}), "other": Filling(1, {"": ["z"]})}, None).one(
            {"name": 0, "other": 0}
        )


def test_jinja_is_new_enough_for_its_cage_to_hold() -> None:
    assert tuple(map(int, jinja2.__version__.split(".")[:3])) >= (3, 1, 6)
    assert any(needed.replace(" ", "").startswith("jinja2>=3.1.6") for needed in metadata.requires("contrapar") or [])
