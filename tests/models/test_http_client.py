"""HTTP to model servers, over real sockets: connections that are kept, proxies, redirects, what lets us in."""

from __future__ import annotations

import socket
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest
from support.faulty_server import Body, Drop, FaultyServer, Gathering, Leave, Raw, Say, Status
from support.model_asks import answers, ask
from support.served_roles import AGREES, config

from pi_gym.models.answerer import ModelAnswerer
from pi_gym.models.http_client import MAX_BODY_BYTES

GOOD = Say(AGREES)
#: Of what names a proxy in the environment.
PROXIES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy")
GONE = [Leave(), Leave(reset=True)]


@pytest.fixture(autouse=True)
def _no_proxies(monkeypatch):
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


def one_by_one(url, count, **options):
    """The answers to requests of which each is sent when the one before is answered; and what was counted."""
    answerer = ModelAnswerer({"user": config(url, **options)})
    try:
        return [answerer([ask(str(number))])[0] for number in range(count)], answerer.usage["user"]
    finally:
        answerer.close()


# -- connections -----------------------------------------------------------------------------------------------------


def test_requests_one_after_the_other_use_one_connection():
    with FaultyServer([GOOD]) as server:
        found, _ = one_by_one(server.url, 6)
    assert all(answer.value == AGREES for answer in found)
    assert len(set(server.connections)) == 1


def test_an_error_of_the_servers_keeps_the_connection():
    with FaultyServer([GOOD, Status(500), GOOD]) as server:
        one_by_one(server.url, 2)
    assert (len(server.requests), len(set(server.connections))) == (3, 1)


def test_as_many_requests_are_out_at_one_time_as_may_be():
    all_there = Gathering(256)
    with FaultyServer(lambda body: Say(AGREES, until=all_there.come())) as server:
        found, usage = answers(server.url, [ask(str(n), number=n) for n in range(256)], max_concurrency=256)
    assert all(answer.value == AGREES for answer in found)
    assert all_there.over.is_set()
    assert (usage.requests, usage.retries, len(set(server.connections))) == (256, 0, 256)


@pytest.mark.parametrize("gone", GONE, ids=str)
def test_a_kept_connection_that_the_server_closed_costs_nothing(gone):
    with FaultyServer([GOOD, gone, GOOD]) as server:
        found, usage = one_by_one(server.url, 2, retries=0)
    assert all(answer.value == AGREES for answer in found)
    assert (usage.requests, usage.retries) == (2, 0)
    first, kept, fresh = server.connections
    assert first == kept != fresh


@pytest.mark.parametrize("gone", GONE, ids=str)
def test_a_server_that_closes_new_connections_has_failed(gone):
    with FaultyServer([gone]) as server:
        (answer,), usage = one_by_one(server.url, 1, retries=0)
    assert "(1 request: no connection: " in answer.error
    assert (len(server.requests), usage.requests) == (1, 1)


@pytest.mark.parametrize("gone", GONE, ids=str)
def test_a_request_is_sent_once_more_on_a_new_connection_and_not_again(gone):
    with FaultyServer([GOOD, gone]) as server:
        (_, answer), _ = one_by_one(server.url, 2, retries=0)
    assert "(1 request: no connection: " in answer.error
    assert len(server.requests) == 3


def test_a_response_that_began_on_a_kept_connection_is_lost_with_it():
    with FaultyServer([GOOD, Drop(after=40)]) as server:
        (_, answer), _ = one_by_one(server.url, 2, retries=0)
    assert "(1 request: no connection: " in answer.error
    assert len(server.requests) == 2


def test_after_a_response_that_is_too_long_the_next_is_read_from_its_beginning():
    with FaultyServer([Body(b" " * (2 * MAX_BODY_BYTES)), GOOD]) as server:
        (answer,), usage = one_by_one(server.url, 1)
    assert (answer.value, usage.retries) == (AGREES, 1)
    assert len(set(server.connections)) == 2


def test_connections_are_opened_again_after_they_were_closed():
    with FaultyServer([GOOD]) as server:
        answerer = ModelAnswerer({"user": config(server.url)})
        for number in range(2):
            assert answerer([ask(str(number))])[0].value == AGREES
            answerer.close()
    assert len(set(server.connections)) == 2


def test_a_long_request_is_sent_whole():
    text = "long " * 400_000
    with FaultyServer([Status(500), GOOD]) as server:
        (answer,), _ = answers(server.url, [ask(text)])
    assert answer.value == AGREES
    assert [body["messages"][0]["content"] == text for body in server.requests] == [True, True]


def test_what_cannot_be_reached_in_time_is_told_apart_from_what_does_not_answer():
    with ExitStack() as stack:
        server = stack.enter_context(socket.socket())
        server.bind(("127.0.0.1", 0))
        server.listen(0)
        for _ in range(3):  # nobody accepts, and there is no room for more
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(server.getsockname())
        url = f"http://127.0.0.1:{server.getsockname()[1]}/v1"
        (answer,), _ = answers(url, [ask()], retries=0, connect_timeout_s=0.2)
    assert "no connection within 0.2 s" in answer.error


