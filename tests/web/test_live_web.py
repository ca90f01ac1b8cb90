"""The live web: pages of a real local server; of the search only its error path, since tests have no network."""

from __future__ import annotations

import gzip
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from typing import Any

import pytest

from pi_gym.env_answerers import WebMissing, environment_answerers
from pi_gym.types import Answer, Ask, ToolRequest
from pi_gym.web import LiveWeb, live
from pi_gym.web.hosts import HostRefused, is_public, resolve

needs_extra = pytest.mark.skipif(
    any(find_spec(name) is None for name in ("ddgs", "trafilatura", "urllib3")),
    reason="the live web needs pip install 'pi-gym[web]'",
)
ARTICLE = (
    "<html><head><title>Tides</title><script>evil()</script></head><body><nav>menu</nav><article><h1>Tides of the fjord"
    "</h1>"
    + "<p>The tide turns <b>twice a day</b>, and fishermen in the harbour know it by heart.</p>"
    * 6
    + "</article>"
    "<footer>imprint</footer></body></html>"
)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        path, port = self.path, self.server.server_address[1]  # type: ignore[index]
        if path == "/article":
            self.give(ARTICLE.encode(), "text/html; charset=utf-8")
        elif path == "/latin":
            self.give("blåbær".encode("latin-1"), "text/plain; charset=latin-1")
        elif path == "/bomb":
            self.give(gzip.compress(b"a" * 5_000_000), "text/plain", {"Content-Encoding": "gzip"})
        elif path == "/image":
            self.give(b"\x89PNG", "image/png")
        elif path == "/hop":
            self.give(b"", "text/plain", {"Location": f"http://localhost:{port}/article"}, 302)
        elif path == "/loop":
            self.give(b"", "text/plain", {"Location": "/loop"}, 301)
        elif path == "/away":
            self.give(b"", "text/plain", {"Location": "file:///etc/passwd"}, 302)
        elif path == "/slow-to-parse":
            self.give(f"<p {' '.join(f'a{n}=1' for n in range(30_000))}>x</p>".encode(), "text/html")
        elif path.startswith("/to?"):
            self.give(b"", "text/plain", {"Location": path.removeprefix("/to?")}, 302)
        elif path.startswith("/charset?"):
            self.give(b"a page.", f"text/plain; charset={path.removeprefix('/charset?')}")
        elif path == "/bl%C3%A5b%C3%A6r":
            self.give(b"berries", "text/plain")
        elif path == "/garbage":
            self.wfile.write(b"this is no HTTP\r\n\r\n")
            self.close_connection = True
        elif path == "/broken-gzip":
            self.give(b"not compressed", "text/plain", {"Content-Encoding": "gzip"})
        elif path == "/empty":
            self.give(b"<html></html>", "text/html")
        elif path == "/drip":
            self.send_response(200)
            self.send_header("Content-Length", "1000000")
            self.end_headers()
            for _ in range(1_000):
                try:
                    self.wfile.write(b"a")
                    time.sleep(0.02)
                except OSError:
                    break
            self.close_connection = True
        else:
            self.give(b"gone", "text/plain", status=404)

    def give(self, data: bytes, kind: str, headers: dict[str, str] | None = None, status: int = 200) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(data)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments: Any) -> None:
        pass


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{running.server_address[1]}"
    running.shutdown()
    running.server_close()
    thread.join()


def ask(**payload: Any) -> Ask:
    return Ask("a1", "web", "web_fetch", "call", ToolRequest("web", payload))


def fetched(url: str, mode: str = "markdown", **settings: Any) -> Any:
    web = LiveWeb(**{"allow_private": True, **settings})
    (answer,) = web.respond([ask(action="fetch", url=url, mode=mode)])
    assert not answer.error
    return answer.value


@needs_extra
def test_a_page_gives_its_title_and_its_readable_content(server: str) -> None:
    page = fetched(f"{server}/article")["page"]
    assert page["title"] in ("Tides", "Tides of the fjord")
    assert "**twice a day**" in page["text"]
    assert not any(word in page["text"] for word in ("menu", "imprint", "evil"))
    assert "turns twice a day" in fetched(f"{server}/article", "text")["page"]["text"]


@needs_extra
def test_redirects_are_followed_and_the_last_address_is_told(server: str) -> None:
    assert fetched(f"{server}/hop")["page"]["url"].endswith("/article")
    assert "more than 5 times" in fetched(f"{server}/loop")["failed"]
    assert "Only http and https" in fetched(f"{server}/away")["failed"]


@needs_extra
def test_text_is_decoded_as_the_server_says(server: str) -> None:
    assert fetched(f"{server}/latin")["page"]["text"] == "blåbær"


@needs_extra
def test_size_is_bounded_after_decompression(server: str) -> None:
    text = fetched(f"{server}/bomb", max_bytes=10_000)["page"]["text"]
    assert text.startswith("a" * 10_000 + "\n[cut")
    assert len(text) < 10_100


@needs_extra
def test_time_is_bounded_although_bytes_keep_coming(server: str) -> None:
    began = time.monotonic()
    assert "in time" in fetched(f"{server}/drip", timeout_s=0.3)["failed"]
    assert time.monotonic() - began < 10  # whole, it takes 20


