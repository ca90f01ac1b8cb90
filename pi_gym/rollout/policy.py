"""Policies: what they may give, and those that are plain functions."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import gymnasium as gym

from pi_gym.errors import PiGymError
from pi_gym.session.actions import ParsedAction
from pi_gym.types import Message, ToolCall

_MESSAGE_KEYS = ("role", "content", "tool_calls")


class NotAnAction(PiGymError, TypeError):
    """An agent returned what no environment takes: a mistake in its code, not one of a model's."""


class BadOutput(PiGymError, ValueError):
    """A policy gave tokens that cannot be what they are said to be; the message says what is expected."""


@dataclass(frozen=True, slots=True)
class PolicyOutput:
    """An action with what produced it, so that a trainer never has to tokenise again.

    A trajectory keeps it as it is, under `policy_outputs`.

    Args:
        action: what `env.step` takes.
        text: what was generated, word for word, with whatever special tokens the policy shows.
        token_ids: of what was generated, N integers.
        logprobs: of these tokens as they were drawn, N finite numbers.
        prompt_token_ids: of the prompt, any number of integers.

    Raises:
        BadOutput: a part is no such list, or there are not as many logprobs as tokens.
    """

    action: Any
    text: str | None = None
    token_ids: Sequence[int] | None = None
    logprobs: Sequence[float] | None = None
    prompt_token_ids: Sequence[int] | None = None

    def __post_init__(self) -> None:
        if self.text is not None and not isinstance(self.text, str):
            raise BadOutput(f"PolicyOutput.text: expected text or None, got {_shown(self.text)}")
        for name in ("token_ids", "prompt_token_ids"):
            object.__setattr__(self, name, _integers(name, getattr(self, name)))
        object.__setattr__(self, "logprobs", _numbers("logprobs", self.logprobs))
        if self.token_ids is not None and self.logprobs is not None and len(self.token_ids) != len(self.logprobs):
            raise BadOutput(
                f"PolicyOutput: expected one of logprobs for each of token_ids, got {len(self.logprobs)} for"
                f" {len(self.token_ids)}"
            )

    def recorded(self, step: int) -> dict[str, Any]:
        """The details that a trajectory keeps of it; empty where there is nothing beside the action.

        Args:
            step: the action's, from 1.
        """
        names = ("text", "token_ids", "logprobs", "prompt_token_ids")
        found = {name: getattr(self, name) for name in names}
        if all(value is None for value in found.values()):
            return {}
        return {"step": step, **{name: list(v) if isinstance(v, tuple) else v for name, v in found.items()}}


class FunctionAgent:
    """An agent whose moves are those of a function of the chat and the tools.

    Args:
        function: `policy(messages, tools)`, with the whole chat so far and the tools' schemas in OpenAI's format; it
            gives an action or a `PolicyOutput`, and may be a coroutine function. All sessions share it: one that is no
            coroutine function is called from several threads where sessions are played at a time.

    Attributes:
        name: the function's.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.name = function_name(function)

    @property
    def act_async(self) -> Callable[..., Any] | None:
        """`act`, where what it gives is to be awaited."""
        return self.act if is_coroutine_function(self.function) else None

    def reset(self, observation: Mapping[str, str], info: Mapping[str, Any], env: gym.Env[Any, Any]) -> None:
        """A session opens."""
        self._messages: list[Any] = []
        self._tools = list(info["tools"])

    def act(self, observation: Mapping[str, str], info: Mapping[str, Any]) -> Any:
        """The action that the function gives."""
        self._messages += info["new_messages"]
        return self.function(list(self._messages), list(self._tools))

    def __deepcopy__(self, memo: object) -> FunctionAgent:
        return FunctionAgent(self.function)


def require_action(action: object) -> None:
    """Raise NotAnAction for what no agent can mean as an action; a model's mistakes are the session's to answer."""
    if isinstance(action, str | Message | ToolCall | ParsedAction) or callable(getattr(action, "model_dump", None)):
        return
    if isinstance(action, Mapping) and any(name in action for name in _MESSAGE_KEYS):
        return
    if isinstance(action, list | tuple) and action and all(isinstance(part, ToolCall) for part in action):
        return
    raise NotAnAction(
        f"the policy returned {_kind(action)}, which is no action; expected text, an OpenAI assistant message,"
        " a Message, a ToolCall, a list of ToolCalls, or a PolicyOutput with one of these"
    )


def is_coroutine_function(function: Any) -> bool:
    """Whether a call of it begins nothing, and gives what is to be awaited."""
    while isinstance(function, partial):
        function = function.func
    if inspect.iscoroutinefunction(function):
        return True
    return not inspect.isroutine(function) and inspect.iscoroutinefunction(getattr(function, "__call__", None))  # noqa: B004


def is_policy_function(function: Any) -> bool:
    """Whether a function can be called with messages and tools, and not with nothing, as one that makes agents."""
    if isinstance(function, type):
        return False
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return False
    return _binds(signature, 2) and not _binds(signature, 0)


def function_name(function: Any) -> str:
    """The name of a function in records."""
    while isinstance(function, partial):
        function = function.func
    for name in (getattr(function, "name", None), getattr(function, "__name__", None)):
        if isinstance(name, str) and name:
            return "policy" if name == "<lambda>" else name
    return type(function).__name__


def _binds(signature: inspect.Signature, count: int) -> bool:
    try:
        signature.bind(*[None] * count)
    except TypeError:
        return False
    return True


def _kind(action: object) -> str:
    if action is None:
        return "None"
    if isinstance(action, Mapping):
        return f"a {type(action).__name__} without 'role', 'content' and 'tool_calls'"
    return f"a {type(action).__name__}" + (" of other things" if isinstance(action, list | tuple) and action else "")


def _listed(name: str, value: Any, of: str) -> list[Any] | None:
    if value is None:
        return None
    if callable(getattr(value, "tolist", None)):  # arrays and tensors
        value = value.tolist()
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Sequence):
        raise BadOutput(f"PolicyOutput.{name}: expected a list of {of} or None, got {_shown(value)}")
    return list(value)


def _integers(name: str, value: Any) -> tuple[int, ...] | None:
    listed = _listed(name, value, "integers")
    for place, part in enumerate(listed or ()):
        if isinstance(part, bool) or not isinstance(part, int) or part < 0:
            raise BadOutput(f"PolicyOutput.{name}[{place}]: expected an integer of 0 or more, got {_shown(part)}")
    return None if listed is None else tuple(map(int, listed))


def _numbers(name: str, value: Any) -> tuple[float, ...] | None:
    listed = _listed(name, value, "finite numbers")
    for place, part in enumerate(listed or ()):
        if isinstance(part, bool) or not isinstance(part, int | float) or not math.isfinite(part):
            raise BadOutput(f"PolicyOutput.{name}[{place}]: expected a finite number, got {_shown(part)}")
    return None if listed is None else tuple(map(float, listed))


def _shown(value: object) -> str:
    return repr(value) if isinstance(value, int | float | bool) else f"a {type(value).__name__}"
