"""Agents: what plays a session, and how one is found by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import Any

from pi_gym.errors import PiGymError, UnknownName, unknown
from pi_gym.installed import BASELINES, agent_names
from pi_gym.rollout.policy import FunctionAgent, function_name, is_coroutine_function, is_policy_function
from pi_gym.runs.agent import Agent, Policy
from pi_gym.session.faults import describe_error, own_error_trace

#: The agent that plays for one written as MODEL@URL.
SERVED = f"{BASELINES}.served.chat_agent:ChatAgent"


class NotAnAgent(PiGymError, TypeError):
    """The error that something else was given or found where an agent is needed."""


class BrokenAgent(PiGymError, ValueError):
    """An agent's own code fails before it plays; the message has the error, and below it the frames of that code."""


def _entry_point(agent: str) -> str:
    """The entry point of an agent that is named, "module:name"."""
    return f"{BASELINES}.{agent.replace('-', '_')}:AGENT" if agent in agent_names() else agent


def agents_of(family: str) -> list[str]:
    """The short names of the agents that play sessions of a family, sorted."""
    return [name for name in agent_names() if _plays(import_module(_entry_point(name).partition(":")[0]).AGENT, family)]


def require_family(agent: Agent, family: str) -> None:
    """Raise UnknownName where an agent does not play sessions of a family; the message lists those that do."""
    if not _plays(agent, family):
        played = ", ".join(agent.families)  # type: ignore[attr-defined]
        raise UnknownName(
            f"the agent {agent.name!r} plays sessions of {played}, not of {family}; of ours there are for {family}:"
            f" {', '.join(agents_of(family))}"
        )


def _plays(agent: Any, family: str) -> bool:
    played = getattr(agent, "families", None)
    return played is None or family in played


def make_agent(agent: Policy, kwargs: Mapping[str, Any] | None = None) -> Agent:
    """The agent that is meant.

    Args:
        agent: a name of `agent_names()`, "module:Class", "MODEL@URL" (a served model), "module:function", an agent,
            which is returned, or a function of messages and tools.
        kwargs: arguments of an agent that is made by its name.

    Raises:
        UnknownName: no such agent; the message lists the known ones.
        NotAnAgent: what was given or found is no agent; the message says what it lacks.
        BrokenAgent: its module cannot be imported, or it cannot be made.
    """
    if isinstance(agent, type):
        raise NotAnAgent(f"{_name_of(agent)} is a class; pass an instance of it, or its name as 'module:Class'")
    kwargs = dict(kwargs or {})
    if not isinstance(agent, str):
        if kwargs:
            raise NotAnAgent(f"{agent_source(agent)} is there already; arguments are for agents that are named")
        return _playing(agent, _name_of(type(agent)))
    if "@" in agent:
        served: Any = import_module(SERVED.partition(":")[0])
        try:
            return _checked(served.ChatAgent.from_text(agent, **kwargs), SERVED)
        except TypeError as error:
            raise _broken(agent, "cannot be made", error) from error
    entry = _entry_point(agent)
    module_name, colon, attribute = entry.partition(":")
    if not (colon and module_name and attribute):
        raise UnknownName(f"{unknown('agent', agent, agent_names())} Or write module:Class, or MODEL@URL.")
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
    if is_policy_function(found) and not kwargs:
        return FunctionAgent(found)
    try:
        made = found(**kwargs) if callable(found) else found
    except (Exception, SystemExit) as error:
        given = f"with {', '.join(sorted(kwargs))}" if kwargs else "without arguments"
        raise _broken(agent, f"cannot be made ({given})", error) from error
    return _playing(made, entry)


def coroutine_move(agent: Agent, name: str) -> Callable[..., Any] | None:
    """A method of an agent as a coroutine function, where it has it as one.

    Args:
        agent: the agent.
        name: "reset" or "act".
    """
    apart, method = getattr(agent, f"{name}_async", None), getattr(agent, name)
    if callable(apart) or is_coroutine_function(method):
        found: Callable[..., Any] = apart if callable(apart) else method
        return found
    if name == "reset" and coroutine_move(agent, "act") is not None:
        return partial(_reset, method)  # an agent that moves on a loop is reset there
    return None


async def _reset(method: Callable[..., Any], *arguments: Any) -> Any:
    return method(*arguments)


def agent_source(agent: Policy) -> str:
    """The origin of an agent, as a run's record keeps it."""
    if isinstance(agent, str):
        # Of a served model neither address nor key; its name is the agent's.
        return SERVED if "@" in agent else _entry_point(agent)
    if _is_agent(agent) or not callable(agent):
        return _name_of(type(agent))
    module = getattr(agent, "__module__", None) or type(agent).__module__
    return f"{module}:{getattr(agent, '__qualname__', function_name(agent))}"


def _playing(found: Any, source: str) -> Agent:
    """An agent, or one that plays as a function says."""
    return FunctionAgent(found) if callable(found) and not _is_agent(found) else _checked(found, source)


def _is_agent(found: Any) -> bool:
    return callable(getattr(found, "reset", None)) and callable(getattr(found, "act", None))


def _name_of(kind: type) -> str:
    return f"{kind.__module__}:{kind.__qualname__}"


def _broken(agent: str, what: str, error: BaseException) -> BrokenAgent:
    return BrokenAgent(
        "\n".join(filter(None, [f"agent {agent!r} {what}: {describe_error(error)}", own_error_trace(error)]))
    )


def _checked(agent: Any, source: str) -> Agent:
    lacking = [name for name in ("reset", "act") if not callable(getattr(agent, name, None))]
    if lacking:
        raise NotAnAgent(f"{source} is no agent: it lacks {' and '.join(f'a method {name!r}' for name in lacking)}")
    if not isinstance(getattr(agent, "name", None), str) or not agent.name:
        raise NotAnAgent(f"{source} is no agent: expected 'name' to be a text that is not empty")
    checked: Agent = agent
    return checked