@needs_extra
def test_what_is_no_page_is_told(server: str) -> None:
    assert "404" in fetched(f"{server}/nothing")["failed"]
    assert "'image/png'" in fetched(f"{server}/image")["failed"]
    assert "cannot be fetched" in fetched("http://127.0.0.1:1/")["failed"]
    assert "cannot be fetched" in fetched(f"{server}/garbage")["failed"]
    assert "cannot be fetched" in fetched(f"{server}/broken-gzip")["failed"]
    assert fetched(f"{server}/empty")["page"]["text"] == ""


@needs_extra
@pytest.mark.parametrize("target", ["http://[", "//[x]/", "http://[::1", "http://a:99999999/", "javascript:1"])
def test_a_redirect_to_what_is_no_address_is_told(server: str, target: str) -> None:
    assert fetched(f"{server}/to?{target}")["failed"]


@needs_extra
@pytest.mark.parametrize("charset", ["undefined", "punycode", "idna", "zlib", "no-such", ""])
def test_an_encoding_that_no_page_has_is_guessed(server: str, charset: str) -> None:
    assert fetched(f"{server}/charset?{charset}")["page"]["text"] == "a page."


@needs_extra
def test_nobody_waits_for_a_page_that_takes_long_to_parse(server: str) -> None:
    began = time.monotonic()
    assert "more than 0.4 seconds" in fetched(f"{server}/slow-to-parse", timeout_s=0.4)["failed"]
    assert time.monotonic() - began < 2


@needs_extra
def test_a_page_on_which_the_parser_fails_is_told(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: str) -> dict[str, str]:
        raise RecursionError("a tree without end")

    monkeypatch.setattr(live, "_readable", fail)
    assert fetched(f"{server}/article")["failed"] == "The page cannot be read: RecursionError."


@needs_extra
def test_a_search_that_raises_whatever_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    class Failing:
        def __init__(self, timeout: int) -> None: ...

        def text(self, query: str, max_results: int) -> list[object]:
            raise KeyError("vqd")

    monkeypatch.setattr("ddgs.DDGS", Failing)
    (answer,) = LiveWeb().respond([ask(action="search", query="tides", count=3)])
    assert answer.value["failed"].startswith("The search did not work: 'vqd'.")


@needs_extra
def test_letters_beyond_ascii_in_an_address_are_encoded(server: str) -> None:
    assert fetched(f"{server}/blåbær")["page"]["text"] == "berries"


@needs_extra
def test_several_asks_are_answered_in_their_order(server: str) -> None:
    asks = [ask(action="fetch", url=server + path, mode="text") for path in ("/latin", "/nothing", "/blåbær")]
    values = [answer.value for answer in LiveWeb(allow_private=True).respond(asks)]
    assert [list(value) for value in values] == [["page"], ["failed"], ["page"]]
    assert values[2]["page"]["text"] == "berries"


@needs_extra
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "0.0.0.0", "2130706433"])
def test_hosts_that_are_not_public_are_refused_unless_allowed(server: str, host: str) -> None:
    url = server.replace("127.0.0.1", host) + "/article"
    failed = fetched(url, allow_private=False)["failed"]
    assert "not on the public internet" in failed or "cannot be found" in failed


@pytest.mark.parametrize(
    "address",
    ["10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1", "fe80::1",
     "fd00::1", "fec0::1", "::127.0.0.1", "64:ff9b:1::a00:1", "::1", "::", "::ffff:10.0.0.1", "2002:7f00:1::",
     "64:ff9b::7f00:1"],
)  # fmt: skip
def test_private_and_reserved_addresses_are_not_public(address: str) -> None:
    assert not is_public(address)


def test_a_host_with_one_private_address_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    both = [(2, 1, 6, "", ("93.184.215.14", 80)), (2, 1, 6, "", ("10.0.0.1", 80))]
    monkeypatch.setattr("socket.getaddrinfo", lambda *a, **k: both)
    with pytest.raises(HostRefused, match="not on the public internet"):
        resolve("two.example", 80, allow_private=False)
    assert resolve("two.example", 80, allow_private=True) == "93.184.215.14"


@needs_extra
def test_a_search_that_cannot_reach_anything_is_told_to_the_agent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DDGS_PROXY", "http://127.0.0.1:1")  # nothing listens there
    (answer,) = LiveWeb(timeout_s=2).respond([ask(action="search", query="the harbour", count=3)])
    assert answer.value["failed"].startswith("The search did not work: ")
    assert not answer.error


def test_without_the_extra_the_operator_is_told_what_to_install_and_the_agent_nothing_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(live, "_PACKAGES", ("no_such_package",))
    with pytest.raises(WebMissing, match=r"pip install 'pi-gym\[web\]'"):
        environment_answerers({}, None, "off", "live", None)
    (answer,) = LiveWeb().respond([ask(action="fetch", url="http://127.0.0.1", mode="text")])
    assert answer == Answer({"unavailable": "the web is not reached in this session"})


def test_asks_of_other_kinds_are_errors() -> None:
    other = Ask("a1", "shell", "exec", "call", ToolRequest("shell", {}))
    assert "kind 'shell'" in LiveWeb()([other, other])[1].error
