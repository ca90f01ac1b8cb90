"""The observation as chat messages, for policies that speak the OpenAI format."""

from __future__ import annotations

import copy
from collections.abc import Iterable
from typing import Any, SupportsFloat

import gymnasium as gym
from gymnasium.spaces import Space
from gymnasium.utils import RecordConstructorArgs

from pi_gym.wrappers.budget import ChatMessage, Cost, check_budget, first_kept

ROLES = ("system", "user", "assistant", "tool")


class ChatSpace(Space[tuple[ChatMessage, ...]]):
    """Tuples of chat messages in OpenAI format: role, content, and where they belong tool_calls and tool_call_id."""

    def __init__(self, seed: int | None = None) -> None:
        super().__init__(shape=None, dtype=None, seed=seed)

    def sample(self, mask: Any | None = None, probability: Any | None = None) -> tuple[ChatMessage, ...]:
        """One user message of random letters; masks have no meaning here and are refused."""
        if mask is not None or probability is not None:
            raise ValueError("ChatSpace.sample takes neither a mask nor probabilities")
        letters = self.np_random.integers(97, 123, size=8)
        return ({"role": "user", "content": "".join(map(chr, letters))},)

    def contains(self, x: Any) -> bool:
        """Whether x is a tuple of messages with a known role and text content."""
        return isinstance(x, tuple) and all(
            isinstance(m, dict) and m.get("role") in ROLES and isinstance(m.get("content"), str) for m in x
        )

    def to_jsonable(self, sample_n: Iterable[tuple[ChatMessage, ...]]) -> list[Any]:
        """Lists instead of tuples."""
        return [list(sample) for sample in sample_n]

    def from_jsonable(self, sample_n: Iterable[Any]) -> list[tuple[ChatMessage, ...]]:
        """Tuples again."""
        return [tuple(sample) for sample in sample_n]

    @property
    def is_np_flattenable(self) -> bool:
        """Whether values have an array form: messages have none."""
        return False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ChatSpace)

    def __hash__(self) -> int:
        return 11

    def __repr__(self) -> str:
        return "ChatSpace()"


class ChatMessages(gym.Wrapper[tuple[ChatMessage, ...], Any, Any, Any], RecordConstructorArgs):
    """The whole conversation as a tuple of OpenAI chat messages, oldest first.

    The tools' schemas stand in `info["tools"]` at reset. Step takes the same actions as the environment below; the
    natural one is the assistant message that a chat endpoint returned.

    Args:
        env: a pi_gym environment.
        budget: None keeps everything; else the system message, the opening message and the latest messages that fit.
        cost: what a message costs against the budget; None: its characters, calls included.
        merge_users: one message for what the user's side says in a row (reminders before the user's words, or what a
            budget has brought together), as chat templates want it that insist on roles taking turns.

    Raises:
        ValueError: the budget is not a positive integer.
    """

    def __init__(
        self,
        env: gym.Env[Any, Any],
        budget: int | None = None,
        cost: Cost | None = None,
        merge_users: bool = False,
    ) -> None:
        RecordConstructorArgs.__init__(self, budget=budget, cost=cost, merge_users=merge_users)
        gym.Wrapper.__init__(self, env)
        self.budget = None if budget is None else check_budget(budget)
        self.cost = cost or message_chars
        self.merge_users = merge_users
        self.observation_space = ChatSpace()
        self._messages: list[ChatMessage] = []
        self._opening = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[tuple[ChatMessage, ...], dict[str, Any]]:
        """Open a session; the observation is the system message and the opening message."""
        _, info = self.env.reset(seed=seed, options=options)
        self._messages = list(copy.deepcopy(info["new_messages"]))
        self._opening = len(self._messages)
        return self._observation(), info

    def step(self, action: Any) -> tuple[tuple[ChatMessage, ...], SupportsFloat, bool, bool, dict[str, Any]]:
        """Take an action; the observation is the conversation so far."""
        _, reward, terminated, truncated, info = self.env.step(action)
        self._messages.extend(copy.deepcopy(info["new_messages"]))
        return self._observation(), reward, terminated, truncated, info

    def _observation(self) -> tuple[ChatMessage, ...]:
        shown = self._messages
        if self.budget is not None:
            opening = self._opening
            shown = shown[:opening] + shown[first_kept(shown, self.budget, self.cost, opening) :]
        # Gymnasium forbids that two observations share objects.
        shown = copy.deepcopy(shown)
        return tuple(_merged(shown) if self.merge_users else shown)


def _merged(messages: Iterable[ChatMessage]) -> list[ChatMessage]:
    merged: list[ChatMessage] = []
    for message in messages:
        if merged and message["role"] == merged[-1]["role"] == "user":
            merged[-1] = {**merged[-1], "content": f"{merged[-1]['content']}\n\n{message['content']}"}
        else:
            merged.append(message)
    return merged


def message_chars(message: ChatMessage) -> int:
    """The characters of a message, its calls included."""
    calls = message.get("tool_calls", ())
    return len(message["content"]) + sum(len(c["function"]["name"]) + len(c["function"]["arguments"]) for c in calls)
