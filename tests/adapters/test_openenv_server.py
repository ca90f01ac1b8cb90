"""Clients of OpenEnv over WebSockets: what they are told, and what is recorded.

A process of the command's is one for the tests that start, stop and kill it: to import OpenEnv takes it many seconds.
"""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from support.asking import AskingGrader
from support.outsiders import MISSING, by_gym, calling, message_of, need, saying, scripted
from support.server_process import server_process

import pi_gym
from pi_gym.adapters.session_row import SessionRow
from pi_gym.models.scripted import ScriptedModel
from pi_gym.types import Answer

need("openenv", "openenv")
pytest.importorskip("uvicorn", reason=MISSING.format("openenv"))
import anyio  # noqa: E402
from openenv.core import GenericEnvClient  # noqa: E402
from support.openenv_server import serving  # noqa: E402
from websockets.asyncio.client import connect  # noqa: E402

from pi_gym.adapters.openenv.session_client import SessionClient, SessionGone  # noqa: E402
from pi_gym.adapters.openenv.session_messages import SessionAction  # noqa: E402

MINI = "PiBench-Mini-v0"
QUESTION = "What should the last line be?"
SIGN: dict[str, Any] = {"task": "01-sign", "variant": 1, "seed": 0}
FRAMES = ["{", "[]", "null", '"text"', "{" * 100_000, '{"a":' * 100_000, "1" * 10_000, b"\xff\x00", "{}"] + [
    json.dumps(one)
    for one in (
        {"type": "step"},
        {"type": "step", "data": 5},
        {"type": "step", "data": {"message": 5, "x": "\ud800"}},
        {"type": "step", "data": {}},
        {"type": ["step"], "data": {}},
        {"type": "reset", "data": {"seed": -1}},
        {"type": "reset", "data": {"self": 1}},
        {"type": "reset", "data": {"task": "01-sing"}},
        {"type": "reset", "data": {"varient": 1}},
        {"type": "mcp", "data": {"jsonrpc": "2.0", "method": "tools/list", "id": 1}},
    )
]


def records(out: Path) -> list[Any]:
    return list(pi_gym.read_trajectories(out)) if (out / "trajectories.jsonl").exists() else []


def unscored(out: Path) -> list[Any]:
    return list(pi_gym.read_trajectories(out / "unscored.jsonl")) if (out / "unscored.jsonl").exists() else []


@contextmanager
def served(out: Path | None, *more: object, port: int = 0) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    kept = [] if out is None else ["--out", out]
    given = ("serve-env", MINI, "--port", port, *kept, *more)
    with server_process(*given, patience=100) as (address, server, told):
        yield address, server
    assert "Traceback" not in told[0], told[0]


def until(holds: Callable[[], bool]) -> None:
    last = time.monotonic() + 100
    while not holds():
        assert time.monotonic() < last
        time.sleep(0.1)


def posted(address: str, body: Any = None) -> tuple[int, Any]:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address, data, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return int(answer.status), json.loads(answer.read())
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.loads(error.read())


async def replies(client: Any, *texts: str) -> Any:
    for text in texts:
        result = await client.step(SessionAction(message=text))
    return result


