"""One session as outsiders play it: opened by a row, moved by messages, calls and replies, scored at its end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gymnasium.error import ResetNeeded

from pi_gym.adapters.reply_tool import REPLY, reply_to_user
from pi_gym.adapters.session_row import SessionRow
from pi_gym.driving.settling import settle
from pi_gym.env import SessionEnv
from pi_gym.environments import base_env, make_env
from pi_gym.errors import BadArgument, PiGymError, SessionError
from pi_gym.family import Family
from pi_gym.runs.outcome import Score
from pi_gym.session import Trajectory
from pi_gym.session.answerers import Waits
from pi_gym.session.faults import describe_error
from pi_gym.session.protocol import Session
from pi_gym.tools.parameters import ArgumentError
from pi_gym.types import ToolCall

OVER = "(The conversation is over.)"
#: The result of a call in which something of ours broke; the session's result says what.
BROKEN = f"The tools of this conversation broke, and it cannot go on. It was not your mistake. {OVER}"
#: The end reason of a session that whoever drives the agent left before its end.
LEFT_OPEN = "left open"


class ToolFailed(PiGymError, RuntimeError):
    """A call of a tool failed; the message is the agent's observation."""


@dataclass(frozen=True, slots=True)
class SessionResult:
    """The result of one session.

    Args:
        pack: the set that the task is of.
        task: the task's id; `variant` its world's number.
        score: its undiscounted return; None where it is unscored, or where something of pi_gym's own broke in it.
        values: by measure of its family, and "invalid_actions": actions that were rejected or of which a call failed;
            None where undefined, empty where there is no score.
        cut_short: whoever drives the agent ended it, before the agent or the environment did.
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


class SessionPlay:
    """The play of one session at a time, in an environment of its own.

    Whatever a step or the grading raises is ours: it ends the session unscored, the result says what it was, and no
    words of it reach the agent. Only a use out of order is raised.

    Args:
        env: the environment; nobody else steps it.

    Attributes:
        opening: the messages with which the session at hand began, in OpenAI's format.
        tools: the function schemas of the tools that it offers now.
    """

    def __init__(self, env: SessionEnv) -> None:
        self._env = env
        self._result: SessionResult | None = None
        self._broken = False
        self._action: Any = None
        self._named: dict[str, Any] = {}
        self.opening: list[dict[str, Any]] = []
        self.tools: list[dict[str, Any]] = []

    @property
    def session(self) -> Session:
        """The session.

        Raises:
            SessionError: none was opened.
        """
        session = self._env.session
        if session is None:
            raise SessionError("no session was opened: `reset` comes first, with a row that names one")
        return session

    @property
    def over(self) -> bool:
        """Whether the session is over."""
        return self.session.ended

    def open(self, row: SessionRow, *, agent: str = "", sample: int = 0) -> list[dict[str, Any]]:
        """Open a session; the one before is dropped.

        Args:
            row: names it.
            agent: who plays, for the record.
            sample: counts the sessions of one agent at one row, for the record.

        Returns:
            The opening messages in OpenAI's format: the system message, reminders, the user's opening.
        """
        return self.open_drawn(row.seed, row.options, agent=agent, sample=sample)

    def open_drawn(
        self, seed: int, options: Mapping[str, Any], *, agent: str = "", sample: int = 0
    ) -> list[dict[str, Any]]:
        """Open a session of which the seed draws what the options leave open, as `env.reset` does; else as `open`."""
        _, info = self._env.reset(seed=seed, options=dict(options))
        self._result, self._named, self._broken = None, {"agent": agent, "sample": sample}, False
        self.opening, self.tools = list(info["new_messages"]), info["tools"]
        return list(self.opening)

    def count_as(self, sample: int) -> None:
        """Number the session at hand among those of its agent that begin alike, for the record."""
        self._named["sample"] = sample

    # -- an action ---------------------------------------------------------------------------------------------------

    def act(self, action: Any) -> list[dict[str, Any]]:
        """Take an action of any form that the environment takes, and wait for the models that it needs.

        Returns:
            The messages that it brought to the agent, as `news` gives them.

        Raises:
            ResetNeeded: there is no session, or it is over.
        """
        self.begin_step(action)
        _settle([self])
        return self.news()

    def begin_step(self, action: Any) -> None:
        """The first half of `act`; the session may then wait for models."""
        self._action = action
        try:
            self._env.begin_step(action)
        except (ResetNeeded, SessionError):
            raise
        except Exception as error:
            self.fail(error)

    def news(self) -> list[dict[str, Any]]:
        """The messages that the last action brought to the agent, once nothing is waited for.

        They belong behind the agent's own message as it was: results have the ids that it gave its calls, not those
        by which the session counts them, and where it was rejected as a whole, each of its calls has that for a result.
        There are none where something of ours broke.
        """
        if self._broken:
            return []
        try:
            *_, info = self._env.end_step()
        except Exception as error:
            self.fail(error)
            return []
        self.tools = info["tools"] or self.tools
        own: dict[str, Any] = info["new_messages"][0]
        news: list[dict[str, Any]] = info["new_messages"][1:]
        ids = _call_ids(self._action)
        if ids and info["invalid_action"] and not info["failed_calls"] and not own.get("tool_calls"):
            refusal, *news = news
            return [*({"role": "tool", "content": refusal["content"], "tool_call_id": one} for one in ids), *news]
        counted = (call["id"] for call in own.get("tool_calls", ()))
        named = dict(zip(counted, ids, strict=False))
        for message in news:
            if message["role"] == "tool":
                message["tool_call_id"] = named.get(message["tool_call_id"], message["tool_call_id"])
        return news

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Call a tool, or `reply_to_user`.

        Returns:
            Its result; of a call that ends the turn what the user says.

        Raises:
            ToolFailed: the call failed, the session is over, or something of ours broke, which ends it.
        """
        if name == REPLY:
            try:
                return self.reply(reply_to_user.check(arguments)["content"])
            except ArgumentError as error:
                raise ToolFailed(str(error)) from None
        return self._said_to(ToolCall(name, arguments))

    def reply(self, content: str) -> str:
        """End the turn with a reply.

        Returns:
            What the user says to it; that the conversation is over, where it is.

        Raises:
            ToolFailed: the reply was rejected, the session is over, or something of ours broke, which ends it.
        """
        return self._said_to(content)

    def waits(self) -> Waits:
        """The waits of the session; see `SessionEnv.waits`."""
        try:
            yield from self._env.waits()
        except Exception as error:
            self.fail(error)

    def _said_to(self, action: Any) -> str:
        if self.over:
            raise ToolFailed(f"{OVER} Say goodbye without calling a tool.")
        text = _said(self.act(action))
        if self._broken:
            raise ToolFailed(BROKEN)
        step = self.session.step
        if step is not None and step.invalid:
            raise ToolFailed(text)
        return text

    # -- the end -----------------------------------------------------------------------------------------------------

    def cut_short(self) -> None:
        """End the session where it stands; it may then wait for its grading."""
        self.session.truncate(LEFT_OPEN)

    def fail(self, error: BaseException) -> None:
        """End the session unscored for what was raised on our side."""
        self.session.fail(describe_error(error))
        self._broken = True

    def result(self) -> SessionResult:
        """The result of the session, which must be over; the same each time."""
        if self._result is None:
            if not self.over:
                raise SessionError("the session is still open; `finish` ends it")
            self._result = SessionResult.of(self.session.trajectory(**self._named), self._env.family)
        return self._result