# -- responses that are none -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"HTTP/1.1 two hundred\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nno header\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nx: " + b"y" * 100_000 + b"\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{}",
        b"HTTP/1.1 200",
    ],
)
def test_what_is_no_whole_response_of_http_is_tried_again(data):
    with FaultyServer([Raw(data), GOOD]) as server:
        (answer,), usage = answers(server.url, [ask()])
    assert (answer.value, usage.retries) == (AGREES, 1)
    with FaultyServer([Raw(data)]) as server:
        (answer,), _ = answers(server.url, [ask()], retries=0)
    assert "(1 request: no connection: " in answer.error or "(1 request: the response is no HTTP (" in answer.error


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed_and_names_the_other_address(code):
    with FaultyServer([GOOD]) as other, FaultyServer([Status(code, {"location": f"{other.url}/x"})]) as server:
        (answer,), _ = answers(server.url, [ask()])
    assert f"(1 request: HTTP {code} (it sends requests on to {other.url}/x: name the address that answers)" in (
        answer.error
    )
    assert (len(server.requests), other.requests) == (1, [])


# -- proxies and what lets us in -------------------------------------------------------------------------------------


def test_a_server_on_this_machine_is_reached_without_a_proxy(monkeypatch):
    with FaultyServer([Status(500)]) as proxy, FaultyServer([GOOD]) as server:
        for name in ("http_proxy", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
        for host in ("127.0.0.1", "localhost", "0.0.0.0"):
            (answer,), _ = answers(f"http://{host}:{server.port}/v1", [ask()])
            assert answer.value == AGREES
    assert (len(server.requests), proxy.requests) == (3, [])


@pytest.mark.parametrize("variable", ["http_proxy", "all_proxy"])
def test_another_server_is_reached_by_the_proxy_that_the_environment_names(variable, monkeypatch):
    with FaultyServer([GOOD]) as proxy:
        monkeypatch.setenv(variable, f"http://me:pass-word@127.0.0.1:{proxy.port}")
        (answer,), _ = answers("http://models.invalid/v1", [ask()])
    assert answer.value == AGREES
    (headers,) = proxy.headers
    assert headers["host"] == "models.invalid"
    assert headers["authorization"] == "Bearer sk-very-secret"
    assert headers["proxy-authorization"] == "Basic bWU6cGFzcy13b3Jk"


def test_a_server_that_is_to_have_no_proxy_has_none(monkeypatch):
    with FaultyServer([GOOD]) as proxy:
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.port}")
        monkeypatch.setenv("no_proxy", "models.invalid")
        (answer,), _ = answers("http://models.invalid/v1", [ask()], retries=0)
    assert "no connection" in answer.error
    assert proxy.requests == []


@pytest.mark.parametrize("proxy", ["http://me:pass-word@[bad", "http://me:pass-word@", "socks5://me:pass-word@h:1"])
def test_a_proxy_that_cannot_be_is_an_error_without_its_password(proxy, monkeypatch):
    monkeypatch.setenv("http_proxy", proxy)
    (answer,), usage = answers("http://models.invalid/v1", [ask()], retries=0)
    assert answer.error
    assert "pass-word" not in answer.error
    assert usage.requests == 1


def test_a_login_of_netrc_is_not_sent(monkeypatch, tmp_path):
    (tmp_path / "netrc").write_text("machine 127.0.0.1\nlogin me\npassword word\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    with FaultyServer([GOOD]) as server:
        (answer,), _ = answers(server.url, [ask()])
    assert answer.value == AGREES
    assert server.headers[0]["authorization"] == "Bearer sk-very-secret"


def test_a_login_in_the_address_goes_before_the_key():
    with FaultyServer([GOOD]) as server:
        (answer,), _ = answers(f"http://me:pass%2Fword@127.0.0.1:{server.port}/v1/", [ask()])
    assert answer.value == AGREES
    assert server.headers[0]["authorization"] == "Basic bWU6cGFzcy93b3Jk"


def test_a_key_that_no_header_can_hold_is_an_error_that_does_not_tell_it():
    with FaultyServer([GOOD]) as server:
        (answer,), _ = answers(server.url, [ask()], api_key="sk-two\r\nlines")
    assert "(1 request: ValueError" in answer.error
    assert "sk-two" not in answer.error
    assert server.requests == []


# -- the end ---------------------------------------------------------------------------------------------------------

ENDING = """
import sys
from pi_gym.models.answerer import ModelAnswerer
from support.faulty_server import FaultyServer, Hang, Say
from support.model_asks import ask, wait_for
from support.served_roles import AGREES, config

server = FaultyServer([Say(AGREES), Hang()])
server.__enter__()
answerer = ModelAnswerer({"user": config(server.url)})
assert answerer([ask("kept")])[0].value == AGREES
answerer.submit([ask("under way")])
wait_for(lambda: len(server.requests) == 2)
raise SystemExit("over") if sys.argv[1] == "exit" else RuntimeError("over")
"""


@pytest.mark.slow
@pytest.mark.parametrize("how", ["exit", "raise"])
def test_a_program_that_ends_amid_requests_leaves_nothing_open(how):
    command = [sys.executable, "-W", "always::ResourceWarning", "-c", ENDING, how]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=Path(__file__).parents[1])
    assert done.returncode == 1
    assert done.stderr.strip().endswith("over")
    assert "Warning" not in done.stderr
    assert "nclosed" not in done.stderr
    assert "never" not in done.stderr
