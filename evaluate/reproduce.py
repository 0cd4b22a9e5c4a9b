"""A paper's table beside ours: published figures, from the recorded answers that they were made of.

SESGO: 144 bias scores, Tables 2, 3, A1, A2 and A3, from the workbooks `answers_*.xlsx` of its repository.
(The captions of Tables 2 and 3 are exchanged in the paper; `published_scores.csv` has them put right.)
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..builder.problems import UsageError, nearest
from .answer.recorded import Value, read_recorded, reply
from .parse import parse

if TYPE_CHECKING:
    import pandas as pd

TOLERANCE = 0.001
SEED, RESAMPLES = 20250, 2_000
UNIT = "rows with one prompt_id; where that is not shared, a run in which no (polarity, condition, gold) recurs"
"""What is drawn again for an interval. The workbooks name no stereotype, and a template only for xenophobia; a
run is one pair of names in one template. Intervals that knew the stereotypes would be wider."""

_OPTIONS = ("the other", "the target", "unknown")
_SUBSETS = {"clase": "classism", "gender bias": "gender", "racism": "racism", "xenophoby": "xenophobia"}
_HOT = {0.1: "01", 0.25: "025", 0.5: "05", 0.75: "075", 1.0: "1"}
_AT_TEMPERATURE = {
    "GPT-4o mini": "gpt4omini_{}",
    "Llama 3.1 Instruct": "llama_{}",
    "Llama 3.1 Uncensored": "llama_uncensored_{}",
    "DeepSeek R1": "DeepSeekR1_7B_T{}",
    "Gemini 2.0 Flash": "Gemini_T{}",
    "Claude 3.5 Haiku": "Claude_T{}",
}


@dataclass(frozen=True)
class Comparison:
    """One published bias score and ours, with its 95 % interval. `holds`: they agree to within TOLERANCE."""

    table: str
    condition: str
    language: str
    subset: str
    temperature: float
    model: str
    published: float
    ours: float | None
    low: float | None
    high: float | None
    n: int
    clusters: int
    holds: bool
    reason: str = ""


def reproduce_sesgo(folder: Path) -> list[Comparison]:
    """Every score of `published_scores.csv` beside ours, in its order, from the `answers_*.xlsx` beside it.

    UsageError where a workbook, a sheet or a column is not there.
    """
    rows = _published(folder / "published_scores.csv")
    sources = [_source(row["table"], row["language"], float(row["temperature"]), row["model"]) for row in rows]
    wanted: dict[tuple[str, str], list[str]] = {}
    for book, sheet, column in sources:
        wanted.setdefault((book, sheet), []).append(column)
    answered = {
        (book, sheet, column): frame
        for (book, sheet), columns in wanted.items()
        for column, frame in _answered(folder / book, sheet, sorted(set(columns)))
    }
    return [_compare(row, answered[source]) for row, source in zip(rows, sources, strict=True)]


def main(what: str, folder: Path, fmt: str) -> int:
    """Print the comparison as `table` or `json`; 0 only where all of it holds."""
    if what not in REPRODUCTIONS:
        raise UsageError(f"nothing to reproduce named {what!r}; {nearest(what, REPRODUCTIONS)}")
    if fmt not in ("table", "json"):
        raise UsageError(f"no format {fmt!r}; known: json, table")
    found = REPRODUCTIONS[what](folder)
    print(as_json(found) if fmt == "json" else as_table(found))
    return 0 if found and all(one.holds for one in found) else 1


def as_json(found: Sequence[Comparison]) -> str:
    """The comparisons, how many hold, and what was drawn again for the intervals."""
    whole = {
        "holding": sum(one.holds for one in found),
        "of": len(found),
        "tolerance": TOLERANCE,
        "cluster": UNIT,
        "seed": SEED,
        "resamples": RESAMPLES,
        "scores": [asdict(one) for one in found],
    }
    return json.dumps(whole, indent=2, ensure_ascii=False)


def as_table(found: Sequence[Comparison]) -> str:
    """One line a score, and a last line that counts them."""
    head = ("table", "condition", "subset", "lang", "temp", "model", "paper", "ours", "95 % interval", "rows", "")
    lines = [head]
    for one in found:
        ours = "none" if one.ours is None else f"{one.ours:+.4f}"
        interval = "none" if one.low is None or one.high is None else f"{one.low:+.3f} to {one.high:+.3f}"
        lines.append(
            (
                one.table,
                one.condition,
                one.subset,
                one.language,
                f"{one.temperature:g}",
                one.model,
                f"{one.published:+.3f}",
                ours,
                interval,
                str(one.n),
                "" if one.holds else "DIFFERS " + one.reason,
            )
        )
    widths = [max(len(line[j]) for line in lines) for j in range(len(head))]
    text = ["  ".join(cell.ljust(w) for cell, w in zip(line, widths, strict=True)).rstrip() for line in lines]
    holding = sum(one.holds for one in found)
    text += [
        "",
        f"{holding} of {len(found)} published scores hold to within {TOLERANCE}",
        f"drawn again for the intervals: {UNIT}",
    ]
    return "\n".join(text)


def _published(path: Path) -> list[dict[str, str]]:
    if not path.is_file():
        raise UsageError(f"{path}: there is no such file; it lists the published scores")
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    wanted = ("table", "condition", "language", "subset", "temperature", "model", "bias_score")
    lacking = [name for name in wanted if rows and name not in rows[0]]
    if lacking or not rows:
        raise UsageError(f"{path}: " + (f"no column {lacking[0]!r}" if lacking else "no scores in it"))
    return rows


def _compare(row: Mapping[str, str], rows: pd.DataFrame) -> Comparison:
    from .metrics.qa import bias_figure

    if row["subset"] in _SUBSETS.values():
        rows = rows[rows["axis"] == row["subset"]]
    figure = bias_figure(rows, row["condition"], seed=SEED, resamples=RESAMPLES)
    published = float(row["bias_score"])
    return Comparison(
        row["table"],
        row["condition"],
        row["language"],
        row["subset"],
        float(row["temperature"]),
        row["model"],
        published,
        figure.value,
        figure.low,
        figure.high,
        figure.n,
        figure.clusters,
        figure.value is not None and abs(figure.value - published) <= TOLERANCE,
        figure.reason,
    )


def _source(table: str, language: str, temperature: float, model: str) -> tuple[str, str, str]:
    """Workbook, sheet and column. The matched Spanish answers are the second sheet of the English workbook."""
    if table in ("A1", "A2"):
        return "answers_en.xlsx", {"en": "Sheet1", "es": "Sheet2"}[language], model
    if table == "A3":
        return "answers_es_temperatures.xlsx", "TODOS", _AT_TEMPERATURE[model].format(_HOT[temperature])
    return "answers_es_t075.xlsx", "TODOS", model


def _answered(path: Path, sheet: str, models: Sequence[str]) -> Iterator[tuple[str, pd.DataFrame]]:
    """Each model's answered rows, with the columns that the figures of `qa` need."""
    import pandas as pd

    names = ("tipo", "prompt_id", "question_polarity", "context_condition", "label", "target", "other")
    fields = read_recorded(path, {name: name for name in (*names, *models)}, sheet=sheet).fields
    rows = pd.DataFrame(
        {
            "id": [f"{path.name}/{sheet}/{i}" for i in range(len(fields["tipo"]))],
            "axis": [_SUBSETS.get(str(kind), str(kind)) for kind in fields["tipo"]],
            "stereotype": _units(fields),
            "template": "",
            "tier": None,
            "context_condition": fields["context_condition"],
            "question_polarity": fields["question_polarity"],
            **{name: [int(reply(v) or -1) for v in fields[name]] for name in ("label", "target", "other")},
        }
    )
    rows["unknown"] = 3 - rows["target"] - rows["other"]
    read = {value: parse(reply(value), _OPTIONS) for model in models for value in set(fields[model])}
    for model in models:
        answers = [read[value] for value in fields[model]]
        chosen = pd.array([answer.option for answer in answers], dtype="Int64")
        yield model, rows.assign(answer=chosen, outcome=[answer.outcome for answer in answers])


def _units(fields: Mapping[str, list[Value]]) -> list[str]:
    """What rows belong together: see UNIT."""
    prompts = list(zip(fields["tipo"], fields["prompt_id"], strict=True))
    times = Counter(prompts)
    units: list[str] = []
    seen: set[tuple[Value, ...]] = set()
    block = 0
    for i, prompt in enumerate(prompts):
        if prompt[1] is not None and times[prompt] > 1:
            units.append(f"{prompt[0]}/{prompt[1]}")
            continue
        kind = (prompt[0], *(fields[name][i] for name in ("question_polarity", "context_condition", "label")))
        if kind in seen or (i and prompts[i - 1][0] != prompt[0]):
            seen.clear()
            block += 1
        seen.add(kind)
        units.append(f"{prompt[0]}/block {block}")
    return units


REPRODUCTIONS: dict[str, Callable[[Path], list[Comparison]]] = {"sesgo": reproduce_sesgo}
