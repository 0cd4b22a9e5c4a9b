"""Masked scoring: pseudo-log-likelihood of the tokens that both sentences of a pair have.

Each such token is masked in turn and predicted from all others, changed ones too (CrowS-Pairs, Nangia et al.
2020; Salazar et al. 2020). `pll="l2r"` masks the later pieces of its word too, so that a rare word of many
pieces does not give itself away (Kauf & Ivanova 2023).

Sentences of one template meet in the same masked sequence (mask the name, and all names give one), so equal
sequences are computed once for all the tokens that are asked of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from .batches import Budget, Pair, rectangle
from .pairwise import Scored, SpanKind, Text, stream_pairs

if TYPE_CHECKING:
    from .local import LocalModel

Pll = Literal["original", "l2r"]


def stream(
    model: LocalModel,
    pairs: Sequence[Pair],
    *,
    span: SpanKind = "word",
    pll: Pll = "original",
    whole: bool = False,
    tokens: int | None = None,
    block: int | None = None,
    todo: Sequence[int] | None = None,
    part: tuple[int, int] = (0, 1),
    progress: Callable[[int], None] = lambda done: None,
) -> Iterator[Scored]:
    """Pseudo-log-likelihoods of both sentences of each pair, nats, block by block.

    `whole` scores every token and not only the shared ones. The rest is as in `pairwise.stream_pairs`.
    """
    budget = Budget(tokens or default_tokens(model))

    def score(texts: Sequence[Text]) -> list[NDArray[np.float64]]:
        return token_log_probabilities(model, texts, pll, budget)

    return stream_pairs(
        model, pairs, score, span=span, whole=whole, block=block, todo=todo, part=part, progress=progress
    )


def default_tokens(model: LocalModel) -> int:
    """Tokens a batch: what a CPU's caches like, or what a GPU needs to be busy."""
    return 4096 if model.device.type == "cpu" else 32768


def token_log_probabilities(
    model: LocalModel, texts: Sequence[Text], pll: Pll, budget: Budget
) -> list[NDArray[np.float64]]:
    """Log-probability, nats, of each wanted place of each text, that place masked."""
    mask = model.mask_id
    unit: dict[tuple[int, bytes], int] = {}
    sequences: list[NDArray[np.int64]] = []
    places: list[int] = []
    asked: list[tuple[int, int]] = []  # which masked sequence, and which token of it
    for text in texts:
        ids = np.array(text.ids, dtype=np.int64)
        for place in text.wanted:
            masked = ids.copy()
            masked[_hidden(text, place, pll)] = mask
            key = place, masked.tobytes()
            number = unit.setdefault(key, len(unit))
            if number == len(sequences):
                sequences.append(masked)
                places.append(place)
            asked.append((number, text.ids[place]))
    if not asked:
        return [np.zeros(0) for _ in texts]
    pair, cell = np.unique(np.array(asked) @ [model.vocabulary, 1], return_inverse=True)
    owner, token = pair // model.vocabulary, pair % model.vocabulary
    low = np.searchsorted(owner, np.arange(len(sequences) + 1))
    column = np.array(places)
    values = np.zeros(len(pair))

    def work(batch: list[int]) -> None:
        at = np.concatenate([np.arange(low[u], low[u + 1]) for u in batch])
        row = np.repeat(np.arange(len(batch)), [low[u + 1] - low[u] for u in batch])
        cut = rectangle([sequences[u] for u in batch])
        values[at] = model.log_probabilities(cut, row, column[batch][row], token[at])

    lengths = [len(s) for s in sequences]
    model.run(budget, sorted(range(len(sequences)), key=lengths.__getitem__), lengths, work)
    ends = np.cumsum([len(text.wanted) for text in texts])
    return np.split(values[cell], ends[:-1])


def _hidden(text: Text, place: int, pll: Pll) -> list[int]:
    """The places that are masked to predict one."""
    word = text.words[place]
    if pll == "original" or word is None:
        return [place]
    return [place, *(i for i in range(place + 1, len(text.words)) if text.words[i] == word)]
