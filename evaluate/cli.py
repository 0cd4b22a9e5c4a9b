"""`contrapar evaluate`, `report`, `compare` and `reproduce`: from a dataset and a model to figures."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from .run import Run

WAYS = ("masked", "causal", "choice", "chat", "translate", "endpoint", "command", "recorded", "baseline")
PATH = click.Path(path_type=Path)
FILE = click.Path(path_type=Path, exists=True, dir_okay=False)


def _pairs_of(context: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    """`THEIRS=OURS` as ours to theirs; a column's name may hold '='."""
    found: dict[str, str] = {}
    for text in given:
        theirs, mark, ours = text.rpartition("=")
        if not mark or not theirs or not ours:
            raise click.BadParameter(f"{text!r}: write THEIRS=OURS, such as prompt_id=id")
        if ours in found:
            raise click.BadParameter(f"{ours!r} is mapped twice")
        found[ours] = theirs
    return found


def _tiers_of(context: click.Context, parameter: click.Parameter, given: str | None) -> tuple[int, ...]:
    try:
        found = tuple(sorted({int(part) for part in given.split(",")})) if given else ()
    except ValueError:
        found = (0,)
    if not set(found) <= {1, 2, 3}:
        raise click.BadParameter(f"{given}: tiers are 1, 2 and 3, such as 1,2")
    return found


def _temperature_of(context: click.Context, parameter: click.Parameter, given: str) -> float | str:
    if given == "server":
        return given
    try:
        found = float(given)
    except ValueError:
        found = -1
    if not 0 <= found <= 10:
        raise click.BadParameter(f"{given}: a number from 0 (greedy), or 'server' for the server's own")
    return found


@click.command(context_settings={"max_content_width": 110})
@click.argument("dataset")
@click.option("--model", metavar="PATH|NAME", help="A model's folder or name; what a server calls it.")
@click.option("--way", type=click.Choice(WAYS), help="How it answers; by default what the family and model call for.")
@click.option("--out", type=PATH, help="The run's folder; by default runs/..., the same for the same command.")
@click.option("--limit", type=click.IntRange(1), help="At most so many rows: a stable sample over stereotypes.")
@click.option("--tier", "tiers", callback=_tiers_of, help="Only stereotypes of these tiers, such as 1 or 1,2.")
@click.option("--axis", "axes", multiple=True, help="Only this axis; may be given again.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of samples, sampling and intervals.")
@click.option("--resamples", type=click.IntRange(100), default=2000, show_default=True, help="For the intervals.")
@click.option("--phrases", type=FILE, help="A table like phrases.csv, of wordings that replies are read by too.")
@click.option(
    "--pll",
    type=click.Choice(["original", "l2r"]),
    default="original",
    show_default=True,
    help="masked: l2r masks the later pieces of a word too (Kauf & Ivanova 2023).",
)
@click.option(
    "--span",
    type=click.Choice(["word", "token"]),
    default="word",
    show_default=True,
    help="masked, causal: how what both sentences share is found; token is the published scorers' way.",
)
@click.option("--whole", is_flag=True, help="masked, causal: score whole sentences.")
@click.option("--norm", help="choice: how an option's likelihood is divided by its length.")
@click.option("--prompt", type=FILE, help="chat, choice, endpoint, command: a prompt file of your own.")
@click.option(
    "--temperature",
    default="0",
    show_default=True,
    callback=_temperature_of,
    help="chat, endpoint: 0 is greedy; 'server' leaves it to the server.",
)
@click.option("--max-tokens", type=click.IntRange(1), help="chat, endpoint: of a reply.")
@click.option("--batch-tokens", type=click.IntRange(1), help="Local models: tokens a batch, padding counted.")
@click.option("--revision", help="Local models: a commit, branch or tag on the Hub.")
@click.option("--dtype", type=click.Choice(["float32", "bfloat16", "float16"]), help="Local models: of the weights.")
@click.option("--device", help="Local models: cpu or cuda; by default cuda where there is one.")
@click.option("--trust-remote-code", is_flag=True, help="Local models: run the code that comes with the model.")
@click.option("--url", help="endpoint: an OpenAI-compatible server, such as http://127.0.0.1:8000/v1.")
@click.option("--key-variable", default="OPENAI_API_KEY", show_default=True, help="endpoint: what holds the key.")
@click.option("--concurrency", type=click.IntRange(1, 1024), default=8, show_default=True, help="endpoint: at once.")
@click.option("--timeout", type=click.FloatRange(min=0.1), help="endpoint, command: seconds [60; 300].")
@click.option("--attempts", type=click.IntRange(1), default=6, show_default=True, help="endpoint: for each question.")
@click.option("--command", "command_line", help="A program that reads lines and writes lines, with its arguments.")
@click.option("--lines", type=click.Choice(["json", "text"]), help="command: what a question's line is [json].")
@click.option("--batch", type=click.IntRange(1), default=256, show_default=True, help="command: lines a batch.")
@click.option("--answers", type=FILE, help="Answers made elsewhere: CSV, JSONL, Parquet or XLSX.")
@click.option(
    "--map",
    "columns",
    multiple=True,
    metavar="THEIRS=OURS",
    callback=_pairs_of,
    help="answers: a column's name in our terms: id, reply; score_target, score_other.",
)
@click.option("--into", help="Translations: the language to translate into, such as es; by default the references'.")
@click.option("--glossary", type=FILE, help="Translations: a table of occupations with their equivalents.")
@click.option("--tagger", help="Translations: a spaCy model for nouns whose form and determiner tell no gender.")
@click.option("--beams", type=click.IntRange(1), default=1, show_default=True, help="translate: of the beam search.")
@click.option("--sheet", help="answers: which sheet of a workbook.")
@click.option("--by-order", is_flag=True, help="answers: in the order of the rows, without ids.")
@click.option("--baseline", metavar="NAME", help="No model: chance, first (first-2, first-3, first-k), unknown.")
def evaluate(dataset: str, out: Path | None, resamples: int, command_line: str | None, **given: Any) -> int:
    """Score a model on a dataset.

    DATASET is a bundled name, the folder of a dataset's sources, or the folder of a built one. A run that was
    stopped goes on when the same command is given again.
    """
    from .conduct import conduct
    from .processes import is_first
    from .ways import Options

    options = Options(command=command_line, **given)
    bar = Bar()
    try:
        run = conduct(dataset, options, out, resamples=resamples, progress=bar, notice=bar.notice)
    finally:
        bar.end()
    if is_first():
        show(run)
    return 0


