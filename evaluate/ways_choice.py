"""How likely each option is after a question, to a local causal model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from .journal import Record
from .ways import Asking, Options, Share
from .ways_pairs import block_of, loaded

if TYPE_CHECKING:
    from .answer.choice import Norm

SAME = 1e-6  # nats: scores that differ by less are a tie


def choosing(
    ids: Sequence[str],
    asked: Callable[[int], tuple[str, Sequence[str]]],
    answer: Callable[[int, Any], Any],
    options: Options,
    settings: Mapping[str, Any],
) -> Asking:
    """The scores of each row's options, and the answer that follows from them.

    asked   the text before an option, and the options, of the row of a number
    answer  (number, scores) -> the answer as the family records it; None where it is a tie
    """
    model, load = loaded(options, "choice", "causal")
    norm = cast("Norm", options.norm or "none")

    def ask(todo: Sequence[int], share: Share) -> Iterator[list[Record]]:
        from .answer import choice

        found = choice.stream(
            model[0],
            [asked(number) for number in range(len(ids))],
            norm=norm,
            tokens=options.batch_tokens,
            block=block_of(model[0], len(ids)),
            todo=todo,
            part=share,
        )
        for chosen in found:
            yield [
                {"id": ids[index], "scores": scores.tolist(), "answer": answer(index, scores)}
                for index, scores in zip(chosen.indices.tolist(), chosen.scores, strict=True)
            ]

    return Asking({"name": options.model}, {"way": "choice", "norm": norm, **settings}, ask, load, shares=True)
