"""Folders that the field's harnesses run as they stand: lm-evaluation-harness and Inspect.

Both are offline: the rows lie beside the task. The canary and the warning go with every file that has a place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import yaml

from . import crows_pairs
from .plain import JSONL, Tables, write_lines

Completion = Any  # (context, question, options) -> the text that an option is to follow


def task_name(about: Mapping[str, str]) -> str:
    return f"contrapar_{about['dataset']}".replace("-", "_").lower()


def write_lm_eval_pairs(tables: Tables, schema: pa.Schema, folder: Path, about: dict[str, str]) -> int:
    """Whole sentences, as CrowS-Pairs' task has them: `acc` is the share in which the stereotype is the likelier."""
    rows = (found for table in tables for row in table.to_pylist() if (found := crows_pairs.written(row)))
    kept = (
        {"id": row.pop(""), **row, "choices": [row["sent_more"], row["sent_less"]], "canary": about["canary"]}
        for row in rows
    )
    count = write_lines(kept, folder / JSONL)
    _lm_eval(
        folder,
        about,
        {"doc_to_text": "", "doc_to_choice": "choices", "doc_to_target": 0},
        delimiter="",
    )
    return count


def write_lm_eval_qa(
    tables: Tables, schema: pa.Schema, folder: Path, about: dict[str, str], completion: Completion
) -> int:
    """The options after the question, as `contrapar evaluate --way choice` asks them."""

    def rows() -> Iterator[dict[str, Any]]:
        for table in tables:
            for row in table.to_pylist():
                options = [row["ans0"], row["ans1"], row["ans2"]]
                yield {
                    "id": row["id"],
                    "prompt": completion(row["context"], row["question"], options),
                    "choices": options,
                    **{name: row[name] for name in _KEPT},
                }

    count = write_lines(rows(), folder / JSONL)
    _lm_eval(
        folder,
        about,
        {"doc_to_text": "{{prompt}}", "doc_to_choice": "choices", "doc_to_target": "label"},
        delimiter=" ",
    )
    return count


_KEPT = (
    "label",
    "context_condition",
    "question_polarity",
    "axis",
    "stereotype",
    "target",
    "other",
    "unknown",
    "canary",
)


def _lm_eval(folder: Path, about: Mapping[str, str], task: Mapping[str, Any], delimiter: str) -> None:
    name = task_name(about)
    known = {
        "task": name,
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {"test": JSONL}},
        "test_split": "test",
        "output_type": "multiple_choice",
        **task,
        "target_delimiter": delimiter,
        "metric_list": [{"metric": "acc", "aggregation": "mean", "higher_is_better": False}],
        "metadata": {"version": about["version"], "canary": about["canary"], "warning": about["content_warning"]},
    }
    text = yaml.safe_dump(known, allow_unicode=True, sort_keys=False, width=110)
    (folder / f"{name}.yaml").write_text(text, encoding="utf-8")


def write_inspect(tables: Tables, schema: pa.Schema, folder: Path, about: dict[str, str]) -> int:
    """A dataset of samples and `task.py`; the options in the order of the row, the gold one as a letter."""

    def rows() -> Iterator[dict[str, Any]]:
        for table in tables:
            for row in table.to_pylist():
                yield {
                    "id": row["id"],
                    "input": f"{row['context']}\n{row['question']}",
                    "choices": [row["ans0"], row["ans1"], row["ans2"]],
                    "target": "ABC"[row["label"]],
                    "metadata": {name: row[name] for name in _KEPT if name != "label"},
                }

    count = write_lines(rows(), folder / JSONL)
    name, quoted = task_name(about), " ".join(about["content_warning"].split()).replace('"""', "'''").replace("\\", "/")
    (folder / "task.py").write_text(_TASK.format(name=name, warning=quoted, **_safe(about)), encoding="utf-8")
    return count


def _safe(about: Mapping[str, str]) -> dict[str, str]:
    return {key: " ".join(about[key].split()).replace('"', "'") for key in ("canary", "dataset", "version")}


_TASK = '''"""{dataset} {version}, for Inspect: `inspect eval task.py --model MODEL`. Canary: {canary}

{warning}
"""

from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import json_dataset
from inspect_ai.scorer import choice
from inspect_ai.solver import multiple_choice


@task
def {name}() -> Task:
    rows = json_dataset(str(Path(__file__).parent / "data.jsonl"))
    return Task(dataset=rows, solver=multiple_choice(), scorer=choice())
'''
