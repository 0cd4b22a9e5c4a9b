"""The verbs. Each imports what it needs when it runs, so that help answers at once."""

from __future__ import annotations

import importlib
import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from ._version import __version__

if TYPE_CHECKING:
    from .builder.build import Built
    from .builder.problems import Problem

FORMATS = click.Choice(["text", "json", "github"])
# verbs that other rooms bring: name -> module and the command in it
ELSEWHERE = {
    "survey": "contrapar.annotation.cli:survey",
    "evaluate": "contrapar.evaluate.cli:evaluate",
    "report": "contrapar.evaluate.cli:report",
    "compare": "contrapar.evaluate.cli:compare",
    "reproduce": "contrapar.evaluate.cli:reproduce",
    "import": "contrapar.builder.imports:import_",
    "export": "contrapar.cli_export:export",
    "sample": "contrapar.cli_sample:sample",
    "diff": "contrapar.builder.release.cli:diff",
    "publish": "contrapar.builder.release.cli:publish",
}


class Verbs(click.Group):
    """Finds the verbs of other rooms, suggests a near miss, and turns our errors into one line."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *ELSEWHERE})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name in ELSEWHERE:
            module, _, name = ELSEWHERE[cmd_name].partition(":")
            command: click.Command = getattr(importlib.import_module(module), name)
            return command
        return super().get_command(ctx, cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            from .builder.problems import nearest

            raise click.UsageError(f"there is no verb {args[0]!r}; {nearest(args[0], self.list_commands(ctx))}", ctx)
        return super().resolve_command(ctx, args)


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="contrapar")
def cli() -> None:
    """Templates and lexicons in, checked bias benchmarks out.

    DATASET is the name of a bundled dataset, or the path of a folder of your own.
    """


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Runs a verb. Exit code 0: clean; 1: faults were found; 2: wrong use."""
    from .builder.problems import ContraparError, SourceFaults, UsageError

    try:
        given = list(arguments) if arguments is not None else None
        code = cli.main(args=given, prog_name="contrapar", standalone_mode=False)
    except SourceFaults as faults:
        tell(faults.problems, "text")
        code = 1
    except ContraparError as error:
        click.echo(f"contrapar: {error}", err=True)
        code = 2 if isinstance(error, UsageError) else 1
    except click.ClickException as error:
        where = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else "contrapar"
        message = error.format_message()
        click.echo(message if message.startswith("Usage:") else f"{where}: {message}", err=True)
        code = 2
    except (click.Abort, KeyboardInterrupt):
        click.echo("contrapar: stopped", err=True)
        code = 130
    except ModuleNotFoundError as error:
        extras = {"torch": "local", "transformers": "local", "openai": "endpoint", "label_studio_sdk": "survey",
                  "krippendorff": "survey", "datasets": "hub", "huggingface_hub": "hub"}  # fmt: skip
        if (error.name or "").split(".")[0] not in extras:
            raise
        extra = extras[(error.name or "").split(".")[0]]
        click.echo(f"contrapar: this needs {error.name}; pip install 'contrapar[{extra}]'", err=True)
        code = 2
    except BrokenPipeError:
        sys.stderr.close()
        code = 0
    except OSError as error:
        click.echo(f"contrapar: {error.filename or ''}: {error.strerror or error}", err=True)
        code = 2
    sys.exit(code if isinstance(code, int) else 0)


def tell(problems: list[Problem], form: str) -> None:
    """Faults on standard output: a line each, or one JSON list."""
    if form == "json":
        click.echo(json.dumps([problem.as_dict() for problem in problems], ensure_ascii=False, indent=2))
    else:
        for problem in problems:
            click.echo(problem.as_github() if form == "github" else str(problem))


def exit_code(problems: list[Problem], strict: bool) -> int:
    """1 where something is wrong; a note is only told."""
    return int(any(problem.severity == "error" or (strict and problem.severity == "warning") for problem in problems))


class Bar:
    """A progress bar on standard error that appears after a second, and only where a person looks on."""

    def __init__(self, label: str) -> None:
        from time import monotonic

        self._label, self._clock, self._start = label, monotonic, monotonic()
        self._shown = sys.stderr.isatty()

    def __call__(self, what: str, done: int, of: int) -> None:
        if self._shown and self._clock() - self._start > 1:
            filled = 30 * done // max(of, 1)
            line = f"{self._label} [{'#' * filled}{'-' * (30 - filled)}] {done}/{of} {what}"
            end = "\n" if done == of else ""
            click.echo(f"\r{line[:100]:<100}{end}", err=True, nl=False)


