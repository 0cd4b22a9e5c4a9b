"""What people see: the survey's words in their language, and the labelling configuration made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from xml.etree import ElementTree
from xml.sax.saxutils import quoteattr

from ..builder.problems import Place, Problem, SourceFaults
from .tables import rows_of

RELEVANT = ("yes", "no", "unsure")
HARMFULNESS = tuple(range(-1, 5))
NONE = "none"
WORDING = Path(__file__).parent / "wording.csv"
OWN_WORDING = "survey-words.csv"

Words = Mapping[str, str]


def words(language: str, own: Path | None = None) -> Words:
    """The survey's words in a language, from the dataset's own table if it has one, else from ours.

    Both have a column `key` and one a language. Raises SourceFaults for a language that neither has.
    """
    keys = [row.cells["key"] for row in rows_of(WORDING, ("key",))]
    for path in (own, WORDING):
        if path is None or not path.is_file():
            continue
        rows = rows_of(path, ("key",))
        columns = rows[0].cells if rows else {}
        column = next((code for code in (language, language.split("-")[0]) if code in columns), None)
        if column is None:
            continue
        found = {row.cells["key"]: row.cells[column] for row in rows}
        empty = [key for key in keys if not found.get(key)]
        if empty:
            place = Place(str(path), field=column)
            message = f"no words for {', '.join(empty)}"
            raise SourceFaults([Problem(place, "survey-words", message, "fill these cells")])
        return found
    languages = ", ".join(key for key in rows_of(WORDING, ("key",))[0].cells if key != "key")
    mend = f"write {own or OWN_WORDING} with the columns key;{language} (keys: {', '.join(keys)})"
    message = f"a survey has words in {languages}, not in {language!r}"
    raise SourceFaults([Problem(Place(str(own or OWN_WORDING)), "survey-language", message, mend)])


def relevance_words() -> dict[str, str]:
    """yes, no and unsure as forms elsewhere may write them: in each of our languages, and as counts do."""
    found = {"not_sure": "unsure", "not sure": "unsure", "1": "yes", "0": "no", "true": "yes", "false": "no"}
    for row in rows_of(WORDING, ("key",)):
        if row.cells["key"] in RELEVANT:
            found |= {word.casefold(): row.cells["key"] for word in row.cells.values()}
    return found


@dataclass(frozen=True)
class Form:
    """A labelling configuration, and the instructions shown before it."""

    config: str
    instruction: str


def form(words: Words, groups: Sequence[str], *, help: str = "", warning: str = "", examples: bool = True) -> Form:
    """`groups` are what people may say they belong to; `help` says where help is to be found."""
    told = [words["warning"], *([warning] if warning else []), words["intro"], words["privacy"]]
    if help:
        told.append(f"{words['help']} {help}")
    instruction = "".join(f"<p>{escape(text, quote=False)}</p>" for text in told)
    relevant = [(value, words[value]) for value in RELEVANT]
    harm = [(str(value), words[f"harm{value}"]) for value in HARMFULNESS]
    about = [*((group, group) for group in groups), (NONE, words["none"])]
    shown = (
        '  <View style="padding-bottom: 1rem; white-space: pre-line">',
        f'    <Header value={quoteattr(words["examples"])} size="5"/>',
        '    <Text name="examples" value="$examples"/>',
        "  </View>",
    )
    lines = [
        '<View style="max-width: 46rem; line-height: 1.5">',
        '  <Header value="$text" size="3"/>',
        # answers hang on a Text, which is shown too small to be the question
        '  <View style="display: none"><Text name="item" value="$text"/></View>',
        *(shown if examples else ()),
        f'  <Header value={quoteattr(words["relevant"])} size="4"/>',
        _choices(
            "relevant",
            relevant,
            f'choice="single-radio" required="true" requiredMessage={quoteattr(words["relevant"])}',
        ),
        f'  <Header value={quoteattr(words["harmfulness"])} size="4"/>',
        _choices("harmfulness", harm, 'choice="single-radio"'),
        f'  <Header value={quoteattr(words["missing"])} size="4"/>',
        '  <TextArea name="missing" toName="item" rows="2" maxSubmissions="10" editable="true"/>',
    ]
    if groups:
        lines.append(f'  <Header value={quoteattr(words["about"])} size="5"/>')
        lines.append(_choices("about", about, 'choice="multiple"'))
    if help:
        lines.append(f'  <Header value={quoteattr(told[-1])} size="6"/>')
    return Form("\n".join([*lines, "</View>"]), instruction)


def _choices(name: str, values: Sequence[tuple[str, str]], how: str) -> str:
    listed = "".join(f"\n    <Choice value={quoteattr(shown)} alias={quoteattr(value)}/>" for value, shown in values)
    return f'  <Choices name="{name}" toName="item" showInline="true" {how}>{listed}\n  </Choices>'


def differences(theirs: str, ours: str) -> list[str]:
    """How the answers to two configurations would differ; words and looks alone make no difference."""
    try:
        there = _controls(theirs)
    except ElementTree.ParseError:
        return ["it is not XML"]
    here = _controls(ours)
    found = [f"it has no {name!r}" for name in here if name not in there]
    found += [f"it has {name!r}, which this survey has not" for name in there if name not in here]
    for name in here:
        if name in there and here[name] != there[name]:
            found.append(f"{name!r} is {_told(there[name])}, not {_told(here[name])}")
    return found


def _controls(config: str) -> dict[str, tuple[str, str, tuple[str, ...]]]:
    """Name -> tag, what it refers to, and the values it can give."""
    found = {}
    for element in ElementTree.fromstring(config).iter():
        name = element.get("name")
        if name and name != "examples":
            values = sorted(child.get("alias") or child.get("value") or "" for child in element.iter("Choice"))
            found[name] = (element.tag, element.get("toName") or element.get("value") or "", tuple(values))
    return found


def _told(control: tuple[str, str, tuple[str, ...]]) -> str:
    tag, to, values = control
    return f"{tag} of {to}" + (f" ({', '.join(values)})" if values else "")
