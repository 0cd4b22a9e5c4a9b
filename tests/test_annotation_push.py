"""Sent once: whatever gets lost, comes late or is killed, on a server of the test's own making."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from contrapar.annotation import store as stores
from contrapar.annotation import survey as surveys
from contrapar.annotation.form import form, words
from contrapar.annotation.labelstudio import LostAnswerError, Project, Server, ServerError, Task
from contrapar.annotation.plan import Plan, make_plan
from contrapar.annotation.store import Store
from contrapar.annotation.subjects import Subject
from contrapar.builder.problems import ContraparError, UsageError


class KilledError(BaseException):
    """The process ends here."""


class Clock:
    """Time that passes only where somebody waits, and what is to happen then."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.later: list[tuple[float, Callable[[], None]]] = []

    def time(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        due = [one for one in self.later if one[0] <= self.now]
        self.later = [one for one in self.later if one[0] > self.now]
        for _, happen in due:
            happen()


class Moody:
    """A server that does what it is asked: at once, late or never, and says so or does not."""

    url = "http://server"

    def __init__(self, clock: Clock, chance: random.Random, killing: float) -> None:
        self.clock, self.chance, self.killing = clock, chance, killing
        self.made: dict[int, Project] = {}
        self.held: dict[int, dict[int, Task]] = {}
        self.sent = 0

    def _look(self) -> None:
        if self.chance.random() < self.killing / 4:
            raise KilledError

    def _change(self, effect: Callable[[], None]) -> None:
        self.sent += 1
        mood = self.chance.choice(["well", "well", "silent", "late", "never"])
        if mood in ("well", "silent"):
            effect()
        elif mood == "late":
            self.clock.later.append((self.clock.now + self.chance.uniform(0, 0.9 * surveys.SETTLE), effect))
        if self.chance.random() < self.killing:
            raise KilledError
        if mood != "well":
            raise LostAnswerError("lost")

    def projects(self) -> list[Project]:
        self._look()
        return list(self.made.values())

    def tasks(self, project: int) -> list[Task]:
        self._look()
        return list(self.held[project].values())

    def create_project(self, title: str, description: str, config: str, instruction: str, answers: int) -> None:
        def effect() -> None:
            number = len(self.made) + 1
            self.made[number] = Project(number, title, description, config, answers)
            self.held[number] = {}

        self._change(effect)

    def add_tasks(self, project: int, tasks: list[dict[str, Any]]) -> None:
        def effect() -> None:
            for data in tasks:
                number = sum(map(len, self.held.values())) + 1
                self.held[project][number] = Task(number, data, 0)

        self._change(effect)


PLAN = make_plan(
    [Subject(f"en/{group}/{n}", group, f"They are {n}.") for group in ("hats", "gloves") for n in range(5)],
    survey="hats",
    dataset="hats",
    language="en",
    answers=3,
    items=10,
)
FORMS = {block.key: form(words("en"), []) for block in PLAN.blocks}


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(surveys, "time", clock)
    monkeypatch.setattr(stores, "time", clock)
    monkeypatch.setattr(surveys, "BATCH", 2)
    return clock


@pytest.mark.parametrize("seed", range(60))
def test_there_is_one_of_each_whatever_happens(tmp_path: Path, clock: Clock, seed: int) -> None:
    chance = random.Random(seed)
    server = Moody(clock, chance, killing=0.3)
    killed = 0
    while True:
        try:
            surveys.push(cast(Server, server), PLAN, FORMS, Store(tmp_path), lambda line: None)
            break
        except KilledError:
            killed += 1
            clock.sleep(chance.uniform(0, 3))
            server.killing = 0.3 if killed < 10 else 0.0
    clock.sleep(10 * surveys.SETTLE)
    assert Counter(project.description for project in server.made.values()) == {block.mark: 1 for block in PLAN.blocks}
    keys = Counter(task.data["key"] for tasks in server.held.values() for task in tasks.values())
    assert keys == dict.fromkeys(PLAN.by_key(), 1)


def test_what_never_arrives_is_told_after_some_tries(tmp_path: Path, clock: Clock) -> None:
    server = Moody(clock, random.Random(0), killing=0.0)
    server._change = lambda effect: (_ for _ in ()).throw(LostAnswerError("lost"))  # type: ignore[method-assign]
    with pytest.raises(ContraparError, match="sent 20 times and never arrived"):
        surveys.push(cast(Server, server), PLAN, FORMS, Store(tmp_path), lambda line: None)


def test_two_pushes_from_one_folder_do_not_run_at_once(tmp_path: Path) -> None:
    pytest.importorskip("fcntl", reason="this system has no file locks of this kind")
    with Store(tmp_path).alone(), pytest.raises(UsageError, match="another push is running"), Store(tmp_path).alone():
        pass
    with Store(tmp_path).alone():
        pass


def test_a_key_that_others_can_read_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CONTRAPAR_SURVEY_KEY", raising=False)
    store = Store(tmp_path)
    key = store.key()
    assert store.key() == key
    assert len(key) == 64
    path = tmp_path / "respondents.key"
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(0o644)
    with pytest.raises(UsageError, match="chmod 600"):
        store.key()
    monkeypatch.setenv("CONTRAPAR_SURVEY_KEY", "k" * 32)
    assert store.key() == b"k" * 32
    monkeypatch.setenv("CONTRAPAR_SURVEY_KEY", "short")
    with pytest.raises(UsageError, match="too short"):
        store.key()


def door(**client: Any) -> Server:
    """The door with another client behind it."""
    server = Server.__new__(Server)
    server.url, server.timeout, server._token = "http://server", 1.0, "t" * 40
    server._client = SimpleNamespace(**client)
    return server


def pages(total: int, size: int, upto: int) -> Callable[..., Any]:
    """A list of `total` that gives empty pages after `upto`."""

    def listed(page: int, **_: Any) -> Any:
        first = (page - 1) * size
        items = [
            SimpleNamespace(id=n, data={"key": str(n)}, total_annotations=0)
            for n in range(first, min(first + size, upto))
        ]
        return SimpleNamespace(items=items, response=SimpleNamespace(total=total))

    return listed


def test_all_pages_come_or_it_is_told() -> None:
    pytest.importorskip("label_studio_sdk", reason="label-studio-sdk, of the extra survey, is not installed")
    whole = door(tasks=SimpleNamespace(list=pages(11_000, 100, 11_000)))
    assert len(whole.tasks(1)) == 11_000
    short = door(tasks=SimpleNamespace(list=pages(11_000, 100, 100)))
    with pytest.raises(ServerError, match="100 of 11000 came"):
        short.tasks(1)


def test_an_export_that_lacks_tasks_is_told() -> None:
    exports = SimpleNamespace(as_json=lambda project: [{"id": 1}] * 100)
    projects = SimpleNamespace(exports=exports, get=lambda project: SimpleNamespace(task_number=11_000))
    with pytest.raises(ServerError, match="100 of 11000 tasks of project 3 came"):
        door(projects=projects).answered(3)


def test_a_plan_reads_back_as_it_was_kept(tmp_path: Path) -> None:
    Store(tmp_path).keep_plan(PLAN)
    assert Store(tmp_path).plan() == PLAN
    assert isinstance(Store(tmp_path).need_plan(), Plan)
    assert (tmp_path / ".gitignore").read_text() == "*\n"
