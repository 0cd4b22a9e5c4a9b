"""Replies of a local model to prompts: its chat template, and greedy or sampled text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from jinja2 import TemplateError

from ...builder.problems import UsageError

if TYPE_CHECKING:
    from .local import LocalModel


def conversation(model: LocalModel, messages: Sequence[Mapping[str, str]]) -> str:
    """The text that messages become, ready to be answered, by the model's own chat template.

    A template that knows no system message gets it at the head of the user's.
    """
    if not model.tokenizer.chat_template:
        raise UsageError(f"{model.name}: has no chat template; ask it with --way choice")
    whole = [dict(message) for message in messages]
    merged = [{"role": "user", "content": "\n\n".join(m["content"] for m in whole)}]
    fault = ""
    for attempt in (whole, merged):
        try:
            made = model.tokenizer.apply_chat_template(attempt, tokenize=False, add_generation_prompt=True)
        except TemplateError as error:
            fault = str(error)
        else:
            return str(made)
    raise UsageError(f"{model.name}: its chat template refuses the messages: {fault}")


@torch.inference_mode()
def replies(
    model: LocalModel,
    prompts: Sequence[Sequence[int]],
    *,
    max_tokens: int,
    temperature: float = 0.0,
    seeds: Sequence[int] = (),
) -> list[str]:
    """What the model says after each prompt: the likeliest token each time, or samples at a temperature.

    Each row has random numbers of its own seed, so a sample does not hang on what else is in the batch.
    """
    transformers: Any = import_module("transformers")
    width = max(map(len, prompts))
    own = model.model.generation_config
    ends = set(np.atleast_1d(own.eos_token_id).tolist() if own is not None else ())
    ends = {int(end) for end in ends | {model.tokenizer.eos_token_id} if end is not None}
    padding = model.tokenizer.pad_token_id
    padding = int(padding if padding is not None else min(ends, default=0))
    # Padding goes to the left, for the reply follows on the right; generate counts places without it.
    ids = np.array([[padding] * (width - len(p)) + list(p) for p in prompts])
    mask = np.array([[0] * (width - len(p)) + [1] * len(p) for p in prompts])
    config = transformers.GenerationConfig(
        max_new_tokens=max_tokens, do_sample=False, pad_token_id=padding, eos_token_id=sorted(ends) or None
    )
    noise: list[Any] = [Noise(temperature, seeds, model.device)] if temperature else []
    # What else the model's own settings ask for (top-k, penalties) would be no part of a figure's signature.
    model.model.generation_config = config
    try:
        made = model.model.generate(
            model.tensor(ids),
            attention_mask=model.tensor(mask),
            generation_config=config,
            logits_processor=transformers.LogitsProcessorList(noise),
        )
    finally:
        model.model.generation_config = own
    rows = [_until(row, ends) for row in made[:, width:].tolist()]
    return [str(model.tokenizer.decode(row, skip_special_tokens=False)).strip() for row in rows]


def _until(row: list[int], ends: set[int]) -> list[int]:
    """A reply up to its end. Other special tokens stay, for reasoning may be marked by them."""
    return row[: next((i for i, token in enumerate(row) if token in ends), len(row))]


class Noise:
    """Makes the likeliest token a sample: Gumbel noise on logits over the temperature, by row (Gumbel 1954)."""

    def __init__(self, temperature: float, seeds: Sequence[int], device: torch.device) -> None:
        self._temperature = temperature
        self._rows = [torch.Generator(device).manual_seed(seed) for seed in seeds]

    def __call__(self, ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        noise = torch.stack(
            [torch.empty_like(scores[0], dtype=torch.float32).exponential_(generator=row) for row in self._rows]
        )
        return scores.float() / self._temperature - noise.log()
