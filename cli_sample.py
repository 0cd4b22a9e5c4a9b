"""`contrapar sample`."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("dataset")
@click.option("--rows", type=click.IntRange(min=1), default=150, show_default=True, help="How many rows.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed draws the same rows.")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="A CSV to fill in while reading.")
def sample(dataset: str, rows: int, seed: int, out: Path | None) -> int:
    """Draw rows at random, to be read one by one.

    DATASET is a dataset's sources, a built folder, or a published version such as owner/name@v1.2.0.
    """
    from .builder.draw import draw, family_of, lines, sheet
    from .builder.files import write_whole
    from .builder.release.locate import built
    from .cli import Bar

    with built(dataset, Bar(f"building {dataset}")) as folder:
        family = family_of(folder)
        drawn = draw(folder, rows, seed)
    if out is None:
        for row in drawn:
            click.echo("\n".join(lines(row, family)) + "\n")
    else:
        write_whole(out, sheet(drawn, family, seed))
        click.echo(f"{len(drawn):,} rows to {out}: write yes or no into the columns natural and correct")
    return 0
