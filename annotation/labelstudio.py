"""The only door to a Label Studio server: few calls, nothing sent twice on a guess, failures in one line."""

from __future__ import annotations

import functools
import os
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlsplit

from ..builder.problems import ContraparError, UsageError

TOKEN = "LABEL_STUDIO_API_KEY"
URL = "LABEL_STUDIO_URL"
_LOOKS = 30  # of a question that changes nothing, where answers get lost
_PAGE = 500
Found = TypeVar("Found")


class ServerError(ContraparError):
    """The server did not do what was asked; says so in one line, without token or cookie."""


class LostAnswerError(ServerError):
    """The line broke before the answer came: what was asked may or may not have been done."""


@dataclass(frozen=True)
class Project:
    """A project as the server has it. `answers` is how many it wants of each task."""

    id: int
    title: str
    description: str
    config: str
    answers: int


@dataclass(frozen=True)
class Task:
    """A task as the server has it, without who answered. `answers` is how many it has."""

    id: int
    data: dict[str, Any]
    answers: int


class Server:
    """A Label Studio server, spoken to with a token from the environment."""

    def __init__(self, url: str, timeout: float = 120.0) -> None:
        """`timeout` is in seconds, for each call. Raises UsageError or ServerError."""
        self.timeout = timeout
        self._token = _token()
        self.url = _address(url)
        with warnings.catch_warnings(action="ignore"):
            try:
                import httpx
                import label_studio_sdk
            except ImportError:
                raise UsageError("this needs Label Studio's client: pip install 'contrapar[survey]'") from None
        # a redirect is told and not followed: the token goes to the address that was given and to no other
        self._line = httpx.Client(timeout=timeout, follow_redirects=False)
        # the client would post again after a lost answer, and the server would import twice
        ready: Any = functools.partial(
            label_studio_sdk.LabelStudio, max_retries=0, timeout=timeout, httpx_client=self._line
        )
        try:
            self._client: Any = self._ask(lambda: ready(base_url=self.url, api_key=self._token), looks=1)
            person = self._ask(self._client.users.whoami)
            if not isinstance(getattr(person, "id", None), int):
                raise ServerError(f"{self.url}: what answers there is not Label Studio; look at the address")
        except ServerError:
            self._line.close()
            raise

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self._line.close()

    # --- looking: asked again where the answer was lost ---

    def projects(self) -> list[Project]:
        found = self._pages(
            lambda page: self._client.projects.list(
                page=page, page_size=100, include="id,title,description,label_config,maximum_annotations"
            ),
            "count",
        )
        return [
            Project(
                id=one.id,
                title=one.title or "",
                description=one.description or "",
                config=one.label_config or "",
                answers=one.maximum_annotations or 0,
            )
            for one in found
        ]

    def tasks(self, project: int) -> list[Task]:
        """All tasks of a project, by id. Who answered stays on the server."""
        found = self._pages(
            lambda page: self._client.tasks.list(
                project=project,
                page=page,
                page_size=_PAGE,
                fields="task_only",
                include="id,data,total_annotations",
            ),
            "total",
        )
        return sorted(
            (Task(one.id, dict(one.data or {}), one.total_annotations or 0) for one in found),
            key=lambda task: task.id,
        )

    def answered(self, project: int) -> list[dict[str, Any]]:
        """All tasks of a project with their annotations, as exported: who answered is in them, by id."""
        exported = self._ask(lambda: self._client.projects.exports.as_json(project))
        count = self._ask(lambda: self._client.projects.get(project)).task_number
        if not isinstance(exported, list) or not all(isinstance(task, dict) for task in exported):
            raise ServerError(f"{self.url}: project {project} was exported as something else than tasks")
        if count is not None and len(exported) < count:
            message = f"{len(exported)} of {count} tasks of project {project} came"
            raise ServerError(f"{self.url}: {message}; try again")
        return exported

    def names(self) -> set[str]:
        """What the server's users are called, so that it can be kept out; none where we may not ask."""
        try:
            users = list(self._ask(self._client.users.list))
        except LostAnswerError:
            raise
        except ServerError:
            return set()
        fields = ("username", "email", "first_name", "last_name")
        named = {str(getattr(user, field, None) or "") for user in users for field in fields}
        return {name for name in named if name.strip()}

    # --- changing: asked once; whoever calls looks whether it was done ---

    def create_project(self, title: str, description: str, config: str, instruction: str, answers: int) -> None:
        self._ask(
            lambda: self._client.projects.create(
                title=title,
                description=description,
                label_config=config,
                expert_instruction=instruction,
                show_instruction=True,
                maximum_annotations=answers,
                sampling="Uniform sampling",
                show_skip_button=True,
                enable_empty_annotation=False,
                show_collab_predictions=False,
            ),
            looks=1,
        )

    def want_answers(self, project: int, answers: int) -> None:
        """Sets how many answers each task is to have; the same when said twice."""
        self._ask(lambda: self._client.projects.update(id=project, maximum_annotations=answers))

    def add_tasks(self, project: int, tasks: Sequence[dict[str, str]]) -> None:
        request = [{"data": data} for data in tasks]
        self._ask(lambda: self._client.projects.import_tasks(id=project, request=request), looks=1)

    def delete_task(self, task: int) -> None:
        self._gone(lambda: self._client.tasks.delete(id=str(task)))

    def delete_project(self, project: int) -> None:
        self._gone(lambda: self._client.projects.delete(id=project))

    # --- how ---

    def _gone(self, call: Callable[[], object]) -> None:
        """Deleting what is gone already is no failure."""
        try:
            self._ask(call)
        except _AbsentError:
            return

    def _pages(self, call: Callable[[int], Any], total: str) -> list[Any]:
        """Each page by itself: the client's own pager takes a failure for the end."""
        found: dict[int, Any] = {}
        page = 1
        while True:
            answer = self._ask(functools.partial(call, page))
            items = list(answer.items or ())
            found |= {item.id: item for item in items}
            count = getattr(answer.response, total, None)
            if not isinstance(count, int):
                raise ServerError(f"{self.url}: answered something that is not Label Studio's; look at the address")
            if len(found) >= count:
                return list(found.values())
            if not items:
                raise ServerError(f"{self.url}: {len(found)} of {count} came; try again")
            page += 1

    def _ask(self, call: Callable[[], Found], looks: int = _LOOKS) -> Found:
        pause = 0.02
        while True:
            try:
                # the client warns of its own old ways, which nobody who runs a survey can mend
                with warnings.catch_warnings(action="ignore"):
                    return call()
            except Exception as error:  # whatever the client and the line below it raise, it is told in one line
                told = self._told(error)
            looks -= 1
            if not isinstance(told, LostAnswerError) or looks <= 0:
                # `from None`: the cause holds headers with the token and a cookie
                raise told from None
            time.sleep(pause)
            pause = min(pause * 1.5, 1.0)

    def _told(self, error: Exception) -> ServerError:
        import httpx
        from label_studio_sdk.core.api_error import ApiError

        where = self.url
        if isinstance(error, ApiError):
            return self._status(error.status_code or 0, error.body)
        if isinstance(error, httpx.ConnectTimeout | httpx.ReadTimeout | httpx.WriteTimeout | httpx.PoolTimeout):
            return ServerError(f"{where}: no answer within {self.timeout:g} seconds; is the server busy or hanging?")
        if isinstance(error, httpx.ConnectError):
            return ServerError(f"{where}: nothing answers there; is Label Studio running, and is this its address?")
        if isinstance(error, httpx.UnsupportedProtocol | httpx.InvalidURL | httpx.LocalProtocolError):
            return ServerError(f"{where}: cannot be asked; look at the address and at {TOKEN}")
        if isinstance(error, httpx.TransportError):
            return LostAnswerError(f"{where}: the line broke before the answer came; try again")
        return ServerError(
            f"{where}: answered something that is not Label Studio's ({type(error).__name__}); look at the address"
        )

    def _status(self, status: int, body: object) -> ServerError:
        where = self.url
        if status in (401, 403):
            return ServerError(
                f"{where}: the server refuses this token ({status}); copy it anew from Account & Settings into {TOKEN}"
            )
        if status == 404:
            return _AbsentError(f"{where}: no such thing there (404); look at the address, and whether it was deleted")
        if status in (502, 503, 504):
            return LostAnswerError(f"{where}: what stands before the server gave no answer ({status}); try again")
        if status >= 500:
            return ServerError(f"{where}: the server failed ({status}); its log says why")
        if not isinstance(body, dict):
            return ServerError(f"{where}: what answers there is not Label Studio ({status}); look at the address")
        detail = body.get("validation_errors") or body.get("detail") or ""
        words = " ".join(str(detail).split())[:200].replace(self._token, "...")
        return ServerError(f"{where}: refused ({status}): {words}")


