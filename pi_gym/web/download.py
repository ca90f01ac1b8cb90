"""Downloading one address with bounds on hosts, hops, time and size."""

from __future__ import annotations

import socket
import ssl
import time
from dataclasses import dataclass
from http.client import HTTPException
from threading import Timer
from urllib.parse import urljoin, urlsplit

import urllib3
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.util import parse_url

from pi_gym.web.hosts import HostRefused, resolve

MAX_HOPS = 5
_REDIRECTS = (301, 302, 303, 307, 308)
_CHUNK_BYTES = 65_536
_HEADERS = {
    "User-Agent": "pi_gym/0.1 (research environment; one page at a time)",
    "Accept": "text/html,application/xhtml+xml,text/plain,text/markdown,application/json;q=0.9",
    "Accept-Encoding": "gzip, deflate",
}


class DownloadFailed(Exception):
    """The address gives no document; the message is for the agent."""


@dataclass(frozen=True, slots=True)
class Document:
    """The response that came.

    Args:
        url: the address in the end, after redirects.
        kind: the media type, in lower case, without parameters.
        charset: the encoding that the server names; may be empty.
        data: the content, decompressed.
        cut: whether there was more than fits.
    """

    url: str
    kind: str
    charset: str
    data: bytes
    cut: bool


def download(url: str, *, timeout_s: float, max_bytes: int, allow_private: bool) -> Document:
    """Get a document over http or https, following redirects; each hop is checked like the first address.

    Args:
        url: the address.
        timeout_s: seconds for all hops together.
        max_bytes: where the content is cut.
        allow_private: whether hosts that are not public may be asked.

    Raises:
        DownloadFailed: there is none; the message says why.
    """
    deadline = time.monotonic() + timeout_s
    for _ in range(MAX_HOPS + 1):
        answer = _one_hop(url, deadline, max_bytes, allow_private)
        if isinstance(answer, Document):
            return answer
        try:
            url = urljoin(url, answer)
        except ValueError as error:
            raise DownloadFailed(f"The page redirects to {answer[:200]!r}, which is no address.") from error
    raise DownloadFailed(f"The page redirects more than {MAX_HOPS} times.")


def _one_hop(url: str, deadline: float, max_bytes: int, allow_private: bool) -> Document | str:
    """The document, or the address that the server sends us to."""
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise DownloadFailed(f"{url[:200]!r} is no address: {error}.") from error
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise DownloadFailed(f"Only http and https addresses can be fetched; {url[:200]!r} is none.")
    left = deadline - time.monotonic()
    if left <= 0:
        raise DownloadFailed("The page did not come in time.")
    connection: HTTPConnection | None = None
    timer: Timer | None = None
    try:
        port = parts.port or (443 if parts.scheme == "https" else 80)
        address = resolve(parts.hostname, port, allow_private=allow_private)
        connection = _connection(parts.scheme, parts.hostname, address, port, left)
        connection.connect()
        # Timeouts of sockets begin anew with each byte; this one does not.
        timer = Timer(max(deadline - time.monotonic(), 0.01), _hang_up, (connection.sock,))
        timer.daemon = True
        timer.start()
        target = parse_url(url).request_uri  # with letters beyond ASCII encoded
        connection.request(
            "GET", target, headers=_HEADERS | {"Host": parts.netloc.rpartition("@")[2]}, preload_content=False
        )
        answer = connection.getresponse()
        if answer.status in _REDIRECTS and answer.headers.get("Location"):
            return str(answer.headers["Location"])
        if answer.status != 200:
            raise DownloadFailed(f"The server answers {answer.status} {answer.reason or ''}".rstrip() + ".")
        data = bytearray()
        while len(data) <= max_bytes and (piece := answer.read(_CHUNK_BYTES, decode_content=True)):
            data += piece
        if time.monotonic() >= deadline:
            raise DownloadFailed("The page did not come in time.")
        kind, _, rest = answer.headers.get("Content-Type", "").lower().partition(";")
        charset = rest.partition("charset=")[2].partition(";")[0].strip(" \"'")
        return Document(url, kind.strip(), charset, bytes(data[:max_bytes]), len(data) > max_bytes)
    except HostRefused as error:
        raise DownloadFailed(str(error)) from error
    except (urllib3.exceptions.HTTPError, HTTPException, OSError, ValueError) as error:
        late = time.monotonic() >= deadline
        why = "it did not come in time" if late else f"{type(error).__name__}: {error}"[:300]
        raise DownloadFailed(f"The page cannot be fetched: {why}.") from error
    finally:
        if timer is not None:
            timer.cancel()
        if connection is not None:
            connection.close()


def _connection(scheme: str, host: str, address: str, port: int, timeout_s: float) -> HTTPConnection:
    """A connection to the checked address, in the name of the host."""
    if scheme == "http":
        return HTTPConnection(address, port, timeout=timeout_s)
    context = ssl.create_default_context()
    return HTTPSConnection(
        address, port, timeout=timeout_s, ssl_context=context, server_hostname=host, assert_hostname=host
    )


def _hang_up(sock: socket.socket | None) -> None:
    if sock is not None:
        try:
            sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            return
