"""Tiny models with random weights and tokenizers trained on the spot, for tests of scoring."""

from __future__ import annotations

from typing import Any

CORPUS = [
    "Anna is lesbisch en altijd te laat.",
    "Bram is hetero en nooit op tijd.",
    "De enfermera y el enfermero llegan tarde, dicen; ¿quién lo sabe?",
    "Esa mujer mayor no cumplió con la señora.",
    "Lesbiennes en hetero's zijn onbetrouwbaar, zegt Daan.",
    "Transgender personen werken hard en praten zacht.",
] * 4

ARCHITECTURES = ("bert", "roberta", "gpt2", "llama")


def tokenizer(kind: str, *, bos: bool = True, padding_side: str = "right", size: int = 150) -> Any:
    """A fast tokenizer of an architecture's kind; `bos=False` leaves a causal one without a begin token."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    special: dict[str, str]
    if kind == "bert":
        special = {"pad": "[PAD]", "unk": "[UNK]", "cls": "[CLS]", "sep": "[SEP]", "mask": "[MASK]"}
        raw = Tokenizer(models.WordPiece(unk_token="[UNK]"))
        raw.normalizer = normalizers.BertNormalizer(lowercase=False, strip_accents=False)
        raw.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        raw.decoder = decoders.WordPiece()
        trainer: Any = trainers.WordPieceTrainer(
            vocab_size=size, special_tokens=list(special.values()), show_progress=False
        )
    elif kind == "llama":
        special = {"unk": "<unk>", "bos": "<s>", "eos": "</s>"}
        raw = Tokenizer(models.BPE(unk_token="<unk>"))
        raw.pre_tokenizer = pre_tokenizers.Metaspace()
        raw.decoder = decoders.Metaspace()
        trainer = trainers.BpeTrainer(vocab_size=size, special_tokens=list(special.values()), show_progress=False)
    else:
        special = {"bos": "<|endoftext|>", "eos": "<|endoftext|>"}
        if kind == "roberta":
            special = {"cls": "<s>", "pad": "<pad>", "sep": "</s>", "unk": "<unk>", "mask": "<mask>"}
        raw = Tokenizer(models.BPE())
        raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        raw.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(
            vocab_size=max(size, 300),
            special_tokens=list(dict.fromkeys(special.values())),
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        )
    raw.train_from_iterator(CORPUS, trainer)
    if "cls" in special:
        first, last = special["cls"], special["sep"]
        ids = [(token, raw.token_to_id(token)) for token in (first, last)]
        raw.post_processor = processors.TemplateProcessing(
            single=f"{first} $A {last}", pair=f"{first} $A {last} $B {last}", special_tokens=ids
        )
    elif kind == "llama" and bos:
        raw.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    named = {f"{name}_token": token for name, token in special.items() if bos or name != "bos"}
    return PreTrainedTokenizerFast(tokenizer_object=raw, padding_side=padding_side, model_max_length=60, **named)


def model(kind: str, vocabulary: int, *, layers: int = 2, seed: int = 0) -> Any:
    """A model of an architecture with random weights; large ones, so that scores differ well."""
    import torch
    from transformers import (
        BertConfig,
        BertForMaskedLM,
        GPT2Config,
        GPT2LMHeadModel,
        LlamaConfig,
        LlamaForCausalLM,
        RobertaConfig,
        RobertaForMaskedLM,
    )

    torch.manual_seed(seed)
    size = {"hidden_size": 32, "num_hidden_layers": layers, "num_attention_heads": 4, "intermediate_size": 64}
    made: Any
    if kind == "bert":
        made = BertForMaskedLM(
            BertConfig(vocab_size=vocabulary, max_position_embeddings=64, initializer_range=0.3, **size)
        )
    elif kind == "roberta":
        made = RobertaForMaskedLM(
            RobertaConfig(
                vocab_size=vocabulary, max_position_embeddings=66, pad_token_id=1, initializer_range=0.3, **size
            )
        )
    elif kind == "gpt2":
        made = GPT2LMHeadModel(
            GPT2Config(
                vocab_size=vocabulary, n_positions=64, n_embd=32, n_layer=layers, n_head=4, initializer_range=0.3
            )
        )
    else:
        made = LlamaForCausalLM(
            LlamaConfig(
                vocab_size=vocabulary,
                max_position_embeddings=64,
                num_key_value_heads=2,
                initializer_range=0.3,
                bos_token_id=1,
                eos_token_id=2,
                **size,
            )
        )
    return made.eval()
