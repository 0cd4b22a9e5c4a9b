"""From a run's answers to its figures: rows and answers joined, replies read, metrics computed, files written."""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..builder.problems import UsageError
from .journal import write_whole
from .metrics import METRICS, Figure, to_frame
from .metrics.figure import VALUES
from .parse import Answer, parse
from .phrases import BUNDLED
from .run import ANSWERS, Run

if TYPE_CHECKING:
    import pandas as pd

RESAMPLES = 2000
FIGURES, NOT_UNDERSTOOD, GENDERS = "figures.json", "not_understood.csv", "genders.csv"
_FOUND = ("text", "reply", "entity", "found", "said", "by", "entity2", "found2", "said2", "by2", "gender")
_OPTIONS = ("ans0", "ans1", "ans2")
_SHOWN = (*_OPTIONS, "options")  # what a reply chose from, as families call it


def answered(run: Run, phrases: Path | None = None) -> pd.DataFrame:
    """The run's rows with what was answered: columns of the family's metrics, and `reply` and `read` of text.

    A row without an answer so far is left out.
    """
    found = run.answers()
    rows: pd.DataFrame = run.rows().to_pandas()
    rows = rows[rows["id"].isin(set(found))].reset_index(drop=True)
    joined: pd.DataFrame = _JOIN[run.family](rows, [found[id] for id in rows["id"]], run, phrases)
    return joined


def _pairs(rows: pd.DataFrame, records: Sequence[Mapping[str, Any]], run: Run, phrases: Path | None) -> pd.DataFrame:
    import pandas as pd

    for name in ("score_target", "score_other", "tokens_target", "tokens_other"):
        rows[name] = pd.Series([record.get(name) for record in records], dtype="float64")
    return rows


def _qa(rows: pd.DataFrame, records: Sequence[Mapping[str, Any]], run: Run, phrases: Path | None) -> pd.DataFrame:
    import pandas as pd

    options = zip(*(rows[name] for name in _OPTIONS), strict=True)
    asked = zip(records, options, rows["language"], rows["unknown"], strict=True)
    labels = run.settings["way"].get("labels")
    read = [_read(record, texts, language, int(unknown), labels, phrases) for record, texts, language, unknown in asked]
    rows["answer"] = pd.array([one.option for one in read], dtype="Int64")
    rows["outcome"] = [one.outcome for one in read]
    rows["read"] = [one.read for one in read]
    rows["reply"] = [str(record.get("reply") or "") for record in records]
    rows["scores"] = [record.get("scores") for record in records]
    return rows


def _read(
    record: Mapping[str, Any],
    options: Sequence[str],
    language: str,
    unknown: int,
    labels: Sequence[str] | None,
    phrases: Path | None,
) -> Answer:
    if "reply" not in record:
        index = record.get("answer")
        if index is None:
            return Answer("empty", read="a tie" if "scores" in record else "no answer")
        return Answer("option", int(index), "index")
    if record.get("finish") == "content_filter" and not record["reply"]:
        return Answer("refusal", read="stopped by a content filter")
    return parse(record["reply"], options, language=language, unknown=unknown, labels=labels, phrases=phrases)


def _translation(
    rows: pd.DataFrame, records: Sequence[Mapping[str, Any]], run: Run, phrases: Path | None
) -> pd.DataFrame:
    from .translated import joined

    return joined(rows, records, run)


def _lexical(rows: pd.DataFrame, records: Sequence[Mapping[str, Any]], run: Run, phrases: Path | None) -> pd.DataFrame:
    from .answered_lexical import joined

    return joined(rows, records, phrases)


_JOIN: Mapping[str, Callable[..., Any]] = {
    "lexical": _lexical,
    "pairs": _pairs,
    "qa": _qa,
    "translation": _translation,
}


def compute(run: Run, *, resamples: int = RESAMPLES, phrases: Path | None = None) -> tuple[list[Figure], pd.DataFrame]:
    """The run's figures and the answered rows that they rest on."""
    rows = answered(run, phrases)
    return METRICS[run.family].figures(rows, seed=int(run.settings["seed"]), resamples=resamples), rows


def write(run: Run, *, resamples: int = RESAMPLES, phrases: Path | None = None) -> list[Figure]:
    """Figures as JSON and CSV, and what was not understood, into the run's folder; the figures."""
    figures, rows = compute(run, resamples=resamples, phrases=phrases)
    about = {
        "signature": run.signature,
        "settings_sha256": run.manifest["settings_sha256"],
        **basis(run, resamples, phrases),
        "scores": getattr(METRICS[run.family], "signatures", dict)(),
        "level": 0.95,
        "canary": run.manifest["canary"],
        "content_warning": run.manifest["content_warning"],
    }
    listed = [
        {"metric": f.metric, "group": dict(f.group)} | {name: getattr(f, name) for name in VALUES} for f in figures
    ]
    text = json.dumps({**about, "figures": listed}, ensure_ascii=False, indent=1, allow_nan=False)
    write_whole(run.folder / "figures.csv", table(figures, run).encode())
    if "outcome" in rows:
        names = ["id", "language", "outcome", "read", "reply", *(name for name in _SHOWN if name in rows)]
        failed = rows.loc[rows["outcome"] != "answer", names]
        write_whole(run.folder / NOT_UNDERSTOOD, _listing(failed, run.manifest["canary"]).encode())
    if "found" in rows:
        wanted = rows.loc[rows["entity"] != "", ["id", *_FOUND]]
        write_whole(run.folder / GENDERS, _listing(wanted, run.manifest["canary"]).encode())
    write_whole(run.folder / FIGURES, (text + "\n").encode())
    return figures


def figures_of(run: Run) -> list[Figure]:
    """The figures that were written for a run."""
    path = run.folder / FIGURES
    if not path.is_file():
        raise UsageError(f"{run.folder}: has no figures yet; the command that began it finishes it")
    listed = json.loads(path.read_text(encoding="utf-8"))["figures"]
    return [Figure(**one) for one in listed]


def basis(run: Run, resamples: int, phrases: Path | None) -> dict[str, Any]:
    """What figures rest on beside the run's settings; where it is the same, so are they."""
    tables = [BUNDLED, *([phrases] if phrases else [])]
    return {
        "answers_sha256": hashlib.sha256((run.folder / ANSWERS).read_bytes()).hexdigest(),
        "phrases_sha256": hashlib.sha256(b"".join(path.read_bytes() for path in tables)).hexdigest(),
        "resamples": resamples,
    }


def table(figures: Sequence[Figure], run: Run) -> str:
    """Figures as CSV, one a row, each with the digest of its run's settings."""
    frame = to_frame(figures)
    frame["run"] = run.digest
    text: str = frame.to_csv(index=False, lineterminator="\n")
    return text


def _listing(rows: pd.DataFrame, canary: str) -> str:
    """What replies were taken for, as CSV, for someone to look at: so wordings are added to phrases or glossary."""
    sink = io.StringIO()
    writer = csv.writer(sink, lineterminator="\n")
    writer.writerow([*rows.columns, "canary"])
    for row in rows.itertuples(index=False):
        writer.writerow([_safe(str(cell)) for cell in row] + [canary])
    return sink.getvalue()


def _safe(cell: str) -> str:
    """A reply is a stranger's text: no spreadsheet shall take it for a formula."""
    return f"'{cell}" if cell.lstrip()[:1] in ("=", "+", "-", "@") else cell
