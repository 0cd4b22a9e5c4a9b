"""Likelihood of options, replies of models that chat, and the prompts that ask."""

from __future__ import annotations

import importlib.util
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from contrapar.builder.problems import ContraparError, SourceFaults, UsageError
from contrapar.evaluate.answer.prompts import Prompt, bundled_prompt, load_prompt

CHAT = "{% for m in messages %}<s>{{ m.role }} {{ m.content }}{% endfor %}{% if add_generation_prompt %} en{% endif %}"
NO_SYSTEM = "{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}" + CHAT


# Prompts: neither torch nor transformers is needed.


def test_bundled_prompts_ask_in_the_language_and_keep_the_order_of_options() -> None:
    for language, option, first in (("es", "Opción", "##contexto"), ("en", "Option", "##context")):
        system, user = bundled_prompt(language).messages("C1", "Q1", ["uno", "dos", "tres"])
        assert (system["role"], user["role"]) == ("system", "user")
        lines = user["content"].splitlines()
        assert lines[0] == first
        assert lines[-3:] == [f"{option} 0: uno", f"{option} 1: dos", f"{option} 2: tres"]
        assert bundled_prompt(language).before_option("C1", "Q1", []).startswith("C1\n")
    assert bundled_prompt("es-MX").language == "es"
    assert bundled_prompt("eu").language == "en"


def test_a_prompt_file_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "prompt.yaml"
    path.write_text("id: no\nlanguage: no\nlabels: [A, B, C]\nuser: '{{ context }}|{{ question }}|{{ labels[2] }}'\n")
    prompt = load_prompt(path)
    assert (prompt.id, prompt.language) == ("no", "no")
    assert prompt.messages("d'Alembert", "q", ["x", "y", "z"]) == [{"role": "user", "content": "d'Alembert|q|C"}]
    assert prompt.signature["prompt"] == "no"
    changed = path.read_text().replace("|", "/")
    path.write_text(changed)
    assert load_prompt(path).signature["prompt_sha256"] != prompt.signature["prompt_sha256"]


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ("id: a\nlanguage: es\nuser: '{{ contxt }}'", "user", "'contxt' is undefined"),
        ("id: a\nlanguage: es\nuser: '{% if %}'", "user", "template fails"),
        ("id: a\nlanguage: es\nuser: '{{ ().__class__.__mro__ }}'", "user", "template fails"),
        ("id: a\nlanguage: es", "user", "Field required"),
        ("id: a\nlanguage: es\nuser: u\nlabels: [a, a, b]", "labels", "differ"),
        ("id: a\nlanguage: es\nuser: u\nuzer: v", "uzer", "Extra inputs"),
        ("- a", "", "no mapping"),
        ("id: [", "1", "yaml"),
    ],
)
def test_a_faulty_prompt_file_is_told_with_its_field(tmp_path: Path, text: str, where: str, what: str) -> None:
    path = tmp_path / "prompt.yaml"
    path.write_text(text)
    with pytest.raises(SourceFaults) as told:
        load_prompt(path)
    assert what in str(told.value)
    assert f"{path}:{where}" in str(told.value) if where else True
    with pytest.raises(UsageError, match="cannot be read"):
        load_prompt(tmp_path / "none.yaml")


# Models.


