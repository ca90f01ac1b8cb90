from __future__ import annotations

from types import SimpleNamespace

import gymnasium as gym
import pytest
from rollout_cases import ENV_ID, run
from support.packs import TINY

from pi_gym import Message, ToolCall
from pi_gym.baselines.silent import SilentAgent
from pi_gym.driving.in_place import play_in_place
from pi_gym.rollout.play import begin_assignment
from pi_gym.runs.assignments import Assignment
from pi_gym.runs.plan import Plan, plan_sessions


class Returning(SilentAgent):
    """Returns one thing, always."""

    name = "returning"

    def __init__(self, action):
        self.action = action

    def act(self, observation, info):
        return self.action


@pytest.mark.parametrize(
    ("thing", "told"),
    [
        (None, "returned None,"),
        (b"hello", "returned a bytes,"),
        (3, "returned a int,"),
        ({"foo": 1}, "returned a dict without 'role', 'content' and 'tool_calls',"),
        ({}, "returned a dict without"),
        ([], "returned a list,"),
        (["hello"], "returned a list of other things,"),
        (SilentAgent, "returned a type,"),
    ],
)
def test_what_is_no_action_at_all_is_the_agents_failure_and_not_a_rejected_step(thing, told):
    summary = run(Returning(thing), tasks=["01-list"])
    assert summary.error_kinds == {"policy": 1}
    (tried,) = summary.trajectories
    assert tried.steps == tried.invalid_actions == 0
    assert told in tried.error
    assert "expected text, an OpenAI assistant message" in tried.error
    assert summary.first_error == tried.error, "a place in our own code would mislead"


@pytest.mark.parametrize(
    "action",
    [
        "hello",
        {"content": "hello"},
        {"role": "assistant", "content": None, "tool_calls": []},
        {"role": "user", "content": "a wrong role is a model's mistake"},
        Message("assistant", "hello"),
        ToolCall("no_such_tool"),
        (ToolCall("list_dir"), ToolCall("list_dir")),
        SimpleNamespace(model_dump=lambda: {"role": "assistant", "content": "hello"}),
    ],
)
def test_whatever_has_the_form_of_an_action_is_the_sessions_to_answer(action):
    summary = run(Returning(action), tasks=["01-list"])
    assert (summary.scored, summary.first_error) == (1, "")
    assert summary.steps > 0


def test_a_wrapper_decides_what_an_action_is_in_its_own_space():
    class Buttons(gym.ActionWrapper):
        def __init__(self, env):
            super().__init__(env)
            self.action_space = gym.spaces.Discrete(2)

        def action(self, action):
            return ("yes", "no")[action]

    env = Buttons(gym.make(ENV_ID, pack=str(TINY), disable_env_checker=True))
    planned = plan_sessions([("tiny", "01-list")], "test", sessions=1, seed=0)
    plan = Plan("returning", ENV_ID, "pibench", "test", "reference", planned)
    (end,) = play_in_place(begin_assignment(env, Returning(1), plan, Assignment(planned)))
    assert end.result.score.scored
    assert end.result.score.invalid_actions == 0
    env.close()