def test_a_hundred_and_more_sessions_in_one_process_do_not_touch_each_other(tmp_path: Path) -> None:
    count = 120
    variants = [1 + number % 4 for number in range(count)]
    pack = pi_gym.load_pack("mini")
    plays = {
        variant: [message_of(one, 0) for one in pack.instantiate("01-sign", variant).reference] for variant in (1, 2)
    }
    plays |= {variant: [saying(QUESTION)] for variant in (3, 4)}
    rows = [SessionRow("01-sign", variant, 0) for variant in plays]
    expected = {
        row.variant: one.score
        for row, one in zip(rows, by_gym(MINI, {}, rows, [scripted(one) for one in plays.values()]), strict=True)
    }
    scores: dict[int, Any] = {}

    async def session(url: str, number: int, begun: list[int], all_there: anyio.Event) -> None:
        variant = variants[number]
        async with SessionClient(url, connect_timeout_s=100) as client:
            result = await client.reset(**SIGN | {"variant": variant})
            begun.append(number)
            if len(begun) == count:
                all_there.set()
            await all_there.wait()
            for message in plays[variant]:
                result = await client.step(SessionAction(message=message))
            while not result.done:
                result = await client.step(SessionAction(message="Done."))
            scores[number] = result.reward

    async def sessions(url: str) -> None:
        begun, all_there = list[int](), anyio.Event()
        async with anyio.create_task_group() as group:
            for number in range(count):
                group.start_soon(session, url, number, begun, all_there)

    with served(tmp_path) as (url, _):
        anyio.run(sessions, url)
    assert [scores[number] for number in range(count)] == [expected[variant] for variant in variants]
    assert expected[1] == 1.0 != expected[3]
    kept = records(tmp_path)
    assert sorted((one.variant, one.sample) for one in kept) == sorted((v, n) for v in plays for n in range(count // 4))
    assert {(one.variant, one.return_) for one in kept} == set(expected.items())


def test_a_seed_alone_opens_what_it_opens_in_gymnasium_and_resets_without_one_are_counted() -> None:
    async def opened(url: str) -> list[Any]:
        async with SessionClient(url) as client:
            seeded = [await client.reset(seed=seed) and await client.state() for seed in range(4)]
            return [*seeded, *[await client.reset() and await client.state() for _ in range(4)]]

    with serving(MINI, {"split": "train"}) as url:
        states = anyio.run(opened, url)
    named = [(one.task, one.variant, one.seed) for one in states]
    assert named[:4] == named[4:]
    env = pi_gym.environments.make_env(MINI, {"split": "train"})
    infos = [env.reset(seed=seed)[1] for seed in range(4)]
    assert named[:4] == [(info["task_id"], info["variant"], seed) for seed, info in enumerate(infos)]
    assert len({task for task, _, _ in named}) > 1


def test_tasks_that_the_server_is_given_are_what_is_drawn_from_and_listed() -> None:
    async def opened(url: str) -> set[str]:
        async with SessionClient(url) as client:
            return {((await client.reset(seed=seed)) and await client.state()).task for seed in range(12)}

    with serving(MINI, {}, tasks=["01-sign", "03-slip"]) as url:
        assert anyio.run(opened, url) == {"01-sign", "03-slip"}
        assert posted(f"{url}/{MINI}/num_tasks", {"split": "train"}) == (200, {"num_tasks": 2})
        status, found = posted(f"{url}/{MINI}/task", {"split": "train", "index": 1})
        assert (status, found["task"]["task"]) == (200, "03-slip")
        assert posted(f"{url}/{MINI}/task", {"split": "train", "index": 2})[0] == 400
        assert posted(f"{url}/{MINI}/tasks", {"split": "tran"})[0] == 404


def test_health_is_told_and_routes_that_keep_no_session_are_not_there() -> None:
    with serving(MINI, {}) as url:
        assert posted(f"{url}/health") == (200, {"status": "healthy"})
        assert posted(f"{url}/metadata")[1]["name"] == MINI
        assert "message" in posted(f"{url}/schema")[1]["action"]["properties"]
        for path in ("/reset", "/step", "/mcp"):
            assert posted(url + path, {})[0] == 404


def test_no_observation_before_the_end_tells_of_a_score_or_a_wish(tmp_path: Path) -> None:
    async def session(url: str) -> list[Any]:
        async with GenericEnvClient(url) as client:
            results = [await client.reset(**SIGN)]
            states = [await client.state()]
            while not results[-1].done:
                results.append(await client.step({"message": QUESTION if len(results) == 1 else "Done."}))
                states.append(await client.state())
            return [results, states]

    with serving(MINI, {}, tmp_path) as url:
        results, states = anyio.run(session, url)
    assert [one.reward for one in results[:-1]] == [None] * (len(results) - 1)
    assert isinstance(results[-1].reward, float)
    for result, state in zip(results[:-1], states[:-1], strict=True):
        assert set(result.observation) == {"messages", "tools", "terminated", "truncated", "scored", "metadata"}
        assert (result.observation["scored"], result.observation["metadata"]) == (False, {})
        assert (state["measures"], state["error"], state["end_reason"]) == ({}, "", "")
    assert not re.search(r"\b(proc|comp|checklist|intent)\b", json.dumps([one.observation for one in results]), re.I)
    assert states[-1]["measures"]["return"] == results[-1].reward
    intents = [one.text for one in pi_gym.load_pack("mini").instantiate("01-sign", 1).intents]
    told = json.dumps([one.observation for one in results], ensure_ascii=False)
    assert intents
    assert not any(one in told for one in intents)


def test_every_letter_comes_through_both_ways() -> None:
    text = 'Grüße, 你好 🎉\u2028«\\n» "q" \u200b\n'

    async def session(url: str) -> Any:
        async with SessionClient(url) as client:
            await client.reset(**SIGN)
            await client.step(SessionAction(message=calling("write_file", path="ß.txt", content=text)))
            read = await client.step(SessionAction(message=calling("read_file", "i\ud800", path="ß.txt")))
            half = await client.step(SessionAction(message=calling("write_file", path="x.txt", content="a\ud800b")))
            return [read.observation.messages[0], half.observation.messages[0]]

    with serving(MINI, {}) as url:
        read, half = anyio.run(session, url)
    assert "Grüße, 你好 🎉" in read["content"]
    assert '«\\n» "q" \u200b' in read["content"]
    assert read["tool_call_id"] == "i\ufffd"
    assert not half["content"].startswith("Error")


def test_garbage_is_told_so_and_the_session_goes_on() -> None:
    async def session(url: str) -> Any:
        async with connect(url.replace("http", "ws") + "/ws", max_size=None) as wire:
            await wire.send(json.dumps({"type": "reset", "data": SIGN}))
            assert json.loads(await wire.recv())["type"] == "observation"
            for frame in FRAMES:
                await wire.send(frame)
                answer = json.loads(await wire.recv())
                assert answer["type"] == "error" or "error" in answer["data"], (str(frame)[:80], answer)
            await wire.send(json.dumps({"type": "step", "data": {"message": QUESTION}}))
            return json.loads(await wire.recv())

    with serving(MINI, {}) as url:
        answer = anyio.run(session, url)
    assert answer["type"] == "observation"
    assert answer["data"]["observation"]["messages"][0]["role"] == "user"


def test_messages_that_are_none_are_the_agent_s_mistakes() -> None:
    wrong = [{"role": "user", "content": 3}, {"content": [{"a": 1}], "tool_calls": 7}, {}, ""]

    async def session(url: str) -> Any:
        async with SessionClient(url) as client:
            await client.reset(**SIGN)
            found = [await client.step(SessionAction(message=one)) for one in wrong]
            return found, await client.state()

    with serving(MINI, {}) as url:
        found, state = anyio.run(session, url)
    assert all(one.observation.messages and not one.done for one in found)
    assert state.step_count == len(wrong)


def test_whoever_finds_no_room_is_told_so_and_one_that_goes_makes_room() -> None:
    async def session(url: str) -> None:
        async with SessionClient(url) as first:
            await first.reset(**SIGN)
            async with SessionClient(url) as second:
                with pytest.raises((RuntimeError, SessionGone), match="CAPACITY_REACHED"):
                    await second.reset(**SIGN)
            assert not (await replies(first, QUESTION)).done
        with anyio.fail_after(60):
            while True:
                async with SessionClient(url) as third:
                    with suppress(RuntimeError):
                        assert not (await third.reset(**SIGN)).done
                        return
                await anyio.sleep(0.1)

    with serving(MINI, {}, max_sessions=1) as url:
        anyio.run(session, url)


def test_a_client_that_says_goodbye_has_its_session_graded_as_it_stands(tmp_path: Path) -> None:
    async def session(url: str) -> None:
        async with SessionClient(url) as client:
            await client.reset(**SIGN)
            await replies(client, QUESTION)

    with serving(MINI, {}, tmp_path) as url:
        anyio.run(session, url)
        until(lambda: len(records(tmp_path)) == 1)
    (record,) = records(tmp_path)
    (expected,) = by_gym(MINI, {}, [SessionRow("01-sign", 1, 0)], [scripted([saying(QUESTION)], then=None)])
    assert (record.end_reason, record.return_) == ("left open", expected.score)


def test_a_client_that_opens_the_next_session_has_the_one_before_graded(tmp_path: Path) -> None:
    async def session(url: str) -> None:
        async with SessionClient(url) as client:
            for _ in range(2):
                await client.reset(**SIGN)
                await replies(client, QUESTION)
            await client.reset(**SIGN)

    with serving(MINI, {}, tmp_path) as url:
        anyio.run(session, url)
        until(lambda: len(records(tmp_path)) == 2)
    assert sorted((one.sample, one.end_reason) for one in records(tmp_path)) == [(0, "left open"), (1, "left open")]


@pytest.mark.parametrize("way", ["async", "sync"])
def test_a_client_whose_program_breaks_leaves_no_score(tmp_path: Path, way: str) -> None:
    async def session(url: str) -> None:
        async with SessionClient(url) as client:
            await client.reset(**SIGN)
            await replies(client, QUESTION)
            raise ZeroDivisionError

    def sync_session(url: str) -> None:
        with SessionClient(url).sync() as client:
            client.reset(**SIGN)
            client.step(SessionAction(message=QUESTION))
            raise ZeroDivisionError

    with serving(MINI, {}, tmp_path) as url:
        with pytest.raises(ZeroDivisionError):
            anyio.run(session, url) if way == "async" else sync_session(url)
        until(lambda: len(unscored(tmp_path)) == 1 or len(records(tmp_path)) == 1)
    (record,) = unscored(tmp_path)
    assert (record.error_kind, records(tmp_path)) == ("policy", [])


VANISHING = """
import json, os, sys
from websockets.sync.client import connect
socket = connect(sys.argv[1].replace("http", "ws") + "/ws")
for kind, data in (("reset", {"task": "01-sign", "variant": 1, "seed": 0}), ("step", {"message": "What?"})):
    socket.send(json.dumps({"type": kind, "data": data}))
    assert json.loads(socket.recv())["type"] == "observation"
os.kill(os.getpid(), 9)
"""


def test_a_client_that_is_killed_leaves_no_score_and_its_place(tmp_path: Path) -> None:
    with serving(MINI, {}, tmp_path, max_sessions=1) as url:
        done = subprocess.run([sys.executable, "-c", VANISHING, url], check=False, capture_output=True, text=True)
        assert done.returncode == -9, done.stderr
        until(lambda: len(unscored(tmp_path)) == 1)

        async def again() -> Any:
            async with SessionClient(url) as client:
                return await client.reset(**SIGN, sample=0)

        assert not anyio.run(again).done
    (record,) = unscored(tmp_path)
    assert (record.error_kind, "connection was lost" in record.error) == ("policy", True)
    assert records(tmp_path) == []


def test_a_client_that_says_nothing_is_let_go_and_told_so(tmp_path: Path) -> None:
    async def session(url: str) -> None:
        async with SessionClient(url) as client:
            await client.reset(**SIGN)
            await replies(client, QUESTION)
            await anyio.sleep(2.5)
            with pytest.raises(SessionGone, match="nothing came for 1 seconds"):
                await replies(client, "Done.")
            # Nor is it given another session behind its back, until it asks for one.
            with pytest.raises(SessionGone):
                await client.state()
            assert not (await client.reset(**SIGN)).done

    with serving(MINI, {}, tmp_path, idle_s=1.0, max_sessions=1) as url:
        anyio.run(session, url)
        until(lambda: len(unscored(tmp_path)) == 1)
    (record,) = unscored(tmp_path)
    assert "nothing came for 1 seconds" in record.error


def test_a_slow_answer_is_waited_for_longer_than_a_silent_client() -> None:
    def slow(_: Any) -> Answer:
        time.sleep(3)
        return Answer(error="the server is down")

    async def session(url: str) -> Any:
        async with SessionClient(url) as client:
            await client.reset(**SIGN)
            result = await replies(client, QUESTION)
            while not result.done:
                result = await replies(client, "Done.")
            return result, await client.state()

    env_kwargs = {"grader": AskingGrader(), "responder": ScriptedModel(slow)}
    with serving(MINI, env_kwargs, idle_s=1.0) as url:
        result, state = anyio.run(session, url)
    assert (result.reward, result.observation.scored, result.observation.truncated) == (None, False, True)
    assert "the server is down" in state.error


def test_a_server_that_is_killed_and_started_again_has_no_session_for_who_comes_back(tmp_path: Path) -> None:
    async def before(client: Any) -> None:
        await client.connect()
        await client.reset(**SIGN)
        await replies(client, QUESTION)

    async def session() -> None:
        with served(tmp_path, "--split", "train", "--task", "01-sign", "--max-sessions", 9) as (url, server):
            assert posted(f"{url}/{MINI}/num_tasks", {"split": "train"}) == (200, {"num_tasks": 1})
            typed, generic = SessionClient(url), GenericEnvClient(url)
            await before(typed)
            await generic.connect()
            await generic.reset(**SIGN)
            server.send_signal(signal.SIGKILL)
            await anyio.to_thread.run_sync(server.wait)
        with served(tmp_path, "--split", "train", port=int(url.rpartition(":")[2])):
            with pytest.raises(SessionGone, match="reset opens another"):
                await replies(typed, "Done.")
            with pytest.raises(RuntimeError, match="no session on this connection"):
                await generic.step({"message": "Done."})
            assert (await typed.reset(**SIGN)).reward is None
            assert not (await replies(typed, QUESTION)).done
            await typed.close()
            await generic.close()

    anyio.run(session)


def test_a_server_that_is_stopped_leaves_open_sessions_unscored_and_tells_the_client(tmp_path: Path) -> None:
    async def session() -> None:
        with served(tmp_path) as (url, server):
            client = SessionClient(url)
            await client.connect()
            await client.reset(**SIGN)
            await replies(client, QUESTION)
            server.terminate()
            assert await anyio.to_thread.run_sync(server.wait) == 0
            with pytest.raises(SessionGone, match="1012"):
                await replies(client, "Done.")
            await client.close()

    anyio.run(session)
    (record,) = unscored(tmp_path)
    assert record.error == "the server was stopped"
    assert records(tmp_path) == []


def test_an_address_that_is_taken_is_told_in_a_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        command = [sys.executable, "-m", "pi_gym", "serve-env", MINI, "--port", str(port)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "nothing can listen there" in done.stderr.splitlines()[-1]


def test_a_sample_that_has_its_score_is_refused_and_unnamed_ones_are_new(tmp_path: Path) -> None:
    async def played(url: str, **named: Any) -> Any:
        async with SessionClient(url) as client:
            await client.reset(**SIGN, **named)
            found = await client.step(SessionAction(message=QUESTION, end=True))
            return found.reward, (await client.state()).sample

    async def refused(url: str) -> None:
        with pytest.raises(RuntimeError, match="holds the session"):
            await played(url, sample=1)

    for expected in (0, 1):
        with serving(MINI, {}, tmp_path) as url:
            reward, sample = anyio.run(played, url)
            assert (sample, reward is not None) == (expected, True)
    with serving(MINI, {}, tmp_path) as url:
        anyio.run(refused, url)
    assert sorted(one.sample for one in records(tmp_path)) == [0, 1]


def test_a_folder_that_cannot_be_written_is_told_before_a_session_is_played() -> None:
    async def session(url: str) -> None:
        async with SessionClient(url) as client:
            with pytest.raises(RuntimeError, match="cannot be written"):
                await client.reset(**SIGN)

    with serving(MINI, {}, Path("/proc/run")) as url:
        anyio.run(session, url)
