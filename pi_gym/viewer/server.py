"""The server of the page: this machine only unless asked, read only, no path of a request touches a file."""

from __future__ import annotations

import ipaddress
import json
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar
from urllib.parse import parse_qs, urlsplit

from pi_gym.errors import BadArgument, PiGymError, UnknownName
from pi_gym.viewer.page_files import page_parts, page_policy
from pi_gym.viewer.replayed import Replays
from pi_gym.viewer.viewed_runs import ViewedRuns

_HEADERS = {
    "Content-Security-Policy": f"{page_policy()}; connect-src 'self'; img-src 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_IDLE_SECONDS = 60


class PageServer(ThreadingHTTPServer):
    """A server of the page over some runs.

    Args:
        runs: that it shows.
        replays: of their sessions.
        host: where it listens; `port` 0 takes a free one.

    Raises:
        BadArgument: it cannot listen there.
    """

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, runs: ViewedRuns, replays: Replays, host: str = "127.0.0.1", port: int = 0) -> None:
        self.runs, self.replays, self.host = runs, replays, host
        if ":" in host:
            self.address_family = socket.AF_INET6
        try:
            super().__init__((host, port), _Handler)
        except (OSError, OverflowError) as error:
            why = getattr(error, "strerror", None) or error
            raise BadArgument(
                f"cannot listen on {host} port {port}: {why}; choose another --port, or leave it out for a free one"
            ) from error

    @property
    def url(self) -> str:
        """The address of the page."""
        return f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.server_address[1]}/"

    def begin(self) -> None:
        """Begin to index the runs, and then to read the tags of their tasks."""
        threading.Thread(target=self._index, name="index", daemon=True).start()

    def _index(self) -> None:
        self.runs.index()
        self.runs.tags = self.replays.tags()

    def takes(self, host: str) -> bool:
        """Whether a Host header is ours: a name that another site has the browser resolve to this machine is not."""
        name = urlsplit(f"//{host}").hostname or ""
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return name in ("localhost", self.host.lower())
        return True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Nothing: a browser that goes away in the middle of an answer is no error."""


class _Handler(BaseHTTPRequestHandler):
    server: PageServer
    server_version, sys_version = "pi-gym", ""
    protocol_version = "HTTP/1.1"
    timeout: ClassVar[int] = _IDLE_SECONDS

    def do_GET(self) -> None:
        try:
            good_host = self.server.takes(self.headers.get("Host", ""))
            address = urlsplit(self.path)
            asked = {name: values[0] for name, values in parse_qs(address.query).items()}
        except ValueError:
            return self._send(400, "text/plain; charset=utf-8", b"bad request\n")
        if not good_host:
            return self._send(421, "text/plain; charset=utf-8", b"this page is for the machine that it runs on\n")
        name = address.path.removeprefix("/")
        if not name:
            return self._send(200, "text/html; charset=utf-8", "".join(page_parts()).encode())
        if name == "favicon.ico":  # browsers ask for it unasked, and would report that it is missing
            return self._send(200, "image/png", b"")
        if not name.startswith("api/"):
            return self._send(404, "text/plain; charset=utf-8", b"there is no such page\n")
        self._answer(name.removeprefix("api/"), asked)

    def _answer(self, what: str, asked: dict[str, str]) -> None:
        runs = self.server.runs
        try:
            if what == "rows":
                runs.look_again()
                text = runs.rows(_number(asked.get("from")), _number(asked.get("generation")))
            elif what == "session":
                from pi_gym.viewer.session_view import session_view  # late, as in `family_or_none`

                text = json.dumps(session_view(runs.session(asked.get("id", ""))))
            elif what == "dossier":
                text = json.dumps(self.server.replays.dossier(runs.session(asked.get("id", ""))))
            elif what == "line":
                return self._send_line(asked.get("id", ""))
            else:
                return self._send(404, "text/plain; charset=utf-8", b"there is no such page\n")
        except PiGymError as error:
            text = json.dumps({"problem": str(error)})
        self._send(200, "application/json", text.encode())

    def _send_line(self, session_id: str) -> None:
        """The line of a session as it stands in its file, as a download."""
        try:
            found = self.server.runs.session(session_id)
            with found.path.open("rb") as file:
                file.seek(found.session.offset)
                self._head(200, "application/json", found.session.length, download=f"{session_id}.json")
                left = found.session.length
                while left and (part := file.read(min(left, 1 << 20))):
                    self.wfile.write(part)
                    left -= len(part)
                self.close_connection = self.close_connection or bool(left)
        except (UnknownName, OSError):
            self._send(404, "text/plain; charset=utf-8", b"there is no such session\n")

    def _send(self, status: int, kind: str, data: bytes) -> None:
        self._head(status, kind, len(data))
        self.wfile.write(data)

    def _head(self, status: int, kind: str, length: int, download: str = "") -> None:
        self.send_response(status)
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(length))
        if download:
            self.send_header("Content-Disposition", f'attachment; filename="{download}"')
        self.end_headers()

    def _refuse(self) -> None:
        self.close_connection = True  # a body may follow, which nobody reads
        self._send(405, "text/plain; charset=utf-8", b"only GET\n")

    do_POST = do_PUT = do_DELETE = do_PATCH = do_OPTIONS = do_HEAD = _refuse

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing is logged."""


def _number(text: str | None) -> int:
    return int(text) if text and text.isdecimal() and len(text) < 12 else 0