class _AbsentError(ServerError):
    pass


def _token() -> str:
    token = os.environ.get(TOKEN, "")
    if not token:
        raise UsageError(f"set {TOKEN} to a token of your Label Studio (Account & Settings, Access Token)")
    if not token.isascii() or not token.isprintable() or " " in token:
        raise UsageError(f"{TOKEN} holds a line break, a space or a letter that no token has; set it anew")
    return token


def _address(url: str) -> str:
    """Without the slash at its end. A password in it would be written down with it, so there may be none."""
    try:
        parts = urlsplit(url.strip())
        plain = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        plain = False
        parts = urlsplit("")
    if not plain:
        raise UsageError(f"{URL} or --url is the server's address, such as http://127.0.0.1:8080")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise UsageError(f"the server's address holds more than host and path; the token goes into {TOKEN}")
    return url.strip().rstrip("/")


def doubles(tasks: Iterable[Task]) -> dict[str, list[Task]]:
    """Tasks that ask the same, by their key; those with most answers first, then the oldest."""
    found: dict[str, list[Task]] = {}
    for task in tasks:
        found.setdefault(str(task.data.get("key")), []).append(task)
    return {
        key: sorted(same, key=lambda task: (-task.answers, task.id)) for key, same in found.items() if len(same) > 1
    }
