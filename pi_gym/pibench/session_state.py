"""Everything that a session knows: what it was given, where it stands, what it has recorded.

A plain record with the few operations that keep it whole; the protocol is in `pi_gym.pibench.turns`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple, Self
from weakref import WeakKeyDictionary

from pi_gym.graders.base import Grader
from pi_gym.packs import Intent, Item, Task
from pi_gym.pibench.opening import Opening, choose_tools, open_task
from pi_gym.pibench.reminders import reminder_data
from pi_gym.pibench.settings import MIN_QUESTIONS, NEEDLESS_CREDITED, SPARE_QUESTIONS, SessionConfig
from pi_gym.pibench.standing import NO_SCORES, Grading, Ruling, Standing, judged_items
from pi_gym.pibench.views import NO_CHANGES, evidence, widened
from pi_gym.predicates import Evidence
from pi_gym.predicates.evidence import ChangeSpan, Place
from pi_gym.session.faults import describe_with_place, portable_trace
from pi_gym.session.trajectory import Identity
from pi_gym.session.transcript import message_parts
from pi_gym.state import Database, World
from pi_gym.state.log import Log
from pi_gym.tools import Registry
from pi_gym.tools.declare import MAX_EFFORT, Effort
from pi_gym.types import (
    Answer,
    Ask,
    EngineFault,
    Event,
    IntentStatus,
    Message,
    ModelRequest,
    StepRecord,
    ToolCall,
    ToolRequest,
    Verdict,
)
from pi_gym.users.base import Decision, User

WORKSPACE = "workspace"
"""The name of the copy of the workspace in the payload of a request."""
FAMILY = "pibench"
"""The family's name in keys and records."""
MAX_FAULTS = 20
MAX_PARTS, MAX_PARTED_CHARS = 300, 100_000
"""The most of a text that is kept in parts: of more, the parts would be more to join, and the whole more to copy."""
NOTHING_TOLD: tuple[tuple[Intent, ...] | None, frozenset[str]] = (None, frozenset())
#: By opening, the intents of its task and the ids of those that its world tells: found once for all sessions that open
#: alike. The opening cannot hold them itself: what shows an agent its session reads nothing that is hidden.
_told: WeakKeyDictionary[Opening, tuple[tuple[Intent, ...] | None, frozenset[str]]] = WeakKeyDictionary()

NO_ANSWERS: dict[str, Answer] = {}


@dataclass(frozen=True, slots=True)
class OpenTurn:
    """The turn that is being played.

    Args:
        start: how many events of the log came before it.
        calls_before: how many tool calls.
        late: actions with calls that began when it had no call left.
    """

    start: int = 0
    calls_before: int = 0
    late: int = 0


