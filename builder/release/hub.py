"""The one door to the Hugging Face Hub. What goes wrong comes back as one line without a token in it."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from ..problems import ContraparError, UsageError

KIND = "dataset"
BRANCH = "main"
_NAME = re.compile(r"[\w.-]+/[\w.-]+")
_VERSIONED = re.compile(r"([\w.-]+/[\w.-]+)@(v?\d+\.\d+\.\d+)")
Result = TypeVar("Result")


class Uncertain(ContraparError):
    """The connection broke or the server failed: what was asked may have been done."""


class Overtaken(ContraparError):
    """Somebody else has written meanwhile."""


class Exists(ContraparError):
    """What was to be made is there."""


@dataclass(frozen=True)
class Head:
    """The state of a repository: its last commit, the commit of each tag, and who may read it."""

    commit: str
    tags: Mapping[str, str]
    files: Sequence[str]
    private: bool
    gated: bool


def versioned(name: str) -> tuple[str, str] | None:
    """(`owner/name`, `v1.2.0`) of `owner/name@v1.2.0`; None where a name is none of a published version."""
    found = _VERSIONED.fullmatch(name)
    if found is None or Path(name).exists():
        return None
    return found[1], f"v{found[2].removeprefix('v')}"


class Repository:
    """A dataset's repository on the Hub that `HF_ENDPOINT` names, with the login of the client."""

    def __init__(self, name: str) -> None:
        from huggingface_hub import HfApi
        from huggingface_hub.utils.tqdm import disable_progress_bars

        if not _NAME.fullmatch(name):
            raise UsageError(f"--repo {name[:60]}: a repository is named owner/name")
        if not sys.stderr.isatty():
            disable_progress_bars()
        self.name = name
        self._api = HfApi(library_name="contrapar")

    def head(self) -> Head | None:
        """None where there is no such repository, or none that this login may see."""
        try:
            info = self._ask("read", lambda: self._api.dataset_info(self.name))
            refs = self._ask("read", lambda: self._api.list_repo_refs(self.name, repo_type=KIND))
        except _Missing:
            return None
        tags = {tag.name: tag.target_commit for tag in refs.tags}
        files = [file.rfilename for file in info.siblings or ()]
        return Head(str(info.sha), tags, files, bool(info.private), bool(info.gated))

    def create(self, private: bool) -> None:
        """Makes it where it is not there."""
        self._ask(
            "create", lambda: self._api.create_repo(self.name, repo_type=KIND, private=private or None, exist_ok=True)
        )

    def gate(self) -> None:
        """People must agree before they get the files."""
        self._ask("gate", lambda: self._api.update_repo_settings(self.name, repo_type=KIND, gated="auto"))

    def text(self, path: str, revision: str) -> str | None:
        """A small file; None where it is not there."""
        try:
            found = self._ask(
                "read", lambda: self._api.hf_hub_download(self.name, path, repo_type=KIND, revision=revision)
            )
        except _Missing:
            return None
        return Path(found).read_text(encoding="utf-8")

    def commit(self, files: Mapping[str, bytes | Path], gone: Sequence[str], message: str, parent: str) -> str:
        """All of these files in one commit after `parent`, and none of `gone`; its id. Overtaken, Uncertain."""
        from huggingface_hub import CommitOperationAdd, CommitOperationDelete

        def commit() -> Any:
            adding = [
                CommitOperationAdd(path_in_repo=path, path_or_fileobj=data if isinstance(data, bytes) else str(data))
                for path, data in sorted(files.items())
            ]
            return self._api.create_commit(
                self.name,
                [*adding, *(CommitOperationDelete(path_in_repo=path) for path in gone)],
                commit_message=message,
                repo_type=KIND,
                revision=BRANCH,
                parent_commit=parent,
            )

        return str(self._ask("commit", commit).oid)

    def tag(self, name: str, commit: str, message: str) -> None:
        """Exists where there is such a tag; Uncertain."""
        self._ask(
            "tag",
            lambda: self._api.create_tag(self.name, tag=name, tag_message=message, revision=commit, repo_type=KIND),
        )

    def folder(self, tag: str) -> Path:
        """The files of a version, in the client's cache: a built dataset as `build` writes it."""
        try:
            found = self._ask(
                "read",
                lambda: self._api.snapshot_download(
                    self.name, repo_type=KIND, revision=tag, allow_patterns=["manifest.json", "data/*"]
                ),
            )
        except _Missing:
            raise UsageError(
                f"{self.name}@{tag}: the Hub has no such dataset or version, or this login may not see it"
            ) from None
        return Path(found)

    def _ask(self, what: str, ask: Callable[[], Result]) -> Result:
        from huggingface_hub.errors import (
            EntryNotFoundError,
            HfHubHTTPError,
            HFValidationError,
            LocalEntryNotFoundError,
            RepositoryNotFoundError,
            RevisionNotFoundError,
        )

        try:
            return ask()
        except LocalEntryNotFoundError:  # the Hub could not be asked
            raise Uncertain(f"{self.name}: no answer from {endpoint()}") from None
        except (RepositoryNotFoundError, RevisionNotFoundError, EntryNotFoundError) as error:
            status = getattr(getattr(error, "response", None), "status_code", None)
            if status == 401 and what != "read":
                raise ContraparError(f"{self.name}: {_MENDS[401]}") from None
            if what == "read":
                raise _Missing(f"{self.name}: not there") from None
            raise ContraparError(f"{self.name}: there is no such repository, or this login may not see it") from None
        except HfHubHTTPError as error:
            raise self._told(what, error.response.status_code, str(error.server_message or "")) from None
        except ContraparError:
            raise
        except HFValidationError as error:
            raise UsageError(f"{self.name}: {' '.join(str(error).split())[:200]}") from None
        except (TypeError, AttributeError):
            raise
        except Exception as error:  # the client lets errors of its transports, and of nonsense, through
            raise Uncertain(f"{self.name}: no answer from {endpoint()} ({type(error).__name__})") from None

    def _told(self, what: str, status: int, said: str) -> ContraparError:
        said = " ".join(scrubbed(said).split())[:200]
        if status == 412 or (status == 409 and what == "commit"):
            return Overtaken(f"{self.name}: somebody else has written meanwhile")
        if status == 409:
            return Exists(f"{self.name}: it exists")
        if status == 429 or status >= 500:
            return Uncertain(f"{self.name}: the Hub answered {status} to {what}; try again later")
        mend = _MENDS.get(status, "")
        return ContraparError(f"{self.name}: the Hub answered {status} to {what}{f': {said}' if said else ''}{mend}")


class _Missing(ContraparError):
    """A repository, a version or a file that is not there."""


_MENDS = {
    401: "; log in with `hf auth login`, or set HF_TOKEN",
    403: "; this login may not write there",
    413: "; a file is too large for the Hub",
}


def endpoint() -> str:
    from huggingface_hub import constants

    return str(constants.ENDPOINT)


def scrubbed(text: str) -> str:
    """Without the login's token, or anything that looks like one."""
    token = os.environ.get("HF_TOKEN") or ""
    if token:
        text = text.replace(token, "...")
    return re.sub(r"hf_\w+", "...", text)


def features_yaml(schema: Any) -> list[dict[str, Any]]:
    """An Arrow schema as a card's `features`."""
    from datasets import Features

    listed: list[dict[str, Any]] = Features.from_arrow_schema(schema)._to_yaml_list()
    return listed
