"""Scores beside the plain way and beside a peer, in one run: `python -m benchmarks.score`.

One model with random weights, on the CPU, and the pairs of a dataset. Measured side by side, with the largest
difference of scores:

plain     one mask and one sentence a forward pass, or one growing prefix a pass, logits of every token; over a
          random part of the pairs, half before the others and half after them, so that a machine that is slow
          for a while is slow for all
published the same, with gradients recorded, as the published scorers do it
minicons  in an environment of its own (--minicons-python, or CONTRAPAR_MINICONS_PYTHON), at the best of several
          batch sizes, sentences sorted by length
ours      `contrapar.evaluate.answer`

The plain loop and minicons are given one thread or all of them, whichever is the faster for them.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

Pair = tuple[str, str]
SIZES = (8, 32, 128)


class Seconds(NamedTuple):
    wall: float
    cpu: float

    def __add__(self, other: Any) -> Seconds:
        return Seconds(self.wall + other.wall, self.cpu + other.cpu)


class Measured(NamedTuple):
    """How long some pairs (by index) took, and their scores (pairs, 2)."""

    indices: list[int]
    seconds: Seconds
    nats: Any
    note: str = ""


@dataclass(frozen=True)
class Bench:
    """One kind of model and the pairs: `kept` are the pieces of each sentence that are scored."""

    kind: str
    model: Any
    pairs: list[Pair]
    kept: list[tuple[list[int], list[int]]]
    folder: Path
    threads: int


def timed(work: Callable[[], Any]) -> tuple[Any, Seconds]:
    wall, cpu = time.perf_counter(), time.process_time()
    made = work()
    return made, Seconds(time.perf_counter() - wall, time.process_time() - cpu)


def read(options: argparse.Namespace) -> list[Pair]:
    """The pairs of a file or of a dataset: stretches of neighbours, spread over all of it."""
    if options.pairs:
        import pandas as pd

        path = Path(options.pairs)
        table = pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path, sep=None, engine="python")
        columns = [table[name].tolist() for name in ("sent_target", "sent_other")]
    else:
        from contrapar.evaluate.selection import select

        selected = select(options.dataset).table
        columns = [selected.column(name).to_pylist() for name in ("sent_target", "sent_other")]
    every = list(zip(*columns, strict=True))
    if options.count >= len(every):
        return every
    step = options.count // options.stretches
    starts = np.linspace(0, len(every) - step, options.stretches).astype(int)
    return [every[i] for start in starts for i in range(start, start + step)]


def prepare(kind: str, pairs: list[Pair], options: argparse.Namespace, folder: Path) -> Bench:
    from .small_models import save, small, tokenizer

    made = tokenizer(kind, sorted({text for pair in pairs for text in pair}), options.pieces)
    model = small(kind, layers=options.layers, hidden=options.hidden, vocabulary=options.vocabulary)
    save(model, made, folder)
    size = f"{options.layers} layers of {options.hidden}, vocabulary {options.vocabulary:,}"
    return wrap(kind, pairs, model, made, size, options.threads, folder)


def wrap(
    kind: str, pairs: list[Pair], model: Any, tokenizer: Any, size: str, threads: int, folder: Path | None = None
) -> Bench:
    """A bench of a model; what it is and what it is given are printed."""
    from contrapar.evaluate.answer.local import LocalModel
    from contrapar.evaluate.answer.spans import changed_words, shared_pieces

    local = LocalModel(f"random-{kind}", kind, model, tokenizer)  # type: ignore[arg-type]
    texts = sorted({text for pair in pairs for text in pair})
    encoded = dict(zip(texts, local.encode(texts), strict=True))
    kept = []
    for pair in pairs:
        changed = changed_words(*pair)
        kept.append(tuple(shared_pieces(t, encoded[t].offsets, c) for t, c in zip(pair, changed, strict=True)))
    pieces = sum(len(p.ids) for p in encoded.values())
    words = sum(len(set(p.words)) for p in encoded.values())
    scored = sum(len(places) for both in kept for places in both)
    print(
        f"\n{kind}: {type(model).__name__}, {size}, random weights, {local.signature['dtype']}; {len(pairs):,} pairs, "
        f"{pieces / len(texts):.1f} pieces a sentence, {pieces / words:.2f} a word, {scored / len(pairs):.1f} scored a "
        "pair"
    )
    return Bench(kind, local, pairs, kept, folder or Path(), threads)  # type: ignore[arg-type]


def ours(bench: Bench, tokens: int | None) -> Measured:
    from contrapar.evaluate.answer import causal, masked

    module: Any = masked if bench.kind == "masked" else causal
    list(module.stream(bench.model, bench.pairs[-16:], tokens=tokens))
    found, seconds = timed(lambda: list(module.stream(bench.model, bench.pairs, tokens=tokens)))
    return Measured(list(range(len(bench.pairs))), seconds, np.concatenate([s.nats for s in found]))


def plain(bench: Bench, indices: list[int], *, gradients: bool = False) -> Measured:
    """Each shared piece by a forward pass of its own."""
    import torch

    model, tokenizer = bench.model.model, bench.model.tokenizer
    begin, device = len(bench.model.prefix), bench.model.device

    @torch.set_grad_enabled(gradients)
    def score(text: str, places: Sequence[int]) -> float:
        total = 0.0
        if bench.kind == "masked":
            ids = torch.tensor([tokenizer(text)["input_ids"]], device=device)
            for place in places:
                hidden = ids.clone()
                hidden[0, place + begin] = tokenizer.mask_token_id
                logits = model(hidden).logits[0, place + begin]
                total += torch.log_softmax(logits.float(), dim=0)[ids[0, place + begin]].item()
            return total
        given = tokenizer(text, add_special_tokens=False)["input_ids"]
        ids = torch.tensor([bench.model.prefix + given], device=device)
        for place in places:
            logits = model(ids[:, : place + begin]).logits[0, -1]
            total += torch.log_softmax(logits.float(), dim=0)[ids[0, place + begin]].item()
        return total

    def some(of: list[int]) -> list[list[float]]:
        return [[score(t, k) for t, k in zip(bench.pairs[i], bench.kept[i], strict=True)] for i in of]

    tried = {}
    for threads in sorted({1, bench.threads}):
        torch.set_num_threads(threads)
        some(indices[:1])
        tried[threads] = timed(lambda: some(indices[:1]))[1].wall
    best = min(tried, key=lambda threads: tried[threads])
    torch.set_num_threads(best)
    nats, seconds = timed(lambda: some(indices))
    torch.set_num_threads(bench.threads)
    return Measured(indices, seconds, np.array(nats), f"{best} of {bench.threads} threads")


def minicons(bench: Bench, indices: list[int], python: str) -> Measured:
    """The best of several batch sizes and of one thread or all, tried over a part of the pairs, over these."""
    tokens = ("bos", "cls", "sep", "mask", "pad", "eos")
    special = {f"{name}_token": getattr(bench.model.tokenizer, f"{name}_token") for name in tokens}

    def ask(some: list[int], sizes: Sequence[int], threads: int) -> tuple[list[dict[str, Any]], Any]:
        # every sentence of every pair, as it would be given; sorted by length, so that little is padded
        sides = sorted(((i, k) for i in some for k in (0, 1)), key=lambda side: len(bench.pairs[side[0]][side[1]]))
        asked = {
            "model": str(bench.folder),
            "kind": bench.kind,
            "special": special,
            "texts": [bench.pairs[i][k] for i, k in sides],
            "sizes": list(sizes),
            "threads": threads,
        }
        worker = Path(__file__).with_name("minicons_worker.py")
        done = subprocess.run(
            [python, str(worker)], input=json.dumps(asked), capture_output=True, text=True, check=False
        )
        if done.returncode:
            sys.exit(f"minicons failed under {python}: {done.stderr.strip().splitlines()[-1]}")
        told = json.loads(done.stdout)
        nats = np.zeros((len(some), 2))
        place = {i: row for row, i in enumerate(some)}
        for (i, k), values in zip(sides, told["scores"], strict=True):
            nats[place[i], k] = sum(values[piece] for piece in bench.kept[i][k])
        return told["timings"], nats

    few = indices[:: max(1, len(indices) // 16)]
    tried = [(t["wall"], t["size"], threads) for threads in {1, bench.threads} for t in ask(few, SIZES, threads)[0]]
    _, size, threads = min(tried)
    (timing,), nats = ask(indices, [size], threads)
    note = f"batches of {size} sentences, {threads} of {bench.threads} threads"
    return Measured(indices, Seconds(timing["wall"], timing["cpu"]), nats, note)


def show(name: str, measured: Measured, own: Measured) -> None:
    """Pairs a second by the clock and by CPU seconds, how many times as fast ours is, and the difference."""
    rates = [len(measured.indices) / s for s in measured.seconds]
    ratios = [len(own.indices) / s / rate for s, rate in zip(own.seconds, rates, strict=True)]
    difference = np.nanmax(np.abs(own.nats[measured.indices] - measured.nats))
    print(
        f"{name:9s} {len(measured.indices):6,d} pairs {rates[0]:9.2f} a second ({rates[1]:8.2f} a CPU second)   "
        f"ours is {ratios[0]:6.1f} times as fast ({ratios[1]:6.1f} by CPU time)   largest difference "
        f"{difference:.1e} nats   {measured.note}"
    )


def run(kind: str, pairs: list[Pair], options: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory() as folder:
        bench = prepare(kind, pairs, options, Path(folder))
        part = sorted(random.Random(0).sample(range(len(pairs)), min(options.plain, len(pairs))))
        ways = {"plain": False, "published": True}
        before = {name: plain(bench, part[::2], gradients=gradients) for name, gradients in ways.items()}
        own = ours(bench, options.tokens)
        peer = None
        if options.minicons_python:
            some = min(options.minicons_pairs or len(pairs), len(pairs))
            peer = minicons(bench, sorted(random.Random(1).sample(range(len(pairs)), some)), options.minicons_python)
        after = {name: plain(bench, part[1::2], gradients=gradients) for name, gradients in ways.items()}
        show("ours", own, own)
        for name in ways:
            show(name, both(before[name], after[name]), own)
        if peer:
            show("minicons", peer, own)
        if options.profile:
            profile(bench, options.tokens)


def both(before: Measured, after: Measured) -> Measured:
    return Measured(
        [*before.indices, *after.indices],
        before.seconds + after.seconds,
        np.concatenate([before.nats, after.nats]),
        f"{before.note}, then {after.note}",
    )


def profile(bench: Bench, tokens: int | None) -> None:
    """Where ours spends its time, by operation."""
    from torch.profiler import ProfilerActivity
    from torch.profiler import profile as watch

    with watch(activities=[ProfilerActivity.CPU]) as seen:
        ours(bench, tokens)
    print(seen.key_averages().table(sort_by="self_cpu_time_total", row_limit=15, max_name_column_width=50))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", choices=("masked", "causal", "both"), default="both")
    parser.add_argument("--dataset", default="identiteit", help="name or path of a dataset of pairs")
    parser.add_argument("--pairs", help="a CSV or Parquet file with sent_target and sent_other in place of a dataset")
    parser.add_argument("--count", type=int, default=1024, help="how many pairs")
    parser.add_argument("--stretches", type=int, default=4, help="in how many runs of neighbours they are taken")
    parser.add_argument("--plain", type=int, default=24, help="how many of them the plain loop scores")
    parser.add_argument("--minicons-python", default=os.environ.get("CONTRAPAR_MINICONS_PYTHON"))
    parser.add_argument("--minicons-pairs", type=int, help="how many of them minicons scores; all where not given")
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--hidden", type=int, default=128)
    parser.add_argument("--vocabulary", type=int, default=30_522)
    parser.add_argument("--pieces", type=int, default=600, help="pieces that the tokenizer learns")
    parser.add_argument("--tokens", type=int, help="token budget of a batch of ours")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    import torch

    torch.set_num_threads(options.threads)
    pairs = read(options)
    print(f"{options.threads} threads, torch {torch.__version__}, Python {sys.version.split()[0]}")
    for kind in ("masked", "causal") if options.kind == "both" else (options.kind,):
        run(kind, pairs, options)


if __name__ == "__main__":
    main()
