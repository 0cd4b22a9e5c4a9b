"""The template workbooks of SESGO as templates of ours, so that a build gives the published prompts.

A workbook row has a context, a sentence that settles it, two questions, three answers (a mapping written out as
text) and `Names`: NAME1 and NAME2, lists that are read side by side. NAME1 is the other group, NAME2 the target.
"""

from __future__ import annotations

import ast
import json
import re
import unicodedata
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import yaml

from ..problems import Place, Problem, UsageError

NAMES = {"NAME1": "other", "NAME2": "target"}
_PLACEHOLDER = re.compile(r"\{\{\s*(\w+)\s*\}\}")
_LISTS = re.compile(r"(\w+)\s*:\s*\[(.*?)\]", re.DOTALL)


def import_sesgo(folder: Path, language: str, out: Path) -> tuple[int, list[Problem]]:
    """Writes a dataset to `out`; returns how many templates it has and what was found in the workbooks.

    What cannot be a clean template (a placeholder that nothing fills, spaces, doubled rows) is kept as published
    and waived by name. Raises UsageError where there is no workbook, or `out` holds something.
    """
    books = sorted(folder.glob("templates_*.xlsx"))
    if not books:
        raise UsageError(f"{folder}: there are no templates_*.xlsx in it")
    if out.exists() and any(out.iterdir()):
        raise UsageError(f"{out}: is not empty; name a new folder")
    problems: list[Problem] = []
    files: dict[str, list[dict[str, Any]]] = {}
    stereotypes: dict[str, tuple[str, str, str]] = {}
    for book in books:
        axis = book.stem.removeprefix("templates_")
        made: list[dict[str, Any]] = []
        for line, row in _rows(book, language):
            template = _template(axis, line, row, book, problems)
            if template is None:
                continue
            label = _text(row.get("estereotipo")).strip() or _text(row.get("Category")).strip() or axis
            id = f"{language}/{axis}/{_slug(label)}"
            source = _text(row.get("source") or row.get("Source (TODO)")).strip()
            stereotypes.setdefault(id, (axis, label, source))
            made.append({"id": f"{axis}-{len(made) + 1:03d}", "stereotype": id, **template})
        files[axis] = made
    _write(out, language, files, stereotypes)
    return sum(map(len, files.values())), sorted(set(problems))


def _rows(book: Path, language: str) -> Iterator[tuple[int, dict[str, Any]]]:
    import openpyxl

    try:
        workbook = openpyxl.load_workbook(book, read_only=True)
    except Exception as error:  # openpyxl has no error of its own for a file that is none
        raise UsageError(f"{book}: is no workbook ({type(error).__name__})") from None
    with closing(workbook):
        if language not in workbook.sheetnames:
            raise UsageError(f"{book}: has no sheet {language!r}")
        rows = workbook[language].iter_rows(values_only=True)
        header = [str(cell) if cell is not None else "" for cell in next(rows, ())]
        for line, cells in enumerate(rows, start=2):
            row = dict(zip(header, cells, strict=False))
            if row.get("Ambiguous_Context"):
                yield line, row


