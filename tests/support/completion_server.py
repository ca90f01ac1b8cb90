"""A local server with what TRL's asynchronous trainer uses of vLLM's `/v1/completions`: token ids in and out."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


class CompletionServer:
    """Answers prompts of token ids by a function of their text; a context manager.

    As vLLM does, it refuses prompts that leave no room in its context.

    Args:
        tokenizer: makes text of ids and ids of text.
        answer: gives what the model says to a prompt; the mark that ends a message is part of it.
        max_model_len: tokens of the context.

    Attributes:
        bodies: of the requests, oldest first, each with the text that was answered as "said".
        refused: how many prompts were too long.
    """

    def __init__(self, tokenizer: Any, answer: Callable[[str], str], *, max_model_len: int) -> None:
        self.bodies: list[Mapping[str, Any]] = []
        self.refused = 0
        outer, lock = self, threading.Lock()

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *args: object) -> None:
                pass

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with lock:
                    if self.path != "/v1/completions" or len(body["prompt"]) + body["max_tokens"] > max_model_len:
                        outer.refused += 1
                        self._send(400, {"error": {"message": "maximum context length"}})
                        return
                    said = answer(tokenizer.decode(body["prompt"]))
                    ids = tokenizer(said, add_special_tokens=False)["input_ids"][: body["max_tokens"]]
                    outer.bodies.append({**body, "said": said})
                self._send(
                    200,
                    {"choices": [{"index": 0, "token_ids": ids, "logprobs": {"token_logprobs": [-0.5] * len(ids)}}]},
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
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
