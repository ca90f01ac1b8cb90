"""A local server that speaks OpenAI's chat protocol over real sockets, and fails as it is told to."""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

#: Nobody waits so long, unless what a test is about does not happen.
LONG_S = 20.0
#: With it, a socket that is closed resets its connection.
_NO_LINGER = b"\1\0\0\0\0\0\0\0"


@dataclass(frozen=True)
class Say:
    """A chat completion. A value that is no text is sent as JSON.

    It is sent after `wait_s`, and not before `until` is set.
    """

    value: Any = ""
    finish: str | None = "stop"
    refusal: str | None = None
    wait_s: float = 0.0
    until: threading.Event | None = None

    def content(self) -> str | None:
        return self.value if isinstance(self.value, str | None) else json.dumps(self.value)


@dataclass(frozen=True)
class Status:
    """An error by its HTTP status."""

    code: int
    headers: Mapping[str, str] = field(default_factory=dict)
    message: str = "not now"


@dataclass(frozen=True)
class Body:
    """A response of status 200 with any body."""

    text: str | bytes
    kind: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Hang:
    """Nothing comes, until the server is closed."""


@dataclass(frozen=True)
class Drop:
    """The connection is reset after so many bytes of a good response's body; 0: before any."""

    after: int = 0


@dataclass(frozen=True)
class Leave:
    """The connection is closed without a byte, or reset, as by a server that is tired of it."""

    reset: bool = False


@dataclass(frozen=True)
class Raw:
    """These bytes, and then the connection is closed."""

    data: bytes


@dataclass(frozen=True)
class Drip:
    """A good response, one byte at a time, and so slowly that it takes longer than anyone waits."""

    value: Any = ""
    pause_s: float = 0.05


Behaviour = Say | Status | Body | Hang | Drop | Leave | Raw | Drip
Script = Callable[[Mapping[str, Any]], Behaviour]


class Gathering:
    """Is over when so many requests have come: only then those that wait for it are answered.

    Whoever sends one after the other waits for ever.
    """

    def __init__(self, count: int) -> None:
        self.over = threading.Event()
        self._left = count

    def come(self) -> threading.Event:
        """One more request; the server calls scripts one at a time."""
        self._left -= 1
        if self._left <= 0:
            self.over.set()
        return self.over


class FaultyServer:
    """Listens on a free port while it is used as a context.

    Args:
        script: what to do with a request, by its body; or what to do in turn, the last one again and again.
        port: 0 takes a free one.

    Attributes:
        requests: the bodies of all requests, in the order in which they came; `headers`, `times` and `connections` of
            the same; connections are numbers.
        peak: the most requests that were there at one time.
    """

    def __init__(self, script: Script | Iterable[Behaviour], port: int = 0) -> None:
        self._script: Script = script if callable(script) else _in_turn(list(script))
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.times: list[float] = []
        self.connections: list[int] = []
        self.peak = self._there = 0
        self._lock = threading.Lock()
        self.closing = threading.Event()
        self._server = _Server(("127.0.0.1", port), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> FaultyServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop listening, and cut every connection."""
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._server.cut()

    def take(self, body: dict[str, Any], headers: Mapping[str, str], connection: int) -> Behaviour:
        with self._lock:
            self.requests.append(body)
            self.headers.append({name.lower(): value for name, value in headers.items()})
            self.times.append(time.monotonic())
            self.connections.append(connection)
            self._there += 1
            self.peak = max(self.peak, self._there)
            return self._script(body)

    def leave(self) -> None:
        with self._lock:
            self._there -= 1


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 256

    def __init__(self, *arguments: Any) -> None:
        self.sockets: set[socket.socket] = set()
        super().__init__(*arguments)

    def process_request(self, request: Any, client_address: Any) -> None:
        self.sockets.add(request)
        super().process_request(request, client_address)

    def cut(self) -> None:
        for one in list(self.sockets):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no news."""


def _handler(owner: FaultyServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1  # one packet a response
        _there = False

        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            self._send(200, b"{}")

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            behaviour = owner.take(body, dict(self.headers), self.client_address[1])
            self._there = True
            try:
                self._behave(behaviour)
            finally:
                self._leave()

        def _leave(self) -> None:
            if self._there:
                self._there = False
                owner.leave()

        def _behave(self, behaviour: Behaviour) -> None:
            if isinstance(behaviour, Say):
                owner.closing.wait(behaviour.wait_s)
                if behaviour.until is not None:
                    behaviour.until.wait(LONG_S)
                self._send(200, completion(behaviour))
            elif isinstance(behaviour, Status):
                error = json.dumps({"error": {"message": behaviour.message}}).encode()
                self._send(behaviour.code, error, headers=behaviour.headers)
            elif isinstance(behaviour, Body):
                text = behaviour.text
                data = text.encode() if isinstance(text, str) else text
                self._send(200, data, behaviour.kind, behaviour.headers)
            elif isinstance(behaviour, Hang):
                owner.closing.wait()
                self.close_connection = True
            elif isinstance(behaviour, Raw):
                self.wfile.write(behaviour.data)
                self.close_connection = True
            elif isinstance(behaviour, Leave):
                self.close_connection = True
                if behaviour.reset:
                    self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
                    os.close(self.connection.detach())  # at once: what is shut down before is closed, not reset
            elif isinstance(behaviour, Drop):
                self._head(200, 10_000)
                if behaviour.after:
                    self.wfile.write(completion(Say("x"))[: behaviour.after])
                    self.wfile.flush()
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NO_LINGER)
                self.wfile = _Nowhere()  # type: ignore[assignment]
                self.close_connection = True
            else:
                data = completion(Say(behaviour.value))
                self._head(200, len(data))
                for place in range(len(data)):
                    self.wfile.write(data[place : place + 1])
                    self.wfile.flush()
                    if owner.closing.wait(behaviour.pause_s):
                        break

        def _head(self, code: int, size: int, kind: str = "application/json", **headers: str) -> None:
            self._leave()  # before whoever waits can send another
            self.send_response(code)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(size))
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()

        def _send(
            self, code: int, data: bytes, kind: str = "application/json", headers: Mapping[str, str] | None = None
        ) -> None:
            self._head(code, len(data), kind, **(headers or {}))
            self.wfile.write(data)

    return Handler


class _Nowhere:
    """Takes what would still be written to a connection that is to be reset."""

    closed = False

    def write(self, _: bytes) -> None: ...

    def flush(self) -> None: ...

    def close(self) -> None: ...


def completion(said: Say) -> bytes:
    message: dict[str, Any] = {"role": "assistant", "content": said.content()}
    if said.refusal is not None:
        message["refusal"] = said.refusal
    choice = {"index": 0, "message": message, "finish_reason": said.finish}
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    return json.dumps({"id": "c", "object": "chat.completion", "choices": [choice], "usage": usage}).encode()


def _in_turn(behaviours: list[Behaviour]) -> Script:
    left = iter(behaviours)
    last = behaviours[-1]
    return lambda body: next(left, last)
