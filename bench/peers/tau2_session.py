"""τ²-bench's gym: `AgentGymEnv` of Sierra's tau2-bench, its agent played step by step, its user without a model.

Opened: a new environment, then `reset`. Another task is another world: each session reads the domain's database anew,
three times. A reset in the middle of a session waits a second for the old thread, so the world at hand is opened by
another environment too. The user's first message, which a model would write, is a fixed text, and it is the only one:
tool calls do not go to the user. Logging, which prints every message, is off. Read and written: a record of the
domain's database, by a tool call in JSON through `env.step`; the observation is the last result alone (now and then
that of the step before: the gym may look at it before its thread has written it). The gym looks every 10 ms, which is
most of the wall time of an early step.
"""

from __future__ import annotations

import json
from typing import Any, ClassVar

from loguru import logger

logger.remove()

from tau2.data_model.message import UserMessage  # noqa: E402
from tau2.gym.gym_agent import AgentGymEnv  # noqa: E402
from tau2.user.user_simulator import UserSimulator  # noqa: E402


def _fixed_message(user: UserSimulator, message: Any, state: Any) -> tuple[UserMessage, Any]:
    said = UserMessage(role="user", content="Hello, please look into my account.")
    state.messages += [message, said]
    return said, state


UserSimulator.generate_next_message = _fixed_message


class _TauSession:
    domain: ClassVar[str]
    tasks: ClassVar[tuple[str, ...]]

    def __init__(self, world: int) -> None:
        self._task = self.tasks[world % len(self.tasks)]
        self.again()

    def again(self) -> None:
        """Open the task in a new environment."""
        self._env = AgentGymEnv(domain=self.domain, task_id=self._task, max_steps=10**9)
        observation, _ = self._env.reset()
        assert "look into my account" in observation, observation

    def close(self) -> None:
        """Hand in, which ends the session's thread."""
        *_, terminated, _, _ = self._env.step(json.dumps({"name": "done", "arguments": {}}))
        assert terminated

    def _call(self, tool: str, **arguments: Any) -> None:
        observation, _, terminated, *_ = self._env.step(json.dumps({"name": tool, "arguments": arguments}))
        assert not terminated
        assert "Error" not in observation, observation


class RetailSession(_TauSession):
    """A session of the domain `retail`: 500 users, 1,000 orders, 114 tasks."""

    domain = "retail"
    tasks = tuple(map(str, range(100)))

    def read(self) -> None:
        """Read an order, of some 800 characters."""
        self._call("get_order_details", order_id="#W2611340")

    def write(self, number: int) -> None:
        """Change a user's address; the answer is the user's record, of some 500 characters."""
        place = {"address2": "", "city": "Denver", "state": "CO", "country": "USA", "zip": "80279"}
        self._call("modify_user_address", user_id="noah_brown_6181", address1=f"{number} Sunset Drive", **place)


class MockSession(_TauSession):
    """A session of the domain `mock`, one user and one task: what the gym itself costs, with next to no data."""

    domain = "mock"
    tasks = ("create_task_1", "update_task_1")

    def read(self) -> None:
        """List the users."""
        self._call("get_users")

    def write(self, number: int) -> None:
        """Set the status of a task."""
        status = "completed" if number % 4 < 2 else "pending"
        self._call("update_task_status", task_id="task_1", status=status)