def single_session_env(env_id: str, env_kwargs: Mapping[str, Any]) -> SessionEnv:
    """An environment whose sessions are played one by one.

    Args:
        env_id: a registered environment.
        env_kwargs: its arguments beside its id's.

    Raises:
        BadArgument: (a ValueError) `history="own"`, or an argument that it does not take.
        UnknownName: no such environment.
    """
    if env_kwargs.get("history") == "own":
        raise BadArgument("history='own': its sessions come in episodes, and here single ones are played")
    return base_env(make_env(env_id, env_kwargs))


def finish(plays: Sequence[SessionPlay], last: Sequence[str | None] | None = None) -> list[SessionResult]:
    """End sessions and score them; those that wait for models wait together.

    Args:
        plays: the sessions; those that are over stay as they are.
        last: for each, what the agent said last without a call; None: nothing. One that is open even then is cut short,
            and graded as things stand.
    """
    if last is not None:
        step_together(
            [(play, text) for play, text in zip(plays, last, strict=True) if text is not None and not play.over]
        )
    for play in plays:
        if not play.over:
            play.cut_short()
    _settle(plays)
    return [play.result() for play in plays]


def last_words(messages: Any) -> str | None:
    """The text of the last message, for `finish`; None where it calls a tool, is not the agent's, or is missing."""
    last = messages[-1] if isinstance(messages, Sequence) and messages else None
    if not isinstance(last, Mapping) or last.get("role") != "assistant" or last.get("tool_calls"):
        return None
    content = last.get("content")
    if isinstance(content, list):
        content = "".join(str(part.get("text", "")) for part in content if isinstance(part, Mapping))
    return content or ""


def step_together(actions: Sequence[tuple[SessionPlay, str]]) -> None:
    """Take an action in each of several sessions; those that wait for models wait together."""
    for play, text in actions:
        play.begin_step(text)
    _settle(play for play, _ in actions)


def _settle(plays: Iterable[SessionPlay]) -> None:
    waiting = [play for play in plays if play.session.pending]
    try:
        settle(*(play.waits() for play in waiting))
    except Exception as error:  # of what answers for several sessions at once: none of them has its answers
        for play in waiting:
            if play.session.pending:
                play.fail(error)


def _call_ids(action: Any) -> list[str]:
    """The ids that an agent gave the calls of its message; none where it gave any of them none."""
    listed = action.get("tool_calls") if isinstance(action, Mapping) else None
    if not isinstance(listed, Sequence):
        return []
    ids = [call.get("id") if isinstance(call, Mapping) else None for call in listed]
    named = [one for one in ids if isinstance(one, str) and one]
    return named if len(named) == len(ids) else []


def _said(messages: Sequence[Mapping[str, Any]]) -> str:
    """The text that a step brought to the agent: the results of its call, and the user's words."""
    return "\n\n".join(str(message["content"]) for message in messages) or OVER
