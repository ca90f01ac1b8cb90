"""The progress of a run while it goes on."""

from __future__ import annotations

import asyncio

import pytest
from rollout_agents import talking
from rollout_cases import ENV_ID, lines, run
from support.faulty_server import FaultyServer
from support.packs import TINY
from support.plans import score
from support.served_roles import agree, served

from pi_gym import collect_async
from pi_gym.runs.progress import RECENT, Latency, Load, Meter, RequestLoad

MEASURES = ("proc", "comp")
SCORE = score(0.5, 1.0, 0.75, questions=0, steps=10)


def test_means_leave_out_what_has_no_score_and_count_it():
    told = []
    meter = Meter(5, MEASURES, [score(1.0, 1.0, 0.75, questions=0, steps=10)], told.append)
    meter.count(SCORE)
    meter.count(score(error_kind="model", steps=10))
    assert [(p.done, p.earlier, p.unscored, p.means["proc"], p.means["comp"]) for p in told] == [
        (1, 1, 0, 1.0, 1.0), (2, 1, 0, 0.75, 1.0), (3, 1, 1, 0.75, 1.0),
    ]  # fmt: skip


def test_rates_are_of_this_go():
    told = []
    meter = Meter(9, MEASURES, [SCORE] * 5, told.append)
    assert (told[-1].sessions_per_s, told[-1].steps_per_s) == (0.0, 0.0)
    meter.count(SCORE)
    now = told[-1]
    assert now.sessions_per_s * now.elapsed_s == pytest.approx(1)
    assert now.steps_per_s * now.elapsed_s == pytest.approx(10)


def test_latencies_are_of_the_last_waits():
    told = []
    meter = Meter(9, MEASURES, [], told.append)
    meter.count(SCORE, {"policy": [9.0] * RECENT, "user": [1.0]})
    meter.count(SCORE, {"policy": [0.0] * (RECENT - 20) + [2.0] * 20})
    assert told[-1].latency == {"policy": Latency(pytest.approx(40 / RECENT), 0.0), "user": Latency(1.0, 1.0)}
    meter.count(SCORE, {"policy": [2.0] * 20})
    assert told[-1].latency["policy"].p95_s == 2.0


def test_loads_of_several_processes_add_up():
    one = Load({"policy": 2}, {"agent": RequestLoad(2, 64)})
    other = Load({"policy": 1, "shell": 1}, {"agent": RequestLoad(1, 64), "user": RequestLoad(0, 8)})
    whole = Load({"policy": 3, "shell": 1}, {"agent": RequestLoad(3, 128), "user": RequestLoad(0, 8)})
    assert one + other == whole
    assert sum([one, other], Load()) == whole


def test_queues_and_requests_are_told_while_sessions_wait():
    """Nobody goes on before the watcher has seen everybody wait."""
    seen = []

    async def main(url):
        seen_all = asyncio.Event()

        async def policy(messages, tools):
            if "memo" not in str(messages[1]):
                await asyncio.wait_for(seen_all.wait(), 60)
            return "Which one, and how?"

        def watch(progress):
            seen.append(progress)
            # The memos' sessions are played to their end, so that there is something to tell at once.
            if progress.load.waiting.get("policy") == 4 and progress.done == 2:
                seen_all.set()

        return await collect_async(
            ENV_ID,
            policy,
            sessions=6,
            variants=[0, 1],
            concurrency=6,
            env_kwargs=served(url, TINY, max_concurrency=5),
            progress=watch,
        )

    with FaultyServer(agree) as server:
        summary = asyncio.run(main(server.url))
    assert summary.scored == 6
    (waiting,) = [p for p in seen if p.load.waiting.get("policy") == 4 and p.done == 2][:1]
    assert waiting.load.requests["user"] == RequestLoad(0, 5)
    assert {"policy", "user"} <= set(waiting.latency)
    assert 0 < waiting.latency["user"].mean_s <= waiting.elapsed_s
    assert seen[-1].done == 6


def test_what_was_waited_for_goes_into_the_metrics(tmp_path):
    run(talking, tasks=["01-list"], out=tmp_path, concurrency=2)
    (line,) = lines(tmp_path, "metrics.jsonl")
    assert set(line["waited_s"]) == {"policy"}
    assert 0 <= line["waited_s"]["policy"] <= line["wall_s"]


def test_workers_tell_what_they_wait_for():
    seen = []
    run("silent", workers=2, concurrency=2, progress=seen.append)
    assert seen[-1].done == 3
    assert set(seen[-1].latency) == {"policy"}
