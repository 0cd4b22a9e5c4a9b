"""WinoMT (Stanovsky et al. 2019) and WinoMT_eus as sources of ours: a sentence a template, as published.

WinoMT's lines hold gender, position, sentence and occupation, split by tabs. WinoMT_eus holds sentences alone:
there the occupations are looked for, in every form that the language's module declines, the longest first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from ..files import write_whole
from ..languages import language as language_module
from ..problems import Place, Problem, UsageError, nearest
from ..schema import Entry
from ..sources import PACKAGE, read_lexicon

GENDERS = {"male": "m", "female": "f", "neutral": "n"}
_ARTICLE = re.compile(r"^(the|a|an)\s+", re.IGNORECASE)
_WORD = re.compile(r"[\w-]+")
_LONGEST = 4  # words of an occupation
STEREOTYPE = "gender/occupation"
A_FILE = 1000  # sentences


def import_winomt(
    file: Path,
    out: Path,
    *,
    language: str,
    occupations: Path | None = None,
    stereo: Path | None = None,
    anti: Path | None = None,
) -> tuple[int, list[Problem]]:
    """Writes a dataset to `out`; returns how many sentences it has, and what was left out and why.

    `stereo` and `anti` are files of the same kind with the sentences that go with a stereotype and against it.
    Raises UsageError where there is nothing to read, or `out` holds something.
    """
    if not file.is_file():
        raise UsageError(f"{file}: there is no such file")
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out}: is not empty; name a new folder")
    place = occupations or PACKAGE / "lexicons" / language / "occupations.csv"
    if not place.is_file():
        raise UsageError(f"there is no lexicon of occupations for {language!r}; name one with --occupations")
    entries = {
        id: entry for id, entry in read_lexicon(place, "occupations").entries.items() if entry.state != "retired"
    }
    directions = dict.fromkeys(_sentences(stereo), "stereo") | dict.fromkeys(_sentences(anti), "anti")
    made: list[dict[str, Any]] = []
    problems: list[Problem] = []
    finder: Callable[[str], list[tuple[str, str]]] | None = None
    for number, line in enumerate(_lines(file), 1):
        cells = line.split("\t")
        if not line.strip():
            continue
        if len(cells) == 1:
            finder = finder or _finder(entries, language)
            template = _bare(line.strip(), finder)
            fault = "no occupation of the lexicon is in it"
        elif len(cells) == 4:
            template, fault = _told(cells, entries)
        else:
            template, fault = None, f"{len(cells)} parts between tabs; 4 are meant, or a sentence alone"
        if template is None:
            problems.append(Problem(Place(str(file), number), "left-out", fault, "add it to the lexicon", "warning"))
            continue
        template["id"] = f"s{number:05d}"
        template["direction"] = directions.get(" ".join(line.split("\t")[2 if len(cells) == 4 else 0].split()), "")
        made.append({key: value for key, value in template.items() if value != ""})
    if not made:
        raise UsageError(f"{file}: no line holds a sentence with an occupation of {place.name}")
    _write(out, language, file.name, made, occupations)
    return len(made), problems


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise UsageError(f"{file}: is not UTF-8 text; save it as UTF-8") from None


def _sentences(file: Path | None) -> Iterator[str]:
    for line in _lines(file) if file else ():
        cells = line.split("\t")
        yield " ".join(cells[2 if len(cells) == 4 else 0].split())


def _told(cells: Sequence[str], entries: Mapping[str, Entry]) -> tuple[dict[str, Any] | None, str]:
    """A line of WinoMT: the occupation is told, and is looked for where its position says."""
    gender, position, sentence, words = (cell.strip() for cell in cells)
    words = _ARTICLE.sub("", words)
    id = words.lower().replace(" ", "-")
    if id not in entries:
        return None, f"{words!r} is no occupation of the lexicon; {nearest(id, entries)}"
    if gender not in GENDERS:
        return None, f"gender {gender!r} is none of {', '.join(GENDERS)}"
    found = list(re.finditer(rf"(?<!\w){re.escape(words)}(?!\w)", sentence, re.IGNORECASE))
    if not found or not position.isdigit():
        return None, f"{words!r} is not in the sentence"
    at = len(" ".join(sentence.split(" ")[: int(position)]))
    shown = min(found, key=lambda match: abs(match.start() - at))[0]
    return _template(sentence, [(id, shown)]) | {"gender": GENDERS[gender]}, ""


def _literal(text: str) -> str:
    """What looks like Jinja stays as it was."""
    return re.sub(r"\{\{|\}\}|\{%|%\}|\{#|#\}", lambda found: '{{ "' + found[0] + '" }}', text)


def _bare(sentence: str, find: Callable[[str], list[tuple[str, str]]]) -> dict[str, Any] | None:
    found = find(sentence)
    return _template(sentence, found) if found else None


def _template(sentence: str, entities: Sequence[tuple[str, str]]) -> dict[str, Any]:
    slots = ["entity", "entity2"][: len(entities)]
    return {
        "id": "",
        "stereotype": "",
        "slots": {slot: {"from": "occupations", "id": id} for slot, (id, _) in zip(slots, entities, strict=True)},
        "entities": slots,
        "words": {slot: words for slot, (_, words) in zip(slots, entities, strict=True)},
        "text": _literal(sentence),
    }


def _finder(entries: Mapping[str, Entry], code: str) -> Callable[[str], list[tuple[str, str]]]:
    """What finds up to two occupations in a sentence, in any form that the language's filters make of them."""
    forms: dict[tuple[str, ...], str] = {}
    filters = language_module(code).filters
    for id, entry in entries.items():
        stem = entry.form.get("", "")
        for form in {stem, *_declined(stem, filters.values())} if stem else ():
            forms.setdefault(tuple(_WORD.findall(form.casefold())), id)

    def find(sentence: str) -> list[tuple[str, str]]:
        words = list(_WORD.finditer(sentence))
        folded = [word[0].casefold() for word in words]
        found: dict[str, str] = {}
        at = 0
        while at < len(words) and len(found) < 2:
            left = min(_LONGEST, len(words) - at)
            size = next((n for n in range(left, 0, -1) if tuple(folded[at : at + n]) in forms), 0)
            if size:
                id = forms[tuple(folded[at : at + size])]
                found.setdefault(id, sentence[words[at].start() : words[at + size - 1].end()])
            at += size or 1
        return list(found.items())

    return find


