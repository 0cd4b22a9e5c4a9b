"""Translation by a local encoder-decoder model: NLLB, M2M100, MADLAD and T5, Marian.

A door to torch and transformers like `local`, for models of another build: nothing is scored here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import torch

from ...builder.problems import ContraparError, UsageError
from .batches import Budget, Ints, blocks, shard, wanted
from .chat import Replied
from .revision import folder_revision
from .tongues import nllb_code


class Translator:
    """A model and its tokenizer. `say` is what is put before a text, or how its tokenizer is told the languages."""

    def __init__(self, name: str, model: Any, tokenizer: Any, source: str, into: str, said: dict[str, Any]) -> None:
        self.name, self.model, self.tokenizer = name, model.eval(), tokenizer
        self.device = next(model.parameters()).device
        self.prefix, self.forced = _told(tokenizer, source, into)
        self.signature = {**said, "dtype": str(model.dtype).removeprefix("torch."), "device": self.device.type,
                          "torch": torch.__version__}  # fmt: skip

    def encode(self, text: str) -> list[int]:
        return list(self.tokenizer(self.prefix + text)["input_ids"])

    def release(self) -> None:
        if self.device.type == "cuda":
            torch.cuda.empty_cache()

    @torch.inference_mode()
    def translate(self, batch: Sequence[Sequence[int]], beams: int, max_tokens: int) -> list[str]:
        """The likeliest translation of each, by beam search; one beam is greedy."""
        padded = self.tokenizer.pad({"input_ids": [list(ids) for ids in batch]}, return_tensors="pt").to(self.device)
        given: dict[str, Any] = {"max_new_tokens": max_tokens, "num_beams": beams, "do_sample": False}
        if self.forced is not None:
            given["forced_bos_token_id"] = self.forced
        made = self.model.generate(input_ids=padded["input_ids"], attention_mask=padded["attention_mask"], **given)
        return [text.strip() for text in self.tokenizer.batch_decode(made, skip_special_tokens=True)]


def load(
    name: str,
    source: str,
    into: str,
    *,
    revision: str | None = None,
    device: str | None = None,
    dtype: str | None = None,
    trust_remote_code: bool = False,
) -> Translator:
    """A model from a folder or by name. UsageError where it is not there, or is no translator."""
    transformers: Any = import_module("transformers")
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    precision = getattr(torch, dtype or ("bfloat16" if device.startswith("cuda") else "float32"), None)
    if not isinstance(precision, torch.dtype):
        raise UsageError(f"--dtype {dtype}: there is no such precision; take float32, bfloat16 or float16")
    given: dict[str, Any] = {"trust_remote_code": trust_remote_code, "revision": revision or "main"}
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(name, **given)
        model, info = transformers.AutoModelForSeq2SeqLM.from_pretrained(
            name, dtype=precision, output_loading_info=True, **given
        )
        model = model.to(device)
    except (OSError, ValueError, KeyError, ImportError, RuntimeError, AttributeError) as error:
        line = next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
        raise UsageError(f"{name}: cannot be loaded as a translator: {line}") from error
    if missing := sorted(info["missing_keys"]):
        raise UsageError(f"{name}: its weights lack {len(missing)} parts of a translator, {missing[0]} among them")
    commit = getattr(model.config, "_commit_hash", None)
    weights = f"commit:{commit}" if commit else folder_revision(Path(name))
    said = {"model": name, "weights": weights, "transformers": transformers.__version__}
    return Translator(name, model, tokenizer, source, into, said)


def _told(tokenizer: Any, source: str, into: str) -> tuple[str, int | None]:
    """What stands before a text, and the token that a translation begins with, by what the tokenizer knows.

    NLLB has eus_Latn among its tokens, M2M100 __eu__ and MADLAD <2eu>; Marian and plain T5 know one pair of
    languages and are told nothing.
    """
    known = tokenizer.get_vocab()
    if (code := f"<2{into.split('-')[0]}>") in known:
        return f"{code} ", None
    for call in (nllb_code, lambda code: code.split("-")[0]):
        try:
            mine, theirs = call(source), call(into)
        except UsageError:
            continue
        for token in (theirs, f"__{theirs}__"):
            if token in known and hasattr(tokenizer, "src_lang"):
                tokenizer.src_lang = mine
                return "", int(known[token])
    return "", None


def stream(
    model: Translator,
    texts: Sequence[str],
    *,
    beams: int,
    max_tokens: int,
    tokens: int | None = None,
    todo: Collection[int] | None = None,
    part: tuple[int, int] = (0, 1),
) -> Iterator[Replied]:
    """Translations block by block, as in `chat.stream`; equal texts are translated once a block."""
    cpu = model.device.type == "cpu"
    budget = Budget(tokens or (2048 if cpu else 32768))
    cut = blocks(len(texts), 64 if cpu else 1024)
    for number in shard(wanted(cut, todo), *part):
        indices: Ints = cut[number]
        once = {texts[index]: place for place, index in reversed(list(enumerate(indices)))}
        places = sorted(once.values())
        ids = [model.encode(texts[indices[place]]) for place in places]
        for place, one in zip(places, ids, strict=True):
            if len(one) > (limit := int(model.tokenizer.model_max_length)):
                text = f"sentence {indices[place] + 1} has {len(one)} tokens and the model takes {limit}"
                raise ContraparError(f"{model.name}: {text}; take a model of longer context")
        lengths = [len(one) + max_tokens for one in ids]
        found = [""] * len(ids)

        def work(batch: list[int], ids: list[list[int]] = ids, found: list[str] = found) -> None:
            for i, text in zip(batch, model.translate([ids[i] for i in batch], beams, max_tokens), strict=True):
                found[i] = text

        budget.run(sorted(range(len(ids)), key=lengths.__getitem__), lengths, work, model.release)
        of_text = dict(zip((texts[indices[place]] for place in places), found, strict=True))
        yield Replied(np.asarray(indices), [of_text[texts[index]] for index in indices])
