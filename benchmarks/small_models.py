"""Small models with random weights and tokenizers trained on the sentences to be scored. Nothing is fetched."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

# names of special tokens as both kinds of tokenizer call them
MASKED = {"pad": "[PAD]", "unk": "[UNK]", "cls": "[CLS]", "sep": "[SEP]", "mask": "[MASK]"}
CAUSAL = {"bos": "<|start|>", "eos": "<|start|>"}


def tokenizer(kind: str, texts: Sequence[str], size: int) -> Any:
    """WordPiece as BERT has it, or byte-level BPE as GPT-2 has it, of `size` pieces at most."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    special = MASKED if kind == "masked" else CAUSAL
    options: dict[str, Any] = {
        "vocab_size": size,
        "special_tokens": list(dict.fromkeys(special.values())),
        "show_progress": False,
    }
    if kind == "masked":
        raw = Tokenizer(models.WordPiece(unk_token="[UNK]"))
        raw.normalizer = normalizers.BertNormalizer(lowercase=False)
        raw.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        trainer: Any = trainers.WordPieceTrainer(**options)
    else:
        raw = Tokenizer(models.BPE())
        raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        trainer = trainers.BpeTrainer(initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), **options)
    raw.train_from_iterator(texts, trainer)
    if kind == "masked":
        ends = [(token, raw.token_to_id(token)) for token in ("[CLS]", "[SEP]")]
        raw.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=ends)
    named = {f"{name}_token": token for name, token in special.items()}
    return PreTrainedTokenizerFast(tokenizer_object=raw, model_max_length=512, **named)


def small(kind: str, *, layers: int, hidden: int, vocabulary: int) -> Any:
    """BERT or GPT-2 of a size, heads of 64."""
    import torch
    from transformers import BertConfig, BertForMaskedLM, GPT2Config, GPT2LMHeadModel

    torch.manual_seed(0)
    heads = max(1, hidden // 64)
    if kind == "masked":
        return BertForMaskedLM(
            BertConfig(
                vocab_size=vocabulary,
                hidden_size=hidden,
                num_hidden_layers=layers,
                num_attention_heads=heads,
                intermediate_size=4 * hidden,
                initializer_range=0.1,
            )
        ).eval()
    return GPT2LMHeadModel(
        GPT2Config(
            vocab_size=vocabulary,
            n_positions=512,
            n_embd=hidden,
            n_layer=layers,
            n_head=heads,
            bos_token_id=0,
            eos_token_id=0,
            initializer_range=0.1,
        )
    ).eval()


def save(model: Any, tokenizer_: Any, folder: Path) -> None:
    """Weights, config and tokenizer.json, as an older transformers reads them too."""
    model.save_pretrained(folder)
    tokenizer_.backend_tokenizer.save(str(folder / "tokenizer.json"))
