"""Local models: with `memory` and `generation`, the one door to torch and transformers.

A `LocalModel` turns texts into pieces, and sequences into log-probabilities in nats. What to mask, share or sum
is decided elsewhere, on plain arrays.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from threading import local
from typing import Any, Literal, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from ...builder.problems import UsageError
from .batches import Budget, Ints, Rectangle, even, rectangle
from .memory import Memory, head_of
from .revision import folder_revision, gguf_file

Kind = Literal["masked", "causal"]


class Pieces(NamedTuple):
    """A text's pieces without special tokens: ids, character ranges, and the word of each by the tokenizer."""

    ids: list[int]
    offsets: list[tuple[int, int]]
    words: list[int | None]


class LocalModel:
    """A model and its tokenizer, with what scoring needs to know of them.

    `gathers`: the head can be kept from projecting states that nobody asks for. `remembers`: what sequences
    begin with can be computed once. Both are tried on two short sequences when the model is wrapped, and
    where an architecture does not bear them out the plain way is taken.
    """

    def __init__(
        self, name: str, kind: Kind, model: Any, tokenizer: Any, signature: Mapping[str, str] | None = None
    ) -> None:
        self.name, self.kind, self.model, self.tokenizer = name, kind, model.eval(), tokenizer
        self.device = next(model.parameters()).device
        self.parameters = sum(p.numel() for p in model.parameters())
        self.vocabulary = int(model.get_output_embeddings().weight.shape[0])
        self.prefix, self.suffix = _special_tokens(tokenizer, kind)
        self.max_length = _max_length(model, tokenizer)
        self.window = getattr(model.config.get_text_config(), "sliding_window", None) or self.max_length
        self.signature = {
            "model": name,
            **(signature or {}),
            "dtype": str(model.dtype).removeprefix("torch."),
            "device": self.device.type,
            "torch": torch.__version__,
            "first_word": "scored" if self.prefix else "unscored, the model has no begin-of-sequence token",
        }
        # Logits are large: on the CPU as many rows as multiply well, on a GPU a gibibyte of them.
        self.head_rows = 192 if self.device.type == "cpu" else max(128, 2**28 // self.vocabulary)
        self.gathers = self.narrows = self.remembers = False
        self.slot_bytes = 0
        self._asked = local()
        self._body = model.base_model
        self.gathers = _holds(self._gathering_is_exact)
        if kind == "masked" and self.gathers:
            self.narrows = _holds(self._narrowing_is_exact)
        if kind == "causal":
            self.remembers = _holds(self._remembering_is_exact)

    @property
    def mask_id(self) -> int:
        """The mask token's id; an error for a tokenizer that has none."""
        if self.tokenizer.mask_token_id is None:
            raise UsageError(f"{self.name}: its tokenizer has no mask token; score it as causal")
        return int(self.tokenizer.mask_token_id)

    def encode(self, texts: Sequence[str]) -> list[Pieces]:
        """The pieces of each text, special tokens left out."""
        if not texts:
            return []
        if not self.tokenizer.is_fast:
            raise UsageError(f"{self.name}: its tokenizer gives no character offsets; a fast one is needed")
        backend = self.tokenizer.backend_tokenizer
        backend.no_truncation()
        backend.no_padding()
        made = backend.encode_batch(list(texts), add_special_tokens=False)
        pieces = [Pieces(e.ids, e.offsets, e.word_ids) for e in made]
        if self.kind == "masked" or not self.prefix:
            return pieces
        # Some tokenizers put the token in front unasked, and a chat template brings its own: one is enough.
        return [p if p.ids[:1] != self.prefix else Pieces(p.ids[1:], p.offsets[1:], p.words[1:]) for p in pieces]

    def prompt_ids(self, text: str) -> list[int]:
        """A prompt as ids, its begin-of-sequence token as its chat template has it, and none twice."""
        ids = list(self.tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"])
        return ids[1:] if self.prefix and ids[:2] == self.prefix * 2 else ids

    @torch.inference_mode()
    def log_probabilities(
        self, cut: Rectangle, row: Ints, column: Ints, token: Ints, memory: Memory | None = None
    ) -> NDArray[np.float64]:
        """Log-probability, nats, of each token under the distribution at its row and column."""
        width = cut.ids.shape[1]
        given: dict[str, Any] = {"input_ids": self.tensor(cut.ids)}
        real = np.arange(width) < cut.lengths[:, None]
        if memory is not None:
            cache = memory.before(cut)
            given |= {_cache_name(self.model): cache, "use_cache": True}
            seen = cut.past >= 0
            given["position_ids"] = self.tensor(seen.sum(axis=1)[:, None] + np.arange(width))
            given["attention_mask"] = self.tensor(np.hstack([seen, real]).astype(np.int64))
        else:
            if not real.all():
                given["attention_mask"] = self.tensor(real.astype(np.int64))
            if self.kind == "causal":
                given["use_cache"] = False
        state, which = np.unique(row * width + column, return_inverse=True)
        at = self.tensor(state // width), self.tensor(state % width)
        if self.gathers:
            with self._narrowed(at):
                states = self._body(**given)[0]
            states = states[0] if self.narrows else states[at]
        else:
            states = self.model(**given).logits[at]
        if memory is not None:
            memory.after(cut, cache)
        values = np.empty(len(token))
        order = np.argsort(which, kind="stable")
        for start, stop in even(len(state), self.head_rows):
            some = order[slice(*np.searchsorted(which[order], [start, stop]))]
            logits = self._head(states[start:stop]).logits[0] if self.gathers else states[start:stop]
            asked = self.tensor(which[some] - start), self.tensor(token[some])
            values[some] = self._log_softmax(logits.float(), asked).double().cpu().numpy()
        return values

    def _log_softmax(self, logits: torch.Tensor, asked: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        """Log-probabilities at (row, token). The logits are used up: a second array of their size costs much."""
        found = logits[asked]
        sums = []
        for part in logits.split(8 if self.device.type == "cpu" else len(logits)):  # as many as a cache holds
            top = part.amax(dim=-1, keepdim=True)
            sums.append(part.sub_(top).exp_().sum(dim=-1).log_().add_(top[:, 0]))
        return found - torch.cat(sums)[asked[0]]

    def memory(self, slots: int) -> Memory:
        """Room for the keys and values of so many tokens."""
        return Memory(self.device, slots)

    def release(self) -> None:
        """Give cached device memory back, after a batch that did not fit."""
        if self.device.type == "cuda":
            torch.cuda.empty_cache()

    def tensor(self, array: NDArray[Any]) -> torch.Tensor:
        """An array on the model's device."""
        return torch.from_numpy(np.ascontiguousarray(array)).to(self.device, non_blocking=True)

    def run(
        self, budget: Budget, order: Sequence[int], lengths: Sequence[int], work: Callable[[list[int]], None]
    ) -> None:
        """Batches of a budget; on the CPU several at once, a core each.

        Cores that share one batch wait for each other at every layer, which costs much where a model is small or
        the machine is busy. The numbers are then the same on any count of cores, too.
        """
        threads = torch.get_num_threads()
        workers = min(threads, 8)
        if self.device.type != "cpu" or workers == 1:
            budget.run(order, lengths, work, self.release)
            return
        try:
            with ThreadPoolExecutor(workers, "score", torch.set_num_threads, (threads // workers,)) as pool:
                budget.run(order, lengths, work, self.release, pool, workers)
        finally:
            torch.set_num_threads(threads)  # a worker's setting is also that of threads to come

    @contextmanager
    def _narrowed(self, at: tuple[torch.Tensor, torch.Tensor]) -> Iterator[None]:
        """Meanwhile the last layer is computed where it is asked for; the model is otherwise as it was."""
        self._asked.at = at if self.narrows else None
        try:
            yield
        finally:
            self._asked.at = None

    def _narrow(self, module: Any, given: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...] | None:
        """Leave only the states that are asked for, once the last layer has attended to all of them."""
        at = getattr(self._asked, "at", None)
        return None if at is None else tuple(states[at].unsqueeze(0) for states in given)

    def _narrowing_is_exact(self) -> bool:
        plain = self._probe(rectangle(_PROBE))
        last = self._body.encoder.layer[-1]
        last.attention.output.register_forward_pre_hook(self._narrow)
        self.narrows = True
        return _close(plain, self._probe(rectangle(_PROBE)))

    def _gathering_is_exact(self) -> bool:
        plain = self._probe(rectangle(_PROBE))
        self._head = head_of(self.model)
        self.gathers = True
        return _close(plain, self._probe(rectangle(_PROBE)))

    def _remembering_is_exact(self) -> bool:
        plain, memory = self._probe(rectangle(_PROBE)), self.memory(5)
        begin, end = rectangle([row[:-2] for row in _PROBE]), rectangle([row[-2:] for row in _PROBE])
        slots = np.array([[0, 1, -1], [2, 3, 4]])  # pasts of two lengths, so one of them is padded
        self._probe(begin._replace(keep=slots), memory)
        self.slot_bytes = memory.slot_bytes
        return _close(plain, self._probe(end._replace(past=slots), memory))

    def _probe(self, cut: Rectangle, memory: Memory | None = None) -> NDArray[np.float64]:
        return self.log_probabilities(cut, np.array([0, 0, 1]), cut.lengths[[0, 0, 1]] - 1, np.array([0, 1, 2]), memory)


def load(
    name: str,
    kind: Kind,
    *,
    revision: str | None = None,
    device: str | None = None,
    dtype: str | None = None,
    trust_remote_code: bool = False,
) -> LocalModel:
    """A model from a folder (GGUF too) or by name, on CUDA in bfloat16 or else on the CPU in float32.

    UsageError where it is not there, is of another kind, or lacks weights of the head that would score.
    """
    transformers: Any = import_module("transformers")  # partly typed, and not as it is used
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    device = device or (f"cuda:{os.environ.get('LOCAL_RANK', 0)}" if torch.cuda.is_available() else "cpu")
    given: dict[str, Any] = {"trust_remote_code": trust_remote_code, "revision": revision or "main"}
    folder = Path(name)
    if gguf := gguf_file(folder):
        given["gguf_file"] = gguf
    auto = transformers.AutoModelForMaskedLM if kind == "masked" else transformers.AutoModelForCausalLM
    precision = getattr(torch, dtype or ("bfloat16" if device.startswith("cuda") else "float32"), None)
    if not isinstance(precision, torch.dtype):
        raise UsageError(f"--dtype {dtype}: there is no such precision; take float32, bfloat16 or float16")
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(name, **given)
        model, info = auto.from_pretrained(name, dtype=precision, output_loading_info=True, **given)
        model = model.to(device)
    except (OSError, ValueError, KeyError, ImportError, RuntimeError, AttributeError) as error:
        line = next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
        raise UsageError(f"{name}: cannot be loaded as a {kind} model: {line}") from error
    if missing := sorted(info["missing_keys"]):
        raise UsageError(
            f"{name}: its weights lack {len(missing)} parts of a {kind} model, {missing[0]} among them, and would "
            "score at random; take one that was trained for this"
        )
    commit = getattr(model.config, "_commit_hash", None)
    weights = f"commit:{commit}" if commit else folder_revision(folder)
    return LocalModel(name, kind, model, tokenizer, {"weights": weights, "transformers": transformers.__version__})


_PROBE = [np.arange(1, 5), np.arange(2, 7)]


def _close(a: NDArray[np.float64], b: NDArray[np.float64]) -> bool:
    """Equal up to what bfloat16 loses; a shortcut that is wrong is wrong by far more."""
    return bool(np.allclose(a, b, rtol=0.01, atol=0.01))


def _holds(check: Callable[[], bool]) -> bool:
    """Whether a shortcut works on an architecture, of which nothing is known beforehand."""
    try:
        return check()
    except (AttributeError, IndexError, KeyError, NotImplementedError, RuntimeError, TypeError, ValueError):
        return False


def _cache_name(model: Any) -> str:
    """What the architecture calls its cache; the name changed in transformers 5."""
    return "cache" if "cache" in inspect.signature(model.forward).parameters else "past_key_values"


def _special_tokens(tokenizer: Any, kind: Kind) -> tuple[list[int], list[int]]:
    """What goes before and after a text: one begin-of-sequence token (or none), or what masked models take."""
    if kind == "causal":
        return ([] if tokenizer.bos_token_id is None else [int(tokenizer.bos_token_id)]), []
    bare = tokenizer("a", add_special_tokens=False)["input_ids"]
    full = tokenizer("a", add_special_tokens=True)["input_ids"]
    for start in range(len(full) - len(bare) + 1):
        if full[start : start + len(bare)] == bare:
            return full[:start], full[start + len(bare) :]
    return [], []


def _max_length(model: Any, tokenizer: Any) -> int:
    """The longest sequence, special tokens counted; RoBERTa's kin number places from after the padding id."""
    config = model.config.get_text_config()
    length = int(getattr(config, "max_position_embeddings", 0) or 2**31)
    table = getattr(getattr(model.base_model, "embeddings", None), "position_embeddings", None)
    padding = getattr(table, "padding_idx", None)
    if padding is not None:
        length -= padding + 1
    return min(length, int(tokenizer.model_max_length))
