"""A live session, whatever its protocol: what it has recorded, what it says, what it waits for, how it ends."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple, Self

from pi_gym.errors import PackError, SessionError, StateMismatch
from pi_gym.session.actions import ParsedAction, clean, plain_json
from pi_gym.session.faults import describe_with_place, portable_trace
from pi_gym.session.trajectory import Identity
from pi_gym.session.transcript import message_parts, tool_fault
from pi_gym.state import World
from pi_gym.state.log import Log
from pi_gym.tools import ToolResult
from pi_gym.tools.declare import MAX_EFFORT, Effort
from pi_gym.types import (
    Answer,
    Ask,
    EngineFault,
    Event,
    Message,
    ModelRequest,
    StepRecord,
    ToolCall,
    ToolRequest,
)

MAX_FAULTS = 20
MAX_PARTS, MAX_PARTED_CHARS = 300, 100_000
"""The most of a text that is kept in parts: of more, the parts would be more to join, and the whole more to copy."""
NO_ANSWERS: dict[str, Answer] = {}


class OpenAction(NamedTuple):
    """The action that is being taken: what it has brought so far, and what it waits for.

    Args:
        ends_turn: it ends the agent's turn.
        invalid: it was rejected as a whole, or some of its calls failed.
        failed: the ids of these.
        ask_call: id of the call whose result will be the user's answer.
        decision: what the user does next, once that is decided.
        stage: where the session goes on once `pending` is answered.
        pending: what it waits for.
        answers: by ask id, those that came.
    """

    ends_turn: bool = False
    invalid: bool = False
    failed: tuple[str, ...] = ()
    ask_call: str = ""
    decision: Any = None
    stage: str = ""
    pending: tuple[Ask, ...] = ()
    answers: Mapping[str, Answer] = NO_ANSWERS


NO_ACTION = OpenAction()


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of a session; one that waits for its grading has not ended yet.

    Args:
        terminated: it reached its end; an ending that is not was cut short.
        reason: which limit or failure.
        error: why it is unscored; `error_kind` whose failure that was.
        grading: of a session that is scored, what it came to.
    """

    terminated: bool = False
    reason: str = ""
    error: str = ""
    error_kind: str = ""
    grading: Any = None


NO_ENDING = Ending()


