"""A plan and a server: sent once however often it is sent, counted, and brought back."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..builder.problems import ContraparError, UsageError
from ..builder.schema import Dataset
from .admission import Gathered, admit, pseudonyms
from .form import OWN_WORDING, Form, differences, form, words
from .labelstudio import LostAnswerError, Project, Server, Task, doubles
from .plan import Block, Plan
from .store import Store

BATCH = 200
SETTLE = 10.0
"""Seconds that a server gets to finish what it was sent before that is held to be lost; a batch takes about one."""
TRIES = 20
Tell = Callable[[str], None]


@dataclass(frozen=True)
class Progress:
    """How far a block is. `answers` counts no more than are wanted of a task; `extra` are beyond that."""

    block: Block
    tasks: int
    answers: int
    wanted: int
    extra: int
    complete: int


def forms_of(plan: Plan, folder: Path, settings: Dataset) -> dict[str, Form]:
    """The form of each block, by its key. Raises SourceFaults where the survey's language has no words."""
    spoken = words(plan.language, folder / OWN_WORDING)
    return {
        block.key: form(
            spoken,
            plan.identities,
            help=settings.survey.help,
            warning=settings.content_warning,
            examples=any(item.examples for item in block.items),
        )
        for block in plan.blocks
    }


def push(server: Server, plan: Plan, forms: Mapping[str, Form], store: Store, tell: Tell) -> None:
    """Puts the plan on the server: each project and each task once. `forms` are by the key of a block.

    Nothing is sent before a look at what is there, and after a lost answer, or a crash, the server is given
    time to finish before it is looked at again. Raises ContraparError where something there is another's.
    """
    with store.alone():
        found = ours(server, plan)
        for block in plan.blocks:
            _refuse_other(server, block, found.get(block.key), forms[block.key])
        for number, block in enumerate(plan.blocks, 1):
            new = _push_block(server, plan, block, forms[block.key], store, found.get(block.key, []))
            tell(f"{number}/{len(plan.blocks)} {block.title}: {len(block.items)} tasks, {new} of them new")


def ours(server: Server, plan: Plan) -> dict[str, list[Project]]:
    """The server's projects of this plan, by the key of their block, the oldest first.

    Raises ContraparError where a project that is not ours has a title that one of ours would have.
    """
    marks = {block.mark: block for block in plan.blocks}
    titles = {block.title for block in plan.blocks}
    found: dict[str, list[Project]] = {}
    for project in sorted(server.projects(), key=lambda project: project.id):
        block = marks.get(project.description.strip())
        if block:
            found.setdefault(block.key, []).append(project)
        elif project.title in titles:
            raise ContraparError(
                f"{server.url}: project {project.id} is called {project.title!r} and is not of this survey;"
                " rename it, or plan with another --name"
            )
    return found


def _refuse_other(server: Server, block: Block, there: list[Project] | None, form: Form) -> None:
    for project in there or ():
        unlike = differences(project.config, form.config)
        if unlike:
            raise ContraparError(
                f"{server.url}: project {project.id} ({project.title}) asks something else:"
                f" {'; '.join(unlike)}; it was not touched;"
                " put its labelling interface back, or plan with another --name"
            )


def _push_block(server: Server, plan: Plan, block: Block, form: Form, store: Store, there: list[Project]) -> int:
    """Returns how many tasks were new."""

    def projects() -> list[Project]:
        return ours(server, plan).get(block.key, [])

    def create() -> None:
        server.create_project(block.title, block.mark, form.config, form.instruction, plan.answers)

    if not there:
        _send_once(create, lambda: bool(projects()), store, block.key)
        there = projects()
    project = _single(server, block, there)
    if project.answers != plan.answers:
        server.want_answers(project.id, plan.answers)
    wanted = {item.key: item for item in block.items}
    tasks = server.tasks(project.id)
    missing = [key for key in wanted if key not in _keys(tasks)]
    for start in range(0, len(missing), BATCH):
        batch = missing[start : start + BATCH]

        def arrived(batch: list[str] = batch) -> bool:
            return not set(batch) - _keys(server.tasks(project.id))

        def send(batch: list[str] = batch) -> None:
            server.add_tasks(project.id, [wanted[key].data(plan.survey, block.group) for key in batch])

        _send_once(send, arrived, store, f"{block.key} {batch[0]}")
    _merge(server, server.tasks(project.id) if missing else tasks, wanted)
    return len(missing)


