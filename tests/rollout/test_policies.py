"""Policies: functions, sync and async, agents with arguments; and what is kept of what they give."""

from __future__ import annotations

import json
import threading
from functools import partial

import pytest
from rollout_agents import talking
from rollout_cases import ENV_ID, lines, run
from support.packs import TINY

import pi_gym
from pi_gym.packs import load_pack
from pi_gym.pibench.replay import replay
from pi_gym.rollout.agents import BrokenAgent, NotAnAgent, agent_source, make_agent
from pi_gym.rollout.policy import BadOutput, PolicyOutput
from pi_gym.session import Trajectory


async def talking_async(messages, tools):
    return talking(messages, tools)


class Callable:
    name = "callable"

    async def __call__(self, messages, tools):
        return talking(messages, tools)


FORMS = {
    "function": talking,
    "coroutine": talking_async,
    "object": Callable(),
    "partial": partial(talking_async),
    "lambda of a coroutine": lambda messages, tools: talking_async(messages, tools),
    "name": "rollout_agents:talking",
}


@pytest.mark.parametrize("concurrency", [1, 3])
@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_function_plays_the_same(form, concurrency):
    expected = [t.events for t in run(talking).trajectories]
    summary = run(FORMS[form], concurrency=concurrency)
    assert summary.scored == 3
    assert [t.events for t in summary.trajectories] == expected


def test_a_function_gets_the_whole_chat_and_the_tools():
    seen = []

    def policy(messages, tools):
        seen.append((json.loads(json.dumps(messages)), tools))
        return talking(messages, tools)

    import gymnasium as gym

    run(policy, tasks=["01-list"])
    env = gym.make(ENV_ID, pack=str(TINY), disable_env_checker=True)
    _, info = env.reset(seed=0, options={"task": "01-list", "variant": 0})
    chat, tools = list(info["new_messages"]), info["tools"]
    for messages, given in seen:
        assert (messages, given) == (chat, tools)
        chat += env.step(talking(messages, given))[-1]["new_messages"]
    assert len(seen) > 1


def test_functions_have_names():
    assert [make_agent(form).name for form in FORMS.values()] == [
        "talking", "talking_async", "callable", "talking_async", "policy", "talking",
    ]  # fmt: skip
    assert agent_source(talking) == "rollout_agents:talking"
    assert agent_source("rollout_agents:talking") == "rollout_agents:talking"


def test_a_function_travels_to_workers(tmp_path):
    run(talking, workers=2, concurrency=2, sessions=6, variants=[0, 1], out=tmp_path / "two")
    run("rollout_agents:talking", sessions=6, variants=[0, 1], out=tmp_path / "one", resume=True)
    assert sorted(map(str, lines(tmp_path / "two"))) == sorted(map(str, lines(tmp_path / "one")))


def test_agents_that_are_named_take_arguments(tmp_path):
    summary = run("rollout_agents:Saying", policy_kwargs={"word": "Pardon?"}, tasks=["01-list"], out=tmp_path)
    assert summary.plan.agent == "saying-Pardon?"
    assert json.loads((tmp_path / "run.json").read_text())["agent_settings"] == {"word": "Pardon?"}
    with pytest.raises(pi_gym.rollout.RunError, match="another run"):
        run("rollout_agents:Saying", policy_kwargs={"word": "Oh."}, tasks=["01-list"], out=tmp_path, resume=True)
    with pytest.raises(BrokenAgent, match=r"cannot be made \(with words\): TypeError"):
        run("rollout_agents:Saying", policy_kwargs={"words": 1})
    with pytest.raises(NotAnAgent, match="arguments are for agents that are named"):
        run(talking, policy_kwargs={"word": 1})


class Coroutines:
    """An agent whose moves are coroutine functions, and an act of its own for whoever steps by hand."""

    name = "coroutines"

    async def reset(self, observation, info, env):
        self._left = list(env.unwrapped.session.task.reference)

    def act(self, observation, info):
        raise AssertionError("the coroutine is taken")

    async def act_async(self, observation, info):
        return self._left.pop(0)


@pytest.mark.parametrize("concurrency", [1, 3])
def test_an_agent_may_move_as_a_coroutine(concurrency):
    summary = run(Coroutines(), concurrency=concurrency)
    assert (summary.scored, summary.mean("proc"), summary.mean("comp")) == (3, 1.0, 1.0)


