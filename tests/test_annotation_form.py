"""What people see: every word in their language, nothing that breaks the form, and whose form it is."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from contrapar.annotation.form import HARMFULNESS, RELEVANT, WORDING, differences, form, relevance_words, words
from contrapar.builder.problems import SourceFaults
from survey_folder import dataset as folder_of
from survey_folder import hats, read, survey, table

LANGUAGES = ("en", "es", "eu", "fr", "nl")


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_all_its_words(language: str) -> None:
    found = words(language)
    assert all(found.values())
    assert len({found[word] for word in RELEVANT}) == 3
    assert all(found[f"harm{value}"].startswith(str(value)) for value in HARMFULNESS)
    for other in LANGUAGES:
        # a cell that was forgotten would read as another language's
        same = [key for key in found if found[key] == words(other)[key]]
        assert other == language or same in ([], ["no"])


def test_the_control_values_are_the_same_in_every_language() -> None:
    ours = form(words("en"), ["bowler"]).config
    for language in LANGUAGES:
        assert differences(form(words(language), ["bowler"], help="123").config, ours) == []


def test_a_form_asks_what_the_survey_needs() -> None:
    made = form(words("nl"), ["bolhoed"], help="0800 <1> & 2", warning='Het "zegt" veel')
    tree = ElementTree.fromstring(made.config)
    values = {
        e.get("name"): [choice.get("alias") for choice in e.iter("Choice")] for e in tree.iter() if e.get("toName")
    }
    assert values == {
        "relevant": ["yes", "no", "unsure"],
        "harmfulness": ["-1", "0", "1", "2", "3", "4"],
        "missing": [],
        "about": ["bolhoed", "none"],
    }
    assert "0800 &lt;1&gt; &amp; 2" in made.instruction
    assert 'Het "zegt" veel' in made.instruction
    assert any("0800 <1> & 2" in (e.get("value") or "") for e in tree.iter("Header"))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("yes", "ja"), "'relevant' is Choices of item (ja, no, unsure), not Choices of item (no, unsure, yes)"),
        (('name="missing"', 'name="more"'), "it has no 'missing'"),
        (("TextArea", "Rating"), "'missing' is Rating of item, not TextArea of item"),
        (("</View>", ""), "it is not XML"),
    ],
)
def test_how_another_form_differs(change: tuple[str, str], told: str) -> None:
    ours = form(words("en"), ["bowler"]).config
    assert told in differences(ours.replace(*change), ours)


def test_a_language_of_ones_own_comes_from_a_table(tmp_path: Path) -> None:
    folder = folder_of(tmp_path, hats(1), language="ca")
    with pytest.raises(SourceFaults, match=r"survey-words.csv: error survey-language: .*not in 'ca'.*key;ca"):
        words("ca", folder / "survey-words.csv")
    keys = [row["key"] for row in read(WORDING)]
    table(folder / "survey-words.csv", ("key", "ca"), [(key, "" if key == "help" else f"{key} ca") for key in keys])
    with pytest.raises(SourceFaults, match=r"survey-words.csv:ca: error survey-words: no words for help"):
        words("ca", folder / "survey-words.csv")
    table(folder / "survey-words.csv", ("key", "ca"), [(key, f"{key} ca") for key in keys])
    assert words("ca-ES", folder / "survey-words.csv")["yes"] == "yes ca"
    assert survey("plan", folder, "--folder", tmp_path / "s") == 0


def test_yes_is_yes_in_every_language() -> None:
    known = relevance_words()
    assert [known[word] for word in ("yes", "sí", "bai", "oui", "ja", "nee", "ez", "not_sure")] == [
        *["yes"] * 5,
        *["no"] * 2,
        "unsure",
    ]
