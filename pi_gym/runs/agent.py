"""The interface of an agent, which plays the sessions of a run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeAlias, runtime_checkable

import gymnasium as gym

Info = Mapping[str, Any]
Observation = Mapping[str, str]


@runtime_checkable
class Agent(Protocol):
    """The agent that plays sessions.

    One agent plays many sessions, one after the other; a run in several processes makes one agent in each. So what an
    agent does must depend on the session alone, not on the sessions that it played before.

    `reset` and `act` may be coroutine functions: then many sessions wait for them at a time without a thread each. An
    agent may have `act_async` too, a coroutine function that does what `act` does, and is taken in its place.

    Attributes:
        name: stands in trajectories and is part of a session's key.
        families: optional: the names of the families whose sessions it plays; without it, those of any.
        recorded: optional: a mapping of what decides its moves. It goes into run.json, and a resume is held to it.
        usage: optional: a `Usage` of what its own model was asked, over all its sessions; it only grows. What a session
            adds to it is counted under the role "agent".
        metadata: optional: a mapping about the present session, which goes into metrics.jsonl.
    """

    name: str

    def reset(self, observation: Observation, info: Info, env: gym.Env[Any, Any]) -> None:
        """A session opens.

        Args:
            observation: the opening's observation.
            info: the opening's info; `info["new_messages"]` and `info["tools"]` are in OpenAI's format.
            env: the environment. Its `action_space` is seeded for this session: an agent that needs chance draws from
                `env.action_space.np_random`, and the same session comes out the same whatever is played before it.
        """
        ...

    def act(self, observation: Observation, info: Info) -> Any:
        """The next action: text, whatever else `env.step` takes, or a `PolicyOutput`.

        What it raises leaves the session unscored.
        """
        ...


#: A policy: an agent, the name of one, or a function of messages and tools, which may be a coroutine function.
Policy: TypeAlias = "str | Agent | Callable[[list[Any], list[Any]], Any]"
