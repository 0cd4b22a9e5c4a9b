"""Causal scoring: log-likelihood of the tokens that both sentences of a pair have, or of whole sentences.

Each token is predicted from all tokens before it, changed ones too (WinoQueer, Felkner et al. 2023). What
sentences begin with alike is computed once, and so are equal sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from .batches import Budget, Pair
from .pairwise import Scored, SpanKind, Text, stream_pairs
from .prefixes import Forest, plant

if TYPE_CHECKING:
    from .local import LocalModel

# A level of the forest costs one forward pass more; below this many tokens saved by each it does not pay.
_WORTH = 64
_MEMORY_BYTES = 2**30


def stream(
    model: LocalModel,
    pairs: Sequence[Pair],
    *,
    span: SpanKind = "word",
    whole: bool = False,
    tokens: int | None = None,
    block: int | None = None,
    todo: Sequence[int] | None = None,
    part: tuple[int, int] = (0, 1),
    progress: Callable[[int], None] = lambda done: None,
) -> Iterator[Scored]:
    """Log-likelihoods of both sentences of each pair, nats, block by block.

    `whole` scores every token and not only the shared ones. The rest is as in `pairwise.stream_pairs`.
    """
    budget = Budget(tokens or default_tokens(model))

    def score(texts: Sequence[Text]) -> list[NDArray[np.float64]]:
        return token_log_probabilities(model, [t.ids for t in texts], [t.wanted for t in texts], budget)

    return stream_pairs(
        model, pairs, score, span=span, whole=whole, block=block, todo=todo, part=part, progress=progress
    )


def default_tokens(model: LocalModel) -> int:
    """Tokens a batch: what a CPU's caches like, or what keeps a GPU busy."""
    return 1024 if model.device.type == "cpu" else 16384


def token_log_probabilities(
    model: LocalModel, sequences: Sequence[Sequence[int]], wanted: Sequence[Sequence[int]], budget: Budget
) -> list[NDArray[np.float64]]:
    """Log-probability, nats, of each wanted place (from 1 on) of each sequence given all tokens before it."""
    found: list[NDArray[np.float64]] = [np.zeros(len(places)) for places in wanted]
    asked = [i for i, places in enumerate(wanted) if len(places)]
    for part, forest in _forests(
        model, asked, [list(s[: max(w, default=0)]) for s, w in zip(sequences, wanted, strict=True)]
    ):
        values = _run(model, forest, [sequences[i] for i in part], [wanted[i] for i in part], budget)
        ends = np.cumsum([len(wanted[i]) for i in part])[:-1]
        for i, of_one in zip(part, np.split(values, ends), strict=True):
            found[i] = of_one
    return found


def _forests(model: LocalModel, asked: list[int], read: list[list[int]]) -> Iterator[tuple[list[int], Forest]]:
    """Forests that a memory has room for, and which sequences each is of.

    `read` is each sequence up to its last wanted token, which is predicted and never read.
    """
    if not asked:
        return
    texts = [read[i] for i in asked]
    forest = plant(texts, share=model.remembers and max(map(len, texts)) <= model.window)
    saved = sum(map(len, texts)) - len(forest.ids)
    if saved < _WORTH * forest.level.max():
        forest = plant(texts, share=False)
    if len(asked) == 1 or forest.slots * model.slot_bytes <= _MEMORY_BYTES:
        yield asked, forest
        return
    asked = sorted(asked, key=read.__getitem__)
    for half in (asked[: len(asked) // 2], asked[len(asked) // 2 :]):
        yield from _forests(model, half, read)


def _run(
    model: LocalModel,
    forest: Forest,
    sequences: Sequence[Sequence[int]],
    wanted: Sequence[Sequence[int]],
    budget: Budget,
) -> NDArray[np.float64]:
    """Log-probabilities of the wanted places, one sequence after the other."""
    row = np.repeat(np.arange(len(wanted)), [len(places) for places in wanted])
    place = np.concatenate([np.asarray(places, dtype=np.int64) for places in wanted])
    token = np.array([s[p] for s, places in zip(sequences, wanted, strict=True) for p in places])
    # What is asked once however many sequences ask it: a token after a node.
    pair, cell = np.unique(forest.node[row, place - 1] * model.vocabulary + token, return_inverse=True)
    node, token = pair // model.vocabulary, pair % model.vocabulary
    values = np.zeros(len(pair))
    # Pairs are sorted by node, and the nodes of a segment are consecutive: what is asked of it is a slice.
    low = np.searchsorted(node, forest.first)
    high = np.searchsorted(node, forest.first + forest.length)
    memory = model.memory(forest.slots) if forest.slots else None

    def work(segments: list[int]) -> None:
        at = np.concatenate([np.arange(low[s], high[s]) for s in segments])
        row = np.repeat(np.arange(len(segments)), high[segments] - low[segments])
        column = node[at] - forest.first[segments][row]
        values[at] = model.log_probabilities(forest.cut(segments), row, column, token[at], memory)

    # A past is read and not computed, so it weighs less.
    weights = (forest.length + forest.past // 4).tolist()
    for level in range(int(forest.level.max()) + 1):
        model.run(budget, forest.level_order(level).tolist(), weights, work)
    result: NDArray[np.float64] = values[cell]
    return result
