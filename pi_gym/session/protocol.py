"""The protocol of a session: what environments, rollouts, exports and adapters may ask of one."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Protocol, Self

from pi_gym.session.trajectory import Identity, Trajectory
from pi_gym.state import World
from pi_gym.tools import MadeSchemas, Registry
from pi_gym.types import Answer, Ask, EngineFault, Message, StepRecord


class Session(Protocol):
    """One conversation over one task: a plain, synchronous, picklable state machine.

    It calls nothing outside of itself. `apply` takes an action; where that needs a model or a shell, `pending` holds
    asks, each of which `answer` answers. Once nothing is pending, `step` is the record of the action.

    It can be pickled at any time, also while asks are pending: the pickle holds what changed since the opening and
    references to what did not, and unpickling raises `StateMismatch` where that is not what it was.

    Attributes:
        identity: which session it is.
        pending: the asks that must be answered before the session goes on.
        step: the record of the last action; None before the first and while asks are pending.
        messages: the opening messages, the system message first; what follows is in each step record.
        history: the whole transcript that the agent may see, as text.
        world: workspace and apps.
        registry: the tools that it offers.
        clock: the session's time.
        turn, steps, tool_calls, invalid_actions: counts so far; a turn in progress counts, so `turn` begins at 1.
        ended: whether it is over; `terminated` whether by itself, and where not, `end_reason` says which limit or
            failure it was.
        scores: by the names that its family declares; None until known, where undefined, and where unscored.
        scored: whether it has a score; `error` says why not, `error_kind` whose failure it was.
        engine_faults: errors of pi_gym's own so far. Nothing but `SessionError` is raised for what an agent did: a
            session keeps such errors here, answers the agent with an error, and goes on.
    """

    @property
    def identity(self) -> Identity: ...
    @property
    def pending(self) -> tuple[Ask, ...]: ...
    @property
    def step(self) -> StepRecord | None: ...
    @property
    def messages(self) -> tuple[Message, ...]: ...
    @property
    def history(self) -> str: ...
    @property
    def world(self) -> World: ...
    @property
    def registry(self) -> Registry: ...
    @property
    def clock(self) -> datetime: ...
    @property
    def turn(self) -> int: ...
    @property
    def steps(self) -> int: ...
    @property
    def tool_calls(self) -> int: ...
    @property
    def invalid_actions(self) -> int: ...
    @property
    def ended(self) -> bool: ...
    @property
    def scores(self) -> Mapping[str, float | None]: ...
    @property
    def scored(self) -> bool: ...
    @property
    def terminated(self) -> bool: ...
    @property
    def end_reason(self) -> str: ...
    @property
    def error(self) -> str: ...
    @property
    def error_kind(self) -> str: ...
    @property
    def engine_faults(self) -> tuple[EngineFault, ...]: ...

    def tool_schemas(self, made: MadeSchemas | None = None) -> list[dict[str, Any]]:
        """The function schemas of the tools, as fresh objects; `made` as in `Registry.schemas`."""
        ...

    def apply(self, action: object) -> None:
        """Take one action of the agent: text, an OpenAI message, or `Message`/`ToolCall` objects.

        Raises:
            SessionError: asks are pending, or the session is over.
        """
        ...

    def answer(self, ask_id: str, answer: Answer) -> None:
        """Answer one pending ask; once all are answered the session goes on.

        Raises:
            SessionError: no such ask is pending, or it is answered already.
        """
        ...

    def truncate(self, reason: str) -> None:
        """Cut the session short, and grade it as things stand; it may pend on its grading.

        Raises:
            SessionError: asks are pending, or the session is over.
        """
        ...

    def fail(self, error: str, kind: str = "engine") -> None:
        """End the session unscored. Pending asks are dropped; after the end this does nothing.

        Args:
            error: what happened.
            kind: whose failure it was: "model", "policy", "shell", "engine", …
        """
        ...

    def fork(self) -> Self:
        """An independent session in the same state, at the same cost however long the session is."""
        ...

    def trajectory(
        self,
        *,
        agent: str = "",
        sample: int = 0,
        group_id: str = "",
        policy_outputs: tuple[Mapping[str, Any], ...] = (),
    ) -> Trajectory:
        """The record of the session so far; the arguments are what the session itself does not know."""
        ...