def _declined(stem: str, filters: Sequence[Callable[..., str]] | Any) -> Iterator[str]:
    """A stem in every case, in the numbers that each case knows."""
    for case in filters:
        for arguments in ((stem,), (stem, "p"), (stem, "indef")):
            try:
                yield case(*arguments)
            except (TypeError, ValueError):
                continue


def _write(out: Path, language: str, name: str, templates: Sequence[Mapping[str, Any]], own: Path | None) -> None:
    stereotype = f"{language}/{STEREOTYPE}"
    listed = [{**template, "stereotype": stereotype} for template in templates]
    dataset: dict[str, Any] = {
        "family": "translation",
        "language": language,
        "title": f"{Path(name).stem}, imported",
        "description": "Imported from the published sentences; every text stands as published.",
        "grammar": "false",
    }
    row = f"{stereotype};gender;An occupation is a man's or a woman's.;Stanovsky et al. 2019, WinoMT\n"
    parts = [listed[start : start + A_FILE] for start in range(0, len(listed), A_FILE)]
    texts = {
        **{f"sentences-{number:02d}.yaml": _yaml(part) for number, part in enumerate(parts, 1)},
        "stereotypes.csv": "id;axis;text;source\n" + row,
        "dataset.yaml": _yaml(dataset),
    }
    if own:
        texts[f"lexicons/{language}/occupations.csv"] = own.read_text(encoding="utf-8-sig")
    for path, text in texts.items():
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        write_whole(out / path, text)
    codes = sorted(_errors(out))
    if codes:
        dataset["waivers"] = [{"code": code, "where": "*", "reason": "kept as published"} for code in codes]
        write_whole(out / "dataset.yaml", _yaml(dataset))


def _errors(out: Path) -> set[str]:
    from ..chain import check

    return {problem.code for problem in check(str(out)).problems(complete=True) if problem.severity == "error"}


def _yaml(value: Any) -> str:
    text: str = yaml.safe_dump(value, allow_unicode=True, sort_keys=False, width=10_000)
    return text
