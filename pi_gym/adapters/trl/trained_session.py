"""One session as a trainer plays it: opened by a row, moved by calls and replies, scored at its end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pi_gym.adapters.trl.rows import SessionRow
from pi_gym.driving.settling import settle
from pi_gym.env import SessionEnv
from pi_gym.errors import PiGymError, SessionError
from pi_gym.family import Family
from pi_gym.runs.outcome import Score
from pi_gym.session import Trajectory
from pi_gym.session.protocol import Session
from pi_gym.types import ToolCall

OVER = "(The conversation is over.)"
#: The end reason of a session that its trainer left open.
LEFT_OPEN = "the trainer ended the rollout"


class ToolFailed(PiGymError, RuntimeError):
    """A call of a tool failed; the message is the agent's observation."""


@dataclass(frozen=True, slots=True)
class SessionResult:
    """The result of one session, as a trainer needs it.

    Args:
        pack: the set that the task is of.
        task: the task's id; `variant` its world's number.
        score: its undiscounted return; None where it is unscored, or where something of pi_gym's own broke in it.
        values: by measure of its family, and "invalid_actions": actions that were rejected or of which a call failed;
            None where undefined, empty where there is no score.
        cut_short: the trainer ended it before the agent or the environment did.
        error: why there is no score; "" otherwise.
        record: of the session.
    """

    pack: str
    task: str
    variant: int
    score: float | None
    values: Mapping[str, float | None]
    cut_short: bool
    error: str
    record: Trajectory

    @classmethod
    def of(cls, record: Trajectory, family: Family) -> SessionResult:
        """The result that a session's record holds."""
        found = Score.of(vars(record)).values
        # A score beside an error of pi_gym's own is a lower bound: nothing to learn from.
        sound = record.scored and not record.engine_faults
        fault = next((f"engine fault, {one.where}: {one.error}" for one in record.engine_faults), "")
        names = (*(one.name for one in family.measures), "invalid_actions")
        return cls(
            pack=record.pack,
            task=record.task_id,
            variant=record.variant,
            score=record.return_ if sound else None,
            values={name: found.get(name) for name in names} if sound else {},
            cut_short=record.end_reason == LEFT_OPEN,
            error=record.error or fault,
            record=record,
        )


class TrainedSession:
    """A session at a time, in an environment of its own.

    Args:
        env: the environment; nobody else steps it.
    """

    def __init__(self, env: SessionEnv) -> None:
        self._env = env
        self._result: SessionResult | None = None
        #: The messages with which the session at hand began, in OpenAI's format.
        self.opening: list[dict[str, Any]] = []

    @property
    def session(self) -> Session:
        """The session.

        Raises:
            SessionError: none was opened.
        """
        session = self._env.session
        if session is None:
            raise SessionError("no session was opened: `reset` comes first, with a row of `make_dataset`")
        return session

    def open(self, row: SessionRow) -> list[dict[str, Any]]:
        """Open a session; the one before is dropped.

        Returns:
            The opening messages in OpenAI's format: the system message, reminders, the user's opening.
        """
        _, info = self._env.reset(seed=row.seed, options=row.options)
        self._result = None
        self.opening = list(info["new_messages"])
        return list(self.opening)

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Call a tool.

        Returns:
            Its result; for `ask_user` what the user says.

        Raises:
            ToolFailed: the call failed, or the session is over.
        """
        self._require_open()
        messages = self._step(ToolCall(name, arguments))
        text = _said(messages) or OVER
        step = self.session.step
        if step is not None and step.invalid:
            raise ToolFailed(text)
        return text

    def reply(self, content: str) -> str:
        """End the turn with a reply.

        Returns:
            What the user says to it; that the conversation is over, where it is.

        Raises:
            ToolFailed: the session is over.
        """
        self._require_open()
        return _said(self._step(content)) or OVER

    def act(self, action: Any) -> list[dict[str, Any]]:
        """Take an action of any form that the environment takes, and wait for the models that it needs.

        Returns:
            What it brought to the agent: results of calls, the user's words.
        """
        messages = self._step(action)
        return [dict(message) for message in messages if message["role"] != "assistant"]

    def begin_step(self, action: str) -> None:
        """The first half of a step; the session may then wait for models."""
        self._env.begin_step(action)

    def news(self) -> list[dict[str, Any]]:
        """The messages that the last step brought to the agent, in OpenAI's format, once nothing is waited for."""
        *_, info = self._env.end_step()
        return [message for message in info["new_messages"] if message["role"] != "assistant"]

    def result(self) -> SessionResult:
        """The result of the session, which must be over; the same each time."""
        if self._result is None:
            if not self.session.ended:
                raise SessionError("the session is still open; `finish` ends it")
            self._result = SessionResult.of(self.session.trajectory(), self._env.family)
        return self._result

    def cut_short(self) -> None:
        """End the session where it stands."""
        self.session.truncate(LEFT_OPEN)

    def waits(self) -> Any:
        """The waits of the session; see `SessionEnv.waits`."""
        return self._env.waits()

    def _require_open(self) -> None:
        if self.session.ended:
            raise ToolFailed(f"{OVER} Say goodbye without calling a tool.")

    def _step(self, action: Any) -> Sequence[Mapping[str, Any]]:
        *_, info = self._env.step(action)
        messages: Sequence[Mapping[str, Any]] = info["new_messages"]
        return messages


def finish(plays: Sequence[TrainedSession], last: Sequence[str | None]) -> list[SessionResult]:
    """End sessions and score them; those that wait for models wait together.

    Args:
        plays: the sessions; those that are over stay as they are.
        last: for each, what the agent said last without a call; None: nothing. One that is open even then is cut short,
            and graded as things stand.
    """
    step_together(
        [(play, text) for play, text in zip(plays, last, strict=True) if text is not None and not play.session.ended]
    )
    for play in plays:
        if not play.session.ended:
            play.cut_short()
    _settle(plays)
    return [play.result() for play in plays]


def step_together(actions: Sequence[tuple[TrainedSession, str]]) -> None:
    """Take an action in each of several sessions; those that wait for models wait together."""
    for play, text in actions:
        play.begin_step(text)
    _settle(play for play, _ in actions)


def _settle(plays: Iterable[TrainedSession]) -> None:
    settle(*(play.waits() for play in plays if play.session.pending))


def _said(messages: Sequence[Mapping[str, Any]]) -> str:
    """The text that a step brought to the agent: the results of its call, and the user's words."""
    return "\n\n".join(str(message["content"]) for message in messages if message["role"] != "assistant")
