"""`contrapar import`: what others published, as sources of ours. A verb a layout."""

from __future__ import annotations

from pathlib import Path

import click


@click.group("import")
def import_() -> None:
    """Turn a published benchmark's sources into templates and lexicons of ours."""


@import_.command("sesgo")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--language", type=click.Choice(["es", "en"]), required=True, help="Which sheet of the workbooks.")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The dataset's folder to make.")
def import_sesgo(folder: Path, language: str, out: Path) -> int:
    """The template workbooks of SESGO (templates_*.xlsx in FOLDER)."""
    from .formats.sesgo_templates import import_sesgo as run

    written, problems = run(folder, language, out)
    for problem in problems:
        click.echo(str(problem))
    click.echo(f"wrote {written} templates to {out}")
    return 0
