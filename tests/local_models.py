"""Folders of tiny models with random weights, long enough for real rows, and with a chat template."""

from __future__ import annotations

from pathlib import Path

from tiny_models import tokenizer

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