def _template(axis: str, line: int, row: dict[str, Any], book: Path, problems: list[Problem]) -> dict[str, Any] | None:
    def fault(column: str, code: str, message: str, mend: str, warning: bool = False) -> None:
        place = Place(book.name, line, field=column)
        problems.append(Problem(place, code, message, mend, "warning" if warning else "error"))

    written = _LISTS.findall(_text(row.get("Names")))
    lists = {name: [word.strip() for word in words.split(",")] for name, words in written}
    first, second = lists.get("NAME1", []), lists.get("NAME2", [])
    answers = _answers(_text(row.get("answer_info")))
    if len(first) != len(second) or not first:
        fault("Names", "names", f"NAME1 has {len(first)} names, NAME2 {len(second)}", "pair them; row left out")
        return None
    if answers is None:
        fault("answer_info", "answers", "no mapping of ans0, ans1 and ans2", "row left out")
        return None
    columns = ("Ambiguous_Context", "Disambiguating_Context", "Question_negative_stereotype", "Question_non_negative")
    for column in columns:
        for name in sorted(set(_PLACEHOLDER.findall(_text(row.get(column)))) - NAMES.keys()):
            fault(column, "placeholder", f"{{{{{name}}}}} is filled by nothing", "kept as literal text", warning=True)
    context, evidence, negative, nonnegative = (_jinja(_text(row.get(column))) for column in columns)
    together: list[dict[str, str]] = []
    for other, target in zip(first, second, strict=True):
        pair = {"target": target, "other": other}
        again = sum(pair.items() <= earlier.items() for earlier in together)
        together.append({**pair, "id": str(again + 1)} if again else pair)
    return {
        "slots": {},
        "together": together,
        "context": context,
        "evidence": evidence,
        "questions": {"negative": negative, "nonnegative": nonnegative},
        "answers": {"target": _jinja(answers["ans1"]), "other": _jinja(answers["ans0"])},
        "unknown": answers["ans2"],
        "order": ["other", "target", "unknown"],
    }


def _text(cell: Any) -> str:
    return "" if cell is None else str(cell)


def _answers(text: str) -> dict[str, str] | None:
    try:
        value = json.loads(text)
    except ValueError:
        try:
            value = ast.literal_eval(text)
        except (ValueError, SyntaxError):
            return None
    if not isinstance(value, dict) or not {"ans0", "ans1", "ans2"} <= value.keys():
        return None
    return {key: str(answer) for key, answer in value.items()}


def _jinja(text: str) -> str:
    """Their placeholders as our slots; whatever else looks like Jinja stays as it was."""
    pieces = re.split(r"(\{\{\s*\w+\s*\}\}|\{\{|\}\}|\{%|%\}|\{#|#\})", text)
    out = []
    for piece in pieces:
        known = _PLACEHOLDER.fullmatch(piece)
        if known and known[1] in NAMES:
            out.append(f"{{{{ {NAMES[known[1]]} }}}}")
        elif known or piece in ("{{", "}}", "{%", "%}", "{#", "#}"):
            out.append("{{ " + json.dumps(piece) + " }}")
        else:
            out.append(piece)
    return "".join(out)


def _slug(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return "-".join(re.findall(r"[a-z0-9]+", plain.lower()))[:60] or "unnamed"


def _write(
    out: Path, language: str, files: dict[str, list[dict[str, Any]]], stereotypes: dict[str, tuple[str, str, str]]
) -> None:
    import csv

    out.mkdir(parents=True, exist_ok=True)
    for axis, templates in files.items():
        (out / f"{axis}.yaml").write_text(_yaml(templates), encoding="utf-8")
    with (out / "stereotypes.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, delimiter=";")
        table.writerow(["id", "axis", "text", "source"])
        for id, (axis, label, source) in stereotypes.items():
            table.writerow([id, axis, " ".join(label.split()), " ".join(source.split())])
    dataset: dict[str, Any] = {
        "family": "qa",
        "language": language,
        "title": f"SESGO ({language}), imported",
        "description": "Imported from the published template workbooks; every text stands as published.",
        "grammar": "false",
    }
    (out / "dataset.yaml").write_text(_yaml(dataset), encoding="utf-8")
    dataset["waivers"] = [{"code": code, "where": "*", "reason": "kept as published"} for code in sorted(_errors(out))]
    (out / "dataset.yaml").write_text(_yaml(dataset), encoding="utf-8")


def _errors(out: Path) -> set[str]:
    from ..build import check

    return {problem.code for problem in check(str(out)).problems(complete=True) if problem.severity == "error"}


def _yaml(value: Any) -> str:
    text: str = yaml.safe_dump(value, allow_unicode=True, sort_keys=False, width=10_000)
    return text
