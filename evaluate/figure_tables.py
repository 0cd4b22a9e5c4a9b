"""Figures of one or several runs as tables: CSV with everything, LaTeX with what a paper shows."""

from __future__ import annotations

from collections.abc import Sequence

from . import latex, summary
from .metrics import Figure, to_frame
from .run import Run


def csv_of(runs: Sequence[tuple[str, Run, Sequence[Figure]]]) -> str:
    """One row a figure, with what its run is and its signature; groups are columns, empty for all rows."""
    import pandas as pd

    frames = []
    for name, run, figures in runs:
        data = run.settings["dataset"]
        frame = to_frame(figures)
        about = {
            "run": name,
            "model": run.settings["model"]["name"],
            "way": run.settings["way"]["way"],
            "temperature": run.settings["way"].get("temperature", ""),
            "dataset": data["dataset"],
            "version": data["version"],
            "language": data["language"],
        }
        for place, (key, value) in enumerate(about.items()):
            frame.insert(place, key, value)
        frame["signature"] = run.signature
        frame["canary"] = run.manifest["canary"]
        frames.append(frame)
    joined = pd.concat(frames, ignore_index=True)
    last = ["value", "low", "high", "n", "clusters", "unit", "p", "reason", "signature", "canary"]
    columns = [c for c in joined.columns if c not in last] + last
    text: str = joined[columns].to_csv(index=False, lineterminator="\n")
    return text


def latex_of(run: Run, figures: Sequence[Figure]) -> str:
    """The main figures of a run, a table a half."""
    data = run.settings["dataset"]
    tables = []
    for half, found in summary.main_figures(figures).items():
        rows = []
        for figure in found:
            wide = summary.is_wide(summary.about(figure, run.family))
            shown = summary.number(figure.value, wide) or "–"
            rows.append([summary.name_of(figure.metric), shown, summary.interval(figure, wide), f"{figure.n:,}"])
        tables.append(
            latex.Table(
                f"{run.settings['model']['name']} on {data['dataset']} {data['version']}"
                + (f", {half}" if half else "")
                + ", with 95 % intervals by a cluster bootstrap over stereotypes.",
                f"tab:{data['dataset']}-{run.digest}-{half.replace(' ', '-') or 'all'}",
                ["figure", "value", "95 % interval", "n"],
                rows,
            )
        )
    return latex.document(tables, [run.signature], [run.manifest["canary"]])
