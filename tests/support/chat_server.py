"""A local server with OpenAI's chat protocol, scripted: what it is asked is kept, what it answers is given."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

#: A message, or an HTTP status with a text.
Reply = Mapping[str, Any] | tuple[int, str]


class ChatServer:
    """Answers each request by a function of its body; a context manager.

    A message that has a "finish_reason" ends by that, the others by "stop".

    Attributes:
        bodies: of the requests, oldest first; `keys` are what they were authorised with.
        listed: how often the models were asked for.
    """

    def __init__(
        self, answer: Callable[[Mapping[str, Any]], Reply], *, model: str = "toy", max_model_len: int | None = None
    ) -> None:
        self.bodies: list[Mapping[str, Any]] = []
        self.keys: list[str] = []
        self.listed = 0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *args: object) -> None:
                pass

            def do_GET(self) -> None:
                outer.listed += 1
                card = {"id": model, "object": "model", **({"max_model_len": max_model_len} if max_model_len else {})}
                self._send(200, {"object": "list", "data": [card]})

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.bodies.append(body)
                outer.keys.append(self.headers.get("Authorization", ""))
                found = answer(body)
                if isinstance(found, tuple):
                    self._send(found[0], {"error": {"message": found[1]}})
                    return
                size = len(json.dumps(body)) // 4
                message = {"role": "assistant", "content": None, **found}
                choice = {"index": 0, "finish_reason": message.pop("finish_reason", "stop"), "message": message}
                usage = {"prompt_tokens": size, "completion_tokens": 7, "total_tokens": size + 7}
                self._send(
                    200,
                    {
                        "id": "x",
                        "object": "chat.completion",
                        "created": 0,
                        "model": model,
                        "choices": [choice],
                        "usage": usage,
                    },
                )

            def _send(self, status: int, value: Mapping[str, Any]) -> None:
                data = json.dumps(value).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
