"""Where sessions are played: an environment and an agent each, made when they are needed."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import gymnasium as gym

from pi_gym.environments import make_env
from pi_gym.rollout.agents import Agent, Policy, make_agent
from pi_gym.runs.plan import BadArgument
from pi_gym.session.faults import told


@dataclass(eq=False)
class Slot:
    """Where sessions are played, one after the other.

    Args:
        env: an environment of its own.
        agent: an agent of its own.
    """

    env: gym.Env[Any, Any]
    agent: Agent


class SlotMaker:
    """Makes slots, and closes their environments.

    Args:
        env_id: the environment.
        env_kwargs: its arguments.
        policy: an agent, one's name, or a function.
        policy_kwargs: arguments of an agent that is made by name.
        several: more than one slot may be made; an agent that was given as an object is copied for each.
        first: a slot that is there already, and that somebody else closes.

    Raises:
        BadArgument: several are needed, and the agent cannot be copied.
    """

    def __init__(
        self,
        env_id: str,
        env_kwargs: Mapping[str, Any],
        policy: Policy,
        policy_kwargs: Mapping[str, Any],
        *,
        several: bool = True,
        first: Slot | None = None,
    ) -> None:
        self._env_id, self._env_kwargs = env_id, env_kwargs
        self._policy, self._policy_kwargs = policy, policy_kwargs
        # Copies are made of a copy: the agent itself plays meanwhile.
        self._pattern = _copied(make_agent(policy)) if several and not isinstance(policy, str) else None
        self._first = first
        self._envs: list[gym.Env[Any, Any]] = []

    def make_first(self) -> Slot:
        """A slot made now, which the first `make` gives."""
        self._first = self.make()
        return self._first

    def make(self) -> Slot:
        """One more slot."""
        if self._first is not None:
            slot, self._first = self._first, None
            return slot
        if isinstance(self._policy, str):
            agent = make_agent(self._policy, self._policy_kwargs)
        else:
            agent = make_agent(self._policy) if self._pattern is None else _copied(self._pattern)
        env = make_env(self._env_id, self._env_kwargs)
        self._envs.append(env)
        return Slot(env, agent)

    def close(self) -> None:
        """Close the environments that were made."""
        for env in self._envs:
            env.close()
        self._envs.clear()


def _copied(agent: Agent) -> Agent:
    try:
        return copy.deepcopy(agent)
    except Exception as error:
        raise BadArgument(
            f"the agent cannot be copied ({told(error)}), so it plays one session at a time: name it as module:Class,"
            " or use concurrency=1 and no session_timeout_s"
        ) from error
