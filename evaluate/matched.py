"""One model in two languages, over the concepts that both datasets have (figures 5 and 6 of Robles et al. 2025).

What differs between all rows of two datasets may lie in what they speak of; over shared concepts it lies more in
the language.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from . import panels, results, summary
from .charts import Mark, Scale, scale
from .comparison import Group, Labelled
from .metrics import METRICS, Figure
from .run import Run, flat

_RESAMPLES = 1000


@dataclass(frozen=True)
class Matched:
    """One model in two languages: figures over concepts that both have, and over all rows of each."""

    model: str
    half: str
    scale: Scale
    marks: Sequence[Mark]
    rows: Sequence[panels.Row]


@dataclass(frozen=True)
class Languages:
    """Two datasets that share concepts."""

    titles: tuple[str, str]
    languages: tuple[str, str]
    concepts: Sequence[str]
    found: Sequence[Matched]


def languages(found: Sequence[Group]) -> list[Languages]:
    """Every two datasets of one family and two languages that share concepts, with the models that answered both."""
    out = []
    for number, first in enumerate(found):
        for second in found[number + 1 :]:
            one, other = first.members[0].data["language"], second.members[0].data["language"]
            if first.family != second.family or one == other:
                continue
            pairs = _same(first, second)
            shared = _shared([pairs[0][0].run, pairs[0][1].run]) if pairs else []
            if shared:
                matched = [match for pair in pairs for match in _match(pair, shared, first.family)]
                out.append(Languages((first.title, second.title), (str(one), str(other)), shared, matched))
    return out


def _same(first: Group, second: Group) -> list[tuple[Labelled, Labelled]]:
    """Runs of two groups with the same model and way."""
    pairs = []
    for one in first.members:
        for other in second.members:
            mine, theirs = (
                {k: v for k, v in flat(run.settings).items() if k.startswith(("model.", "way.")) and "sha256" not in k}
                for run in (one.run, other.run)
            )
            # answers made elsewhere lie in files of different names
            if {**mine, "way.answers": None} == {**theirs, "way.answers": None}:
                pairs.append((one, other))
    return pairs


def _shared(runs: Sequence[Run]) -> list[str]:
    """Concepts that the rows of all runs have."""
    found = [set(run.rows().column("concept").to_pylist()) - {"", None} for run in runs]
    return sorted(set.intersection(*found))


def _match(pair: tuple[Labelled, Labelled], concepts: Sequence[str], family: str) -> list[Matched]:
    metric = METRICS[family].SHOWN[0]
    halves: dict[str, list[tuple[Figure, str, str]]] = {}
    for member, shape in zip(pair, ("circle", "square"), strict=True):
        rows = results.answered(member.run)
        kept = rows[rows["concept"].isin(set(concepts))].reset_index(drop=True)
        seed = int(member.run.settings["seed"])
        matched = METRICS[family].figures(kept, seed=seed, resamples=_RESAMPLES)
        language = str(member.data["language"])
        for found, mark, what in ((matched, shape, "matched"), (member.figures, "bar", "all rows")):
            for half, mine in summary.main_figures(found).items():
                for figure in mine:
                    if figure.metric == metric:
                        halves.setdefault(half, []).append((figure, mark, f"{language}, {what}"))
    out = []
    for half, found in halves.items():
        told = summary.about(found[0][0], family)
        colours = {f"{member.data['language']}": number + 1 for number, member in enumerate(pair)}
        shown = [
            panels.row(figure, family, name, colour=colours[name.split(",")[0]], shape=shape)
            for figure, shape, name in found
        ]
        marks = [mark for row in shown for mark in row.marks]
        bounds = scale(marks, told.low, told.high, told.neutral)
        out.append(Matched(pair[0].name, half, bounds, marks, shown))
    return out