class OpenAction(NamedTuple):
    """The action that is being taken: what it has brought so far, and what it waits for.

    Args:
        ends_turn: it is a reply or a question.
        invalid: it was rejected as a whole, or some of its calls failed.
        failed: the ids of these.
        ask_call: id of the call of `ask_user` whose result will be the user's answer.
        decision: what the user says next, once that is decided.
        stage: where the session goes on once `pending` is answered.
        pending: what it waits for.
        answers: by ask id, those that came.
    """

    ends_turn: bool = False
    invalid: bool = False
    failed: tuple[str, ...] = ()
    ask_call: str = ""
    decision: Decision | None = None
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
        grading: of a session that is scored.
    """

    terminated: bool = False
    reason: str = ""
    error: str = ""
    error_kind: str = ""
    grading: Grading | None = None


NO_ENDING = Ending()


class SessionState:
    """The state of a session.

    Args:
        task: the task.
        config: limits, patience, reward and the like.
        user: the simulated user.
        grader: the grader.
        opening: how it opened; shared with the sessions that opened alike.

    Attributes:
        world: workspace and apps.
        said: the agent's replies so far, questions and messages too.
        change_spans: by file and table, how many replies came before the agent first and last changed it.
        log: everything that happened.
        clock: the session's time.
        cron_start: the scheduled jobs as the session found them, with what firing did to them; None until one fired.
        standing: the statuses of the intents, and the questions.
        turn, steps, tool_calls, invalid_actions: counts so far; a turn in progress counts.
        in_turn: the turn in progress.
        action: the action in progress, or the last one; `before` is how the session stood when it came.
        queue: its calls that have no result yet, the present one first.
        new_messages: what it has brought.
        effort: how much searching its calls may still do.
        step: the record of the last action; None before the first and while asks are pending.
        ended: whether it is over; `ending` says how.
        identity: which session it is.
        engine_faults: errors of pi_gym's own so far: of each place and text the first, and no more than `MAX_FAULTS`.
    """

    def __init__(self, task: Task, config: SessionConfig, user: User, grader: Grader, opening: Opening) -> None:
        self.task, self.config, self.user, self.grader, self.opening = task, config, user, grader, opening
        self.identity = Identity(FAMILY, task.pack, task.id, task.variant, config.history, config.env_id, config.seed)
        self.world: World = opening.world.fork()
        self.said: tuple[str, ...] = ()
        self.change_spans: Mapping[Place, ChangeSpan] = NO_CHANGES
        self.log: Log[Event] = Log()
        self.clock = datetime.fromisoformat(task.time)
        self.cron_start: Database | None = None
        self.standing = Standing.at_opening(task.intents)
        self.turn, self.steps, self.tool_calls, self.invalid_actions = 1, 0, 0, 0
        self.in_turn = OpenTurn()
        self.action, self.before = NO_ACTION, self.standing
        self.queue: tuple[ToolCall, ...] = ()
        self.new_messages: tuple[Message, ...] = ()
        self.effort = Effort()
        self.step: StepRecord | None = None
        self.ended, self.ending = False, NO_ENDING
        self.engine_faults: tuple[EngineFault, ...] = ()
        self._asks = self._calls = 0
        self._seen: tuple[Standing, Evidence] | None = None
        # The text so far in parts, most of which the log holds too; joined where it is asked for, so that a step copies
        # the text once. Messages become parts then.
        self._parts: tuple[str, ...] = (opening.history,)
        self._unwritten: tuple[tuple[Message, str], ...] = ()
        for fired in opening.fired:
            self.record("reminder", **reminder_data(fired))

    def begin_step(self) -> None:
        """Forget what belongs to the last action."""
        self.step = None
        self.action, self.before, self.new_messages, self._seen = NO_ACTION, self.standing, (), None
        self.effort.left = MAX_EFFORT

    def begin_turn(self) -> None:
        """The user has spoken, and the agent has the word."""
        self.turn += 1
        self.in_turn, self._seen = OpenTurn(len(self.log), self.tool_calls), None

    # -- recording -------------------------------------------------------------------------------------------------

    def record(self, kind: str, **data: Any) -> None:
        """Append an event to the log."""
        self.log.append(Event(kind, self.turn, self.steps, data))

    def record_reply(self, text: str, how: str, **data: Any) -> None:
        """Append a reply to the log."""
        self.record("reply", text=text, how=how, **data)
        self.said = (*self.said, text)

    def say(self, message: Message, action: str = "") -> None:
        """Append a message to what the agent sees; `action` is the text that it was made of, if any."""
        self.new_messages = (*self.new_messages, message)
        self._unwritten = (*self._unwritten, (message, action))

    def keep_fault(self, where: str, error: Exception) -> None:
        """Keep an error of our own, so that the session can go on; under `strict` it is raised."""
        if self.config.strict:
            raise error
        fault = EngineFault(where, self.steps, describe_with_place(error), portable_trace(error))
        known = {(one.where, one.error) for one in self.engine_faults}
        if (where, fault.error) not in known and len(known) < MAX_FAULTS:
            self.engine_faults = (*self.engine_faults, fault)

    def follow(self, ruling: Ruling) -> None:
        """Let a judgement count."""
        self.standing = ruling.standing
        for kind, data in ruling.notes:
            self.record(kind, **data)

    def update(self, **values: Any) -> None:
        """Replace parts of the action in progress."""
        self.action = self.action._replace(**values)

    def calls_left(self) -> int:
        """The number of calls that the turn still has."""
        return self.config.limits.max_tool_calls - (self.tool_calls - self.in_turn.calls_before)

    def close_calls(self, text: str) -> None:
        """Give calls that will never have a result this one: an unanswered question, those behind it."""
        asked = self.action.ask_call
        for number in [*([asked] if asked else []), *(call.id for call in self.queue)]:
            self.say(Message("tool", text, tool_call_id=number))
        if asked:
            self.update(ask_call="")
        self.queue = ()

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
        return {**kept, "request": request.to_json()} if self.config.keep_prompts else kept

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

    def evidence(self, events: Iterable[Event]) -> Evidence:
        """The evidence of some events and the present state."""
        opening, statuses = self.opening, self.standing.by_name(self.task.intents)
        return evidence(
            events,
            opening.world,
            self.world,
            opening.mark,
            statuses,
            self.cron_start,
            self.said,
            self.change_spans,
            keep_fault=self.keep_fault,
        )

    def turn_evidence(self) -> Evidence:
        """The evidence of the turn in progress; from its end to the user's next message only statuses change."""
        if self._seen is None:
            self._seen = self.standing, self.evidence(self.log.since(self.in_turn.start))
        elif self._seen[0] is not self.standing:
            self._seen = self.standing, self._seen[1].at_same_moment(statuses=self.standing.by_name(self.task.intents))
        return self._seen[1]

    def whole_evidence(self) -> Evidence:
        """The evidence of the whole session; at the end of a turn what was found in the turn's is not found again."""
        if self._seen is None:
            return self.evidence(self.log)
        return widened(self._seen[1], self.log, self.standing.by_name(self.task.intents))

    def forget_evidence(self) -> None:
        """Forget what was found at the end of the turn: the world may be another one since."""
        self._seen = None

    def question_room(self, standing: Standing) -> int | None:
        """The number of asking clauses that the user still takes notice of; None for any number."""
        if self.config.paper_letter:
            return None
        budget = self.task.question_budget
        if budget is None:
            only_user = len(self.task.intents) - len(self.told)
            budget = max(MIN_QUESTIONS, only_user + SPARE_QUESTIONS)
        return max(0, budget - standing.questions)

    @property
    def told(self) -> frozenset[str]:
        """Ids of the intents that the world told as the session found it: to ask for them is needless."""
        intents = self.task.intents
        known, found = _told.get(self.opening, NOTHING_TOLD)
        if known is not intents:
            start = self.opening.world
            found = frozenset(one.id for one in intents if any(way.holds(start) for way in one.recover))
            _told[self.opening] = intents, found
        return found

    @property
    def needless_credited(self) -> int | None:
        """The number of needless questions that are credited; None for all."""
        return None if self.config.paper_letter else NEEDLESS_CREDITED

    def open_intents(self) -> tuple[Intent, ...]:
        """The intents still open, in file order."""
        return self.standing.open(self.task.intents)

    @property
    def pending(self) -> tuple[Ask, ...]:
        """The asks that must be answered before the session goes on."""
        return self.action.pending

    @property
    def registry(self) -> Registry:
        """The tools that it offers."""
        return self.opening.registry

    @property
    def statuses(self) -> Mapping[str, IntentStatus]:
        """The status of each intent by its id, in file order."""
        return self.standing.statuses

    @property
    def needless(self) -> frozenset[str]:
        """Ids of the intents that were asked for although they could be known."""
        return self.standing.needless

    @property
    def questions(self) -> int:
        """The number of asking clauses that the user took notice of."""
        return self.standing.questions

    @property
    def misses(self) -> int:
        """The number of replies in which one of these hit nothing."""
        return self.standing.misses

    # -- the end -----------------------------------------------------------------------------------------------------

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

    @property
    def scores(self) -> Mapping[str, float | None]:
        """Proc, strict Proc, Comp and the return; None until the end, where undefined, and where unscored."""
        grading = self.ending.grading
        return NO_SCORES if grading is None else grading.scores

    @property
    def proc(self) -> float | None:
        """Share of intents completed or asked for."""
        return self.scores["proc"]

    @property
    def comp(self) -> float | None:
        """Share of checklist items passed."""
        return self.scores["comp"]

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdicts at the end."""
        grading = self.ending.grading
        return () if grading is None else grading.verdicts

    @property
    def checklist(self) -> tuple[Item, ...]:
        """The items that are judged: once they are, the parts of an item that proved to have some replace it."""
        return judged_items(self.task.checklist, self.verdicts) if self.verdicts else self.task.checklist

    @property
    def held(self) -> tuple[str, ...]:
        """Ids of the intents that hold in the final state."""
        grading = self.ending.grading
        return () if grading is None else grading.held

    # -- copying ---------------------------------------------------------------------------------------------------

    def fork(self) -> Self:
        """An independent session in the same state, at the same cost however long the session is."""
        # Not copy.copy: that would go through __getstate__, which is made for leaving the process.
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.world = self.world.fork()
        other.log = self.log.fork()
        other.effort = Effort(self.effort.left)
        other._seen = None  # it looks at this session's files
        return other

    def __getstate__(self) -> dict[str, Any]:
        """References (task, start) and what changed since: never the pack's own content."""
        history = self.history
        state = dict(self.__dict__)
        del state["_parts"], state["_unwritten"], state["_seen"]
        opening: Opening = state.pop("opening")
        world: World = state.pop("world")
        state["start"] = opening.start
        state["delta"], state["spent"] = world.workspace.delta(opening.mark), world.workspace.spent
        state["apps"] = {
            name: world.apps[name].delta(opening.world.apps.get(name) or Database()) for name in sorted(world.apps)
        }
        state["action"] = self.action._replace(pending=tuple(map(_without_workspace, self.action.pending)))
        # Tools that were handed in, rather than chosen by the task, go along as names of where they are declared.
        chosen = choose_tools(self.task, self.config.tools, self.config.subagent)
        state["registry"] = None if tuple(opening.registry) == tuple(chosen) else opening.registry
        state["history"] = history[len(opening.history) :]
        state["log"] = list(self.log)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        start, delta, apps = state.pop("start"), state.pop("delta"), state.pop("apps")
        history, events, registry = state.pop("history"), state.pop("log"), state.pop("registry")
        spent = state.pop("spent")
        self.__dict__.update(state)
        self.opening = open_task(
            self.task,
            start,
            self.config.tools,
            registry,
            subagent=self.config.subagent,
            limits=self.config.limits,
            paper_letter=self.config.paper_letter,
        )
        self._parts, self._unwritten, self._seen = (self.opening.history + history,), (), None
        self.log = Log(events)
        self.world = self.opening.world.fork()
        self.world.workspace.apply_delta(delta)
        self.world.workspace.spend(spent)
        for name in sorted(apps):
            self.world.put_app(name, (self.world.apps.get(name) or Database()).with_delta(apps[name]))
        self.update(pending=tuple(self._with_workspace(ask) for ask in self.action.pending))

    def _with_workspace(self, ask: Ask) -> Ask:
        return _with_payload(ask, workspace=self.world.workspace.fork()) if _shows_workspace(ask) else ask


def _shows_workspace(ask: Ask) -> bool:
    return isinstance(ask.request, ToolRequest) and WORKSPACE in ask.request.payload


def _without_workspace(ask: Ask) -> Ask:
    """The ask as a pickle of its session holds it: the workspace in it is the session's own, which waits with it."""
    return _with_payload(ask, workspace=None) if _shows_workspace(ask) else ask


def _with_payload(ask: Ask, **values: Any) -> Ask:
    assert isinstance(ask.request, ToolRequest)
    return replace(ask, request=replace(ask.request, payload={**ask.request.payload, **values}))
