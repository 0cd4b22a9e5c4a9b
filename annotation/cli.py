"""`contrapar survey`: ask the people whom a benchmark speaks of."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..builder.problems import Problem
    from .labelstudio import Server
    from .plan import Plan
    from .store import Store


@click.group()
def survey() -> None:
    """Ask the people a dataset speaks of, in Label Studio, and grade its stereotypes by what they say.

    In this order: plan, push, (people answer), status, pull, tiers, candidates, report.
    """


def _dataset(command: Callable[..., int | None]) -> Callable[..., int | None]:
    """The argument and options that every verb takes."""
    command = click.option(
        "--folder",
        type=click.Path(path_type=Path),
        help="Where this survey keeps its files [default: survey/NAME].",
    )(command)
    command = click.option("--name", help="Which survey of the dataset; a second round takes another name.")(command)
    return click.argument("dataset")(command)


def _server(command: Callable[..., int | None]) -> Callable[..., int | None]:
    command = click.option(
        "--timeout",
        type=click.FloatRange(min=0.1),
        default=120.0,
        show_default=True,
        help="Seconds for each call.",
    )(command)
    return click.option(
        "--url",
        envvar="LABEL_STUDIO_URL",
        default="http://127.0.0.1:8080",
        show_default=True,
        help="The server [or LABEL_STUDIO_URL]. The token comes from LABEL_STUDIO_API_KEY alone.",
    )(command)


@survey.command()
@_dataset
@click.option(
    "--built", type=click.Path(path_type=Path), help="The built dataset, for groups and examples [default: out/NAME]."
)
@click.option("--answers", type=click.IntRange(min=1), help="Answers wanted of each stereotype [or dataset.yaml].")
@click.option("--items", type=click.IntRange(min=1), help="Stereotypes a person is asked [or dataset.yaml].")
@click.option("--seed", type=int, default=0, show_default=True, help="Deals the stereotypes.")
def plan(
    dataset: str,
    name: str | None,
    folder: Path | None,
    built: Path | None,
    answers: int | None,
    items: int | None,
    seed: int,
) -> None:
    """Deal the stereotypes into blocks, one for each sitting; shows them and sends nothing."""
    from .plan import make_plan
    from .subjects import settings, subjects
    from .survey import forms_of

    place, id, store = _where(dataset, name, folder)
    known, called = settings(place), place.resolve().name
    usual = Path("out") / called
    made = make_plan(
        subjects(place, built or (usual if usual.is_dir() else None)),
        survey=id,
        dataset=called,
        language=known.survey.language or known.language,
        answers=answers or known.survey.answers,
        items=items or known.survey.items,
        seed=seed,
        sent=store.plan() if store.sent else None,
    )
    forms = forms_of(made, place, known)
    store.keep_plan(made)
    _columns([("block", "stereotypes", "answers")], made)
    click.echo(
        f"{made.stereotypes} stereotypes in {len(made.blocks)} blocks of at most {made.items};"
        f" {made.answers} people for each block, {made.answers * made.stereotypes} answers in all;"
        f" language {made.language}"
    )
    first = made.blocks[0].items[0]
    click.echo(f"The first question: {first.text}")
    for example in first.examples:
        click.echo(f"  for example: {example}")
    click.echo(f"{len(forms)} forms are ready; `contrapar survey push {dataset}` sends them")


def _columns(head: list[tuple[str, str, str]], made: Plan) -> None:
    lines = [*head, *((b.title, str(len(b.items)), str(made.answers * len(b.items))) for b in made.blocks)]
    width = max(len(line[0]) for line in lines)
    for line in lines:
        click.echo(f"{line[0]:<{width}}  {line[1]:>11}  {line[2]:>7}")


@survey.command()
@_dataset
@_server
def push(dataset: str, name: str | None, folder: Path | None, url: str, timeout: float) -> None:
    """Put the plan on the server: each project and task once, however often this is run or interrupted."""
    from . import survey as surveys
    from .subjects import settings

    place, _, store = _where(dataset, name, folder)
    made = store.need_plan()
    forms = surveys.forms_of(made, place, settings(place))
    with _connect(url, timeout) as server:
        surveys.push(server, made, forms, store, click.echo)
    click.echo(f"Invite people: {url.rstrip('/')} (Organization, Add Members gives a link to sign up by)")


@survey.command()
@_dataset
@_server
def status(dataset: str, name: str | None, folder: Path | None, url: str, timeout: float) -> None:
    """How many answers there are, of how many wanted, block by block."""
    from . import survey as surveys

    _, _, store = _where(dataset, name, folder)
    made = store.need_plan()
    with _connect(url, timeout) as server:
        lines = surveys.status(server, made)
    width = max(len(line.block.title) for line in lines)
    for line in lines:
        extra = f", {line.extra} more than wanted" if line.extra else ""
        absent = len(line.block.items) - line.tasks
        gone = f", {absent} tasks not on the server" if absent else ""
        click.echo(
            f"{line.block.title:<{width}}  {line.answers:>5} of {line.wanted:>5} answers,"
            f" {line.complete} of {len(line.block.items)} stereotypes done{extra}{gone}"
        )
    got, wanted = sum(line.answers for line in lines), sum(line.wanted for line in lines)
    click.echo(f"{got} of {wanted} answers")


@survey.command()
@_dataset
@_server
@click.option("--strict", is_flag=True, help="Exit with 1 where anything was left out.")
def pull(dataset: str, name: str | None, folder: Path | None, url: str, timeout: float, strict: bool) -> int:
    """Bring the answers back: checked, the latest of each person, and nobody's name."""
    from . import survey as surveys
    from .agreement import respondents
    from .answers import belonging, write_answers, write_proposals
    from .subjects import settings
    from .tables import write_table

    place, _, store = _where(dataset, name, folder)
    made = store.need_plan()
    forms = surveys.forms_of(made, place, settings(place))
    with _connect(url, timeout) as server:
        found = surveys.pull(server, made, forms, store, lambda line: click.echo(line, err=True))
    people = respondents(found.answers)
    write_answers(store.answers, found.answers)
    write_proposals(store.proposals, found.proposals)
    write_table(store.belonging, ("group", "respondents"), belonging(found.belong, made.identities))
    write_table(
        store.respondents,
        ("respondent", "answers", "median_seconds", "flags"),
        ((one.respondent, one.answers, one.median_seconds, one.flags) for one in people),
    )
    _tell(found.problems)
    click.echo(
        f"{len(found.answers)} answers of {len(people)} people, {len(found.proposals)} proposals; set aside:"
        f" {found.earlier} earlier answers, {found.skipped} skipped, {len(found.problems)} findings"
    )
    flagged = [one for one in people if one.flags]
    if flagged:
        click.echo(f"{len(flagged)} respondents answered all alike or too fast; see {store.respondents}")
    click.echo(str(store.answers))
    return int(strict and bool(found.problems))


