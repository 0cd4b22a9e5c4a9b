"""A release: everything checked and ready in a folder, then one commit guarded by its parent, then one tag.

Killed or cut off anywhere and repeated, it is the same release, once: a version that is there as a whole is
recognised by its manifest, and a commit that lacks its tag gets it.
"""

from __future__ import annotations

import json
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..build import build
from ..chain import Progress, quiet
from ..families import TEMPLATE_MODELS
from ..problems import ContraparError, Problem, SourceFaults, UsageError
from ..sources import read_sources
from ..tables import file_sha256, read_schema
from . import card as cards
from . import refusals
from .configs import Config, write_configs
from .diff import Difference, lines
from .hub import Exists, Head, Overtaken, Repository, Uncertain, features_yaml
from .manifest import MANIFEST

ATTEMPTS = 5
WAIT = 1.0  # seconds before the second attempt; doubled before each further one
GRACE = 3.0  # seconds that another's commit is given to get its tag
CARD, CHANGELOG = "README.md", "CHANGELOG.md"
REVISION = "source_revision"
Notice = Callable[[str], None]


@dataclass(frozen=True)
class Release:
    """What a release would send: path -> bytes or a file."""

    version: str
    files: Mapping[str, bytes | Path]
    configs: list[Config]
    difference: Difference | None

    @property
    def tag(self) -> str:
        return f"v{self.version}"

    @property
    def manifest(self) -> bytes:
        found = self.files[MANIFEST]
        assert isinstance(found, bytes)
        return found

    def listing(self) -> Iterator[str]:
        """A line a file, then the text of those that are text: exactly what is sent."""
        for path, data in sorted(self.files.items()):
            size = len(data) if isinstance(data, bytes) else data.stat().st_size
            yield f"{size:>12,}  {path}"
        for path, data in sorted(self.files.items()):
            if isinstance(data, bytes):
                yield from ("", f"--- {path}", data.decode())


@contextmanager
def prepared(name: str, repository: Repository, head: Head | None, progress: Progress = quiet) -> Iterator[Release]:
    """Builds, compares with the last version, and makes every file. Raises SourceFaults with all that forbids it."""

    sources = read_sources(name, TEMPLATE_MODELS)
    problems = [*refusals.unfit(sources), *refusals.dirty(sources)]
    with tempfile.TemporaryDirectory(prefix="contrapar-") as folder:
        work = Path(folder)
        try:
            built = build(name, work / "built", strict=True, progress=progress)
        except SourceFaults as faults:
            told = {problem.place for problem in problems}  # as what forbids a release, and not as a finding too
            rest = {p for p in faults.problems if p.code != "incomplete-dataset" or p.place not in told}
            raise SourceFaults(sorted({*problems, *rest})) from None
        version = str(built.manifest["version"])
        last, found, wrong = refusals.since(repository, head, built.folder, sources, version)
        problems += wrong
        if problems:
            raise SourceFaults(sorted(set(problems)))
        about = {key: str(built.manifest[key]) for key in ("canary", "content_warning", "dataset")}
        configs = write_configs(built.folder, about, work / "subsets")
        changelog = _changelog(version, found, repository, head, last)
        manifest = {
            **built.manifest,
            REVISION: refusals.revision(sources),
            "configs": {c.name: c.rows for c in configs},
        }
        files: dict[str, bytes | Path] = {}
        for config in configs:
            for path in config.files:
                files[path] = (built.folder if path.startswith("data/") else work / "subsets") / path
        manifest["files"] = {path: file_sha256(Path(str(file))) for path, file in sorted(files.items())}
        features = features_yaml(read_schema(built.folder))
        text = cards.card(sources, manifest, built.folder, configs, features, repository.name, changelog)
        files[MANIFEST] = (json.dumps(manifest, ensure_ascii=False, indent=2, sort_keys=True) + "\n").encode()
        files[CARD], files[CHANGELOG] = text.encode(), changelog.encode()
        release = Release(version, files, configs, found)
        if head and release.tag in head.tags and not _same(release, repository, head.tags[release.tag]):
            message = f"version {version} is released, and is not what the sources give now"
            mend = "write the next version: `contrapar diff` tells which follows"
            raise SourceFaults([Problem(sources.dataset.place("version"), "version", message, mend)])
        yield release


