"""A session that takes too long is unscored, says what it waited for, and holds up nobody."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
import threading
from pathlib import Path

import gymnasium as gym
import pytest
from rollout_agents import talking
from rollout_cases import ENV_ID, keys, lines, run
from support.faulty_server import FaultyServer, Hang, Say
from support.packs import TINY
from support.served_roles import AGREES, failing, served

from pi_gym import collect_async
from pi_gym.baselines.silent import SilentAgent
from pi_gym.driving.waits import Move, SessionTimeout, Work
from pi_gym.rollout.play import begin_assignment
from pi_gym.runs.assignments import Assignment
from pi_gym.runs.outcome import SessionOutcome
from pi_gym.runs.plan import Plan, plan_sessions

#: No session that waits for nothing takes so long, on the slowest machine.
PATIENCE_S = 10.0
SHORT_S = 0.3


@pytest.fixture(autouse=True, scope="module")
def _no_remains():
    """Have asyncio complain of the coroutines that never end here and now, not when the whole suite has passed."""
    yield
    gc.collect()


def is_memo(messages):
    return "memo.txt" in str(messages[1])


async def never(messages, tools):
    if is_memo(messages):
        await asyncio.Event().wait()
    return talking(messages, tools)


async def deaf(messages, tools):
    while is_memo(messages):
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            await asyncio.sleep(0.01)
            if deaf_may_end.is_set():
                raise
    return talking(messages, tools)


deaf_may_end = threading.Event()


def blocking(messages, tools):
    if is_memo(messages):
        threading.Event().wait()
    return talking(messages, tools)


@pytest.mark.parametrize(("policy", "concurrency"), [(never, 1), (never, 3), (deaf, 3), (blocking, 1), (blocking, 3)])
def test_a_policy_that_never_answers_costs_its_own_sessions_only(tmp_path, policy, concurrency):
    deaf_may_end.clear()
    summary = run(policy, sessions=6, variants=[0, 1], concurrency=concurrency, session_timeout_s=SHORT_S, out=tmp_path)
    deaf_may_end.set()
    tried = {key.task_id for key in keys(tmp_path, "unscored.jsonl")}
    assert "02-memo" in tried
    for line in lines(tmp_path, "unscored.jsonl"):
        if line["task_id"] == "02-memo":
            assert line["error_kind"] == "policy"
            assert line["error"] == "SessionTimeout: the session took longer than 0.3 s; it was waiting for the policy"
    assert summary.scored + summary.unscored == 6
    # With time enough, and a policy that answers, a resume finishes it.
    policy_now = {"never": _named("never"), "deaf": _named("deaf"), "blocking": _named("blocking")}[policy.__name__]
    assert run(policy_now, sessions=6, variants=[0, 1], out=tmp_path, resume=True).scored == 6


def _named(name):
    def policy(messages, tools):
        return talking(messages, tools)

    policy.__name__ = policy.__qualname__ = name
    policy.__module__ = __name__
    return policy


def test_on_the_callers_loop_the_coroutine_is_cancelled():
    ended = []

    async def policy(messages, tools):
        try:
            return await never(messages, tools)
        finally:
            if is_memo(messages):
                ended.append("finally")

    kwargs = {"pack": str(TINY)}
    run(talking, tasks=["02-memo"])  # what is made once is there
    summary = asyncio.run(collect_async(ENV_ID, policy, tasks=["02-memo"], session_timeout_s=1.5, env_kwargs=kwargs))
    assert dict(summary.error_kinds) == {"policy": 1}
    assert ended == ["finally"]


def test_a_role_that_never_answers_is_the_models_failure():
    def script(body):
        return failing("02-memo", Hang())(body)

    with FaultyServer(script) as server:
        run("reference", tasks=["02-memo"])  # what is made once is there
        summary = run(
            "reference",
            env_kwargs=served(server.url, TINY, timeout_s=600),
            tasks=["02-memo"],
            session_timeout_s=2.0,
        )
    assert dict(summary.error_kinds) == {"model": 1}
    assert "it was waiting for the user" in summary.first_error


def test_whoever_answers_in_time_is_scored():
    with FaultyServer(failing("02-memo", Say(AGREES))) as server:
        summary = run("reference", env_kwargs=served(server.url, TINY), concurrency=3, session_timeout_s=PATIENCE_S * 6)
    assert summary.scored == 3


@pytest.mark.slow
def test_the_time_is_each_sessions_own_in_an_episode():
    """Every session waits for a little more than a third of what one may take."""

    async def policy(messages, tools):
        await asyncio.sleep(5.5 if len(messages) == 2 else 0)
        return talking(messages, tools)

    kwargs = {"pack": str(TINY), "history": "own"}
    assert run(policy, env_kwargs=kwargs, session_timeout_s=16.0).scored == 3


class Wrapped(gym.Wrapper):
    pass


def test_a_wrappers_step_that_never_returns_leaves_a_record_without_its_session():
    env = Wrapped(gym.make(ENV_ID, pack=str(TINY), disable_env_checker=True))
    planned = plan_sessions([("tiny", "01-list")], "test", sessions=1, seed=0)
    plan = Plan("silent", ENV_ID, "pibench", "test", "reference", planned)
    play = begin_assignment(env, SilentAgent(), plan, Assignment(planned))
    wait, seen = next(play), []
    while not isinstance(wait, SessionOutcome):
        seen.append(type(wait))
        if isinstance(wait, Work) and Move in seen:
            wait = play.throw(SessionTimeout(3.0, wait))
        else:
            wait = play.send(wait.call())
    assert seen == [Work, Move, Move, Work]
    assert (wait.score.scored, wait.score.error_kind) == (False, "engine")
    assert "took longer than 3 s; it was waiting for the environment" in wait.score.error
    env.close()


def test_a_program_ends_although_a_policy_never_returns():
    code = (
        "import threading, pi_gym\n"
        "def policy(messages, tools): threading.Event().wait()\n"
        f"found = pi_gym.collect({ENV_ID!r}, policy, tasks=['01-list'], session_timeout_s=0.2,"
        f" env_kwargs={{'pack': {str(TINY)!r}}})\n"
        "print(dict(found.error_kinds))\n"
    )
    process = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=100, cwd=Path(__file__).parent
    )
    assert (process.returncode, process.stdout) == (0, "{'policy': 1}\n"), process.stderr


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf"), True, "3"])
def test_a_time_that_is_none_is_refused(seconds):
    with pytest.raises(ValueError, match=r"session_timeout_s: expected a number of 0\.001 or more"):
        run("silent", session_timeout_s=seconds)
