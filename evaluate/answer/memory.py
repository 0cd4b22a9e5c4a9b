"""What a causal model has computed of tokens, kept for the sequences that begin with them."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from threading import Lock, local
from typing import Any

import numpy as np
import torch

from .batches import Ints, Rectangle


class Memory:
    """Keys and values of tokens that several sequences begin with, one slot a token, on the model's device."""

    def __init__(self, device: torch.device, slots: int) -> None:
        self._device, self._slots = device, slots
        self._lock = Lock()
        self._layers: list[tuple[torch.Tensor, torch.Tensor]] = []

    @property
    def slot_bytes(self) -> int:
        """Bytes of one token, all layers together."""
        return sum(part[0].numel() * part.element_size() for layer in self._layers for part in layer)

    def before(self, cut: Rectangle) -> Any:
        """A cache of what comes before each row: (rows, heads, longest past, size) a layer, keys and values."""
        from transformers import DynamicCache

        cache = DynamicCache()
        if cut.past.shape[1]:
            at = self._tensor(cut.past.clip(min=0))
            for number, (keys, values) in enumerate(self._layers):
                cache.update(keys[at].transpose(1, 2), values[at].transpose(1, 2), number)
        return cache

    def after(self, cut: Rectangle, cache: Any) -> None:
        """Keep the keys and values of the tokens that have a slot."""
        rows, columns = np.nonzero(cut.keep >= 0)
        if not len(rows):
            return
        slots = self._tensor(cut.keep[rows, columns])
        at = self._tensor(rows), slice(None), self._tensor(columns + cut.past.shape[1])
        with self._lock:  # several batches may be the first
            if not self._layers:
                self._layers = [(self._room(layer.keys), self._room(layer.values)) for layer in cache.layers]
        for (keys, values), layer in zip(self._layers, cache.layers, strict=True):
            keys[slots], values[slots] = layer.keys[at], layer.values[at]

    def _room(self, states: torch.Tensor) -> torch.Tensor:
        return states.new_empty(self._slots, states.shape[1], states.shape[3])

    def _tensor(self, array: Ints) -> torch.Tensor:
        return torch.from_numpy(np.ascontiguousarray(array)).to(self._device)


def head_of(model: Any) -> Callable[[torch.Tensor], Any]:
    """The model's own forward from states (count, size) on, with all that it does to logits; weights are shared.

    It is a copy whose body gives back what it was given: no architecture's head has to be known.
    """
    body = _Given()
    head = copy(model)
    head._modules = {**model._modules, model.base_model_prefix: body}

    def forward(states: torch.Tensor) -> Any:
        body.asked.states = states.unsqueeze(0)
        return head(input_ids=torch.zeros(1, len(states), dtype=torch.long, device=states.device))

    return forward


class _States(tuple[torch.Tensor]):
    """An output of one part; whatever else is asked of it is None."""

    @property
    def last_hidden_state(self) -> torch.Tensor:
        return self[0]

    def __getattr__(self, name: str) -> None:
        return None


class _Given(torch.nn.Module):
    """Stands in for the body of a model; each thread gets back what it gave."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = local()

    def forward(self, *args: Any, **given: Any) -> _States:
        return _States((self.asked.states,))
