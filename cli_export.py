"""`contrapar export`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

FORMATS = ("parquet", "jsonl", "csv", "crows-pairs", "winoqueer", "bbq", "lm-eval", "inspect")


@click.command()
@click.argument("dataset")
@click.option("--to", "to", type=click.Choice(FORMATS), required=True, help="The layout.")
@click.option("--out", type=click.Path(path_type=Path), help="The folder; by default out/DATASET-FORMAT.")
@click.option("--tier", "tiers", help="Only stereotypes of these tiers, such as 1 or 1,2.")
@click.option("--axis", "axes", multiple=True, help="Only this axis; may be given again.")
@click.option("--language", "languages", multiple=True, help="Only this language; may be given again.")
def export(
    dataset: str, to: str, out: Path | None, tiers: str | None, axes: tuple[str, ...], languages: tuple[str, ...]
) -> int:
    """Write a dataset in a layout that other people's tools read.

    DATASET is a dataset's sources, a built folder, or a published version such as owner/name@v1.2.0.
    """
    from .builder.export import Cut
    from .builder.export import export as run
    from .builder.release.locate import built
    from .cli import Bar, tiers_of

    cut = Cut(tiers_of(tiers), axes, languages)
    with built(dataset, Bar(f"building {dataset}")) as folder:
        done = run(folder, to, out, cut, _completion(dataset, folder) if to == "lm-eval" else None)
    click.echo(f"{done.rows:,} of {done.of:,} rows to {done.folder}")
    return 0


def _completion(dataset: str, folder: Path) -> Callable[..., str]:
    """What an option follows: in the dataset's own prompt, or the bundled one of its language."""
    from .builder.families import TEMPLATE_MODELS
    from .builder.release.hub import versioned
    from .builder.release.manifest import MANIFEST, read_manifest
    from .builder.sources import read_sources
    from .evaluate.answer.prompts import bundled_prompt, load_prompt

    if not (Path(dataset) / MANIFEST).is_file() and versioned(dataset) is None:
        sources = read_sources(dataset, TEMPLATE_MODELS)
        if sources.dataset.model.prompt:
            return load_prompt(sources.folder / sources.dataset.model.prompt).before_option
    return bundled_prompt(str(read_manifest(folder)["language"])).before_option
