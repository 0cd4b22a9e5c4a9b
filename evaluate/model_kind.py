"""What a model is, from the small files beside its weights: whether it fills masks, translates, or chats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from ..builder.problems import UsageError


class ModelKind(NamedTuple):
    masked: bool
    chats: bool
    translates: bool = False

    @property
    def ways(self) -> tuple[str, ...]:
        """The ways in which it may answer, the most usual first."""
        if self.masked:
            return ("masked",)
        if self.translates:
            return ("translate",)
        return ("chat", "causal", "choice") if self.chats else ("choice", "causal")


def kind_of_model(name: str) -> ModelKind:
    """Of a folder; or of a name that the Hub or its cache knows. UsageError for a folder that is not there."""
    folder = Path(name)
    if not folder.is_dir():
        if name.startswith((".", "/", "~")) or name.count("/") > 1:
            raise UsageError(f"--model {name}: there is no such folder")
        architectures = _on_hub(name)
        return ModelKind(_fills_masks(architectures), True, _translates(architectures))
    if not (folder / "config.json").is_file():
        if any(folder.glob("*.gguf")):
            return ModelKind(False, True)
        raise UsageError(f"--model {name}: neither a config.json nor a .gguf file is in it")
    config = _json(folder / "config.json")
    chats = (folder / "chat_template.jinja").is_file() or bool(
        _json(folder / "tokenizer_config.json").get("chat_template")
    )
    architectures = config.get("architectures") or []
    return ModelKind(_fills_masks(architectures), chats, _translates(architectures))


def _on_hub(name: str) -> list[str]:
    from transformers import AutoConfig

    try:
        config = AutoConfig.from_pretrained(name)
    except (OSError, ValueError) as error:
        raise UsageError(f"--model {name}: not found: {str(error).splitlines()[0]}") from None
    return list(config.architectures or [])


def _translates(architectures: list[str]) -> bool:
    ends = ("ForConditionalGeneration", "MTModel", "ForSeq2SeqLM")
    return any(one.endswith(ends) and "Causal" not in one for one in architectures)


def _fills_masks(architectures: list[str]) -> bool:
    return any(one.endswith(("ForMaskedLM", "ForPreTraining")) for one in architectures)


def _json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
