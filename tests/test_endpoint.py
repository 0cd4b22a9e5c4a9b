"""Answers of an OpenAI-compatible server: what goes wrong is asked again or told in one line, and nothing is lost."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

pytest.importorskip("openai", reason="the extra `endpoint` (openai) is not installed")

from contrapar.builder.problems import ContraparError, UsageError
from contrapar.evaluate.answer.endpoint import Ask, Endpoint, Reply, replies
from loopback import Behaviour, Handler, Server, hang, serving

KEY = "sk-secret-of-a-test"


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def ask(*questions: str) -> list[Ask]:
    return [Ask(question, [{"role": "user", "content": question}]) for question in questions]


def endpoint(server: Server, **settings: object) -> Endpoint:
    quick: dict[str, object] = {"timeout": 0.5, "pause": 0.01, "attempts": 4, "concurrency": 4}
    return Endpoint(server.url, "tiny", **{**quick, **settings})  # type: ignore[arg-type]


def texts(found: Iterator[Reply]) -> dict[str, str]:
    return {reply.key: reply.text for reply in found}


def test_all_are_asked_once_and_several_at_a_time() -> None:
    def behave(question: str, time_: int) -> Behaviour:
        def slowly(handler: Handler) -> None:
            time.sleep(0.02)
            handler.say(f"re {question}")

        return slowly

    questions = [f"q{n}" for n in range(20)]
    with serving(behave) as server:
        found = list(replies(endpoint(server), ask(*questions)))
        assert {r.key: r.text for r in found} == {q: f"re {q}" for q in questions}
        assert {(r.finish, r.model) for r in found} == {("stop", "tiny-1")}
        assert set(server.asked.values()) == {1}
        assert 1 < server.most_at_once <= 4


def test_what_is_sent() -> None:
    with serving(lambda question, nth: "yes") as server:
        asked = [Ask("a", [{"role": "system", "content": "S"}, {"role": "user", "content": "U"}], seed=7)]
        list(replies(endpoint(server, temperature=0.7, max_tokens=9), asked))
        body = server.requests[0]
        assert body["messages"] == asked[0].messages
        assert (body["model"], body["temperature"], body["max_tokens"], body["seed"]) == ("tiny", 0.7, 9, 7)
        assert server.headers[0]["authorization"] == f"Bearer {KEY}"
        list(replies(endpoint(server, temperature=None), ask("b")))
        assert not {"temperature", "seed"} & set(server.requests[1])


BAD: dict[str, Behaviour] = {
    "429": lambda handler: handler.fail(429),
    "500": lambda handler: handler.fail(500),
    "503": lambda handler: handler.fail(503),
    "reset": Handler.hang_up,
    "hang": hang(1.0),
    "not JSON": lambda handler: handler.give(200, "{{{"),
    "a page": lambda handler: handler.give(200, "<html>busy</html>", kind="text/html"),
    "no choices": lambda handler: handler.give(200, {"choices": []}),
    "another shape": lambda handler: handler.give(200, ["?"]),
    "text is a number": lambda handler: handler.give(200, {"choices": [{"message": {"content": 3}}]}),
}


@pytest.mark.parametrize("name", BAD)
def test_what_passes_is_asked_again(name: str) -> None:
    heard: list[str] = []
    with serving(lambda question, nth: BAD[name] if nth == 1 and question == "b" else "fine") as server:
        found = texts(replies(endpoint(server), ask("a", "b", "c"), heard.append))
        assert found == {"a": "fine", "b": "fine", "c": "fine"}
        assert server.asked == {"a": 1, "b": 2, "c": 1}
    assert len(heard) == 1
    assert "asking again in" in heard[0]


@pytest.mark.parametrize("name", BAD)
def test_what_does_not_pass_is_told_in_one_line_and_the_rest_is_kept(name: str) -> None:
    with serving(lambda question, nth: BAD[name] if question == "b" else "fine") as server:
        found: dict[str, str] = {}
        with pytest.raises(ContraparError) as told:  # noqa: PT012
            for reply in replies(endpoint(server, attempts=2, timeout=0.3), ask("a", "b", "c", "d")):
                found[reply.key] = reply.text
    assert set(found) == {"a", "c", "d"}
    assert "no answer to 1 of the questions" in str(told.value)
    assert "\n" not in str(told.value)


def test_a_server_that_is_gone_is_not_asked_everything() -> None:
    with serving(lambda question, nth: BAD["reset"]) as server:
        with pytest.raises(ContraparError, match="the connection failed"):
            list(replies(endpoint(server, attempts=2), ask(*(f"q{n}" for n in range(100)))))
        assert sum(server.asked.values()) < 20


REFUSED = {
    401: "no access (401); the key in OPENAI_API_KEY is not taken",
    403: "no access (403)",
    404: "is there a model 'tiny'",
    400: "refused the request (400): no such thing as temperature",
    422: "refused the request (422)",
}


@pytest.mark.parametrize("status", REFUSED)
def test_what_asking_again_cannot_mend_ends_at_once_in_one_line(status: int) -> None:
    message = f"no such thing as temperature\nfor {KEY}"
    with serving(lambda question, nth: lambda handler: handler.fail(status, message)) as server:
        with pytest.raises(ContraparError) as told:
            list(replies(endpoint(server, concurrency=1), ask("a", "b", "c")))
        assert sum(server.asked.values()) == 1
    assert REFUSED[status] in str(told.value)
    assert "\n" not in str(told.value)
    assert KEY not in str(told.value)


def test_what_was_under_way_when_the_server_refused_is_kept() -> None:
    def slow(handler: Handler) -> None:
        time.sleep(0.2)
        handler.say("late")

    def behave(question: str, nth: int) -> Behaviour:
        return slow if question == "a" else lambda handler: handler.fail(401)

    found: list[str] = []
    with serving(behave) as server, pytest.raises(ContraparError, match="401"):  # noqa: PT012
        for reply in replies(endpoint(server, concurrency=2), ask("a", "b", "c")):
            found.append(reply.key)
    assert found == ["a"]


def test_a_key_that_is_not_set_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with (
        serving(lambda question, nth: lambda handler: handler.fail(401)) as server,
        pytest.raises(ContraparError, match="OPENAI_API_KEY is not set"),
    ):
        list(replies(endpoint(server), ask("a")))


def test_a_key_in_the_address_is_refused_and_not_repeated() -> None:
    for url in (f"http://me:{KEY}@127.0.0.1/v1", f"http://127.0.0.1/v1?key={KEY}"):
        with pytest.raises(UsageError) as told:
            Endpoint(url, "tiny")
        assert KEY not in str(told.value)
    with pytest.raises(UsageError, match="not the address"):
        Endpoint("127.0.0.1:8000", "tiny")


def test_retry_after_is_honoured_and_holds_for_all() -> None:
    times: list[float] = []

    def behave(question: str, nth: int) -> Behaviour:
        times.append(time.monotonic())
        if len(times) == 1:
            return lambda handler: handler.fail(429, headers={"retry-after": "0.4"})
        return "fine"

    with serving(behave) as server:
        assert len(texts(replies(endpoint(server, concurrency=1), ask("a", "b")))) == 2
    assert times[1] - times[0] >= 0.4


def test_a_wait_that_is_too_long_is_told() -> None:
    refuse: Behaviour = lambda handler: handler.fail(429, headers={"retry-after": "7200"})  # noqa: E731
    with serving(lambda question, nth: refuse) as server, pytest.raises(ContraparError, match="asks to wait 7200 s"):
        list(replies(endpoint(server), ask("a")))


def test_a_spent_quota_is_not_asked_again() -> None:
    refuse: Behaviour = lambda handler: handler.fail(429, "spent", code="insufficient_quota")  # noqa: E731
    with serving(lambda question, nth: refuse) as server:
        with pytest.raises(ContraparError, match="spent"):
            list(replies(endpoint(server, concurrency=1), ask("a")))
        assert server.asked == {"a": 1}


def test_a_content_filter_is_a_reply() -> None:
    refuse: Behaviour = lambda handler: handler.fail(400, "filtered", code="content_filter")  # noqa: E731
    with serving(lambda question, nth: refuse) as server:
        assert list(replies(endpoint(server), ask("a"))) == [Reply("a", "", "content_filter", "")]


def test_the_newer_name_of_the_token_limit_is_tried() -> None:
    def behave(question: str, nth: int) -> Behaviour:
        if nth == 1:
            return lambda handler: handler.fail(400, "use 'max_completion_tokens' instead of 'max_tokens'")
        return "fine"

    with serving(behave) as server:
        assert texts(replies(endpoint(server, concurrency=1), ask("a"))) == {"a": "fine"}
        assert server.requests[1]["max_completion_tokens"] == 64


def test_replies_without_text() -> None:
    kinds: dict[str, Behaviour] = {
        "none": lambda handler: handler.say(None, finish="length"),
        "refusal": lambda handler: handler.say(None, refusal="I will not say."),
        "reasoning": lambda handler: handler.say("1", reasoning_content="It might be 2."),
    }
    with serving(lambda question, nth: kinds[question]) as server:
        found = {r.key: (r.text, r.finish) for r in replies(endpoint(server), ask(*kinds))}
    assert found == {"none": ("", "length"), "refusal": ("I will not say.", "stop"), "reasoning": ("1", "stop")}


def test_whoever_stops_reading_leaves_nothing_behind() -> None:
    with serving(lambda question, nth: "fine") as server:
        found = replies(endpoint(server, concurrency=2), ask(*(f"q{n}" for n in range(50))))
        next(found)
        found.close()
        time.sleep(0.1)
        asked = sum(server.asked.values())
        time.sleep(0.1)
        assert sum(server.asked.values()) == asked < 50