@survey.command()
@_dataset
@click.option("--answers", type=click.Path(path_type=Path), multiple=True, help="Answers gathered elsewhere.")
@click.option("--counts", type=click.Path(path_type=Path), help="Counts gathered elsewhere: yes, no, unsure.")
@click.option("--out", type=click.Path(path_type=Path), help="Where to write [default: tiers.csv by the templates].")
@click.option("--least", type=click.IntRange(min=1), help="Answers of yes or no that a tier needs [or dataset.yaml].")
@click.option("--strict", is_flag=True, help="Exit with 1 where anything was left out.")
def tiers(
    dataset: str,
    name: str | None,
    folder: Path | None,
    answers: tuple[Path, ...],
    counts: Path | None,
    out: Path | None,
    least: int | None,
    strict: bool,
) -> int:
    """Grade the stereotypes by the answers, and write tiers.csv, which `build` joins to the rows."""
    from .agreement import agreements, write_agreements
    from .gathering import blocks_of, gather
    from .subjects import settings, subjects
    from .tiers import EXCLUDED, grade, named, write_tiers

    place, _, store = _where(dataset, name, folder)
    known = subjects(place)
    policy = settings(place).tiers
    if least:
        policy = policy.model_copy(update={"least_answers": least})
    given, tallies, problems = gather(store, known, answers, counts)
    _tell(problems)
    grades = [grade(one, policy) for one in tallies]
    path = out or place / "tiers.csv"
    write_tiers(path, grades, policy)
    for tier, words in (
        *((t, f"tier {t}") for t in "123"),
        (EXCLUDED, EXCLUDED),
        ("", "no tier: too few answers"),
    ):
        click.echo(f"{sum(one.tier == tier for one in grades):>6}  {words}")
    click.echo(f"policy: {named(policy)}")
    agreed = agreements(given, blocks_of(store)) if given else []
    beside = path.with_name("agreement.csv")
    if agreed:
        write_agreements(beside, agreed)
    else:
        beside.unlink(missing_ok=True)  # that of other answers would stand in the card of these tiers
    for line in agreed:
        shown = line.reason if line.alpha is None else f"{line.alpha:.3f}"
        click.echo(f"agreement {line.block}, {line.question}: alpha {shown} ({line.answers} answers)")
    click.echo(str(path))
    return int(strict and bool(problems))