def _send_once(send: Callable[[], None], arrived: Callable[[], bool], store: Store, key: str) -> None:
    """Sends what was looked for and not found, and no second time before the first had its time to arrive.

    That first time may have been another push, which was killed: the store knows when.
    """
    for _ in range(TRIES):
        pause = 0.1
        while (left := SETTLE - store.sent_ago(key)) > 0:
            if arrived():
                return
            time.sleep(min(pause, left))
            pause *= 2
        if store.sent_ago(key) < float("inf") and arrived():
            return
        store.sending(key)
        try:
            send()
        except LostAnswerError:
            continue
        return
    raise ContraparError(f"sent {TRIES} times and never arrived; is something between you and the server?")


def _keys(tasks: Iterable[Task]) -> set[str]:
    return {str(task.data.get("key")) for task in tasks}


def _single(server: Server, block: Block, there: list[Project]) -> Project:
    """One project of those with the same key: two pushes from two places may have made one each."""
    if len(there) == 1:
        return there[0]
    answered = {project.id: sum(task.answers for task in server.tasks(project.id)) for project in there}
    keep = min(there, key=lambda project: (-answered[project.id], project.id))
    for project in there:
        if project.id == keep.id:
            continue
        if answered[project.id] or _keys(server.tasks(project.id)) - {item.key for item in block.items}:
            raise ContraparError(
                f"{server.url}: projects {keep.id} and {project.id} are both {block.title!r}, and both hold"
                " answers or tasks of their own; decide which is right and delete the other"
            )
        server.delete_project(project.id)
    return keep


def _merge(server: Server, tasks: Iterable[Task], wanted: Mapping[str, object]) -> None:
    """Of tasks that ask the same, the one with answers stays; others go if nobody has answered them."""
    for key, same in doubles(tasks).items():
        for task in same[1:]:
            if key in wanted and not task.answers:
                server.delete_task(task.id)


def status(server: Server, plan: Plan) -> list[Progress]:
    """How far each block is. A block that is not on the server has no tasks."""
    found = ours(server, plan)
    lines = []
    for block in plan.blocks:
        keys = {item.key for item in block.items}
        counts: dict[str, int] = {}
        for project in found.get(block.key, ()):
            for task in server.tasks(project.id):
                key = str(task.data.get("key"))
                if key in keys:
                    counts[key] = counts.get(key, 0) + task.answers
        answers = sum(min(count, plan.answers) for count in counts.values())
        lines.append(
            Progress(
                block=block,
                tasks=len(counts),
                answers=answers,
                wanted=plan.answers * len(block.items),
                extra=sum(counts.values()) - answers,
                complete=sum(count >= plan.answers for count in counts.values()),
            )
        )
    return lines


def pull(server: Server, plan: Plan, forms: Mapping[str, Form], store: Store, tell: Tell) -> Gathered:
    """All answers of the plan's projects, made safe. Raises ContraparError where nothing was pushed."""
    found = ours(server, plan)
    if not found:
        raise UsageError(f"{server.url}: nothing of this survey is there; `contrapar survey push` puts it there")
    names = server.names()
    tasks: dict[str, list[dict[str, Any]]] = {}
    for number, block in enumerate(plan.blocks, 1):
        for project in found.get(block.key, ()):
            for unlike in differences(project.config, forms[block.key].config):
                tell(f"{block.title}: its labelling interface was changed: {unlike}")
            tasks[block.key] = [*tasks.get(block.key, ()), *server.answered(project.id)]
            tell(f"{number}/{len(plan.blocks)} {block.title}: {len(tasks[block.key])} tasks read")
    return admit(plan, tasks, pseudonyms(store.key()), names)
