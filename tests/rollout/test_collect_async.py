"""Collecting inside a running event loop."""

from __future__ import annotations

import asyncio
import inspect
import json
import threading
from dataclasses import fields

import pytest
from rollout_agents import talking
from rollout_cases import ENV_ID, content, keys, lines, run
from support.faulty_server import FaultyServer
from support.packs import TINY
from support.served_roles import agree, served

import pi_gym
from pi_gym.models.loop import model_loop
from pi_gym.runs.request import RunRequest

LONG_S = 30.0


def run_async(policy, **arguments):
    return pi_gym.collect_async(ENV_ID, policy, **{"env_kwargs": {"pack": str(TINY)}, **arguments})


class Gathering:
    """Is over when so many are there; whoever comes waits for that."""

    def __init__(self, count):
        self.left, self.over = count, asyncio.Event()

    async def come(self):
        self.left -= 1
        if self.left == 0:
            self.over.set()
        await asyncio.wait_for(self.over.wait(), LONG_S)


def is_opening(messages):
    return len(messages) == 2


def test_both_take_the_same_arguments():
    sync, other = inspect.signature(pi_gym.collect), inspect.signature(pi_gym.collect_async)
    assert sync == other
    assert list(sync.parameters) == [entry.name for entry in fields(RunRequest)]


def test_coroutines_of_the_policy_run_on_the_callers_loop_and_nothing_blocks_it():
    async def main():
        loop, thread = asyncio.get_running_loop(), threading.get_ident()

        async def policy(messages, tools):
            assert asyncio.get_running_loop() is loop
            assert threading.get_ident() == thread
            return talking(messages, tools)

        return await run_async(policy)

    summary = asyncio.run(main())
    assert (summary.scored, summary.unscored) == (3, 0)
    assert [t.events for t in summary.trajectories] == [t.events for t in run(talking).trajectories]


def test_sync_policies_do_not_block_the_callers_loop():
    async def main():
        loop, moved = asyncio.get_running_loop(), asyncio.Event()

        def policy(messages, tools):
            # Only a loop that goes on meanwhile can answer.
            asyncio.run_coroutine_threadsafe(moved.wait(), loop).result(LONG_S)
            return talking(messages, tools)

        loop.call_later(0.01, moved.set)
        return await run_async(policy)

    assert asyncio.run(main()).scored == 3


def test_many_are_collected_at_one_time_in_one_loop(tmp_path):
    async def main():
        all_there = Gathering(3 * 4)

        async def policy(messages, tools):
            if is_opening(messages):
                await all_there.come()
            return talking(messages, tools)

        runs = (run_async(policy, sessions=4, split="train", out=tmp_path / str(n)) for n in range(3))
        return await asyncio.gather(*runs)

    assert [summary.scored for summary in asyncio.run(main())] == [4, 4, 4]
    assert content(tmp_path / "0") == content(tmp_path / "1") == content(tmp_path / "2")


def test_sessions_that_wait_for_a_coroutine_have_no_threads():
    async def main():
        all_there = Gathering(64)
        before = threading.active_count()

        async def policy(messages, tools):
            if is_opening(messages):
                await all_there.come()
                # The one that collects, and the background loop.
                assert threading.active_count() <= before + 2
            return talking(messages, tools)

        return await run_async(policy, sessions=64, concurrency=64, split="train")

    summary = asyncio.run(main())
    assert (summary.scored, summary.first_error) == (64, "")


def test_a_cancelled_collection_leaves_a_folder_that_can_be_resumed(tmp_path):
    left = []

    async def main():
        all_there = Gathering(4)

        async def policy(messages, tools):
            if is_opening(messages) and "waits" not in left:
                try:
                    await all_there.come()
                    await asyncio.sleep(3600)
                finally:
                    left.append("finally")
            return talking(messages, tools)

        task = asyncio.create_task(run_async(policy, sessions=9, variants=[0, 1, 2], concurrency=4, out=tmp_path / "a"))
        await asyncio.wait_for(all_there.over.wait(), LONG_S)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert left == ["finally"] * 4
        assert json.loads((tmp_path / "a" / "summary.json").read_text())["missing"] == 9
        left.append("waits")
        # The folder is free at once.
        return await run_async(policy, sessions=9, variants=[0, 1, 2], concurrency=4, out=tmp_path / "a", resume=True)

    assert asyncio.run(main()).scored == 9
    run("rollout_agents:talking", sessions=9, variants=[0, 1, 2], out=tmp_path / "b")
    assert len(set(keys(tmp_path / "a"))) == len(keys(tmp_path / "a")) == 9
    assert [line.replace('"agent":"policy"', '"agent":"talking"') for line in content(tmp_path / "a")] == content(
        tmp_path / "b"
    )


