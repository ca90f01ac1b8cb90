"""One session as a trainer plays it: opened by a row, moved by calls and replies, scored at its end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pi_gym.adapters.trl.rows import Start
from pi_gym.env import PiEnv
from pi_gym.errors import PiGymError, SessionError
from pi_gym.session import Trajectory
from pi_gym.session.protocol import Session
from pi_gym.types import ToolCall
from pi_gym.vector.settling import settle_together

OVER = "(The conversation is over.)"
#: Why a session that its trainer left open was cut short.
LEFT_OPEN = "the trainer ended the rollout"


class ToolFailed(PiGymError, RuntimeError):
    """A call of a tool failed; the message is the agent's observation."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a session.

    Args:
        task: the task's id; `variant` its world's number.
        score: its undiscounted return; None where it is unscored.
        proc: share of intents completed or asked for; None where unscored, or where there is none.
        strict_proc: the same, intents that were asked for needlessly not counted.
        comp: share of checklist items passed; None as for `proc`.
        turns: turns of the agent.
        needless: intents asked for that could be known.
        tool_errors: actions that were rejected or of which a call failed.
        cut_short: the trainer ended it before the agent or the environment did.
        error: why the session is unscored; "" otherwise.
    """

    task: str
    variant: int
    score: float | None
    proc: float | None
    strict_proc: float | None
    comp: float | None
    turns: int
    needless: int
    tool_errors: int
    cut_short: bool
    error: str

    @classmethod
    def of(cls, record: Trajectory) -> Outcome:
        """What a record says of its session."""
        intents = len(record.intents)
        needless = sum(bool(intent["needless"]) for intent in record.intents)
        proc = record.proc if record.scored else None
        return cls(
            task=record.task_id,
            variant=record.variant,
            score=record.return_ if record.scored else None,
            proc=proc,
            strict_proc=proc - needless / intents if proc is not None else None,
            comp=record.comp if record.scored else None,
            turns=record.turns,
            needless=needless,
            tool_errors=record.invalid_actions,
            cut_short=record.end_reason == LEFT_OPEN,
            error=record.error,
        )


class Play:
    """A session at a time, in an environment of its own.

    Args:
        env: the environment; nobody else steps it.
    """

    def __init__(self, env: PiEnv) -> None:
        self._env = env
        self._outcome: Outcome | None = None
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

    def open(self, start: Start) -> list[dict[str, Any]]:
        """Open a session; the one before is dropped.

        Returns:
            The opening messages in OpenAI's format: the system message, reminders, the user's opening.
        """
        options = {"task": start.task, "variant": start.variant}
        _, info = self._env.reset(seed=start.seed, options=options)
        self._outcome = None
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
        """What the last step brought to the agent, in OpenAI's format, once nothing is waited for."""
        *_, info = self._env.end_step()
        return [message for message in info["new_messages"] if message["role"] != "assistant"]

    def outcome(self) -> Outcome:
        """What came of the session, which must be over; the same each time."""
        if self._outcome is None:
            if not self.session.ended:
                raise SessionError("the session is still open; `finish` ends it")
            self._outcome = Outcome.of(self.session.trajectory())
        return self._outcome

    def cut_short(self) -> None:
        """End the session where it stands."""
        self.session.truncate(LEFT_OPEN)

    def waits(self) -> Any:
        """What the session waits for; see `PiEnv.waits`."""
        return self._env.waits()

    def _require_open(self) -> None:
        if self.session.ended:
            raise ToolFailed(f"{OVER} Say goodbye without calling a tool.")

    def _step(self, action: Any) -> Sequence[Mapping[str, Any]]:
        *_, info = self._env.step(action)
        messages: Sequence[Mapping[str, Any]] = info["new_messages"]
        return messages


def finish(plays: Sequence[Play], last: Sequence[str | None]) -> list[Outcome]:
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
    return [play.outcome() for play in plays]


def step_together(actions: Sequence[tuple[Play, str]]) -> None:
    """Take an action in each of several sessions; those that wait for models wait together."""
    for play, text in actions:
        play.begin_step(text)
    _settle(play for play, _ in actions)


def _settle(plays: Iterable[Play]) -> None:
    settle_together(play.waits() for play in plays if play.session.pending)


def _said(messages: Sequence[Mapping[str, Any]]) -> str:
    """What a step brought to the agent: the results of its call, and the user's words."""
    return "\n\n".join(str(message["content"]) for message in messages if message["role"] != "assistant")
