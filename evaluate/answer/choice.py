"""Choice: how likely each option is after a prompt.

An option is encoded behind its prompt, so that its first piece is the one that stands there, and a prompt is
computed once for all its options.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...builder.problems import ContraparError
from .batches import Budget, Ints, blocks, shard, wanted
from .causal import default_tokens, token_log_probabilities
from .pairwise import block_size

if TYPE_CHECKING:
    from .local import LocalModel

Norm = Literal["none", "token", "byte"]


class Chosen(NamedTuple):
    """Of some questions (`indices`): a score for each option, and how many tokens it is over."""

    indices: Ints
    scores: list[NDArray[np.float64]]
    tokens: list[Ints]


def stream(
    model: LocalModel,
    questions: Sequence[tuple[str, Sequence[str]]],
    *,
    norm: Norm = "none",
    separator: str = " ",
    tokens: int | None = None,
    block: int | None = None,
    todo: Collection[int] | None = None,
    part: tuple[int, int] = (0, 1),
    progress: Callable[[int], None] = lambda done: None,
) -> Iterator[Chosen]:
    """Scores of (prompt, options), block by block; a block is whole or not at all.

    A score is the option's log-likelihood after prompt and separator, nats: the sum (`norm="none"`), or the sum
    over its number of tokens (`"token"`) or of bytes in UTF-8 (`"byte"`). The rest is as in `chat.stream`.
    """
    budget = Budget(tokens or default_tokens(model))
    cut = blocks(len(questions), block or block_size(model))
    done = 0
    for number in shard(wanted(cut, todo), *part):
        indices = cut[number]
        yield _score([questions[i] for i in indices], indices, model, norm, separator, budget)
        done += len(indices)
        progress(done)


def _score(
    questions: Sequence[tuple[str, Sequence[str]]],
    indices: Ints,
    model: LocalModel,
    norm: Norm,
    separator: str,
    budget: Budget,
) -> Chosen:
    owner = [(k, option) for k, (_, options) in enumerate(questions) for option in options]
    encoded = model.encode([questions[k][0] + separator + option for k, option in owner])
    start = len(model.prefix)
    sequences, places = [], []
    for (k, option), pieces in zip(owner, encoded, strict=True):
        size = start + len(pieces.ids)
        if size > model.max_length:
            raise ContraparError(
                f"{model.name} takes {model.max_length} tokens; question {indices[k] + 1} with option {option[:40]!r} "
                f"has {size}; take a model of longer context"
            )
        boundary = len(questions[k][0])
        sequences.append(model.prefix + pieces.ids)
        # A piece that reaches beyond the prompt is the option's, the space before it too.
        places.append([start + i for i, (_, end) in enumerate(pieces.offsets) if end > boundary and start + i])
    found = token_log_probabilities(model, sequences, places, budget)
    sums = np.array([values.sum() for values in found])
    counts = np.array([len(values) for values in found])
    if norm == "token":
        sums = sums / np.maximum(counts, 1)
    elif norm == "byte":
        sums = sums / np.array([max(1, len(option.encode())) for _, option in owner])
    ends = np.cumsum([len(options) for _, options in questions])[:-1]
    return Chosen(indices, np.split(sums, ends), np.split(counts, ends))