def test_what_was_played_before_a_cancellation_is_kept(tmp_path):
    async def main():
        task = None

        async def policy(messages, tools):
            return talking(messages, tools)

        def watch(progress):
            if progress.done == 4:
                task.cancel()

        task = asyncio.create_task(run_async(policy, sessions=9, variants=[0, 1, 2], out=tmp_path, progress=watch))
        with pytest.raises(asyncio.CancelledError):
            await task
        assert len(keys(tmp_path)) >= 4
        return await run_async(policy, sessions=9, variants=[0, 1, 2], out=tmp_path, resume=True)

    assert asyncio.run(main()).scored == 9
    assert len(set(keys(tmp_path))) == len(keys(tmp_path)) == 9


@pytest.mark.parametrize("error", [asyncio.CancelledError, GeneratorExit])
def test_a_sync_policy_that_raises_what_ends_tasks_ends_its_session_alone(error):
    def policy(messages, tools):
        raise error

    for concurrency in (1, 3):
        assert dict(run(policy, concurrency=concurrency).error_kinds) == {"policy": 3}


@pytest.mark.parametrize("home", ["the caller's loop", "the background loop"])
def test_a_policy_that_is_cancelled_by_itself_spoils_no_other_session(home):
    async def policy(messages, tools):
        inner = asyncio.ensure_future(asyncio.sleep(3600))
        inner.cancel()
        await inner

    summary = asyncio.run(run_async(policy)) if home == "the caller's loop" else run(policy)
    assert dict(summary.error_kinds) == {"policy": 3}
    assert "CancelledError was raised by what was called, and the run had cancelled nothing" in summary.first_error


@pytest.mark.parametrize(
    "error", [RuntimeError("no"), SystemExit(3), TimeoutError(), StopAsyncIteration(), GeneratorExit()]
)
def test_what_a_coroutine_raises_is_its_sessions_alone(error):
    async def policy(messages, tools):
        if len(messages) > 2:
            raise error
        return talking(messages, tools)

    summary = asyncio.run(run_async(policy))
    assert dict(summary.error_kinds) == {"policy": 3}
    assert type(error).__name__ in summary.first_error
    assert dict(run(policy).error_kinds) == {"policy": 3}


def test_an_interrupt_in_a_coroutine_ends_the_run_and_not_the_background_loop(tmp_path):
    async def policy(messages, tools):
        raise KeyboardInterrupt

    for concurrency in (1, 3):
        with pytest.raises(KeyboardInterrupt):
            run(policy, concurrency=concurrency, out=tmp_path, resume=True)
    assert json.loads((tmp_path / "summary.json").read_text())["missing"] == 3

    async def alive():
        return 1

    assert model_loop().submit(alive()).result(LONG_S) == 1


def test_collect_can_be_called_where_a_loop_is_running():
    async def main():
        return run(talking_async, concurrency=2)

    assert asyncio.run(main()).scored == 3


async def talking_async(messages, tools):
    return talking(messages, tools)


def test_progress_is_told_on_the_callers_loop_and_what_it_raises_ends_the_run(tmp_path):
    told = []

    async def main():
        loop = asyncio.get_running_loop()

        def watch(progress):
            assert asyncio.get_running_loop() is loop
            told.append(progress.done)
            if progress.done == 2:
                raise RuntimeError("seen enough")

        with pytest.raises(RuntimeError, match="seen enough"):
            await run_async(talking_async, out=tmp_path, progress=watch)
        return await run_async(talking_async, out=tmp_path, resume=True)

    assert asyncio.run(main()).scored == 3
    assert [done for place, done in enumerate(told) if told[place - 1 : place] != [done]] == [0, 1, 2]
    assert len(lines(tmp_path)) == 3


def test_roles_that_are_models_are_asked_meanwhile():
    async def main(url):
        all_there = Gathering(6)

        async def policy(messages, tools):
            if is_opening(messages):
                await all_there.come()
            return talking(messages, tools)

        return await run_async(policy, sessions=6, split="train", env_kwargs=served(url, TINY))

    with FaultyServer(agree) as server:
        summary = asyncio.run(main(server.url))
    assert summary.scored == 6
    assert summary.models["user"].answers > 0


def test_workers_can_be_awaited_and_cancelled(tmp_path):
    async def main():
        first = asyncio.Event()
        task = asyncio.create_task(
            run_async(
                "rollout_agents:Slow",
                variants=list(range(20)),
                workers=2,
                out=tmp_path,
                progress=lambda progress: progress.done and first.set(),
            )
        )
        await asyncio.wait_for(first.wait(), LONG_S)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert summary["scored"] == len(keys(tmp_path)) > 0
    assert summary["scored"] + summary["missing"] == 60