class Bar:
    """A progress bar on standard error, where a person looks on; notices above it, a few a second at most."""

    def __init__(self) -> None:
        from time import monotonic

        self._clock, self._last, self._told = monotonic, 0.0, -10.0
        self._shown = sys.stderr.isatty()
        self._open = False

    def __call__(self, what: str, done: int, of: int) -> None:
        now = self._clock()
        if self._shown and (now - self._last > 0.1 or done == of):
            self._last, self._open = now, True
            filled = 30 * done // max(of, 1)
            click.echo(
                f"\r[{'#' * filled}{'-' * (30 - filled)}] {done:,}/{of:,} {what}"[:100] + "\033[K", err=True, nl=False
            )

    def notice(self, text: str) -> None:
        now = self._clock()
        if now - self._told > 5:
            self._told = now
            self.end()
            click.echo(text, err=True)

    def end(self) -> None:
        if self._open:
            self._open = False
            click.echo(err=True)


def show(run: Run) -> None:
    """The main figures, with intervals and counts, and the signature."""
    from .results import figures_of
    from .summary import lines

    for line in lines(figures_of(run), run):
        click.echo(line)


RUN = click.Path(path_type=Path, exists=True, file_okay=False)


@click.command()
@click.argument("runs", nargs=-1, required=True, type=RUN)
@click.option("--out", type=PATH, help="The page; by default report.html in the run's folder. For one run only.")
def report(runs: tuple[Path, ...], out: Path | None) -> None:
    """Write a page for each run, with its figures, pictures and examples, and its tables as CSV and LaTeX."""
    from .report import write_report
    from .run import open_run

    if out is not None and len(runs) > 1:
        raise click.UsageError("--out names one page; leave it out to write one into each run's folder")
    for folder in runs:
        for path in write_report(open_run(folder), out):
            click.echo(path)


@click.command()
@click.argument("runs", nargs=-1, required=True, type=RUN)
@click.option("--out", type=PATH, default=Path("comparison"), show_default=True, help="The folder to write to.")
def compare(runs: tuple[Path, ...], out: Path) -> None:
    """Write a page that compares runs: models, temperatures, and languages matched by concept; and its tables."""
    from .compare import write_comparison
    from .run import open_run

    if len(set(map(Path.resolve, runs))) < 2:
        raise click.UsageError("name two runs at least; `contrapar report` shows one")
    for path in write_comparison([open_run(folder) for folder in runs], out):
        click.echo(path)


@click.command()
@click.argument("paper", type=click.Choice(["sesgo"]))
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="How the figures are printed.",
)
def reproduce(paper: str, folder: Path, form: str) -> int:
    """Print a paper's published figures beside ours, from the answers in FOLDER; exit code 0 if all agree."""
    from .reproduce import main

    return main(paper, folder, form)
