"""Hosts of the Model Context Protocol, in other processes than the sessions: over stdio and over HTTP."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.outsiders import by_gym, need, saying, scripted, steps_of
from support.server_process import server_process

import pi_gym
from pi_gym.adapters.session_row import SessionRow
from pi_gym.runs.lines import RunError
from pi_gym.session.actions import parse_action

need("mcp", "mcp")
import anyio  # noqa: E402
from mcp import Client  # noqa: E402
from mcp.client.stdio import StdioServerParameters, stdio_client  # noqa: E402

from pi_gym.adapters.mcp import serving  # noqa: E402
from pi_gym.adapters.mcp.session_server import SessionServer  # noqa: E402
from pi_gym.adapters.mcp.tool_session import ToolSessions  # noqa: E402

MINI = "PiBench-Mini-v0"
MODES = ["auto", "legacy"]
QUESTION = "What should the last line be?"


def arguments(out: Path, *more: object) -> list[str]:
    return ["-m", "pi_gym", "mcp", MINI, "--out", str(out), *map(str, more)]


def records(out: Path) -> list[Any]:
    return list(pi_gym.read_trajectories(out)) if (out / "trajectories.jsonl").exists() else []


def url(origin: str, task: str = "01-sign", variant: int = 1, **parts: int) -> str:
    more = "".join(f"&{name}={value}" for name, value in parts.items())
    return f"{origin}?task={task}&variant={variant}{more}"


def reference(task: str, variant: int) -> list[tuple[str, dict[str, Any]]]:
    actions = map(parse_action, pi_gym.load_pack("mini").instantiate(task, variant).reference)
    return [
        step
        for action in actions
        for step in ([(one.name, dict(one.arguments)) for one in action.calls] or steps_of(saying(action.content)))
    ]


@asynccontextmanager
async def over_stdio(out: Path, mode: str, errors: Any = None, *more: object) -> AsyncIterator[Client]:
    given = arguments(out, "--task", "01-sign", "--variant", 1, *more)
    server = StdioServerParameters(command=sys.executable, args=given)
    transport = stdio_client(server) if errors is None else stdio_client(server, errlog=errors)
    async with Client(transport, mode=mode) as client:
        yield client


@contextmanager
def over_http(out: Path, *more: object) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    given = arguments(out, "--http", "127.0.0.1:0", *more)[2:]  # without the interpreter's own
    with server_process(*given) as (address, server, _):
        yield address, server


async def play(client: Client, steps: list[tuple[str, dict[str, Any]]]) -> list[Any]:
    return [await client.call_tool(name, given) for name, given in steps]


@pytest.mark.parametrize("mode", MODES)
def test_a_session_over_stdio_is_scored_and_the_host_sees_no_score(tmp_path: Path, mode: str) -> None:
    async def session() -> list[Any]:
        with (tmp_path / "errors").open("w") as errors:
            async with over_stdio(tmp_path / "run", mode, errors) as client:
                prompt = await client.get_prompt("opening")
                return [await client.list_tools(), prompt, *await play(client, reference("01-sign", 1))]

    shown = anyio.run(session)
    (record,) = records(tmp_path / "run")
    assert (record.return_, record.terminated) == (1.0, True)
    assert [one.is_error for one in shown[2:]] == [False] * (len(shown) - 2)
    # All of the results that is no text of the session's: the protocol's own.
    known = {"io.modelcontextprotocol/serverInfo"}
    assert all(set(one.meta or {}) <= known for one in shown)
    assert all(one.structured_content is None for one in shown[2:])
    told = (tmp_path / "errors").read_text() + "".join(one.model_dump_json() for one in shown)
    assert not re.search(r"\b(score|proc|comp|1\.0)\b", told.replace("0.1.0", ""), re.I)


@pytest.mark.parametrize("mode", MODES)
def test_a_host_that_leaves_ends_the_session_as_it_stands(tmp_path: Path, mode: str) -> None:
    async def session() -> None:
        async with over_stdio(tmp_path, mode) as client:
            await client.call_tool("reply_to_user", {"content": QUESTION})

    anyio.run(session)
    (record,) = records(tmp_path)
    (expected,) = by_gym(MINI, {}, [SessionRow("01-sign", 1, 0)], [scripted([saying(QUESTION)], then=None)])
    assert (record.end_reason, record.return_) == ("left open", expected.score)


def test_a_host_that_only_asks_for_the_tools_leaves_nothing(tmp_path: Path) -> None:
    async def session() -> None:
        async with over_stdio(tmp_path, "auto") as client:
            assert (await client.list_tools()).tools

    anyio.run(session)
    assert records(tmp_path) == []


@contextmanager
def begun_over_pipes(out: Path) -> Iterator[subprocess.Popen[str]]:
    """A server whose session has had a reply, and whose host holds the pipes open."""
    command = [sys.executable, *arguments(out, "--task", "01-sign", "--variant", 1)]
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "0"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    called = {"name": "reply_to_user", "arguments": {"content": QUESTION}, "_meta": meta}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": called}) + "\n")
        server.stdin.flush()
        assert "result" in json.loads(server.stdout.readline())
        yield server
        server.kill()


def test_a_server_that_is_told_to_end_ends_its_session_first(tmp_path: Path) -> None:
    with begun_over_pipes(tmp_path) as server:
        server.send_signal(signal.SIGTERM)
        assert server.wait(timeout=200) == 0
    (record,) = records(tmp_path)
    assert record.end_reason == "left open"


def test_a_server_that_is_killed_leaves_nothing_half_done(tmp_path: Path) -> None:
    with begun_over_pipes(tmp_path) as server:
        server.kill()
        server.wait(timeout=200)
    assert records(tmp_path) == []
    with begun_over_pipes(tmp_path) as server:
        server.send_signal(signal.SIGINT)
        server.wait(timeout=200)
    assert len(records(tmp_path)) == 1


@pytest.mark.parametrize("mode", MODES)
def test_many_sessions_over_http_do_not_touch_each_other(tmp_path: Path, mode: str) -> None:
    named = [(task, variant) for task in ("01-sign", "02-order") for variant in (1, 2, 3)]
    steps = {one: reference(*one) if one[1] != 2 else steps_of(saying(QUESTION)) for one in named}

    async def session(origin: str, one: tuple[str, int]) -> None:
        async with Client(url(origin, *one), mode=mode) as client:
            await client.call_tool("open_session", {})
            await play(client, steps[one])

    async def all_of_them(origin: str) -> None:
        async with anyio.create_task_group() as group:
            for one in named:
                group.start_soon(session, origin, one)

    with over_http(tmp_path) as (origin, _):
        anyio.run(all_of_them, origin)
        assert len(records(tmp_path)) == 4
    found = {(one.task_id, one.variant): one for one in records(tmp_path)}
    assert set(found) == set(named)
    assert all(record.return_ == 1.0 for (_, variant), record in found.items() if variant != 2)
    assert all(record.end_reason == "left open" for (_, variant), record in found.items() if variant == 2)


def test_parallel_calls_in_one_session_are_run_one_after_the_other(tmp_path: Path) -> None:
    async def write(client: Client, number: int) -> None:
        assert not (await client.call_tool("write_file", {"path": f"{number}.txt", "content": "x"})).is_error

    async def session(origin: str) -> None:
        async with Client(url(origin)) as client, anyio.create_task_group() as group:
            for number in range(12):
                group.start_soon(write, client, number)

    with over_http(tmp_path) as (origin, _):
        anyio.run(session, origin)
    (record,) = records(tmp_path)
    assert (record.steps, record.invalid_actions) == (12, 0)


def test_the_agent_s_mistakes_are_results(tmp_path: Path) -> None:
    async def session(origin: str) -> list[Any]:
        async with Client(url(origin)) as client:
            return await play(
                client,
                [
                    ("no_such_tool", {}),
                    ("read_file", {"path": "nowhere.txt"}),
                    ("reply_to_user", {"text": "Grüße"}),
                    ("write_file", {"path": "ß.txt", "content": "Grüße 🎉"}),
                    ("read_file", {"path": "ß.txt"}),
                ],
            )

    with over_http(tmp_path) as (origin, _):
        results = anyio.run(session, origin)
    assert [one.is_error for one in results] == [True, True, True, False, False]
    assert "no_such_tool" in results[0].content[0].text
    assert results[4].content[0].text.strip() == "Grüße 🎉"


def test_a_session_without_calls_is_ended_after_a_while(tmp_path: Path) -> None:
    async def session(origin: str) -> None:
        async with Client(url(origin)) as client:
            await client.call_tool("reply_to_user", {"content": QUESTION})

    with over_http(tmp_path, "--idle", 1) as (origin, server):
        anyio.run(session, origin)
        until(lambda: len(records(tmp_path)) == 1)
        assert server.poll() is None
        until(lambda: status(url(origin)) == 409)
    assert len(records(tmp_path)) == 1


def test_urls_that_name_no_session_are_refused(tmp_path: Path) -> None:
    with over_http(tmp_path) as (origin, _):
        assert status(url(origin, "01-sing")) == 404
        assert status(url(origin) + "&player=me") == 404
        assert status(url(origin) + "&seed=-1") == 400
        assert status(origin) == 400
    with over_http(tmp_path, "--task", "01-sign") as (origin, _):
        assert status(f"{origin}?variant=2") not in (400, 404, 409)


def test_there_is_a_limit_of_open_sessions_and_one_that_ends_makes_room(tmp_path: Path) -> None:
    async def replies(origin: str, variant: int, *texts: str) -> list[Any]:
        async with Client(url(origin, variant=variant)) as client:
            return await play(client, [("reply_to_user", {"content": text}) for text in texts])

    with over_http(tmp_path, "--max-sessions", 2) as (origin, _):
        anyio.run(replies, origin, 1, QUESTION)
        anyio.run(replies, origin, 2, QUESTION)
        found, told, headers = posted(url(origin, variant=3))
        assert (found, headers["Retry-After"]) == (503, "10")
        assert "--max-sessions 2" in told
        # Those that are open are served as ever.
        anyio.run(replies, origin, 1, *["Done."] * 30)
        until(lambda: posted(url(origin, variant=3))[0] != 503)
        anyio.run(replies, origin, 3, QUESTION)
        assert status(url(origin, variant=1)) in (409, 503)
    assert sorted(record.variant for record in records(tmp_path)) == [1, 2, 3]


def test_parallel_requests_open_a_session_once(tmp_path: Path) -> None:
    async def host(origin: str, number: int) -> None:
        async with Client(url(origin)) as client:
            assert not (await client.call_tool("write_file", {"path": f"{number}.txt", "content": "x"})).is_error

    async def hosts(origin: str) -> None:
        async with anyio.create_task_group() as group:
            for number in range(8):
                group.start_soon(host, origin, number)

    with over_http(tmp_path, "--max-sessions", 1) as (origin, _):
        anyio.run(hosts, origin)
    (record,) = records(tmp_path)
    assert record.steps == 8


def test_the_end_waits_for_a_call_whose_waiter_was_cancelled(tmp_path: Path) -> None:
    session = ToolSessions(MINI, {}, tmp_path, "me").begin("01-sign", 1)
    begun, go, call = threading.Event(), threading.Event(), session.call

    def held(name: str, given: Any) -> Any:
        begun.set()
        assert go.wait(60)
        return call(name, given)

    session.call = held  # type: ignore[method-assign]

    async def stopped() -> None:
        served = SessionServer(session)
        params = SimpleNamespace(name="reply_to_user", arguments={"content": QUESTION})
        waiting = asyncio.ensure_future(served._call_tool(None, params))
        await asyncio.to_thread(begun.wait)
        waiting.cancel()
        ending = asyncio.ensure_future(served.end())
        await asyncio.sleep(0.1)
        assert not ending.done()
        go.set()
        await ending

    anyio.run(stopped)
    (record,) = records(tmp_path)
    assert (record.steps, record.end_reason) == (1, "left open")


def test_a_record_that_cannot_be_written_is_the_error_that_serving_over_stdio_raises(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise RunError("no space left")

    @asynccontextmanager
    async def closed() -> AsyncIterator[Any]:
        host, reading = anyio.create_memory_object_stream[Any](1)
        writing, told = anyio.create_memory_object_stream[Any](1)
        await host.aclose()
        async with told:
            yield reading, writing

    session = ToolSessions(MINI, {}, tmp_path, "me").begin("01-sign", 1)
    session.read()
    monkeypatch.setattr(session._run, "add", full)
    monkeypatch.setattr(serving, "stdio_server", closed)
    with pytest.raises(RunError, match="no space left"):
        serving.serve_stdio(session)


@pytest.mark.parametrize(
    "body", [b"{", b"\xff\x00" * 500, b"[" * 100_000, b"[]", b"null", b'"' + b"x" * 8_000_000 + b'"']
)
def test_garbage_is_refused_and_the_session_goes_on(tmp_path: Path, body: bytes) -> None:
    async def session(origin: str) -> Any:
        async with Client(url(origin)) as client:
            first = await client.call_tool("reply_to_user", {"content": QUESTION})
            found, _, _ = await anyio.to_thread.run_sync(posted, url(origin), body)
            assert 400 <= found < 500
            return first, await client.call_tool("read_file", {"path": "notes.txt"})

    with over_http(tmp_path) as (origin, _):
        first, second = anyio.run(session, origin)
    assert not first.is_error
    assert not second.is_error


def test_a_folder_that_cannot_be_written_is_no_fault_of_the_host_s(tmp_path: Path) -> None:
    with over_http(Path("/proc/run")) as (origin, server):
        found, told, _ = posted(url(origin))
        assert (found, "cannot be written" in told) == (500, True)
        assert server.poll() is None
    command = [sys.executable, *arguments(Path("/proc/run"), "--task", "01-sign")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    assert done.returncode != 0
    assert "cannot be written" in done.stderr
    assert "Traceback" not in done.stderr


def posted(address: str, body: bytes = b"{}") -> tuple[int, str, Any]:
    headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    request = urllib.request.Request(address, body, headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return int(answer.status), answer.read().decode(), answer.headers
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode(), error.headers
    except urllib.error.URLError as error:
        # What is too long is refused before it is read: the answer can be lost on whoever still sends.
        if not isinstance(error.reason, ConnectionResetError | BrokenPipeError):
            raise
        return 413, "", {}


def status(address: str) -> int:
    request = urllib.request.Request(address, b"{}", {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        found = error.code
        body = error.read()
        error.close()
        return found if b'"error":"' in body or found != 400 else 0


def until(holds: Callable[[], bool]) -> None:
    last = time.monotonic() + 200
    while not holds():
        assert time.monotonic() < last
        time.sleep(0.1)
