"""Agents: what plays a session, and how one is found by name."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Protocol, runtime_checkable

import gymnasium as gym

from pi_gym.errors import PiGymError, UnknownName, unknown
from pi_gym.rollout.faults import own_trace, told

Info = Mapping[str, Any]
Observation = Mapping[str, str]

#: The agents that can be asked for by a short name, as string entry points: nothing is imported before it is used.
AGENTS: Mapping[str, str] = {
    "reference": "pi_gym.baselines.reference:ReferenceAgent",
    "silent": "pi_gym.baselines.silent:SilentAgent",
    "asking": "pi_gym.baselines.asking:AskingAgent",
    "random": "pi_gym.rollout.agents:RandomAgent",
}
#: What plays where an agent is written as MODEL@URL.
SERVED = "pi_gym.baselines.chat:ChatAgent"


class NotAnAgent(PiGymError, TypeError):
    """Something else was given or found where an agent is needed."""


class BrokenAgent(PiGymError, ValueError):
    """An agent's own code fails before it plays; the message has the error, and below it the frames of that code."""


@runtime_checkable
class Agent(Protocol):
    """What plays a session.

    One agent plays many sessions, one after the other; a run in several processes makes one agent in each. So what an
    agent does must depend on the session alone, not on the sessions that it played before.

    Attributes:
        name: stands in trajectories and is part of a session's key.
        recorded: optional: a mapping of what decides its moves, which goes into run.json; a resume is held to it.
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
        """The next action: text, or whatever else `env.step` takes. What it raises leaves the session unscored."""
        ...


class RandomAgent:
    """Samples the action space: short texts without meaning."""

    name = "random"

    def reset(self, observation: Observation, info: Info, env: gym.Env[Any, Any]) -> None:
        """Keep the space to draw from."""
        self._space = env.action_space

    def act(self, observation: Observation, info: Info) -> Any:
        """A sample of the action space."""
        return self._space.sample()


def make_agent(agent: str | Agent) -> Agent:
    """The agent that is meant.

    Args:
        agent: a name of `AGENTS`, "module:Class" (made without arguments), "MODEL@URL" (a served model), or an agent,
            which is returned.

    Raises:
        UnknownName: no such agent; the message lists the known ones.
        NotAnAgent: what was given or found is no agent; the message says what it lacks.
        BrokenAgent: its module cannot be imported, or it cannot be made.
    """
    if isinstance(agent, type):
        raise NotAnAgent(f"{_name_of(agent)} is a class; pass an instance of it, or its name as 'module:Class'")
    if not isinstance(agent, str):
        return _checked(agent, _name_of(type(agent)))
    if "@" in agent:
        served: Any = import_module(SERVED.partition(":")[0])
        return _checked(served.ChatAgent.from_text(agent), SERVED)
    entry = AGENTS.get(agent, agent)
    module_name, colon, attribute = entry.partition(":")
    if not (colon and module_name and attribute):
        raise UnknownName(f"{unknown('agent', agent, AGENTS)} Or write module:Class, or MODEL@URL.")
    try:
        found: Any = import_module(module_name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{module_name}.".startswith(f"{error.name}."):
            raise _broken(agent, "cannot be imported", error) from error  # it is there, and what it imports is not
        raise UnknownName(f"agent {agent!r}: there is no module {module_name!r} on the path") from error
    except (Exception, SystemExit) as error:
        raise _broken(agent, "cannot be imported", error) from error
    for part in attribute.split("."):
        if not hasattr(found, part):
            public = [name for name in vars(found) if not name.startswith("_")]
            raise UnknownName(f"agent {agent!r}: {unknown(f'name in {module_name}', part, public)}")
        found = getattr(found, part)
    try:
        made = found() if callable(found) else found
    except (Exception, SystemExit) as error:
        raise _broken(agent, "cannot be made (without arguments)", error) from error
    return _checked(made, entry)


def agent_source(agent: str | Agent) -> str:
    """Where an agent comes from, as a run's record keeps it."""
    if isinstance(agent, str):
        # Of a served model neither address nor key; its name is the agent's.
        return SERVED if "@" in agent else AGENTS.get(agent, agent)
    return _name_of(type(agent))


def _name_of(kind: type) -> str:
    return f"{kind.__module__}:{kind.__qualname__}"


def _broken(agent: str, what: str, error: BaseException) -> BrokenAgent:
    return BrokenAgent("\n".join(filter(None, [f"agent {agent!r} {what}: {told(error)}", own_trace(error)])))


def _checked(agent: Any, source: str) -> Agent:
    lacking = [name for name in ("reset", "act") if not callable(getattr(agent, name, None))]
    if lacking:
        raise NotAnAgent(f"{source} is no agent: it lacks {' and '.join(f'a method {name!r}' for name in lacking)}")
    if not isinstance(getattr(agent, "name", None), str) or not agent.name:
        raise NotAnAgent(f"{source} is no agent: expected 'name' to be a text that is not empty")
    checked: Agent = agent
    return checked
