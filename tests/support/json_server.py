"""A local HTTP server that speaks JSON, on a free port: what the scripted model servers stand on."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

#: An HTTP status, and what the body says.
Answer = tuple[int, Mapping[str, Any]]


class JsonServer:
    """Answers requests, each in a thread of its own; a context manager.

    Attributes:
        origin: "http://127.0.0.1:port".
    """

    def __init__(self) -> None:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *args: object) -> None:
                pass

            def do_GET(self) -> None:
                self._send(*outer.get(self.path))

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                self._send(*outer.post(self.path, body, self.headers))

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
        self.origin = f"http://127.0.0.1:{self._server.server_address[1]}"

    def get(self, path: str) -> Answer:
        """The answer to a GET."""
        return 404, {"error": {"message": f"nothing at {path}"}}

    def post(self, path: str, body: Any, headers: Mapping[str, str]) -> Answer:
        """The answer to a POST."""
        return 404, {"error": {"message": f"nothing at {path}"}}

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
