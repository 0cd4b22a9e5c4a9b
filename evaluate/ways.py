"""The ways to answer, by name: what each asks, of which families, and with which settings.

A way makes an `Asking`: what the run's manifest says of it, and a stream of answers. Models are loaded by `load`,
when a run has been seen to need them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from ..builder.problems import UsageError, nearest
from .journal import Record
from .selection import Selected

Notice = Callable[[str], None]
Share = tuple[int, int]


@dataclass(frozen=True)
class Options:
    """What a user may set. None: the way's own default."""

    way: str | None = None
    model: str | None = None
    revision: str | None = None
    dtype: str | None = None
    device: str | None = None
    trust_remote_code: bool = False
    tiers: tuple[int, ...] = ()
    axes: tuple[str, ...] = ()
    limit: int | None = None
    seed: int = 0
    pll: Literal["original", "l2r"] = "original"
    span: Literal["word", "token"] = "word"
    whole: bool = False
    norm: str | None = None
    prompt: Path | None = None
    temperature: float | Literal["server"] = 0.0
    max_tokens: int | None = None
    batch_tokens: int | None = None
    url: str | None = None
    key_variable: str = "OPENAI_API_KEY"
    concurrency: int = 8
    timeout: float | None = None
    attempts: int = 6
    command: str | None = None
    lines: str | None = None
    batch: int = 256
    answers: Path | None = None
    columns: dict[str, str] = field(default_factory=dict)
    sheet: str | None = None
    by_order: bool = False
    baseline: str | None = None
    into: str | None = None
    glossary: Path | None = None
    tagger: str | None = None
    beams: int = 1
    phrases: Path | None = None


@dataclass(frozen=True)
class Asking:
    """A way, ready to be asked.

    model, way  what the manifest says of them before anything is loaded
    load        loads the model; what else the manifest says of it
    files       what the run keeps beside its rows, for what follows from the answers, by name
    ask         (numbers of the rows to ask, (process, processes)) -> answers, some at a time, in any order
    shares      whether several processes can do it together
    """

    model: dict[str, Any]
    way: dict[str, Any]
    ask: Callable[[Sequence[int], Share], Iterator[list[Record]]]
    load: Callable[[], dict[str, Any]] = dict
    files: Mapping[str, bytes] = field(default_factory=dict)
    shares: bool = False

    @property
    def settings(self) -> dict[str, Any]:
        return {"model": self.model, "way": self.way}


def item_seed(seed: int, id: str) -> int:
    """A seed of 31 bits of an item's own: the same whatever is asked before it, and of whom."""
    return int.from_bytes(hashlib.blake2b(f"{seed}/{id}".encode(), digest_size=4).digest(), "big") >> 1


def default_way(options: Options, family: str) -> str:
    """The way that the options name or imply."""
    implied = {"baseline": options.baseline, "recorded": options.answers, "command": options.command,
               "endpoint": options.url}  # fmt: skip
    named = [way for way, value in implied.items() if value is not None]
    if len(named) > 1:
        raise UsageError(f"--{_OPTION[named[0]]} and --{_OPTION[named[1]]}: a run has one way of answering")
    if options.way is not None:
        if named and named[0] != options.way:
            raise UsageError(f"--way {options.way} with --{_OPTION[named[0]]}: a run has one way of answering")
        return options.way
    if named:
        return named[0]
    if options.model is None:
        raise UsageError("name a --model, or --baseline chance, --answers FILE, --command LINE, or --url with --model")
    from .model_kind import kind_of_model

    of_family = {way for way, known in _ways() if known == family}
    able = [way for way in kind_of_model(options.model).ways if way in of_family]
    if not able:
        raise UsageError(f"--model {options.model}: answers no rows of the family {family}; name a --way if it does")
    return able[0]


_OPTION = {"baseline": "baseline", "recorded": "answers", "command": "command", "endpoint": "url"}


def prepare(selected: Selected, options: Options, notice: Notice = lambda text: None) -> Asking:
    """The way that the options ask for. UsageError where it is none for this family, or lacks something."""
    name = default_way(options, selected.family)
    ways = _ways()
    known = sorted({way for way, _ in ways})
    if name not in known:
        raise UsageError(f"--way {name}: there is no such way; {nearest(name, known)}")
    make = ways.get((name, selected.family))
    if make is None:
        of_family = sorted(way for way, family in ways if family == selected.family)
        raise UsageError(
            f"--way {name}: {selected.about['dataset']} is of the family {selected.family}, which is answered by"
            f" {', '.join(of_family)}"
        )
    return make(selected, options, notice)


def _ways() -> dict[tuple[str, str], Callable[[Selected, Options, Notice], Asking]]:
    from . import ways_given, ways_lexical, ways_pairs, ways_qa, ways_translation

    return {
        ("masked", "pairs"): ways_pairs.masked,
        ("causal", "pairs"): ways_pairs.causal,
        ("command", "pairs"): ways_pairs.command,
        ("baseline", "pairs"): ways_given.baseline,
        ("recorded", "pairs"): ways_given.recorded_scores,
        ("choice", "qa"): ways_qa.choice,
        ("chat", "qa"): ways_qa.chat,
        ("endpoint", "qa"): ways_qa.endpoint,
        ("command", "qa"): ways_qa.command,
        ("baseline", "qa"): ways_given.baseline,
        ("recorded", "qa"): ways_given.recorded_replies,
        ("choice", "lexical"): ways_lexical.choice,
        ("chat", "lexical"): ways_lexical.chat,
        ("endpoint", "lexical"): ways_lexical.endpoint,
        ("command", "lexical"): ways_lexical.command,
        ("baseline", "lexical"): ways_given.baseline,
        ("recorded", "lexical"): ways_given.recorded_replies,
        ("translate", "translation"): ways_translation.translate,
        ("chat", "translation"): ways_translation.chat,
        ("endpoint", "translation"): ways_translation.endpoint,
        ("command", "translation"): ways_translation.command,
        ("recorded", "translation"): ways_translation.recorded,
    }
