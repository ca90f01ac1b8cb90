"""The messages between client and server: actions, observations and states; needs openenv."""

from __future__ import annotations

from typing import Any

from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field


class SessionAction(Action):  # type: ignore[misc]  # openenv is not there where types are checked
    """The agent's next message, or the wish to end.

    Args:
        message: its message in OpenAI's format, as the model gave it, or text with <tool_call> blocks; None: none.
        end: end the session behind the message, where it is open even then, and grade it as things stand.
    """

    message: dict[str, Any] | str | None = None
    end: bool = False


class SessionObservation(Observation):  # type: ignore[misc]
    """The session's answer to an action.

    OpenEnv has `done`, and `reward`: None until the session is done, then its return; None even then where it is
    unscored.

    Args:
        messages: what belongs behind the agent's own message: results of its calls, the user's words; of a reset the
            opening, the system message first. In OpenAI's format.
        tools: the function schemas of the tools that it offers.
        terminated: it came to its own end; `truncated`: it was cut short, or something of pi_gym's failed.
        scored: it has a score.
    """

    messages: list[dict[str, Any]] = Field(default_factory=list)
    tools: list[dict[str, Any]] = Field(default_factory=list)
    terminated: bool = False
    truncated: bool = False
    scored: bool = False


class ServedState(State):  # type: ignore[misc]
    """The session's name, and once it is over its result: for whoever trains or evaluates, not for the agent.

    OpenEnv has `episode_id`, as the reset named it, and `step_count`.

    Args:
        pack: the set that the task is of.
        task: the task's id; `variant` its world's number, `seed` of the reset.
        sample: counts the sessions that begin alike.
        done: it is over.
        end_reason: how it ended; "" while it is open.
        error: why it has no score; "" otherwise.
        measures: by name, of the family, once it has a score; None where undefined.
    """

    pack: str
    task: str
    variant: int
    seed: int
    sample: int
    done: bool = False
    end_reason: str = ""
    error: str = ""
    measures: dict[str, float | None] = Field(default_factory=dict)
