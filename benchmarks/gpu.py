"""Scores on a GPU, with random weights at sizes that people use: `python -m benchmarks.gpu`.

No weights are fetched: BERT-base (masked) and a Llama of 8 billion parameters (causal) are made from their
configurations, in bfloat16 on the device. Measured, in one run: pairs and tokens a second of ours, its share of the
bfloat16 matrix product that this card reaches (measured too), and pairs a second of the plain loop beside it.
`--tiny --device cpu` runs the same on small sizes, to see that it works.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

from .score import Bench, Measured, ours, plain, read, show, wrap
from .small_models import tokenizer


def peak(device: Any, size: int) -> float:
    """Floating-point operations a second of a square matrix product in bfloat16, the best of five."""
    import torch

    a = torch.randn(size, size, device=device, dtype=torch.bfloat16)
    b = torch.randn(size, size, device=device, dtype=torch.bfloat16)
    best = float("inf")
    for _ in range(5):
        wait(device)
        start = time.perf_counter()
        torch.mm(a, b)
        wait(device)
        best = min(best, time.perf_counter() - start)
    return 2.0 * size**3 / best


def wait(device: Any) -> None:
    import torch

    if device.type == "cuda":
        torch.cuda.synchronize(device)


def model(kind: str, device: Any, tiny: bool) -> tuple[Any, str]:
    """BERT-base or a Llama of 8 billion parameters, or something tiny of their kinds."""
    import torch
    from transformers import BertConfig, BertForMaskedLM, LlamaConfig, LlamaForCausalLM

    torch.manual_seed(0)
    config: Any
    make: Callable[[Any], Any]
    if kind == "masked":
        hidden, layers = (64, 2) if tiny else (768, 12)
        heads = hidden // 64
        make = BertForMaskedLM
        config = BertConfig(
            hidden_size=hidden, num_hidden_layers=layers, num_attention_heads=heads, intermediate_size=4 * hidden
        )
    else:
        hidden, layers = (64, 2) if tiny else (4096, 32)
        make = LlamaForCausalLM
        config = LlamaConfig(
            vocab_size=2000 if tiny else 128_256,
            hidden_size=hidden,
            intermediate_size=128 if tiny else 14_336,
            num_hidden_layers=layers,
            num_attention_heads=4 if tiny else 32,
            num_key_value_heads=2 if tiny else 8,
            max_position_embeddings=8192,
            bos_token_id=0,
            eos_token_id=0,
        )
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.bfloat16)
    try:
        with torch.device(device):
            made: Any = make(config)
            made.eval()
    finally:
        torch.set_default_dtype(before)
    billions = sum(p.numel() for p in made.parameters()) / 1e9
    return made, f"{billions:.2f} billion parameters, {layers} layers of {hidden}"


class Counted:
    """Counts, while it is entered, tokens that the model reads and distributions that its head makes."""

    def __init__(self, bench: Bench) -> None:
        self.tokens = self.states = 0
        self._model = bench.model

    def __enter__(self) -> Counted:
        own = self._model.log_probabilities

        def counting(cut: Any, row: Any, column: Any, *more: Any) -> Any:
            self.tokens += int(cut.lengths.sum())
            self.states += len(set(zip(row.tolist(), column.tolist(), strict=True)))
            return own(cut, row, column, *more)

        self._model.log_probabilities = counting
        return self

    def __exit__(self, *fault: object) -> None:
        del self._model.log_probabilities

    def operations(self) -> float:
        """Of matrix products with weights; attention itself, a few percent on short sentences, is left out."""
        head = self._model.model.get_output_embeddings().weight.numel()
        embeddings = self._model.model.get_input_embeddings().weight.numel()
        tied = self._model.model.get_output_embeddings().weight is self._model.model.get_input_embeddings().weight
        body = self._model.parameters - embeddings - (0 if tied else head)
        return 2.0 * float(body * self.tokens + head * self.states)


def run(kind: str, options: argparse.Namespace, device: Any, best: float) -> None:
    pairs = read(options)
    made, size = model(kind, device, options.tiny)
    pieces = tokenizer(kind, sorted({text for pair in pairs for text in pair}), options.pieces)
    bench = wrap(kind, pairs, made, pieces, size, options.threads)
    ours(bench, options.tokens)  # once to warm up
    own = ours(bench, options.tokens)
    with Counted(bench) as counted:
        ours(bench, options.tokens)
    part = list(range(0, len(pairs), max(1, len(pairs) // options.plain)))[: options.plain]
    show("ours", own, own)
    show("plain", plain(bench, part), own)
    report(own, counted, best)


def report(own: Measured, counted: Counted, best: float) -> None:
    reached = counted.operations() / own.seconds.wall
    print(
        f"ours      {counted.tokens / own.seconds.wall:,.0f} tokens a second ({counted.tokens:,} tokens read, "
        f"{counted.states:,} distributions), {reached / 1e12:.2f} TFLOP/s, {reached / best:.1%} of what a matrix "
        "product reaches"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", choices=("masked", "causal", "both"), default="both")
    parser.add_argument("--dataset", default="identiteit", help="name or path of a dataset of pairs")
    parser.add_argument("--pairs", help="a CSV or Parquet file with sent_target and sent_other in place of a dataset")
    parser.add_argument("--count", type=int, default=4096, help="how many pairs")
    parser.add_argument("--stretches", type=int, default=4, help="in how many runs of neighbours they are taken")
    parser.add_argument("--plain", type=int, default=8, help="how many of them the plain loop scores")
    parser.add_argument("--pieces", type=int, default=600, help="pieces that the tokenizer learns")
    parser.add_argument("--tokens", type=int, help="token budget of a batch of ours")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--tiny", action="store_true", help="small sizes, to see that this runs")
    options = parser.parse_args()
    import torch

    options.threads = torch.get_num_threads()
    device = torch.device(options.device)
    name = torch.cuda.get_device_name(device) if device.type == "cuda" else "CPU"
    best = peak(device, 512 if options.tiny else 8192)
    print(f"{name}, torch {torch.__version__}; a matrix product in bfloat16 reaches {best / 1e12:.2f} TFLOP/s")
    for kind in ("masked", "causal") if options.kind == "both" else (options.kind,):
        run(kind, options, device, best)


if __name__ == "__main__":
    main()
