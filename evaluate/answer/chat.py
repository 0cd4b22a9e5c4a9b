"""Chat: a model's replies to conversations, greedy or sampled, in batches.

What a reply chose is read elsewhere (`evaluate/parse.py`); here it stays text.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ...builder.problems import ContraparError
from .batches import Budget, Ints, blocks, shard, wanted

if TYPE_CHECKING:
    from .local import LocalModel


class Replied(NamedTuple):
    """Replies to some conversations; `indices` says which."""

    indices: Ints
    texts: list[str]


def stream(
    model: LocalModel,
    conversations: Sequence[Sequence[Mapping[str, str]]],
    *,
    temperature: float = 0.0,
    seeds: Sequence[int] | None = None,
    max_tokens: int = 64,
    tokens: int | None = None,
    block: int | None = None,
    todo: Collection[int] | None = None,
    part: tuple[int, int] = (0, 1),
    progress: Callable[[int], None] = lambda done: None,
) -> Iterator[Replied]:
    """Replies block by block; a block is whole or not at all.

    At `temperature` 0 the likeliest token is taken each time; else each conversation is sampled with its own of
    `seeds`, whatever else is in its batch. `block` is the number of conversations in one, `part` (process,
    processes) takes the blocks of one process, and `todo` leaves out blocks with none of it.
    """
    from .generation import conversation, replies

    if temperature < 0 or (temperature and seeds is None):
        raise ValueError("a temperature is 0 or more, and sampling needs a seed for each conversation")
    budget = Budget(tokens or default_tokens(model))
    cut = blocks(len(conversations), block or default_block(model))
    done = 0
    for number in shard(wanted(cut, todo), *part):
        indices = cut[number]
        texts = [conversation(model, conversations[i]) for i in indices]
        prompts = [model.prompt_ids(text) for text in texts]
        for i, prompt in zip(indices, prompts, strict=True):
            if len(prompt) + max_tokens > model.max_length:
                raise ContraparError(
                    f"{model.name} takes {model.max_length} tokens; question {i + 1} has {len(prompt)} and leaves no "
                    f"room for a reply of {max_tokens}; take a model of longer context"
                )
        found = [""] * len(prompts)
        lengths = [len(prompt) + max_tokens for prompt in prompts]

        def work(batch: list[int], indices: Ints = indices, prompts: list[list[int]] = prompts,
                 found: list[str] = found) -> None:  # fmt: skip
            made = replies(
                model,
                [prompts[i] for i in batch],
                max_tokens=max_tokens,
                temperature=temperature,
                seeds=[seeds[indices[i]] for i in batch] if seeds is not None else (),
            )
            for i, text in zip(batch, made, strict=True):
                found[i] = text

        budget.run(sorted(range(len(prompts)), key=lengths.__getitem__), lengths, work, model.release)
        yield Replied(indices, found)
        done += len(indices)
        progress(done)


def default_tokens(model: LocalModel) -> int:
    """Tokens a batch, replies counted."""
    return 4096 if model.device.type == "cpu" else 65536


def default_block(model: LocalModel) -> int:
    """Conversations a block: what a run loses at most when it is killed."""
    return 16 if model.device.type == "cpu" else 256
