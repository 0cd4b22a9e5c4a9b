"""Scores of local models equal those of plain loops: one mask, one sentence, one prefix a pass."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("transformers", reason="transformers is not installed")

from contrapar.builder.problems import ContraparError, UsageError  # noqa: E402
from contrapar.evaluate.answer import causal, masked  # noqa: E402
from contrapar.evaluate.answer.batches import Budget, blocks, out_of_memory, shard  # noqa: E402
from contrapar.evaluate.answer.local import LocalModel, load  # noqa: E402
from contrapar.evaluate.answer.pairwise import Scored  # noqa: E402
from contrapar.evaluate.answer.prefixes import plant  # noqa: E402
from contrapar.evaluate.answer.spans import changed_words, shared_pieces, shared_tokens  # noqa: E402
from hypothesis import given  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

_spec = importlib.util.spec_from_file_location("tiny_models", Path(__file__).with_name("tiny_models.py"))
assert _spec is not None
assert _spec.loader is not None
tiny_models = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(tiny_models)

NAMES = ("Anna", "Bram", "Daan")
SAID = ("altijd te laat", "onbetrouwbaar", "hard")
PAIRS = [
    *((f"{n} is lesbisch en {p}.", f"{n} is hetero en {p}.") for n in NAMES for p in SAID),
    ("La enfermera llega tarde, dicen.", "La enfermero llega tarde, dicen."),
    ("Transgender personen werken hard en praten zacht.", "Personen werken hard en praten zacht."),
    ("Esa mujer mayor no cumplió.", "Esa mujer no cumplió."),
    ("De Anna is hetero's, zegt Daan; «hard»?", "De Bram is hetero's, zegt Daan; «hard»?"),
    ("te laat", "te laat"),
    ("lesbisch", "hetero"),
]
ALONE = len(PAIRS) - 1  # the pair that shares nothing
KINDS = {"bert": "masked", "roberta": "masked", "gpt2": "causal", "llama": "causal"}


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@cache
def tiny(kind: str, *, bos: bool = True, padding_side: str = "right") -> LocalModel:
    tokenizer = tiny_models.tokenizer(kind, bos=bos, padding_side=padding_side)
    model = tiny_models.model(kind, len(tokenizer))
    return LocalModel(f"tiny-{kind}", KINDS[kind], model, tokenizer)  # type: ignore[arg-type]


def stream(model: LocalModel, pairs: Sequence[tuple[str, str]] = PAIRS, **given: Any) -> list[Scored]:
    module: Any = masked if model.kind == "masked" else causal
    return list(module.stream(model, pairs, **given))


def scores(model: LocalModel, pairs: Sequence[tuple[str, str]] = PAIRS, **given: Any) -> tuple[Any, Any]:
    found = stream(model, pairs, **given)
    order = np.argsort(np.concatenate([s.indices for s in found]))
    return np.concatenate([s.nats for s in found])[order], np.concatenate([s.tokens for s in found])[order]


@torch.inference_mode()
def plain(model: LocalModel, text: str, places: Sequence[int], pll: str = "original") -> float:
    """The sum of log-probabilities of pieces (by index), each by a pass of its own over one sentence."""
    encoded = model.tokenizer(text, add_special_tokens=False)
    total = 0.0
    if model.kind == "masked":
        full = model.tokenizer(text)["input_ids"]
        word = encoded.word_ids()
        for place in places:
            ids = torch.tensor([full])
            hidden = [place]
            if pll == "l2r":
                hidden += [i for i in range(place + 1, len(word)) if word[i] == word[place]]
            for i in hidden:
                ids[0, i + 1] = model.tokenizer.mask_token_id
            logits = model.model(input_ids=ids).logits[0, place + 1]
            total += torch.log_softmax(logits.double(), -1)[full[place + 1]].item()
        return total
    bos = [] if model.tokenizer.bos_token_id is None else [model.tokenizer.bos_token_id]
    ids = bos + encoded["input_ids"]
    for place in places:
        at = place + len(bos)
        logits = model.model(input_ids=torch.tensor([ids[:at]])).logits[0, -1]
        total += torch.log_softmax(logits.double(), -1)[ids[at]].item()
    return total


def plain_scores(
    model: LocalModel,
    pairs: Sequence[tuple[str, str]] = PAIRS,
    *,
    span: str = "word",
    whole: bool = False,
    pll: str = "original",
) -> Any:
    bos = model.kind == "masked" or model.tokenizer.bos_token_id is not None
    found = np.full((len(pairs), 2), np.nan)
    for i, pair in enumerate(pairs):
        encoded = [model.tokenizer(t, add_special_tokens=False, return_offsets_mapping=True) for t in pair]
        if whole:
            kept = [list(range(len(e["input_ids"]))) for e in encoded]
        elif span == "word":
            changed = changed_words(*pair, first=bos)
            kept = [shared_pieces(*z) for z in zip(pair, (e["offset_mapping"] for e in encoded), changed, strict=True)]
        else:
            # An id that no token has stands for each special token that the published scorers add.
            shared = shared_tokens(*([-1] * bos + e["input_ids"] + [-2] for e in encoded))
            kept = [
                [k - bos for k in s if 0 <= k - bos < len(e["input_ids"])] for s, e in zip(shared, encoded, strict=True)
            ]
        for side in (0, 1):
            places = kept[side] if bos else [k for k in kept[side] if k > 0]
            if places:
                found[i, side] = plain(model, pair[side], places, pll)
    return found


MODELS = [
    pytest.param(kind, {"bos": bos, "padding_side": side}, id=f"{kind}-{side}{'' if bos else '-no-bos'}")
    for kind in tiny_models.ARCHITECTURES
    for side in ("right", "left")
    for bos in ((True, False) if KINDS[kind] == "causal" else (True,))
]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "given_tokenizer"), MODELS)
def test_scores_equal_a_plain_loop_at_any_batch_size(kind: str, given_tokenizer: dict[str, Any]) -> None:
    model = tiny(kind, **given_tokenizer)
    expected = plain_scores(model)
    for tokens, block in ((1, 1), (40, 4), (100_000, None)):
        nats, _ = scores(model, tokens=tokens, block=block)
        np.testing.assert_allclose(nats, expected, atol=1e-4, rtol=0)
    assert np.isnan(expected[ALONE]).all()


OTHER = [
    *((kind, asked) for kind in tiny_models.ARCHITECTURES for asked in ({"span": "token"}, {"whole": True})),
    *((kind, {"pll": "l2r"}) for kind in ("bert", "roberta")),
]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "asked"), OTHER, ids=str)
def test_other_scores_equal_a_plain_loop(kind: str, asked: dict[str, Any]) -> None:
    model = tiny(kind)
    nats, tokens = scores(model, **asked)
    np.testing.assert_allclose(nats, plain_scores(model, **asked), atol=1e-4, rtol=0)
    if "whole" in asked:
        assert tokens[0, 0] == len(model.tokenizer(PAIRS[0][0], add_special_tokens=False)["input_ids"])


@pytest.mark.slow
@pytest.mark.parametrize("kind", tiny_models.ARCHITECTURES)
def test_shortcuts_hold_for_this_architecture_and_the_plain_way_gives_the_same(kind: str) -> None:
    model = tiny(kind)
    assert model.gathers
    assert model.narrows == (model.kind == "masked")
    assert model.remembers == (model.kind == "causal")
    quick, _ = scores(model)
    slow = LocalModel("slow", model.kind, model.model, model.tokenizer)
    slow.gathers = slow.narrows = slow.remembers = False
    np.testing.assert_allclose(scores(slow)[0], quick, atol=1e-4, rtol=0)


@pytest.mark.parametrize("kind", tiny_models.ARCHITECTURES)
def test_scores_of_a_few_pairs_equal_a_plain_loop(kind: str) -> None:
    few = [PAIRS[0], *PAIRS[-6:]]
    np.testing.assert_allclose(scores(tiny(kind), few)[0], plain_scores(tiny(kind), few), atol=1e-4, rtol=0)


def test_a_shortcut_that_does_not_hold_is_not_taken() -> None:
    tokenizer = tiny_models.tokenizer("gpt2")
    model = tiny_models.model("gpt2", len(tokenizer))
    body = model.transformer.forward

    def without_places(*args: Any, position_ids: Any = None, **kwargs: Any) -> Any:
        if position_ids is not None:
            raise TypeError("forward() got an unexpected keyword argument 'position_ids'")
        return body(*args, **kwargs)

    model.transformer.forward = without_places
    found = LocalModel("odd", "causal", model, tokenizer)
    assert found.gathers
    assert not found.remembers
    np.testing.assert_allclose(scores(found)[0], scores(tiny("gpt2"))[0], atol=1e-4, rtol=0)


def test_a_head_with_a_bias_of_places_falls_back_to_full_logits() -> None:
    tokenizer = tiny_models.tokenizer("bert")
    model = tiny_models.model("bert", len(tokenizer))
    head = model.cls.forward
    model.cls.forward = lambda states: head(states) + torch.arange(states.shape[1])[:, None] * head(states)
    found = LocalModel("odd", "masked", model, tokenizer)
    assert not found.gathers
    few = [PAIRS[0], PAIRS[-3]]
    np.testing.assert_allclose(scores(found, few)[0], plain_scores(found, few), atol=1e-3, rtol=0)


def test_what_sentences_begin_with_is_split_over_several_memories(monkeypatch: pytest.MonkeyPatch) -> None:
    model = tiny("llama")
    whole, _ = scores(model)
    monkeypatch.setattr(causal, "_MEMORY_BYTES", 3 * model.slot_bytes)
    monkeypatch.setattr(causal, "_WORTH", 0)
    np.testing.assert_allclose(scores(model)[0], whole, atol=1e-4, rtol=0)


def test_equal_work_is_done_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def rows(model: LocalModel, pairs: Sequence[tuple[str, str]]) -> int:
        seen = [0]
        own = LocalModel.log_probabilities

        def counted(self: LocalModel, cut: Any, *args: Any, **given: Any) -> Any:
            seen[0] += int(cut.lengths.sum())
            return own(self, cut, *args, **given)

        with monkeypatch.context() as patch:
            patch.setattr(LocalModel, "log_probabilities", counted)
            scores(model, pairs)
        return seen[0]

    pairs = [(f"{p} is lesbisch", f"{p} is hetero") for p in ("te", "en")]
    for kind in tiny_models.ARCHITECTURES:
        assert rows(tiny(kind), pairs) == rows(tiny(kind), [*pairs, *(pair[::-1] for pair in pairs)])
    # One-token names masked: "[MASK] is lesbisch" is one sequence whoever it was.
    bert = tiny("bert")
    apart = sum(rows(bert, [pair]) for pair in pairs)
    assert {len(bert.encode([p])[0].ids) for p in ("te", "en")} == {1}
    assert rows(bert, pairs) == apart - sum(len(bert.encode([t])[0].ids) + 2 for t in pairs[0])


@pytest.mark.parametrize("kind", ["bert", "llama"])
def test_memory_that_runs_out_makes_smaller_batches(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = tiny(kind)
    whole, _ = scores(model)
    own, tried = LocalModel.log_probabilities, []

    def small(self: LocalModel, cut: Any, *args: Any, **given: Any) -> Any:
        tried.append(len(cut.ids))
        if len(cut.ids) > 3:
            raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes")
        return own(self, cut, *args, **given)

    monkeypatch.setattr(LocalModel, "log_probabilities", small)
    np.testing.assert_allclose(scores(model)[0], whole, atol=1e-4, rtol=0)
    assert max(tried) > 3
    assert sum(count > 3 for count in tried) < 10  # the budget stays small, it is not found anew each time

    monkeypatch.setattr(LocalModel, "log_probabilities", lambda *args, **given: [][1:] + _raise(MemoryError()))
    with pytest.raises(ContraparError, match=r"out of memory: one sentence of \d+ tokens"):
        scores(model)


def _raise(error: Exception) -> list[Any]:
    raise error


def test_other_errors_are_not_taken_for_memory() -> None:
    assert out_of_memory(torch.OutOfMemoryError("CUDA out of memory. Tried to allocate"))
    assert not out_of_memory(RuntimeError("shapes do not match"))
    with pytest.raises(RuntimeError, match="shapes"):
        Budget(9).run([0], [1], lambda batch: _raise(RuntimeError("shapes do not match")))  # type: ignore[arg-type, return-value]


@given(st.lists(st.integers(1, 50), min_size=1, max_size=40), st.integers(1, 120))
def test_batches_hold_each_item_once_and_keep_to_the_budget(lengths: list[int], tokens: int) -> None:
    seen: list[int] = []

    def work(batch: list[int]) -> None:
        assert len(batch) == 1 or len(batch) * max(lengths[i] for i in batch) <= tokens
        seen.extend(batch)

    order = sorted(range(len(lengths)), key=lengths.__getitem__)
    Budget(tokens).run(order, lengths, work)
    assert seen == order


@given(st.integers(0, 60), st.integers(1, 7))
def test_shares_of_processes_make_the_whole(count: int, processes: int) -> None:
    shares = [shard(range(count), k, processes) for k in range(processes)]
    assert sorted(i for share in shares for i in share) == list(range(count))
    assert max(map(len, shares)) - min(map(len, shares)) <= 1
    assert [i for block in blocks(count, processes) for i in block.tolist()] == list(range(count))


@given(st.lists(st.lists(st.integers(0, 2), min_size=1, max_size=6), min_size=1, max_size=12))
def test_a_forest_has_one_node_for_each_distinct_beginning(sequences: list[list[int]]) -> None:
    forest = plant(sequences)
    beginnings = {tuple(s[: k + 1]): int(forest.node[i, k]) for i, s in enumerate(sequences) for k in range(len(s))}
    assert len(forest.ids) == len(beginnings) == len(set(beginnings.values()))
    for i, sequence in enumerate(sequences):
        assert [int(forest.node[i, k]) for k in range(len(sequence))] == [
            beginnings[tuple(sequence[: k + 1])] for k in range(len(sequence))
        ]
        assert forest.ids[forest.node[i, : len(sequence)]].tolist() == sequence
    # What stands before a segment is remembered, and its rectangle says where.
    for level in range(int(forest.level.max()) + 1):
        cut = forest.cut(forest.level_order(level))
        assert ((cut.past >= 0).sum(axis=1) == forest.past[forest.level_order(level)]).all()
    assert int(forest.length.sum()) == len(forest.ids)


def test_a_block_has_the_same_numbers_whatever_else_is_asked() -> None:
    for kind in ("roberta", "gpt2"):
        model = tiny(kind)
        whole, _ = scores(model, block=4)
        resumed = stream(model, block=4, todo=[5, 13])
        assert [s.indices.tolist() for s in resumed] == [[4, 5, 6, 7], [12, 13, 14]]
        halves = [s for k in (0, 1) for s in stream(model, block=4, part=(k, 2))]
        assert sorted(i for s in halves for i in s.indices.tolist()) == list(range(len(PAIRS)))
        for some in (*resumed, *halves):
            np.testing.assert_array_equal(some.nats, whole[some.indices])
        done: list[int] = []
        stream(model, block=4, progress=done.append)
        assert done == [4, 8, 12, 15]


def test_the_numbers_do_not_hang_on_the_count_of_cores() -> None:
    for kind in ("bert", "llama"):
        alone, _ = scores(tiny(kind), tokens=40)
        torch.set_num_threads(3)
        np.testing.assert_array_equal(scores(tiny(kind), tokens=40)[0], alone)
        assert torch.get_num_threads() == 3
        torch.set_num_threads(1)


def test_an_error_in_one_batch_stops_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.set_num_threads(2)
    tried: list[int] = []

    def failing(self: LocalModel, cut: Any, *args: Any, **given: Any) -> Any:
        tried.append(len(cut.ids))
        raise ZeroDivisionError("in a batch")

    monkeypatch.setattr(LocalModel, "log_probabilities", failing)
    with pytest.raises(ZeroDivisionError):
        scores(tiny("bert"), tokens=1)
    assert len(tried) <= 2


def test_a_sentence_that_is_too_long_is_told_and_not_cut() -> None:
    for kind in ("bert", "llama"):
        pairs = [*PAIRS, ("te laat " * 60, "te laat " * 59)]
        with pytest.raises(
            ContraparError, match=rf"1 of {len(pairs)} pairs are longer, the first is number {len(pairs)}"
        ):
            scores(tiny(kind), pairs)
    just = tiny("bert")
    text = " ".join(["te"] * (just.max_length - 2))
    assert not np.isnan(scores(just, [(text, text)])[0]).any()


def test_begin_tokens_are_one_or_none_and_said() -> None:
    llama = tiny("llama")
    assert llama.tokenizer("te laat")["input_ids"][0] == llama.tokenizer.bos_token_id
    assert llama.prefix == [llama.tokenizer.bos_token_id]
    once, twice = llama.encode(["te laat", llama.tokenizer.bos_token + "te laat"])
    assert once.ids == twice.ids
    assert llama.signature["first_word"] == "scored"
    bare = tiny("gpt2", bos=False)
    assert bare.prefix == []
    assert bare.signature["first_word"].startswith("unscored")
    # Both sentences lose their first word, so the same words are compared.
    _, tokens = scores(bare, [("te laat en hard", "te laat, hard")])
    _, with_bos = scores(tiny("gpt2"), [("te laat en hard", "te laat, hard")])
    assert (with_bos - tokens == len(bare.encode(["te"])[0].ids)).all()


@pytest.mark.parametrize("kind", tiny_models.ARCHITECTURES)
def test_a_saved_model_scores_the_same(kind: str, tmp_path: Path) -> None:
    model = tiny(kind)
    model.model.save_pretrained(tmp_path)
    model.tokenizer.save_pretrained(tmp_path)
    found = load(str(tmp_path), model.kind, device="cpu")
    np.testing.assert_allclose(scores(found)[0], scores(model)[0], atol=1e-4, rtol=0)
    assert found.signature["weights"].startswith("files:")
    assert found.signature["dtype"] == "float32"
    (tmp_path / "generation_config.json").write_text("{}")
    assert load(str(tmp_path), model.kind, device="cpu").signature["weights"] != found.signature["weights"]


def test_models_that_cannot_score_are_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be loaded as a masked model") as told:
        load(str(tmp_path / "nowhere"), "masked", device="cpu")
    assert "\n" not in str(told.value)
    bert = tiny("bert")
    bert.tokenizer.save_pretrained(tmp_path)
    bert.model.bert.save_pretrained(tmp_path)
    with pytest.raises(UsageError, match="would score at random"):
        load(str(tmp_path), "masked", device="cpu")
    with pytest.raises(UsageError, match="no mask token"):
        list(masked.stream(tiny("gpt2"), PAIRS))
    with pytest.raises(UsageError, match="no such precision"):
        load(str(tmp_path), "masked", device="cpu", dtype="float3")


@pytest.mark.slow
@pytest.mark.parametrize("kind", tiny_models.ARCHITECTURES)
def test_whole_sentences_equal_minicons(kind: str, tmp_path: Path) -> None:
    python = os.environ.get("CONTRAPAR_MINICONS_PYTHON")
    if not python:
        pytest.skip("CONTRAPAR_MINICONS_PYTHON names no Python with minicons 0.3.39 and transformers 4.57")
    model = tiny(kind)
    model.model.save_pretrained(tmp_path)
    model.tokenizer.backend_tokenizer.save(str(tmp_path / "tokenizer.json"))
    texts = sorted({text for pair in PAIRS for text in pair})
    special = {
        f"{name}_token": getattr(model.tokenizer, f"{name}_token")
        for name in ("bos", "cls", "sep", "mask", "pad", "eos")
    }
    asked = {"model": str(tmp_path), "kind": model.kind, "special": special, "texts": texts, "sizes": [3]}
    worker = Path(__file__).parents[1] / "benchmarks" / "minicons_worker.py"
    told = subprocess.run([python, str(worker)], input=json.dumps(asked), capture_output=True, text=True, check=True)
    sums = {text: sum(values) for text, values in zip(texts, json.loads(told.stdout)["scores"], strict=True)}
    nats, _ = scores(model, whole=True)
    np.testing.assert_allclose(nats, [[sums[t] for t in pair] for pair in PAIRS], atol=1e-4, rtol=0)
