"""Scores sentences with minicons, in an environment of its own; reads one JSON object and writes one.

Given: model (a folder with weights and tokenizer.json), kind, special (special tokens by name), texts, and sizes
(sentences a batch). Written: for each size the CPU and wall seconds, and scores: each sentence's log-probabilities
of all its tokens, special ones left out, in nats.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any


def main() -> None:
    asked: dict[str, Any] = json.load(sys.stdin)
    import torch
    from minicons import scorer
    from transformers import AutoModelForCausalLM, AutoModelForMaskedLM, PreTrainedTokenizerFast, logging

    logging.set_verbosity_error()
    if asked.get("threads"):
        torch.set_num_threads(asked["threads"])
    special = {name: token for name, token in asked["special"].items() if token is not None}
    tokenizer = PreTrainedTokenizerFast(tokenizer_file=f"{asked['model']}/tokenizer.json", **special)
    masked = asked["kind"] == "masked"
    auto = AutoModelForMaskedLM if masked else AutoModelForCausalLM
    model = auto.from_pretrained(asked["model"]).eval()
    if not masked and tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    make = scorer.MaskedLMScorer if masked else scorer.IncrementalLMScorer
    scoring = make(model, "cpu", tokenizer=tokenizer)
    # minicons puts a begin token where it is asked to; a tokenizer that adds one itself is not asked.
    begins = not masked and special.get("bos_token") is not None
    if begins and tokenizer("a")["input_ids"][0] == tokenizer.bos_token_id:
        begins = False
    more = {"bos_token": True} if begins else {}
    texts: list[str] = asked["texts"]

    def score(size: int) -> list[list[float]]:
        found: list[list[float]] = []
        for start in range(0, len(texts), size):
            prepared = scoring.prepare_text(texts[start : start + size], **more)
            found += scoring.compute_stats(list(prepared) if masked else prepared)
        return found

    timings, scores = [], []
    for size in asked["sizes"]:
        score_start = texts[:size]
        scoring.compute_stats(list(scoring.prepare_text(score_start[:2], **more)) if masked
                              else scoring.prepare_text(score_start[:2], **more))  # fmt: skip
        wall, cpu = time.perf_counter(), time.process_time()
        scores = score(size)
        timings.append({"size": size, "wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu})
    json.dump({"timings": timings, "scores": scores}, sys.stdout)


if __name__ == "__main__":
    main()