def publish(
    name: str,
    repository: Repository,
    *,
    private: bool = False,
    gated: bool = False,
    progress: Progress = quiet,
    notice: Notice = lambda text: None,
) -> str:
    """Releases the dataset's version; what was done, in one line. Nothing is sent unless everything holds."""
    overtaken = False
    for attempt in range(ATTEMPTS):
        if attempt:
            time.sleep(WAIT * 2 ** (attempt - 1))
        try:
            head = repository.head()
            if head and private:
                _check_private(head, repository)
            with prepared(name, repository, head, progress) as release:
                if head is None:
                    head = _made(repository, private)
                if gated and not head.gated:  # before any data are there, or they could be had without agreeing
                    repository.gate()
                return _send(release, repository, head, overtaken)
        except (Overtaken, Uncertain) as error:  # look again at what is there, from a fresh head
            overtaken = overtaken or isinstance(error, Overtaken)
            if attempt == ATTEMPTS - 1:
                raise ContraparError(f"{error}; repeat the command, which finishes what was begun") from None
            notice(f"{error}; trying again")
    raise AssertionError("unreachable")


def _made(repository: Repository, private: bool) -> Head:
    """A new repository. Uncertain where it holds versions after all, of which `prepared` did not know."""
    repository.create(private)
    head = repository.head()
    if head is None:
        raise ContraparError(f"{repository.name}: made, but this login may not see it")
    if head.tags:
        raise Uncertain(f"{repository.name}: was not there, and is now")
    if private:
        _check_private(head, repository)
    return head


def _check_private(head: Head, repository: Repository) -> None:
    if not head.private:
        raise UsageError(
            f"--private: {repository.name} is there and is public; make it private on the Hub, or leave --private out"
        )


def _send(release: Release, repository: Repository, head: Head, overtaken: bool) -> str:
    if done := _already(release, repository, head):
        return done
    if _version(repository, head.commit) == release.version:
        if overtaken:
            raise _beaten(release, repository)
        _yield(release, repository)
    gone = [path for path in head.files if path.endswith(".parquet") and path not in release.files]
    commit = repository.commit(release.files, gone, f"Release {release.tag}", head.commit)
    return _tag(release, repository, commit)


def _tag(release: Release, repository: Repository, commit: str) -> str:
    try:
        repository.tag(release.tag, commit, f"Release {release.tag}")
    except Exists:
        head = repository.head()
        if head is None or head.tags.get(release.tag) != commit:
            raise _beaten(release, repository) from None
    return f"released {repository.name}@{release.tag}"


def _yield(release: Release, repository: Repository) -> None:
    """The last commit is another release of this version and has no tag: one that was abandoned, unless it gets it."""
    threading.Event().wait(GRACE)
    head = repository.head()
    if head is None or release.tag in head.tags:
        raise _beaten(release, repository)


def _beaten(release: Release, repository: Repository) -> ContraparError:
    return ContraparError(
        f"{repository.name}: somebody else has released {release.tag} meanwhile; write the next version"
    )


def _version(repository: Repository, commit: str) -> str:
    """Which version a commit's manifest names; '' where it has none."""
    text = repository.text(MANIFEST, commit)
    return str(json.loads(text).get("version", "")) if text else ""


def _already(release: Release, repository: Repository, head: Head) -> str:
    """Finishes, or recognises, the same release begun before; '' where there is none."""
    tagged = head.tags.get(release.tag)
    if tagged and _same(release, repository, tagged):
        return f"{repository.name}@{release.tag} is released already; nothing to do"
    if not tagged and _same(release, repository, head.commit):
        return _tag(release, repository, head.commit)
    return ""


def _same(release: Release, repository: Repository, commit: str) -> bool:
    """Whether a commit holds this release; a commit of the sources that left them as they were makes no other."""
    card = (repository.text(CARD, commit) or "").encode()
    return card == release.files[CARD] and _said(repository.text(MANIFEST, commit)) == _said(release.manifest)


def _said(manifest: str | bytes | None) -> Any:
    try:
        found = json.loads(manifest or "null")
    except ValueError:
        return None
    return {key: value for key, value in found.items() if key != REVISION} if isinstance(found, dict) else None


def _changelog(
    version: str, found: Difference | None, repository: Repository, head: Head | None, last: str | None
) -> str:
    older = repository.text(CHANGELOG, last) if last else None
    if head and last and older is None and CHANGELOG in head.files:
        raise Uncertain(f"{repository.name}: {CHANGELOG} of {last} was not given")
    title, _, rest = (older or "# Changes\n").partition("\n")
    said = list(lines(found))[1] if found else "first release"
    return f"{title}\n\n## {version}\n\n- {said}\n{rest}"


def check_name(name: str) -> None:
    """Raises UsageError where a name is that of a published version, which cannot be published again."""
    from .hub import versioned

    if versioned(name):
        raise UsageError(f"{name}: is published; name the dataset's sources")
