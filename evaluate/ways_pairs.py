"""Ways to answer pairs: how likely each of the two sentences is, to a model here or to a program."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..builder.problems import ContraparError, UsageError
from .journal import Record
from .selection import Selected
from .ways import Asking, Notice, Options, Share

if TYPE_CHECKING:
    from .answer.pairwise import Scored


def masked(selected: Selected, options: Options, notice: Notice) -> Asking:
    """Pseudo-log-likelihood under a masked model."""

    def stream(model: Any, pairs: Any, **given: Any) -> Iterator[Scored]:
        from .answer import masked

        return masked.stream(model, pairs, pll=options.pll, **given)

    return _local(selected, options, "masked", {"pll": options.pll}, stream)


def causal(selected: Selected, options: Options, notice: Notice) -> Asking:
    """Log-likelihood under a causal model."""

    def stream(model: Any, pairs: Any, **given: Any) -> Iterator[Scored]:
        from .answer import causal

        return causal.stream(model, pairs, **given)

    return _local(selected, options, "causal", {}, stream)


def _local(
    selected: Selected, options: Options, name: str, own: dict[str, Any], stream: Callable[..., Iterator[Scored]]
) -> Asking:
    model, load = loaded(options, name, name)
    columns = [selected.table.column(side).to_pylist() for side in ("sent_target", "sent_other")]
    pairs = list(zip(*columns, strict=True))
    ids = selected.ids

    def ask(todo: Sequence[int], share: Share) -> Iterator[list[Record]]:
        given: dict[str, Any] = {"span": options.span, "whole": options.whole, "tokens": options.batch_tokens}
        given["block"] = block_of(model[0], len(pairs))
        for scored in stream(model[0], pairs, todo=todo, part=share, **given):
            yield [
                {
                    "id": ids[index],
                    "score_target": nats[0],
                    "score_other": nats[1],
                    "tokens_target": tokens[0],
                    "tokens_other": tokens[1],
                }
                for index, nats, tokens in zip(
                    scored.indices.tolist(), scored.nats.tolist(), scored.tokens.tolist(), strict=True
                )
            ]

    way = {"way": name, **own, "span": options.span, "whole": options.whole}
    return Asking({"name": options.model}, way, ask, load, shares=True)


def loaded(options: Options, way: str, kind: Any) -> tuple[list[Any], Callable[[], dict[str, Any]]]:
    """A place for a local model, and what puts it there and tells the manifest of it."""
    name = options.model
    if name is None:
        raise UsageError(f"--way {way}: name the model with --model")
    held: list[Any] = []

    def load() -> dict[str, Any]:
        from .answer.local import load as load_model

        model = load_model(
            name,
            kind,
            revision=options.revision,
            device=options.device,
            dtype=options.dtype,
            trust_remote_code=options.trust_remote_code,
        )
        held.append(model)
        return {key: value for key, value in model.signature.items() if key != "model"}

    return held, load


def block_of(model: Any, rows: int) -> int:
    """Rows a block, the same however many processes there are: enough blocks to share out and to save as they come."""
    from .answer.pairwise import block_size

    return int(min(block_size(model), max(64, math.ceil(rows / 32))))


def command(selected: Selected, options: Options, notice: Notice) -> Asking:
    """A program that is given a sentence a line, and answers with its log-likelihood."""
    from .answer.command import Command, replies

    if options.command is None:
        raise UsageError("--way command: name the program with --command")
    if options.lines not in (None, "text"):
        raise UsageError("--lines json: of pairs a program is given plain sentences")
    program = Command(options.command, max(2, options.batch - options.batch % 2), options.timeout or 300)
    sides = [selected.table.column(side).to_pylist() for side in ("sent_target", "sent_other")]
    ids = selected.ids

    def ask(todo: Sequence[int], share: Share) -> Iterator[list[Record]]:
        lines = [one_line(side[number]) for number in todo for side in sides]
        for start, answers in replies(program, lines):
            numbers = [_number(answer, lines[start + k], program) for k, answer in enumerate(answers)]
            yield [
                {"id": ids[todo[start // 2 + k]], "score_target": numbers[2 * k], "score_other": numbers[2 * k + 1]}
                for k in range(len(numbers) // 2)
            ]

    return Asking({"name": options.model or program.arguments[0]}, {"way": "command", "command": options.command}, ask)


def one_line(text: str) -> str:
    """Every line break a space."""
    return " ".join(text.split())


def _number(answer: str, line: str, program: Any) -> float:
    try:
        number = float(answer)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ContraparError(
            f"{program.arguments[0]}: answered {answer[:60]!r} to {line[:60]!r}; a sentence's answer is its"
            " log-likelihood, a number"
        )
    return number
