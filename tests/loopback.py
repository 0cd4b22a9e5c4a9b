"""A server on the loopback that looks like an OpenAI-compatible one, counts what it is asked, and can misbehave."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

# What a request gets: a text to answer with; or a function of the handler that does something else.
Behaviour = str | Callable[["Handler"], None]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        server = self.server
        question = body["messages"][-1]["content"]
        with server.lock:
            server.requests.append(body)
            server.asked[question] += 1
            server.headers.append({name.lower(): value for name, value in self.headers.items()})
            server.under_way += 1
            server.most_at_once = max(server.most_at_once, server.under_way)
            behaviour = server.behave(question, server.asked[question])
        try:
            if callable(behaviour):
                behaviour(self)
            else:
                self.say(behaviour)
        finally:
            with server.lock:
                server.under_way -= 1

    def say(self, text: str | None, *, finish: str = "stop", **extra: Any) -> None:
        """A proper completion."""
        message = {"role": "assistant", "content": text, **extra}
        choice = {"index": 0, "message": message, "finish_reason": finish}
        self.give(200, {"id": "x", "object": "chat.completion", "created": 0, "model": "tiny-1", "choices": [choice]})

    def give(
        self, status: int, body: Any, headers: dict[str, str] | None = None, kind: str = "application/json"
    ) -> None:
        content = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(content)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def fail(self, status: int, message: str = "no", headers: dict[str, str] | None = None, **extra: Any) -> None:
        self.give(status, {"error": {"message": message, **extra}}, headers)

    def hang_up(self) -> None:
        """A reset: nothing comes back."""
        self.connection.close()
        self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, behave: Callable[[str, int], Behaviour]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.behave = behave
        self.lock = threading.Lock()
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.asked: Counter[str] = Counter()
        self.under_way = self.most_at_once = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no news."""


@contextmanager
def serving(behave: Callable[[str, int], Behaviour]) -> Iterator[Server]:
    """`behave(question, nth time it is asked)` says what a request gets."""
    server = Server(behave)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)


def hang(seconds: float) -> Callable[[Handler], None]:
    """Answers after a while, when nobody may wait any longer."""

    def behave(handler: Handler) -> None:
        time.sleep(seconds)
        handler.close_connection = True

    return behave