class LiveSession(ABC):
    """A session as every family's begins: subclass it with a protocol.

    Args:
        identity: which session it is.
        world: workspace and apps; the session's own.
        clock: the session's time.
        history: the transcript of the opening.
        strict: an error of pi_gym's own is raised.
        keep_prompts: the record keeps what models were asked, word for word; otherwise its hash.

    Attributes:
        log: everything that happened.
        turn, steps, tool_calls, invalid_actions: counts so far; a turn in progress counts.
        action: the action in progress, or the last one.
        queue: its calls that have no result yet, the present one first.
        new_messages: what it has brought.
        effort: how much searching its calls may still do.
        step: the record of the last action; None before the first and while asks are pending.
        ended: whether it is over; `ending` says how.
        engine_faults: errors of pi_gym's own so far: of each place and text the first, and no more than `MAX_FAULTS`.
    """

    def __init__(
        self, identity: Identity, world: World, clock: datetime, history: str, *, strict: bool, keep_prompts: bool
    ) -> None:
        self.identity, self.world, self.clock = identity, world, clock
        self._strict, self._keep_prompts = strict, keep_prompts
        self.log: Log[Event] = Log()
        self.turn, self.steps, self.tool_calls, self.invalid_actions = 1, 0, 0, 0
        self.action = NO_ACTION
        self.queue: tuple[ToolCall, ...] = ()
        self.new_messages: tuple[Message, ...] = ()
        self.effort = Effort()
        self.step: StepRecord | None = None
        self.ended, self.ending = False, NO_ENDING
        self.engine_faults: tuple[EngineFault, ...] = ()
        self._asks = self._calls = 0
        # The text so far in parts, most of which the log holds too; joined where it is asked for, so that a step copies
        # the text once. Messages become parts then.
        self._parts: tuple[str, ...] = (history,)
        self._unwritten: tuple[tuple[Message, str], ...] = ()

    # -- the protocol ----------------------------------------------------------------------------------------------

    @abstractmethod
    def _go_on(self, answers: tuple[Answer, ...]) -> None:
        """Go on with the action, at `action.stage`, with the answers that it waited for."""

    @abstractmethod
    def _cut_short(self, reason: str) -> None:
        """End the session before its time, and grade it as things stand; it may pend on its grading."""

    # -- actions and answers ---------------------------------------------------------------------------------------

    def begin_step(self) -> None:
        """Forget what belongs to the last action."""
        self.step = None
        self.action, self.new_messages = NO_ACTION, ()
        self.effort.left = MAX_EFFORT

    def require_free(self) -> None:
        """Raise SessionError where no action can be taken; the message says why."""
        if self.ended:
            raise SessionError("the session is over; open a new one")
        if self.action.pending:
            waiting = ", ".join(f"{ask.id} ({ask.role}, {ask.stage})" for ask in self.action.pending)
            raise SessionError(f"asks are pending: {waiting}; answer them with session.answer(ask_id, answer)")

    def take(self, parsed: ParsedAction, fault: str) -> None:
        """Record an action, and queue its calls; one with a fault has none."""
        calls: list[ToolCall] = []
        listed: list[dict[str, Any]] = []
        for call in () if fault else parsed.calls:
            self._calls += 1
            number = f"call_{self._calls}"
            calls.append(ToolCall(call.name, call.arguments, number))
            # What reading the action has made is the session's own: its log may hold it.
            listed.append({"id": number, "name": call.name, "arguments": call.arguments})
        self.queue = tuple(calls)
        given = {} if parsed.message is None else {"message": parsed.message}
        self.record(
            "agent",
            action=parsed.raw,
            content=parsed.content,
            calls=listed,
            thought=parsed.thought,
            fault=fault,
            **given,
        )
        self.say(Message("assistant", parsed.content, self.queue), parsed.raw)

    def reject(self, fault: str) -> None:
        """Answer an action that cannot be run as a whole."""
        text = f"[environment] The action was not run. {fault}"
        self.mark_invalid()
        self.record("environment", text=text)
        self.say(Message("user", text))

    def refuse(self, call: ToolCall, text: str) -> None:
        """Answer a call that is not run."""
        self.mark_invalid(call.id)
        self.record("refused", id=call.id, text=text)
        self.say(Message("tool", text, tool_call_id=call.id))

    def broken(self, call: ToolCall, error: Exception) -> ToolResult:
        """The result of a call whose tool raised; it is not told the agent in its own words: they may hold anything."""
        if isinstance(error, PackError | StateMismatch):
            raise error  # the author's mistake, in what is read at the first look
        self.keep_fault(f"tool {call.name}", error)
        return ToolResult(tool_fault(call.name), ok=False)

    def answer(self, ask_id: str, answer: Answer) -> None:
        """Answer one pending ask; once all are answered the session goes on.

        Raises:
            SessionError: no such ask is pending, or it is answered already.
        """
        asks, answers = self.action.pending, self.action.answers
        if ask_id in answers or not any(ask.id == ask_id for ask in asks):
            waiting = ", ".join(ask.id for ask in asks if ask.id not in answers) or "none"
            raise SessionError(f"no ask {ask_id!r} is pending; pending: {waiting}")
        answer = _recordable(answer)
        self.record("answer", id=ask_id, **answer.to_json())
        answers = {**answers, ask_id: answer}
        if any(ask.id not in answers for ask in asks):
            self.update(answers=answers)
            return
        self.update(pending=(), answers={})
        for ask in asks:
            if answers[ask.id].error:
                self.end_unscored(f"{ask.role} ({ask.stage}): {answers[ask.id].error}", ask.kind)
                return
        try:
            self._go_on(tuple(answers[ask.id] for ask in asks))
        except SessionError:
            raise
        except Exception as error:
            self._break_off(error)

    def fail(self, error: str, kind: str = "engine") -> None:
        """End the session unscored. Pending asks are dropped; after the end this does nothing.

        Args:
            error: what happened.
            kind: whose failure it was: "model", "policy", "shell", "engine", …
        """
        if not self.ended:
            self.update(pending=(), answers={})
            self.queue = ()
            self.end_unscored(error, kind)

    def _break_off(self, error: Exception) -> None:
        """End a session in which something raised: one with an error of our own is cut short, and graded.

        A mistake of the author of its task leaves it unscored.
        """
        if not isinstance(error, PackError | StateMismatch):
            self.keep_fault("session", error)
            self.update(pending=(), answers={})
            if self.ending == NO_ENDING:
                try:
                    self._cut_short("engine_fault")
                    return
                except Exception as again:
                    error = again
                    self.keep_fault("session", again)
        self.end_unscored(f"session: {describe_with_place(error)}", "engine")

    def end_unscored(self, error: str, kind: str) -> None:
        """The session is over without a score; rewards already paid are void."""
        self.ended, self.ending = True, Ending(False, "error", error, kind)
        self.record("end", terminated=False, truncated=True, reason="error", error=error)
        action = self.action
        self.step = StepRecord(self.new_messages, float("nan"), {}, False, True, error, action.invalid, action.failed)

    # -- recording -------------------------------------------------------------------------------------------------

    def record(self, kind: str, **data: Any) -> None:
        """Append an event to the log."""
        self.log.append(Event(kind, self.turn, self.steps, data))

    def say(self, message: Message, action: str = "") -> None:
        """Append a message to what the agent sees; `action` is the text that it was made of, if any."""
        self.new_messages = (*self.new_messages, message)
        self._unwritten = (*self._unwritten, (message, action))

    def keep_fault(self, where: str, error: Exception) -> None:
        """Keep an error of our own, so that the session can go on; under `strict` it is raised."""
        if self._strict:
            raise error
        fault = EngineFault(where, self.steps, describe_with_place(error), portable_trace(error))
        known = {(one.where, one.error) for one in self.engine_faults}
        if (where, fault.error) not in known and len(known) < MAX_FAULTS:
            self.engine_faults = (*self.engine_faults, fault)

    def update(self, **values: Any) -> None:
        """Replace parts of the action in progress."""
        self.action = self.action._replace(**values)

    def mark_invalid(self, *failed: str) -> None:
        """The action of this step was rejected as a whole, or these calls of it failed."""
        self.invalid_actions += not self.action.invalid
        self.update(invalid=True, failed=(*self.action.failed, *failed))

    def pend(self, stage: str, role: str, requests: Iterable[ModelRequest | ToolRequest]) -> None:
        """Wait for answers; `stage` is where it goes on."""
        asks = []
        for request in requests:
            self._asks += 1
            kind = "model" if isinstance(request, ModelRequest) else request.kind
            asks.append(Ask(f"a{self._asks}", kind, role, stage, request))
            self.record("ask", id=f"a{self._asks}", ask=kind, role=role, stage=stage, **self._kept(request))
        self.update(stage=stage, pending=tuple(asks), answers={})

    def _kept(self, request: ModelRequest | ToolRequest) -> dict[str, Any]:
        """The fields that the record keeps of a request: a model's by its hash, and whole where the settings say so."""
        if not isinstance(request, ModelRequest):
            return {}
        kept: dict[str, Any] = {"sha256": request.sha256}
        return {**kept, "request": request.to_json()} if self._keep_prompts else kept

    # -- looking ---------------------------------------------------------------------------------------------------

    @property
    def history(self) -> str:
        """The whole transcript that the agent may see, as text."""
        if self._unwritten:
            parts = list(self._parts)
            for message, action in self._unwritten:
                head, body, end = message_parts(message)
                # An action that is written as it came is kept once, for the log has it.
                parts += head, action if action == body else body, end
            self._parts, self._unwritten = tuple(parts), ()
        text = "".join(self._parts)
        if len(text) > MAX_PARTED_CHARS or len(self._parts) > MAX_PARTS:
            # Kept whole, it is the object that the caller has too.
            self._parts = (text,)
        return text

    @property
    def pending(self) -> tuple[Ask, ...]:
        """The asks that must be answered before the session goes on."""
        return self.action.pending

    @property
    def terminated(self) -> bool:
        """Whether it reached its end."""
        return self.ending.terminated

    @property
    def truncated(self) -> bool:
        """Whether a limit or a failure cut it short."""
        return self.ended and not self.ending.terminated

    @property
    def end_reason(self) -> str:
        """The limit or failure that cut it short."""
        return self.ending.reason

    @property
    def error(self) -> str:
        """The reason why it is unscored."""
        return self.ending.error

    @property
    def error_kind(self) -> str:
        """The kind of that failure: whose it was."""
        return self.ending.error_kind

    @property
    def scored(self) -> bool:
        """Whether it has a score."""
        return self.ending.grading is not None

    # -- copying ---------------------------------------------------------------------------------------------------

    def fork(self) -> Self:
        """An independent session in the same state, at the same cost however long the session is."""
        # Not copy.copy: that would go through __getstate__, which is made for leaving the process.
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.world = self.world.fork()
        other.log = self.log.fork()
        other.effort = Effort(self.effort.left)
        return other


def _recordable(answer: Answer) -> Answer:
    """The answer with plain JSON in it: what a server sends may hold NaN or lone surrogates, which no record can."""
    try:
        return Answer(plain_json(answer.value, "the answer"), clean(answer.error), clean(answer.note))
    except ValueError as error:
        return Answer(error=answer.error or str(error))
