"""Answers of an OpenAI-compatible server: the one door to the `openai` client.

Many questions at once, each asked again when the server is busy, fails, hangs up, hangs or talks nonsense. What
asking again cannot mend (no access, no such model, a request that is refused) ends the run in one line. An item
that gets no answer is set aside, so that what was answered meanwhile is kept.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from time import time
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from ...builder.problems import ContraparError, UsageError

_LONGEST_PAUSE = 900.0  # seconds that a server may ask us to wait
_IN_A_ROW = 3  # items set aside without one answer between them: the server is gone


class Ask(NamedTuple):
    """One question: what it is known by, the messages of a chat, a seed where it is sampled."""

    key: str
    messages: list[dict[str, str]]
    seed: int | None = None


class Reply(NamedTuple):
    """What came back. `finish` is why the text ends; `model` is who answered, as the server says."""

    key: str
    text: str
    finish: str
    model: str


@dataclass(frozen=True)
class Endpoint:
    """Where and how to ask. `temperature` None leaves it to the server; seconds throughout."""

    url: str
    model: str
    temperature: float | None = 0.0
    max_tokens: int = 64
    concurrency: int = 8
    timeout: float = 60.0
    attempts: int = 6
    pause: float = 1.0
    longest_pause: float = 60.0
    key_variable: str = "OPENAI_API_KEY"

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise UsageError(f"--url {self.url}: not the address of a server, such as http://127.0.0.1:8000/v1")
        if parts.username or parts.password or parts.query:
            raise UsageError(f"--url {parts.hostname}: put the key in {self.key_variable}, not in the address")


class _Again(Exception):
    """Worth asking again; `after` is what the server asked us to wait."""

    def __init__(self, why: str, after: float = 0.0, busy: bool = False) -> None:
        super().__init__(why)
        self.after, self.busy = after, busy


def replies(
    endpoint: Endpoint, asked: Iterable[Ask], notice: Callable[[str], None] = lambda text: None
) -> Iterator[Reply]:
    """Replies as they come, in any order. `notice` hears why something is asked again.

    ContraparError, once all that was under way has come in: where the server refuses, or gave no answer to some.
    """
    with asyncio.Runner() as runner:
        asking = _Asking(endpoint, iter(asked), notice)
        runner.run(asking.start())
        try:
            while (found := runner.run(asking.next())) is not None:
                yield found
        finally:
            runner.run(asking.stop())
    if asking.fatal:
        raise asking.fatal
    if asking.failed:
        raise ContraparError(
            f"{endpoint.url}: no answer to {len(asking.failed):,} of the questions ({asking.failed[0]});"
            " all other answers are kept, and the same command asks for what is missing"
        )


class _Asking:
    def __init__(self, endpoint: Endpoint, asked: Iterator[Ask], notice: Callable[[str], None]) -> None:
        self.endpoint, self.asked, self.notice = endpoint, asked, notice
        self.fatal: ContraparError | None = None
        self.failed: list[str] = []
        self.in_a_row = 0
        self.not_before = 0.0
        self.limit_name = "max_tokens"
        self.key = os.environ.get(endpoint.key_variable, "")

    async def start(self) -> None:
        import openai

        self.openai = openai
        self.client = openai.AsyncOpenAI(
            base_url=self.endpoint.url,
            api_key=self.key or "none",
            max_retries=0,
            timeout=self.endpoint.timeout,
        )
        self.came: asyncio.Queue[tuple[Reply, asyncio.Event] | None] = asyncio.Queue()
        self.taken = asyncio.Event()
        self.working = self.endpoint.concurrency
        self.workers = [asyncio.create_task(self._work()) for _ in range(self.working)]

    async def next(self) -> Reply | None:
        """The next reply; None when there are no more. Whoever asks for the next has dealt with the last."""
        self.taken.set()
        while self.working or not self.came.empty():
            found = await self.came.get()
            if found is not None:
                reply, self.taken = found
                return reply
        for worker in self.workers:
            await worker  # a fault of ours is not to be lost
        return None

    async def stop(self) -> None:
        for worker in self.workers:
            worker.cancel()
        await asyncio.gather(*self.workers, return_exceptions=True)
        await self.client.close()

    @property
    def stopping(self) -> bool:
        return self.fatal is not None or self.in_a_row >= _IN_A_ROW

    async def _work(self) -> None:
        try:
            while not self.stopping and (ask := next(self.asked, None)) is not None:
                try:
                    reply = await self._persist(ask)
                except _Again as error:
                    self.failed.append(str(error))
                    self.in_a_row += 1
                except ContraparError as error:
                    self.fatal = self.fatal or error
                else:
                    self.in_a_row = 0
                    taken = asyncio.Event()
                    self.came.put_nowait((reply, taken))
                    await taken.wait()  # a kill loses only what is under way, and nothing that waits to be written
        finally:
            self.working -= 1
            self.came.put_nowait(None)

    async def _persist(self, ask: Ask) -> Reply:
        endpoint, attempt = self.endpoint, 0
        loop = asyncio.get_running_loop()
        while True:
            while (left := self.not_before - loop.time()) > 0:
                await asyncio.sleep(left)
            attempt += 1
            try:
                return await self._once(ask)
            except _Again as error:
                if error.after > _LONGEST_PAUSE:
                    raise ContraparError(
                        f"{endpoint.url}: {error}, and asks to wait {error.after:.0f} s; the answers so far are kept,"
                        " give the same command again after that"
                    ) from None
                if attempt >= endpoint.attempts or self.stopping:
                    raise
                wait = min(endpoint.longest_pause, endpoint.pause * 2 ** (attempt - 1)) * _jitter(ask.key, attempt)
                wait = max(wait, error.after)
                self.notice(f"{endpoint.url}: {error}; asking again in {wait:.1f} s")
                if error.busy:  # nobody asks meanwhile
                    self.not_before = max(self.not_before, loop.time() + wait)
                else:
                    await asyncio.sleep(wait)

    async def _once(self, ask: Ask) -> Reply:
        openai, endpoint = self.openai, self.endpoint
        settings: dict[str, Any] = {self.limit_name: endpoint.max_tokens}
        if endpoint.temperature is not None:
            settings["temperature"] = endpoint.temperature
        if ask.seed is not None:
            settings["seed"] = ask.seed
        try:
            given = await asyncio.wait_for(
                self.client.chat.completions.create(
                    model=endpoint.model,
                    messages=ask.messages,  # type: ignore[arg-type]
                    **settings,
                ),
                endpoint.timeout,
            )
        except (TimeoutError, openai.APITimeoutError):
            raise _Again(f"no answer within {endpoint.timeout:g} s") from None
        except openai.APIStatusError as error:
            return await self._refused(ask, error)
        except openai.APIConnectionError as error:
            raise _Again(f"the connection failed ({_first_line(error.__cause__ or error)})") from None
        except (openai.OpenAIError, ValueError, TypeError, AttributeError, KeyError) as error:
            raise _Again(f"an answer that is none ({_first_line(error)})") from None
        return _reply(ask.key, given)

    async def _refused(self, ask: Ask, error: Any) -> Reply:
        status, endpoint = error.status_code, self.endpoint
        said = self._said(error)
        code = str(getattr(error, "code", "") or "")
        if status == 429 and code != "insufficient_quota":
            raise _Again("too many requests (429)", _retry_after(error), busy=True)
        if status in (408, 409, 425) or status >= 500:
            raise _Again(f"status {status}", _retry_after(error), busy=status == 503)
        if status == 400 and code == "content_filter":
            return Reply(ask.key, "", "content_filter", "")
        if status == 400 and self.limit_name == "max_tokens" and "max_completion_tokens" in said:
            self.limit_name = "max_completion_tokens"  # the newer name of the same limit
            return await self._once(ask)
        if status in (401, 403):
            state = "is not taken" if self.key else "is not set"
            raise ContraparError(f"{endpoint.url}: no access ({status}); the key in {endpoint.key_variable} {state}")
        if status == 404:
            raise ContraparError(
                f"{endpoint.url}: not found (404); is there a model {endpoint.model!r}, and does the address end"
                f" where /chat/completions follows? It said: {said}"
            )
        raise ContraparError(f"{endpoint.url}: refused the request ({status}): {said}")

    def _said(self, error: Any) -> str:
        """The server's own words in a line, without the key."""
        body = error.body if isinstance(error.body, dict) else {}
        said = _first_line(body.get("message") or body.get("detail") or error.message)
        return said.replace(self.key, "[key]") if self.key else said


def _reply(key: str, given: Any) -> Reply:
    """The text of a completion; reasoning that the server tells apart is none of it."""
    try:
        choice = given.choices[0]
        text = choice.message.content
        refusal = getattr(choice.message, "refusal", None)
        finish = str(choice.finish_reason or "stop")
        model = str(given.model or "")
    except (AttributeError, IndexError, TypeError):
        raise _Again(f"an answer that is none ({_first_line(given)})") from None
    if text is not None and not isinstance(text, str):
        raise _Again(f"an answer whose text is {type(text).__name__}")
    return Reply(key, text or (refusal if isinstance(refusal, str) else "") or "", finish, model)


def _retry_after(error: Any) -> float:
    """Seconds that the server asks to wait; 0 where it does not say."""
    text = error.response.headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d+(\.\d+)?", text):
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - time())
    except (TypeError, ValueError, OverflowError):
        return 0.0


def _jitter(key: str, attempt: int) -> float:
    """From 0.5 to 1, so that those turned away together do not come back together."""
    return 0.5 + hashlib.blake2b(f"{key}/{attempt}".encode(), digest_size=1).digest()[0] / 510


def _first_line(what: object) -> str:
    lines = str(what).strip().splitlines() or [type(what).__name__]
    return lines[0][:200]