@pytest.mark.parametrize("concurrency", [1, 2])
@pytest.mark.parametrize("thing", [None, 3, b"x", {"foo": 1}, PolicyOutput(None)], ids=repr)
def test_what_is_no_action_is_the_policys_failure_and_says_what_was_expected(thing, concurrency):
    async def policy(messages, tools):
        return thing

    summary = run(policy, concurrency=concurrency, sessions=3)
    assert dict(summary.error_kinds) == {"policy": 3}
    assert "the policy returned" in summary.first_error
    assert "expected text, an OpenAI assistant message" in summary.first_error
    assert "PolicyOutput" in summary.first_error


# -- tokens ----------------------------------------------------------------------------------------------------------

TOKENS = {"text": "Hi.<|end|>", "token_ids": [5, 7, 2], "logprobs": [-0.5, 0.0, -2], "prompt_token_ids": [1, 1, 4]}


def test_tokens_are_kept_by_step_and_change_nothing_else():
    def policy(messages, tools):
        action = talking(messages, tools)
        return PolicyOutput(action, **TOKENS) if len(messages) < 3 else PolicyOutput(action)

    (record,) = run(policy, tasks=["01-list"]).trajectories
    (plain,) = run(talking, tasks=["01-list"]).trajectories
    assert record.policy_outputs == ({"step": 1, **TOKENS, "logprobs": [-0.5, 0.0, -2.0]},)
    assert record.events == plain.events
    assert plain.policy_outputs == ()
    again = Trajectory.from_json(json.loads(record.to_line()))
    assert again == record
    assert replay(again, pack=load_pack(str(TINY))).history == replay(plain, pack=load_pack(str(TINY))).history


def test_arrays_are_taken_as_lists():
    import numpy as np

    output = PolicyOutput("x", token_ids=np.array([1, 2]), logprobs=np.array([-1.0, -0.25], dtype=np.float32))
    assert output.recorded(4) == {
        "step": 4, "text": None, "token_ids": [1, 2], "logprobs": [-1.0, -0.25], "prompt_token_ids": None,
    }  # fmt: skip
    assert json.loads(json.dumps(output.recorded(1))) == output.recorded(1)


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        ({"text": 3}, "text: expected text or None, got 3"),
        ({"token_ids": "abc"}, "token_ids: expected a list of integers or None, got a str"),
        ({"token_ids": 7}, "expected a list"),
        ({"token_ids": [1, 2.0]}, r"token_ids\[1\]: expected an integer of 0 or more, got 2.0"),
        ({"token_ids": [True]}, "got True"),
        ({"prompt_token_ids": [-1]}, r"prompt_token_ids\[0\]: .* got -1"),
        ({"logprobs": [-1.0, float("-inf")]}, r"logprobs\[1\]: expected a finite number, got -inf"),
        ({"logprobs": [float("nan")]}, "finite"),
        ({"logprobs": ["a"]}, "finite number, got a str"),
        ({"token_ids": [1, 2], "logprobs": [-1.0]}, "one of logprobs for each of token_ids, got 1 for 2"),
    ],
)
def test_tokens_that_cannot_be_are_refused_where_they_are_made(parts, told):
    with pytest.raises(BadOutput, match=told):
        PolicyOutput("x", **parts)

    async def policy(messages, tools):
        return PolicyOutput("x", **parts)

    summary = run(policy, tasks=["01-list"])
    assert dict(summary.error_kinds) == {"policy": 1}
    assert "BadOutput: PolicyOutput" in summary.first_error


# -- many at a time --------------------------------------------------------------------------------------------------


def test_sync_functions_move_at_one_time_in_threads():
    all_there = threading.Barrier(8, timeout=30)

    def policy(messages, tools):
        if len(messages) == 2:
            all_there.wait()
        return talking(messages, tools)

    assert run(policy, sessions=8, split="train", concurrency=8).scored == 8


def test_functions_that_wait_are_played_many_at_a_time_unasked():
    summary = run(Gathered(16), sessions=16, split="train")
    assert summary.scored == 16


class Gathered:
    """Answers nobody before so many sessions have asked."""

    def __init__(self, count):
        self.left, self.over = count, None

    async def __call__(self, messages, tools):
        import asyncio

        self.over = self.over or asyncio.Event()
        if len(messages) == 2:
            self.left -= 1
            if self.left == 0:
                self.over.set()
            await self.over.wait()
        return talking(messages, tools)