@survey.command()
@_dataset
@click.option("--out", type=click.Path(path_type=Path), help="Where to write [default: candidates.csv in --folder].")
def candidates(dataset: str, name: str | None, folder: Path | None, out: Path | None) -> None:
    """What people said is missing, as stereotype rows to review; near-duplicates are marked."""
    from .answers import read_proposals
    from .candidates import candidates as found_in
    from .candidates import write_candidates
    from .gathering import pulled
    from .subjects import settings, subjects

    place, id, store = _where(dataset, name, folder)
    known = subjects(place)
    found = found_in(read_proposals(pulled(store.proposals)), known)
    path = out or store.candidates
    write_candidates(path, found, id, settings(place).language, known)
    near = sum(bool(one.near) for one in found)
    click.echo(f"{len(found)} candidates, {near} of them near to a stereotype that exists")
    click.echo(str(path))


@survey.command()
@_dataset
@click.option("--answers", type=click.Path(path_type=Path), multiple=True, help="Answers gathered elsewhere.")
@click.option("--counts", type=click.Path(path_type=Path), help="Counts gathered elsewhere: yes, no, unsure.")
@click.option("--out", type=click.Path(path_type=Path), help="Where to write [default: report.html in --folder].")
def report(
    dataset: str,
    name: str | None,
    folder: Path | None,
    answers: tuple[Path, ...],
    counts: Path | None,
    out: Path | None,
) -> None:
    """One page that shows what people said: shares, harm, agreement, coverage, proposals."""
    from .gathering import gather
    from .report import Findings, page
    from .subjects import settings, subjects
    from .tables import write_whole
    from .tiers import grade

    place, id, store = _where(dataset, name, folder)
    known, dataset_settings = subjects(place), settings(place)
    given, tallies, problems = gather(store, known, answers, counts)
    _tell(problems)
    grades = [grade(one, dataset_settings.tiers) for one in tallies]
    found = Findings.gather(id, dataset_settings, known, store.plan(), given, grades, store)
    path = out or store.report
    write_whole(path, page(found))
    click.echo(str(path))


# --- what the verbs share ---------------------------------------------------------------------------------


def _where(dataset: str, name: str | None, folder: Path | None) -> tuple[Path, str, Store]:
    """The dataset's folder, the survey's name, and where its files are."""
    from ..builder.problems import UsageError
    from ..builder.sources import dataset_folder
    from .store import Store

    place = dataset_folder(dataset)
    id = name or place.resolve().name
    if not id.replace("-", "").replace("_", "").replace(".", "").isalnum():
        raise UsageError(f"--name {id!r}: letters, digits, '-', '_' and '.' make a name")
    return place, id, Store(folder or Path("survey") / id)


def _connect(url: str, timeout: float) -> Server:
    from .labelstudio import Server

    return Server(url, timeout)


def _tell(problems: Iterable[Problem]) -> None:
    for problem in problems:
        click.echo(str(problem), err=True)
