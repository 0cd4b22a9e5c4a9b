"""One self-contained page that shows a dataset: its rows, what differs in them, and what is wrong."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote

from .chain import Progress, blocks, doubles, prepare, quiet
from .files import write_whole
from .preview_findings import Locator
from .preview_page import Look, asset, filled, hash_of, page_of
from .preview_rows import LAYOUTS, Row
from .problems import Problem, UsageError
from .sample import Sample
from .tables import row_groups


def write_preview(
    name_or_path: str,
    out: Path,
    *,
    rows: int = 2000,
    seed: int = 0,
    progress: Progress = quiet,
    problems: Sequence[Problem] | None = None,
) -> Path:
    """Writes the page of a dataset, or of a folder that `build` wrote, and gives back its path.

    `rows` is how many rows it shows at most; those with a finding come on top. `problems` are the findings, where
    a check has been made already. Raises SourceFaults where the dataset cannot be read at all.
    """
    if (Path(name_or_path) / "manifest.json").is_file():
        look = _built(Path(name_or_path), Sample(rows, seed), problems)
    else:
        look = _sources(name_or_path, Sample(rows, seed), progress, problems)
    write_whole(out, page_of(look))
    return out


def _sources(name: str, sample: Sample, progress: Progress, problems: Sequence[Problem] | None) -> Look:
    chain = prepare(name)
    model = chain.sources.dataset.model
    look = Look(chain.sources.name, model.model_dump(), sample)
    locator = Locator(chain)
    with doubles(chain) as note:
        for block in blocks(chain, progress):
            template = block.table.column("template")[0].as_py()
            sample.add(template, block.table, locator.faulty(template, block.table))
            look.count(block.table)
            if problems is None:
                note(block)
    entries = {
        (plan.written.model.id, slot, entry.id): [word for word in entry.form.values() if word]
        for plan in chain.plans
        for slot, listed in plan.filled.entries.items()
        for entry in listed
    }

    def forms(row: Row, slot: str) -> Iterator[str]:
        for word in row["slots"]:
            at, _, id = word.partition("=")
            if at == slot:
                yield from entries.get((row["template"], slot, id), ())

    tiers = {id: tier.tier for id, tier in chain.sources.tiers.items()}
    look.said = {id: (one.text, tiers.get(id)) for id, one in chain.sources.stereotypes.items()}
    look.findings = chain.problems(complete=True) if problems is None else problems
    look.found, look.forms = locator.rows_of, forms
    return look


def _built(folder: Path, sample: Sample, problems: Sequence[Problem] | None) -> Look:
    try:
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        look = Look(manifest["dataset"], manifest, sample, findings=problems)
        known = manifest["family"] in LAYOUTS
    except (ValueError, KeyError, TypeError):
        raise UsageError(f"{folder / 'manifest.json'}: is no manifest of a build; build it anew") from None
    if not known:
        raise UsageError(f"{folder}: holds rows of the family {manifest['family']!r}, which has no preview")
    for group in row_groups(folder):
        templates = group.column("template").to_pylist()
        starts = [at for at in range(len(templates)) if at == 0 or templates[at] != templates[at - 1]]
        for start, end in zip(starts, [*starts[1:], len(templates)], strict=True):
            sample.add(templates[start], group.slice(start, end - start))
        look.count(group)
    return look


def write_index(pages: Sequence[tuple[str, Path, Mapping[str, Any]]]) -> Path:
    """A small page that leads to the previews: (dataset, its preview, its manifest); beside or above them all."""
    alike = len({page.is_absolute() for _, page, _ in pages}) == 1
    top = Path(os.path.commonpath([(page if alike else page.absolute()).parent for _, page, _ in pages]) or ".")
    rows = []
    for name, page, manifest in pages:
        link = quote(os.path.relpath(page, top).replace(os.sep, "/"))
        cells = [f'<td class="text">{escape(str(manifest.get("title", "")))}</td>']
        cells += [f"<td>{escape(str(manifest.get(key, '')))}</td>" for key in ("family", "language", "version")]
        cells += [f'<td class="n">{manifest.get(key, 0):,}</td>' for key in ("rows", "stereotypes")]
        rows.append(f'<tr><th scope="row"><a href="{link}">{escape(name)}</a></th>{"".join(cells)}</tr>')
    style = asset("page.css")
    out = top / "index.html"
    write_whole(out, filled("index.html", STYLE=style, STYLE_HASH=hash_of(style), ROWS="".join(rows)))
    return out
