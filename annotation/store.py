"""The folder of one survey: its plan, what was sent, what came back, and the key that hides who said it."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from ..builder.problems import Place, Problem, SourceFaults, UsageError
from .plan import Plan
from .tables import text_of, write_whole

KEY = "CONTRAPAR_SURVEY_KEY"


@dataclass(frozen=True)
class Store:
    """Where a survey keeps its files. Git is told to leave them all alone: small groups can be recognised."""

    folder: Path

    @property
    def answers(self) -> Path:
        return self.folder / "answers.csv"

    @property
    def proposals(self) -> Path:
        return self.folder / "proposals.csv"

    @property
    def belonging(self) -> Path:
        return self.folder / "belonging.csv"

    @property
    def respondents(self) -> Path:
        return self.folder / "respondents.csv"

    @property
    def candidates(self) -> Path:
        return self.folder / "candidates.csv"

    @property
    def report(self) -> Path:
        return self.folder / "report.html"

    @property
    def _plan(self) -> Path:
        return self.folder / "plan.json"

    @property
    def _journal(self) -> Path:
        return self.folder / "push.json"

    def prepare(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        ignore = self.folder / ".gitignore"
        if not ignore.exists():
            write_whole(ignore, "*\n")

    def plan(self) -> Plan | None:
        """The plan, if there is one. Raises SourceFaults where it cannot be read."""
        if not self._plan.is_file():
            return None
        try:
            return Plan.model_validate_json(text_of(self._plan))
        except ValidationError as error:
            detail = error.errors(include_url=False)[0]
            message = f"{'.'.join(map(str, detail['loc']))}: {detail['msg']}"
            mend = "`contrapar survey plan` makes it; it is not for editing"
            raise SourceFaults([Problem(Place(str(self._plan)), "plan", message, mend)]) from None

    def need_plan(self) -> Plan:
        plan = self.plan()
        if plan is None:
            raise UsageError(f"{self.folder}: there is no plan yet; `contrapar survey plan` makes one")
        return plan

    def keep_plan(self, plan: Plan) -> None:
        self.prepare()
        write_whole(self._plan, plan.model_dump_json(indent=1) + "\n")

    @property
    def sent(self) -> bool:
        """Whether anything was sent yet; before that a plan can be made anew."""
        return self._journal.is_file()

    def sending(self, key: str) -> None:
        """Notes what is about to be sent and when, so that whoever goes on after a crash gives it time."""
        self.prepare()
        write_whole(self._journal, json.dumps(self._sent() | {key: time.time()}, indent=1) + "\n")

    def sent_ago(self, key: str) -> float:
        """Seconds since it was last sent; without bound if it never was."""
        when = self._sent().get(key)
        return float("inf") if when is None else max(0.0, time.time() - when)

    def _sent(self) -> dict[str, float]:
        if not self._journal.is_file():
            return {}
        try:
            found = json.loads(text_of(self._journal))
            return {str(key): float(when) for key, when in found.items()}
        except (ValueError, AttributeError, TypeError):
            return {}

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Nobody else pushes from this folder. The lock ends with the process, however that ends."""
        self.prepare()
        with (self.folder / ".lock").open("w") as file:
            try:
                import fcntl
            except ImportError:  # Windows: the server is looked at before each send all the same
                yield
                return
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise UsageError(f"{self.folder}: another push is running; wait for it") from None
            yield

    def key(self) -> bytes:
        """What respondents are hashed with: from the environment, or a file that only its owner reads.

        It is kept, so that a person who answers again is known again and counts once. Whoever deletes it can
        tie no later answer to an earlier one, and no answer to an account.
        """
        given = os.environ.get(KEY)
        if given:
            if len(given) < 16:
                raise UsageError(f"{KEY} is too short to hide anybody; take 32 random letters")
            return given.encode()
        self.prepare()
        path = self.folder / "respondents.key"
        with contextlib.suppress(FileExistsError):
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "w") as file:
                file.write(secrets.token_hex(32) + "\n")
        if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & 0o077:
            raise UsageError(f"{path}: others can read it; chmod 600 {path}")
        key = path.read_text().strip()
        if len(key) < 16:
            raise UsageError(f"{path}: holds no key; delete it, and a new one is made")
        return key.encode()