def tiny_models() -> Any:
    spec = importlib.util.spec_from_file_location("tiny_models", Path(__file__).with_name("tiny_models.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def tiny(kind: str, template: str | None = CHAT, *, bos: bool = True) -> Any:
    pytest.importorskip("torch", reason="torch is not installed")
    pytest.importorskip("transformers", reason="transformers is not installed")
    from contrapar.evaluate.answer.local import LocalModel

    made = tiny_models()
    tokenizer = made.tokenizer(kind, bos=bos, padding_side="left")
    tokenizer.chat_template = template
    return LocalModel(f"tiny-{kind}", "causal", made.model(kind, len(tokenizer)), tokenizer)


QUESTIONS = [
    ("De enfermera en el enfermero. Quién llegan?", ["Esa mujer", "Esa mujer mayor", "nadie lo sabe"]),
    ("De enfermera en el enfermero. Quién cumplió?", ["Esa mujer", "la señora", "nadie"]),
    ("Wie is te laat?", ["Anna", "Bram", "Anna"]),
]


def plain_choice(model: Any, prompt: str, option: str) -> tuple[float, int]:
    """By a growing prefix: the pieces after the prompt, encoded behind it."""
    import torch

    encoded = model.tokenizer(f"{prompt} {option}", add_special_tokens=False, return_offsets_mapping=True)
    ids, total, count = model.prefix + encoded["input_ids"], 0.0, 0
    for i, (_, end) in enumerate(encoded["offset_mapping"]):
        if end > len(prompt):
            at = i + len(model.prefix)
            with torch.inference_mode():
                logits = model.model(input_ids=torch.tensor([ids[:at]])).logits[0, -1]
            total += torch.log_softmax(logits.double(), -1)[ids[at]].item()
            count += 1
    return total, count


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["gpt2", "llama"])
@pytest.mark.parametrize("bos", [True, False])
def test_options_score_as_by_a_growing_prefix(kind: str, bos: bool) -> None:
    from contrapar.evaluate.answer import choice

    model = tiny(kind, bos=bos)
    expected = [[plain_choice(model, prompt, option) for option in options] for prompt, options in QUESTIONS]
    for tokens, block in ((1, 1), (10_000, None)):
        found = list(choice.stream(model, QUESTIONS, tokens=tokens, block=block))
        sums = [list(s) for k in found for s in k.scores]
        np.testing.assert_allclose(sums, [[total for total, _ in row] for row in expected], atol=1e-4, rtol=0)
        assert [list(t) for k in found for t in k.tokens] == [[count for _, count in row] for row in expected]
    assert sums[2][0] == sums[2][2]
    (by_token,) = choice.stream(model, QUESTIONS, norm="token")
    np.testing.assert_allclose(by_token.scores, [[t / n for t, n in row] for row in expected], atol=1e-4)
    (by_byte,) = choice.stream(model, QUESTIONS, norm="byte")
    sizes = [[len(option.encode()) for option in options] for _, options in QUESTIONS]
    np.testing.assert_allclose(by_byte.scores, np.array(sums) / sizes, atol=1e-4)


@pytest.mark.slow
def test_the_first_piece_of_an_option_is_the_one_that_stands_behind_the_prompt() -> None:
    """Case 25: encoded alone, an option's first piece would lack its space."""
    model = tiny("gpt2")
    alone, behind = model.encode(["Anna", "en Anna"])
    assert alone.ids != behind.ids[1:]
    from contrapar.evaluate.answer import choice

    (found,) = choice.stream(model, [("en", ["Anna"])])
    assert found.tokens[0][0] == len(behind.ids) - 1


def test_a_prompt_is_computed_once_for_its_options(monkeypatch: pytest.MonkeyPatch) -> None:
    from contrapar.evaluate.answer import causal, choice
    from contrapar.evaluate.answer.local import LocalModel

    model, seen = tiny("llama"), [0]
    own = LocalModel.log_probabilities

    def counted(self: Any, cut: Any, *args: Any) -> Any:
        seen[0] += int(cut.lengths.sum())
        return own(self, cut, *args)

    monkeypatch.setattr(LocalModel, "log_probabilities", counted)
    monkeypatch.setattr(causal, "_WORTH", 0)
    (prompt, options), *_ = QUESTIONS
    list(choice.stream(model, [(prompt, options)]))
    whole = [len(p.ids) + 1 for p in model.encode([f"{prompt} {option}" for option in options])]
    assert seen[0] < max(whole) + sum(whole) - 3 * (len(model.encode([prompt])[0].ids) + 1) + 3


def test_options_that_do_not_fit_are_told() -> None:
    from contrapar.evaluate.answer import choice

    with pytest.raises(ContraparError, match="question 2 with option 'Anna'"):
        list(choice.stream(tiny("gpt2"), [QUESTIONS[2], ("te laat " * 60, ["Anna"])]))


def messages(text: str) -> list[dict[str, str]]:
    return [{"role": "system", "content": "te"}, {"role": "user", "content": text}]


ASKED = [messages(t) for t in ("Anna is te laat", "en", "Bram is hetero en nooit op tijd, zegt Daan", "la señora")]


def replies(model: Any, **given: Any) -> list[str]:
    from contrapar.evaluate.answer import chat

    found = list(chat.stream(model, ASKED, max_tokens=6, **given))
    return [text for replied in found for text in replied.texts]


@pytest.mark.parametrize("kind", ["gpt2", "llama"])
def test_replies_do_not_hang_on_the_batch(kind: str) -> None:
    model = tiny(kind)
    alone = replies(model, tokens=1)
    assert len(set(alone)) > 1
    assert replies(model) == alone
    assert replies(model, block=3) == alone
    seeds = [3, 1, 4, 1]
    sampled = replies(model, temperature=1.0, seeds=seeds, tokens=1)
    assert sampled == replies(model, temperature=1.0, seeds=seeds) != alone
    assert replies(model, temperature=1.0, seeds=[9, 9, 9, 9]) != sampled
    assert replies(model, temperature=1e-6, seeds=seeds) == alone


def test_greedy_replies_are_the_likeliest_tokens_and_stop_at_the_end() -> None:
    import torch
    from contrapar.evaluate.answer.generation import conversation, replies

    model = tiny("llama")
    prompt = model.prompt_ids(conversation(model, ASKED[0]))
    ids = list(prompt)
    for _ in range(6):
        with torch.inference_mode():
            ids.append(int(model.model(input_ids=torch.tensor([ids])).logits[0, -1].argmax()))
    made = ids[len(prompt) :]
    assert replies(model, [prompt], max_tokens=6) == [model.tokenizer.decode(made).strip()]
    ends = model.model.generation_config.eos_token_id
    model.model.generation_config.eos_token_id = [made[2]]
    try:
        first = made.index(made[2])
        assert replies(model, [prompt], max_tokens=6) == [model.tokenizer.decode(made[:first]).strip()]
    finally:
        model.model.generation_config.eos_token_id = ends


def test_samples_follow_the_temperature() -> None:
    import torch
    from contrapar.evaluate.answer.generation import Noise

    logits = torch.tensor([[0.0, 1.0, 2.0]]).repeat(4000, 1)
    drawn = Noise(2.0, range(4000), torch.device("cpu"))(torch.zeros(4000, 1), logits).argmax(dim=1)
    shares = torch.bincount(drawn, minlength=3) / 4000
    assert torch.allclose(shares, torch.softmax(logits[0] / 2.0, -1), atol=0.03)


def test_begin_tokens_of_a_chat_template_are_not_doubled() -> None:
    model = tiny("llama")
    assert model.prompt_ids("<s><s> te laat") == model.prompt_ids("<s> te laat")


def test_templates_without_a_system_message_get_it_with_the_users() -> None:
    from contrapar.evaluate.answer.generation import conversation

    assert conversation(tiny("gpt2", NO_SYSTEM), messages("hard")) == "<s>user te\n\nhard en"
    with pytest.raises(UsageError, match="has no chat template"):
        conversation(tiny("gpt2", None), messages("hard"))
    with pytest.raises(UsageError, match="refuses the messages: never"):
        conversation(tiny("gpt2", "{{ raise_exception('never') }}"), messages("hard"))


def test_a_question_that_leaves_no_room_for_a_reply_is_told() -> None:
    from contrapar.evaluate.answer import chat

    with pytest.raises(ContraparError, match="question 1 has"):
        list(chat.stream(tiny("gpt2"), [messages("te " * 50)], max_tokens=30))
    with pytest.raises(ValueError, match="seed"):
        list(chat.stream(tiny("gpt2"), ASKED, temperature=1.0))


def test_a_prompt_is_frozen() -> None:
    with pytest.raises(ValueError, match="frozen"):
        bundled_prompt("en").id = "x"  # type: ignore[misc]
    assert Prompt(id="a", language="en", user="u").system == ""
