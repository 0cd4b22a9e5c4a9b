"""Pairs of sentences, streamed in blocks: which tokens of each are scored, and the sums over them.

What a scorer adds is how it finds the log-probabilities of given tokens; see `masked` and `causal`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...builder.problems import ContraparError
from .batches import Ints, Pair, blocks, shard, wanted
from .spans import changed_words, shared_pieces, shared_tokens

if TYPE_CHECKING:
    from .local import LocalModel, Pieces

SpanKind = Literal["word", "token"]


class Scored(NamedTuple):
    """Scores of some pairs: `nats` (pairs, 2) for the target's sentence and the other's, NaN where nothing is
    shared; `tokens` (pairs, 2), how many tokens each is the sum of; `indices`, which pairs they are."""

    indices: Ints
    nats: NDArray[np.float64]
    tokens: Ints


@dataclass
class Text:
    """A distinct sentence of a block: its sequence with special tokens, the tokenizer's word of each token
    (None for special ones), and the places in it that any of its pairs wants scored."""

    ids: list[int]
    words: list[int | None]
    wanted: list[int] = field(default_factory=list)


Scorer = Callable[[Sequence[Text]], list[NDArray[np.float64]]]


def stream_pairs(
    model: LocalModel,
    pairs: Sequence[Pair],
    scorer: Scorer,
    *,
    span: SpanKind,
    whole: bool,
    block: int | None,
    todo: Sequence[int] | None,
    part: tuple[int, int],
    progress: Callable[[int], None],
) -> Iterator[Scored]:
    """Scores block by block; a block is whole or not at all, and its numbers depend on it alone.

    `block` is the number of pairs in one. `todo` leaves out blocks none of whose pairs are in it. `part` is
    (process index, processes): the blocks of one process. `progress` is told how many pairs are done.
    """
    check_lengths(model, pairs)
    cut = blocks(len(pairs), block or block_size(model))
    done = 0
    for number in shard(wanted(cut, todo), *part):
        indices = cut[number]
        yield _score_block(model, [pairs[i] for i in indices], indices, scorer, span, whole)
        done += len(indices)
        progress(done)


def block_size(model: LocalModel) -> int:
    """Pairs a block: some minutes of work at most, and enough of them to share what they have in common."""
    scale = 2e8 if model.device.type == "cpu" else 2e10
    return int(np.clip(4096 * scale / model.parameters, 64, 4096))


def check_lengths(model: LocalModel, pairs: Sequence[Pair]) -> None:
    """An error that tells which pairs are longer than the model takes: a sentence is never cut."""
    room = model.max_length - len(model.prefix) - len(model.suffix)
    long = [(i, text) for i, pair in enumerate(pairs) for text in pair if len(text.encode()) > room]
    sizes = [(i, len(pieces.ids)) for (i, _), pieces in zip(long, model.encode([t for _, t in long]), strict=True)]
    over = [(i, size) for i, size in sizes if size > room]
    if over:
        index, size = over[0]
        raise ContraparError(
            f"{model.name} takes {room} tokens a sentence; {len({i for i, _ in over})} of {len(pairs)} pairs are "
            f"longer, the first is number {index + 1} with {size}; leave them out, or take a model of longer context"
        )


def _score_block(
    model: LocalModel, pairs: list[Pair], indices: Ints, scorer: Scorer, span: SpanKind, whole: bool
) -> Scored:
    number: dict[str, int] = {}
    sides = [number.setdefault(sentence, len(number)) for pair in pairs for sentence in pair]
    pieces = model.encode(list(number))
    texts = [_text(model, p) for p in pieces]
    places: list[list[int]] = []
    for pair, left, right in zip(pairs, sides[::2], sides[1::2], strict=True):
        both = (left, right)
        if whole:
            kept: tuple[Sequence[int], ...] = tuple(range(len(pieces[side].ids)) for side in both)
        elif span == "word":
            changed = changed_words(*pair, first=bool(model.prefix))
            kept = tuple(map(shared_pieces, pair, (pieces[side].offsets for side in both), changed))
        else:
            kept = _published(model, texts[left].ids, texts[right].ids)
        # The very first token of a sequence is predicted by nothing.
        start = len(model.prefix)
        places += ([start + i for i in of_one if start + i] for of_one in kept)
    for side, kept_places in zip(sides, places, strict=True):
        texts[side].wanted.extend(kept_places)
    for text in texts:
        text.wanted = sorted(set(text.wanted))
    values = [_at_places(text, found) for text, found in zip(texts, scorer(texts), strict=True)]
    nats = [values[side][kept].sum() if kept else np.nan for side, kept in zip(sides, places, strict=True)]
    tokens = [len(kept) for kept in places]
    return Scored(indices, np.reshape(nats, (-1, 2)), np.reshape(tokens, (-1, 2)))


def _text(model: LocalModel, pieces: Pieces) -> Text:
    before: list[int | None] = [None] * len(model.prefix)
    after: list[int | None] = [None] * len(model.suffix)
    return Text(model.prefix + pieces.ids + model.suffix, before + pieces.words + after)


def _published(model: LocalModel, a: list[int], b: list[int]) -> tuple[list[int], ...]:
    """Pieces that a diff of tokens finds in both, special tokens left out, as indices without them."""
    start, end = len(model.prefix), len(model.suffix)
    both = zip(shared_tokens(a, b), (len(a), len(b)), strict=True)
    return tuple([i - start for i in shared if start <= i < size - end] for shared, size in both)


def _at_places(text: Text, found: NDArray[np.float64]) -> NDArray[np.float64]:
    values = np.full(len(text.ids), np.nan)
    values[text.wanted] = found
    return values
