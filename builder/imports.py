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


@import_.command("winomt")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--language", default="en", show_default=True, help="Of its sentences: en for WinoMT, eu for WinoMT_eus.")
@click.option("--occupations", type=click.Path(path_type=Path), help="A lexicon of occupations [the bundled one].")
@click.option("--stereo", type=click.Path(path_type=Path), help="The sentences that go with a stereotype (en_pro.txt).")
@click.option("--anti", type=click.Path(path_type=Path), help="The sentences that go against one (en_anti.txt).")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The dataset's folder to make.")
def import_winomt(
    file: Path, language: str, occupations: Path | None, stereo: Path | None, anti: Path | None, out: Path
) -> int:
    """The sentences of WinoMT (en.txt), or of WinoMT_eus, a sentence a line."""
    from .formats.winomt import import_winomt as run

    written, problems = run(file, out, language=language, occupations=occupations, stereo=stereo, anti=anti)
    for problem in problems:
        click.echo(str(problem))
    click.echo(f"wrote {written:,} sentences to {out}; {len(problems):,} lines were left out")
    return 0


@import_.command("shares")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--lexicon", type=click.Path(path_type=Path), required=True, help="The lexicon of occupations to fill.")
@click.option("--occupation", required=True, metavar="COLUMN", help="Where the office names the occupation.")
@click.option("--women", default="", metavar="COLUMN", help="How many are women.")
@click.option("--men", default="", metavar="COLUMN", help="How many are men.")
@click.option("--all", "every", default="", metavar="COLUMN", help="How many there are; in place of --men.")
@click.option("--share", default="", metavar="COLUMN", help="The share of women, in place of counts.")
@click.option(
    "--codes", type=click.Path(path_type=Path), help="A table that maps the office's names to ids: office;id."
)
@click.option("--source", required=True, help="Who published the figures, and where.")
@click.option("--place", default="", help="Of which country or region they are.")
@click.option("--year", default="", help="Of which year or month they are.")
def import_shares(
    file: Path,
    lexicon: Path,
    occupation: str,
    women: str,
    men: str,
    every: str,
    share: str,
    codes: Path | None,
    source: str,
    place: str,
    year: str,
) -> int:
    """An office's table of occupations by sex: fills the shares of women in a lexicon of occupations."""
    from .formats.shares import Columns
    from .formats.shares import import_shares as run

    columns = Columns(occupation, women, men, every, share)
    filled, problems = run(file, lexicon, columns, source=source, place=place, year=year, codes=codes)
    for problem in problems:
        click.echo(str(problem))
    click.echo(f"filled the shares of {filled:,} occupations in {lexicon}; {len(problems):,} rows fit none")
    return 0


@import_.command("varilex")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--map", "maps", multiple=True, metavar="THEIRS=OURS", help="A column's name: item, ar, ... (see docs).")
@click.option("--yes", multiple=True, metavar="SIGN", help="What says that a word is usual, beside +.")
@click.option("--no", multiple=True, metavar="SIGN", help="What says that it is not, beside -; '' is an empty cell.")
@click.option("--source", help="What is told as the source of every sign [VARILEX-R].")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The dataset's folder to make.")
def import_varilex(
    file: Path, maps: tuple[str, ...], yes: tuple[str, ...], no: tuple[str, ...], source: str | None, out: Path
) -> int:
    """A table of variants and of the countries that use them, such as VARILEX's."""
    from .audit import mapped
    from .formats.varilex import SOURCE, UNUSUAL, USUAL, Signs
    from .formats.varilex import import_varilex as run

    signs = Signs((USUAL, *yes), (*UNUSUAL, *no))
    written, problems = run(file, out, maps=mapped(maps), signs=signs, source=source or SOURCE)
    for problem in problems:
        click.echo(str(problem))
    click.echo(f"wrote {written:,} variants to {out}")
    return 0
