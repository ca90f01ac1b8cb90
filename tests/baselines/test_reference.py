from __future__ import annotations

import gymnasium as gym
import pytest
from support.packs import TINY

from pi_gym.baselines.reference import ReferenceAgent


def test_it_plays_the_sessions_own_reference_and_then_only_talks():
    env = gym.make("PiBench-v0", pack=str(TINY), disable_env_checker=True)
    agent = ReferenceAgent()
    for variant in (0, 5):
        observation, info = env.reset(seed=0, options={"task": "01-list", "variant": variant})
        agent.reset(observation, info, env)
        reference = env.unwrapped.session.task.reference
        assert [agent.act(observation, info) for _ in reference] == reference
        assert "<tool_call>" not in agent.act(observation, info)


def test_it_says_what_it_can_play():
    env = gym.make("CartPole-v1")
    with pytest.raises(TypeError, match="pi_gym environments only"):
        ReferenceAgent().reset({}, {}, env)