dataset_argument = click.argument("dataset")
format_option = click.option("--format", "form", type=FORMATS, default="text", help="How faults are told.")
strict_option = click.option("--strict", is_flag=True, help="Warnings count as errors.")


@cli.command()
@click.argument("datasets", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Every bundled dataset.")
@click.option("--thorough", is_flag=True, help="Look at spelling, style and contrasts too, as an editor would.")
@strict_option
@format_option
def check(datasets: tuple[str, ...], everything: bool, thorough: bool, strict: bool, form: str) -> int:
    """Tell what is wrong with a dataset, and where, and how many rows it will give."""
    from .builder.build import check as run
    from .builder.problems import SourceFaults

    problems: list[Problem] = []
    for name in _named(datasets, everything):
        try:
            chain = run(name, Bar(f"checking {name}"), thorough=thorough)
        except SourceFaults as faults:
            problems += faults.problems
            continue
        problems += chain.problems(complete=True)
        if form == "text":
            for plan in chain.plans:
                rows = chain.templates.get(plan.written.model.id)
                if rows is not None:
                    click.echo(f"{plan.written.model.id}: {rows:,} rows; {plan.explanation()}")
    tell(problems, form)
    if form == "text":
        found = Counter(problem.severity for problem in problems)
        told = f"{_many(found['error'], 'error')}, {_many(found['warning'], 'warning')}"
        click.echo(told + (f", {_many(found['note'], 'note')}" if thorough else ""))
    return exit_code(problems, strict)


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _named(datasets: tuple[str, ...], everything: bool) -> list[str]:
    from .builder.sources import bundled_datasets

    if bool(datasets) == everything:
        raise click.UsageError("name a dataset, or give --all")
    return bundled_datasets() if everything else list(datasets)


@cli.command()
@click.argument("datasets", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="Every bundled dataset.")
@click.option("--out", type=click.Path(path_type=Path), help="Where to; by default out/DATASET.")
@click.option("--tier", "tiers", help="Only stereotypes of these tiers, such as 1 or 1,2.")
@click.option("--preview/--no-preview", default=True, help="Write a page to look at beside the data.")
@strict_option
@format_option
def build(
    datasets: tuple[str, ...],
    everything: bool,
    out: Path | None,
    tiers: str | None,
    preview: bool,
    strict: bool,
    form: str,
) -> int:
    """Check a dataset and write it as Parquet, with a manifest and a page to look at.

    A published version, such as owner/name@v1.2.0, is fetched as it was released.
    """
    from .builder.build import build as run
    from .builder.problems import SourceFaults
    from .builder.release.locate import fetch

    names = _named(datasets, everything)
    wanted = tiers_of(tiers)
    built: list[Built] = []
    named: list[str] = []
    faulty: list[Problem] = []
    for name in names:
        target = out / Path(name).name if out and len(names) > 1 else out
        try:
            published = fetch(name, target)
            if published and wanted:
                raise click.UsageError(f"--tier cuts sources; `contrapar export {name} --tier {tiers}` cuts a version")
            one = published or run(name, target, strict=strict, tiers=wanted, progress=Bar(f"building {name}"))
            built.append(one)
            named.append(str(one.folder) if published else name)
        except SourceFaults as faults:
            faulty += faults.problems
    problems = faulty + [problem for one in built for problem in one.problems]
    tell(problems, form)
    if form == "text":
        if built:
            click.echo(f"{'dataset':<16} {'rows':>10} {'stereotypes':>11} {'findings':>8} {'seconds':>8}  folder")
        for one in built:
            manifest = one.manifest
            click.echo(
                f"{manifest['dataset']:<16} {manifest['rows']:>10,} {manifest['stereotypes']:>11,}"
                f" {len(one.problems):>8,} {one.seconds:>8.2f}  {one.folder}"
            )
        if preview and built:
            click.echo(f"look at it: {_previews(named, built)}")
    return 1 if faulty else 0


def _previews(names: list[str], built: list[Built]) -> Path:
    from .builder.preview import write_index, write_preview

    pages = []
    for name, one in zip(names, built, strict=True):
        page = write_preview(name, one.folder / "preview.html", problems=one.problems)
        pages.append((str(one.manifest["dataset"]), page, one.manifest))
    return pages[0][1] if len(pages) == 1 else write_index(pages)


def tiers_of(text: str | None) -> list[int]:
    if not text:
        return []
    try:
        found = sorted({int(part) for part in text.split(",")})
    except ValueError:
        found = [0]
    if not set(found) <= {1, 2, 3}:
        raise click.UsageError(f"--tier {text}: tiers are 1, 2 and 3, such as --tier 1,2")
    return found


@cli.command()
@dataset_argument
@click.option("--out", type=click.Path(path_type=Path), help="The page; by default out/DATASET/preview.html.")
@click.option("--rows", type=click.IntRange(1), default=2000, show_default=True, help="At most so many rows.")
def preview(dataset: str, out: Path | None, rows: int) -> None:
    """Write one page that shows a dataset's rows, what differs in them, and what is wrong."""
    from .builder.preview import write_preview
    from .builder.sources import dataset_folder

    built = Path(dataset) if (Path(dataset) / "manifest.json").is_file() else None
    page = out or (built or Path("out") / dataset_folder(dataset).resolve().name) / "preview.html"
    click.echo(write_preview(dataset, page, rows=rows, progress=Bar(f"previewing {dataset}")))


@cli.group()
def new() -> None:
    """Begin a dataset, a stereotype, a lexicon or a language: a commented skeleton."""


def _made(paths: list[Path]) -> None:
    from .builder.scaffold import next_steps

    for path in paths:
        click.echo(f"wrote {path}")
    for line in next_steps(paths):
        click.echo(line)


@new.command("dataset")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--family", default="qa", show_default=True, help="What a row is; `contrapar schema dataset` lists them.")
@click.option("--language", default="en", show_default=True, help="A language code, such as es or es-CO.")
@click.option("--name", help="The dataset's name; by default the folder's.")
@click.option("--title", help="Its title.")
def new_dataset(folder: Path, family: str, language: str, name: str | None, title: str | None) -> None:
    """A folder of your own, with a dataset that is ready to be filled."""
    from .builder.scaffold import new_dataset as make

    _made(make(folder, name=name, family=family, language=language, title=title))


@new.command("stereotype")
@dataset_argument
@click.argument("id")
def new_stereotype(dataset: str, id: str) -> None:
    """A row of stereotypes.csv and a template for it. ID is such as es/race/unreliable."""
    from .builder.scaffold import new_stereotype as make

    _made(make(dataset, id))


@new.command("lexicon")
@click.argument("kind")
@click.option("--language", help="A language code; by default the dataset's.")
@click.option("--dataset", help="The dataset that it is for.")
def new_lexicon(kind: str, language: str | None, dataset: str | None) -> None:
    """A table of a KIND, such as identities, names or predicates, with its columns."""
    from .builder.scaffold import new_lexicon as make

    _made(make(kind, language, dataset))


@new.command("language")
@click.argument("code")
@click.option("--dataset", help="The dataset that it is for.")
def new_language(code: str, dataset: str | None) -> None:
    """The lexicons that a language needs first. CODE is such as pt or pt-BR."""
    from .builder.scaffold import new_language as make

    _made(make(code, dataset))


@cli.command()
@click.argument("kind", required=False)
def schema(kind: str | None) -> None:
    """Print the JSON Schema of a kind of source file, or list the kinds."""
    from .builder.json_schema import KINDS, schema_of

    if kind is None:
        for name in KINDS:
            click.echo(name)
    else:
        click.echo(json.dumps(schema_of(kind), ensure_ascii=False, indent=2))


@cli.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--family", help="What a row is: pairs or qa; by default told from the columns.")
@click.option("--map", "maps", multiple=True, metavar="THEIRS=OURS", help="A column's name in our terms.")
@click.option("--language", help="Of the text; by default told from the rows or their words.")
@format_option
def audit(files: tuple[Path, ...], family: str | None, maps: tuple[str, ...], language: str | None, form: str) -> int:
    """Tell what is wrong with benchmarks made elsewhere: CSV, JSONL, XLSX or Parquet."""
    from .builder.audit import audit_command

    return audit_command(files, family, maps, language, form, Bar("auditing"))
