"""Folders of tiny models with random weights, long enough for real rows, and with a chat template."""

from __future__ import annotations

from pathlib import Path

from tiny_models import CORPUS, tokenizer

CHAT = (
    "{% for message in messages %}{{ message['role'] }}: {{ message['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}assistant:{% endif %}"
)


def saved(folder: Path, kind: str, *, chats: bool = False) -> Path:
    """A model of an architecture in a folder; the same weights each time."""
    import torch
    import transformers as hf

    words = tokenizer(kind)
    words.model_max_length = 1024
    if chats:
        words.chat_template = CHAT
    torch.manual_seed(0)
    made = {
        "bert": lambda: hf.BertForMaskedLM(
            hf.BertConfig(
                vocab_size=len(words),
                hidden_size=32,
                num_hidden_layers=2,
                num_attention_heads=4,
                intermediate_size=64,
                max_position_embeddings=1024,
                initializer_range=0.3,
            )
        ),
        "gpt2": lambda: hf.GPT2LMHeadModel(
            hf.GPT2Config(
                vocab_size=len(words), n_positions=1024, n_embd=32, n_layer=2, n_head=4, initializer_range=0.3
            )
        ),
    }[kind]()
    made.eval().save_pretrained(folder)
    words.save_pretrained(folder)
    return folder


def translator(folder: Path, kind: str) -> Path:
    """A model that translates, of the build of NLLB or of MADLAD, in a folder; its random weights make no sense."""
    import json

    import torch
    import transformers as hf
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers

    raw = Tokenizer(models.BPE(unk_token="<unk>"))
    raw.pre_tokenizer, raw.decoder = pre_tokenizers.Metaspace(), decoders.Metaspace()
    special = ["<s>", "<pad>", "</s>", "<unk>", *(["<2es>", "<2eu>"] if kind == "madlad" else [])]
    raw.train_from_iterator(CORPUS, trainers.BpeTrainer(vocab_size=200, special_tokens=special, show_progress=False))
    torch.manual_seed(0)
    if kind == "nllb":
        known = json.loads(raw.to_str())["model"]
        words = hf.NllbTokenizer(vocab=known["vocab"], merges=[tuple(pair) for pair in known["merges"]])
        config = hf.M2M100Config(
            vocab_size=len(words), d_model=32, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2,
            decoder_attention_heads=2, encoder_ffn_dim=32, decoder_ffn_dim=32, max_position_embeddings=128,
            init_std=0.3, pad_token_id=1, bos_token_id=0, eos_token_id=2, decoder_start_token_id=2,
        )  # fmt: skip
        model = hf.M2M100ForConditionalGeneration(config)
    else:
        raw.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 2)])
        words = hf.PreTrainedTokenizerFast(
            tokenizer_object=raw, pad_token="<pad>", eos_token="</s>", unk_token="<unk>", model_max_length=128
        )
        config = hf.T5Config(
            vocab_size=len(words), d_model=32, d_kv=16, d_ff=32, num_layers=1, num_heads=2, initializer_factor=3.0,
            pad_token_id=1, eos_token_id=2, decoder_start_token_id=1,
        )  # fmt: skip
        model = hf.T5ForConditionalGeneration(config)
    model.eval().save_pretrained(folder)
    words.save_pretrained(folder)
    return folder
