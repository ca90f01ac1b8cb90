"""One session: actions in, asks out, a step record when nothing is pending.

The path of an action: `apply` parses it, runs its calls one after the other (a call may pend), and at the end of a turn
walks the stages satisfied → asked → message, or, when nothing is open, grade. Each stage is a function of the user
simulator or grader; where it needs a model, the session pends and goes on in `answer`.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from pi_gym.errors import AnswerError, SessionError
from pi_gym.graders.base import FinalView, Grader
from pi_gym.graders.rule import RuleGrader, settle_guards
from pi_gym.packs import Intent, Task, load_pack, pack_world
from pi_gym.predicates import Evidence
from pi_gym.rewards import Tally, final_components, return_components, step_components, total
from pi_gym.session.actions import ParsedAction, parse_action
from pi_gym.session.config import SessionConfig
from pi_gym.session.opening import Opening, open_task
from pi_gym.session.trajectory import Trajectory, build_trajectory
from pi_gym.session.views import PROTECTED, evidence, render_message
from pi_gym.state import World
from pi_gym.state.log import Log
from pi_gym.tools import ToolContext
from pi_gym.types import (
    Answer,
    Ask,
    Event,
    IntentStatus,
    Message,
    ModelRequest,
    StepRecord,
    ToolCall,
    ToolRequest,
    Verdict,
)
from pi_gym.users.base import Decision, Satisfied, TurnView, User
from pi_gym.questions import Asked
from pi_gym.users.rule import RuleUser

CALL_SECONDS = 5
TURN_SECONDS = 120


class Session:
    """One conversation over one task.

    Args:
        task: what `pack.instantiate` gave.
        start: the world to begin from; None: the pack's world before any session.
        config: limits, patience, reward and the like.
        user: the simulated user; the rule-based one by default.
        grader: the grader; the rule-based one by default.
        opening: an opening made before, to share; then `start` is not looked at.

    Attributes:
        pending: the asks that must be answered before the session goes on.
        step: the record of the last action; None before the first and while asks are pending.
        history: the whole transcript that the agent may see, as text.
        world: workspace and apps.
        ended: whether the session is over.
    """

    def __init__(
        self,
        task: Task,
        start: World | None = None,
        *,
        config: SessionConfig | None = None,
        user: User | None = None,
        grader: Grader | None = None,
        opening: Opening | None = None,
    ) -> None:
        self.task = task
        self.config = config or SessionConfig()
        self.user: User = user or RuleUser()
        self.grader: Grader = grader or RuleGrader()
        if opening is None:
            start = start if start is not None else pack_world(load_pack(task.pack_source))
            opening = open_task(task, start, self.config.tools)
        self.opening = opening
        self.world = self.opening.world.fork()
        self.history = self.opening.history
        self.log: Log[Event] = Log()
        self.clock = datetime.fromisoformat(task.time)
        self.statuses: dict[str, IntentStatus] = {intent.id: "open" for intent in task.intents}
        self.turn = 1
        self.steps = 0
        self.tool_calls = 0
        self.questions = 0
        self.misses = 0
        self.invalid_actions = 0
        self.pending: tuple[Ask, ...] = ()
        self.step: StepRecord | None = None
        self.ended = False
        self.terminated = False
        self.truncated = False
        self.scored = False
        self.end_reason = ""
        self.error = ""
        self.error_kind = ""
        self.proc: float | None = None
        self.comp: float | None = None
        self.verdicts: tuple[Verdict, ...] = ()
        self.needless: frozenset[str] = frozenset()
        self.held: tuple[str, ...] = ()
        self.settled_at: dict[str, int] = {}
        # The rest is the state between an action and its record.
        self._turn_start = 0
        self._turn_calls = 0
        self._asks = 0
        self._queue: tuple[ToolCall, ...] = ()
        self._stage = ""
        self._answers: dict[str, Answer] = {}
        self._ask_call = ""
        self._decision: Decision | None = None
        self._new: tuple[Message, ...] = ()
        self._fresh: tuple[str, ...] = ()
        self._turns_ended = 0
        self._step_questions = 0
        self._invalid = False

    # -- the public state machine ----------------------------------------------------------------------------------

    @property
    def messages(self) -> tuple[Message, ...]:
        """The opening messages; what follows is in each step record."""
        return self.opening.messages

    def tool_schemas(self) -> list[dict[str, Any]]:
        """The function schemas of the tools that the session offers, as fresh objects."""
        return self.opening.registry.schemas()

    def apply(self, action: object) -> None:
        """Take one action of the agent: text, an OpenAI message, or `Message`/`ToolCall` objects.

        Afterwards either `pending` holds asks, or `step` holds the record of the action.

        Raises:
            SessionError: asks are pending, or the session is over.
        """
        self._require(pending=False)
        parsed = parse_action(action)
        self.steps += 1
        self.step = None
        self._new, self._fresh = (), ()
        self._turns_ended = self._step_questions = 0
        self._invalid = False
        calls = tuple(
            ToolCall(call.name, call.arguments, f"call_{self.tool_calls + n}")
            for n, call in enumerate(parsed.calls, start=1)
        )
        fault = parsed.fault or _misplaced_question(calls)
        self._record_action(parsed, () if fault else calls, fault)
        if fault:
            self._reject(fault)
        elif calls:
            self._queue = calls
            self._run_calls()
        else:
            self._end_turn(parsed.content, "final")

    def answer(self, ask_id: str, answer: Answer) -> None:
        """Answer one pending ask; once all are answered the session goes on.

        Raises:
            SessionError: no such ask is pending.
        """
        ask = next((ask for ask in self.pending if ask.id == ask_id), None)
        if ask is None:
            waiting = ", ".join(ask.id for ask in self.pending) or "none"
            raise SessionError(f"no ask {ask_id!r} is pending; pending: {waiting}")
        self._event("answer", id=ask_id, value=answer.value, error=answer.error)
        self._answers = {**self._answers, ask_id: answer}
        if any(ask.id not in self._answers for ask in self.pending):
            return
        answers = tuple(self._answers[ask.id] for ask in self.pending)
        self.pending, self._answers = (), {}
        failed = next((answer.error for answer in answers if answer.error), "")
        if failed:
            self._fail(f"{ask.role} ({ask.stage}): {failed}", ask.kind)
        elif self._stage == "call":
            self._resume_call(answers[0])
        else:
            self._run_stage(self._stage, answers)

    def truncate(self, reason: str) -> None:
        """Cut the session short: open intents stay open, the checklist is graded as things stand.

        Raises:
            SessionError: asks are pending, or the session is over.
        """
        self._require(pending=False)
        self.step = None
        self._new, self._fresh = (), ()
        self._turns_ended = self._step_questions = 0
        self._invalid = False
        self._finish(terminated=False, reason=reason)

    def fail(self, error: str, kind: str = "engine") -> None:
        """End the session unscored. Pending asks are dropped; after the end this does nothing.

        Args:
            error: what happened.
            kind: whose failure it was: "model", "policy", "shell", "engine", …
        """
        if not self.ended:
            self.pending, self._answers = (), {}
            self._fail(error, kind)

    def fork(self) -> Session:
        """An independent session in the same state, at the same cost however long the session is."""
        other = copy.copy(self)
        other.world = self.world.fork()
        other.log = self.log.fork()
        other.statuses = dict(self.statuses)
        other.settled_at = dict(self.settled_at)
        return other

    def trajectory(self, *, agent: str = "", sample: int = 0) -> Trajectory:
        """The record of the session so far."""
        return build_trajectory(self, agent=agent, sample=sample)

    def open_intents(self) -> tuple[Intent, ...]:
        """The intents still open, in file order."""
        return tuple(intent for intent in self.task.intents if self.statuses[intent.id] == "open")

    # -- actions and calls -----------------------------------------------------------------------------------------

    def _require(self, *, pending: bool) -> None:
        if self.ended:
            raise SessionError("the session is over; open a new one")
        if self.pending and not pending:
            waiting = ", ".join(f"{ask.id} ({ask.role}, {ask.stage})" for ask in self.pending)
            raise SessionError(f"asks are pending: {waiting}; answer them with session.answer(ask_id, answer)")

    def _event(self, kind: str, **data: Any) -> None:
        self.log.append(Event(kind, self.turn, self.steps, data))

    def _say(self, message: Message) -> None:
        self._new = (*self._new, message)
        self.history += render_message(message)

    def _record_action(self, parsed: ParsedAction, calls: tuple[ToolCall, ...], fault: str) -> None:
        listed = [{"id": call.id, "name": call.name, "arguments": dict(call.arguments)} for call in calls]
        self._event(
            "agent", action=parsed.raw, content=parsed.content, calls=listed, thought=parsed.thought, fault=fault
        )
        self._say(Message("assistant", parsed.content, calls))

    def _reject(self, fault: str) -> None:
        text = f"[environment] The action was not run. {fault}"
        self._mark_invalid()
        self._event("environment", text=text)
        self._say(Message("user", text))
        self._complete()

    def _mark_invalid(self) -> None:
        if not self._invalid:
            self._invalid = True
            self.invalid_actions += 1

    def _context(self) -> ToolContext:
        return ToolContext(
            world=self.world,
            root=self.task.persona.root,
            clock=self.clock.isoformat(),
            protected=PROTECTED,
            ids=(self.task.index + 1) * 100_000,
            outbox=[],
        )

    def _run_calls(self) -> None:
        while self._queue:
            if self._turn_calls >= self.config.limits.max_tool_calls:
                self._queue = ()
                self._finish(terminated=False, reason="max_tool_calls")
                return
            call = self._queue[0]
            self.tool_calls += 1
            self._turn_calls += 1
            self.clock += timedelta(seconds=CALL_SECONDS)
            context = self._context()
            result = self.opening.registry.run(call, context)
            if result.request is not None:
                self._pend("call", call.name, (result.request,))
                return
            if self._close_call(call, result.text, result.ok, context):
                return
        self._complete()

    def _resume_call(self, answer: Answer) -> None:
        call, context = self._queue[0], self._context()
        result = self.opening.registry.resume(call, context, answer.value)
        if not self._close_call(call, result.text, result.ok, context):
            self._run_calls()

    def _close_call(self, call: ToolCall, text: str, ok: bool, context: ToolContext) -> bool:
        """Record a call that has run; True where it ended the turn."""
        self._queue = self._queue[1:]
        asks = call.name == "ask_user" and ok
        self._event("call", id=call.id, name=call.name, arguments=dict(call.arguments), result=text, ok=ok)
        if not ok:
            self._mark_invalid()
        for sent in context.outbox:
            self._event("reply", text=sent, how="message")
        if asks:
            # The user's answer is this call's result, so its tool message comes later.
            self._ask_call = call.id
            self._end_turn(_question_text(call.arguments), "ask_user")
            return True
        self._say(Message("tool", text, tool_call_id=call.id))
        return False

    # -- the end of a turn -----------------------------------------------------------------------------------------

    def _end_turn(self, text: str, how: str) -> None:
        self._event("reply", text=text, how=how)
        self._turns_ended = 1
        self.clock += timedelta(seconds=TURN_SECONDS)
        if not self.open_intents():
            self._finish(terminated=True)
            return
        self._run_stage("satisfied", None)

    def _run_stage(self, stage: str, answers: tuple[Answer, ...] | None) -> None:
        """One stage of the protocol; goes on to the next until something pends or the step is complete."""
        try:
            if stage == "satisfied":
                satisfied = self.user.satisfied(self._turn_view(), answers)
                if isinstance(satisfied, Satisfied):
                    self._take_satisfied(satisfied)
                    return
                requests = satisfied
            elif stage == "asked":
                asked = self.user.asked(self._turn_view(), answers)
                if isinstance(asked, Asked):
                    self._take_asked(asked)
                    return
                requests = asked
            elif stage == "message":
                assert self._decision is not None
                said = self.user.message(self._turn_view(), self._decision, answers)
                if isinstance(said, str):
                    self._take_message(said, self._decision)
                    return
                requests = said
            else:
                graded = self.grader.grade(self._final_view(), answers)
                if not graded or isinstance(graded[0], Verdict):
                    self._take_verdicts(tuple(v for v in graded if isinstance(v, Verdict)))
                    return
                requests = tuple(r for r in graded if isinstance(r, ModelRequest))
        except AnswerError as error:
            self._fail(f"{'grader' if stage == 'grade' else 'user'} ({stage}): {error}", "model")
            return
        self._pend(stage, "grader" if stage == "grade" else "user", requests)

    def _pend(self, stage: str, role: str, requests: Iterable[ModelRequest | ToolRequest]) -> None:
        asks = []
        for request in requests:
            self._asks += 1
            kind = "model" if isinstance(request, ModelRequest) else request.kind
            asks.append(Ask(f"a{self._asks}", kind, role, stage, request))
            self._event("ask", id=f"a{self._asks}", ask=kind, role=role, stage=stage)
        self._stage, self.pending = stage, tuple(asks)

    def _turn_evidence(self) -> Evidence:
        return self._evidence(self.log.since(self._turn_start))

    def _evidence(self, events: Iterable[Event]) -> Evidence:
        statuses = {intent.name: self.statuses[intent.id] for intent in self.task.intents}
        return evidence(events, self.opening.world, self.world, self.opening.mark, statuses)

    def _turn_view(self) -> TurnView:
        seen = self._turn_evidence()
        return TurnView(
            self.task, self.open_intents(), seen.reply, seen, self.log, self.misses, self.config.patience
        )

    def _final_view(self) -> FinalView:
        return FinalView(self.task, self.task.checklist, self._evidence(self.log), self.log)

    def _settle(self, intent: Intent, status: IntentStatus, reason: str) -> None:
        needless = status == "inferred" and any(way.holds(self.opening.world.workspace) for way in intent.recover)
        self.statuses[intent.id] = status
        self.settled_at[intent.id] = self.turn
        self._fresh = (*self._fresh, intent.id)
        if needless:
            self.needless |= {intent.id}
        self._event("status", intent=intent.id, status=status, needless=needless, reason=reason)

    def _take_satisfied(self, satisfied: Satisfied) -> None:
        for intent in self.open_intents():
            if intent.id in satisfied.reasons:
                self._settle(intent, "completed", satisfied.reasons[intent.id])
        if not self.open_intents():
            self._finish(terminated=True)
        else:
            self._run_stage("asked", None)

    def _take_asked(self, asked: Asked) -> None:
        by_id = {intent.id: intent for intent in self.open_intents()}
        hits = tuple(by_id[number] for number in asked.hits if number in by_id)
        shrugs = asked.misses - self.misses
        counted = sum(clause.outcome != "ignored" for clause in asked.clauses)
        self.misses = asked.misses
        self.questions += counted
        self._step_questions += counted
        if asked.clauses:
            clauses = [{"text": c.text, "hits": list(c.hits), "outcome": c.outcome} for c in asked.clauses]
            self._event("asked", clauses=clauses)
        for intent in hits:
            self._settle(intent, "inferred", "asked for")
        if self.turn >= self.config.limits.max_turns:
            self._finish(terminated=False, reason="max_turns")
            return
        if hits:
            self._decision = Decision("answer", hits, shrugs)
        else:
            revealed = self._next_reveal()
            self._settle(revealed, "provided", "nobody asked")
            self._decision = Decision("reveal", (revealed,), shrugs)
        self._run_stage("message", None)

    def _next_reveal(self) -> Intent:
        """The first open intent in file order whose `after` holds, else the first."""
        seen = self._evidence(self.log)
        candidates = self.open_intents()
        ready = (intent for intent in candidates if intent.after is None or intent.after.test(seen))
        return next(ready, candidates[0])

    def _take_message(self, text: str, decision: Decision) -> None:
        stated = [intent.id for intent in decision.intents]
        self._event("user", text=text, how=decision.kind, intents=stated, call=self._ask_call)
        if self._ask_call:
            self._say(Message("tool", text, tool_call_id=self._ask_call))
        else:
            self._say(Message("user", text))
        self._ask_call, self._decision = "", None
        self.turn += 1
        self._turn_start, self._turn_calls = len(self.log), 0
        self._complete()

    # -- the end of the session ------------------------------------------------------------------------------------

    def _finish(self, *, terminated: bool, reason: str = "") -> None:
        self.terminated, self.truncated = terminated, not terminated
        self.end_reason = reason
        self._event("end", terminated=terminated, truncated=not terminated, reason=reason)
        self._run_stage("grade", None)

    def _take_verdicts(self, verdicts: tuple[Verdict, ...]) -> None:
        unscored = next((v for v in verdicts if v.verdict == "unscored"), None)
        if unscored is not None:
            self._fail(f"grader: item {unscored.id} is unscored: {unscored.reason}", "model")
            return
        self.verdicts = settle_guards(self.task.checklist, verdicts)
        for verdict in self.verdicts:
            self._event(
                "verdict", item=verdict.id, verdict=verdict.verdict, grader=verdict.grader, reason=verdict.reason
            )
        final = self._evidence(self.log)
        self.held = tuple(intent.id for intent in self.task.intents if intent.satisfied.test(final))
        statuses = [self.statuses[intent.id] for intent in self.task.intents]
        if statuses:
            self.proc = sum(status in ("completed", "inferred") for status in statuses) / len(statuses)
        if self.verdicts:
            self.comp = sum(verdict.verdict == "passed" for verdict in self.verdicts) / len(self.verdicts)
        self.ended = self.scored = True
        components = self._step_components()
        for name, value in final_components(self.config.reward, self.tally()).items():
            components[name] += value
        self._close(components)

    def tally(self) -> Tally:
        """What the session's return is computed from."""
        intents = [
            (self.statuses[intent.id], intent.id in self.needless, intent.id in self.held)
            for intent in self.task.intents
        ]
        turns = sum(1 for event in self.log if event.kind == "reply" and event.data["how"] != "message")
        return Tally(intents, self.comp, turns, self.questions, self.invalid_actions)

    def return_components(self) -> Mapping[str, float]:
        """The return by component, in closed form; of a scored session."""
        return return_components(self.config.reward, self.tally())

    def _fail(self, error: str, kind: str) -> None:
        self.ended, self.scored = True, False
        self.error, self.error_kind, self.end_reason = error, kind, "error"
        self.terminated, self.truncated = False, True
        self.proc = self.comp = None
        self.verdicts = ()
        self._event("end", terminated=False, truncated=True, reason="error", error=error)
        self.step = StepRecord(self._new, float("nan"), {}, False, True, error, self._invalid)

    def _step_components(self) -> dict[str, float]:
        fresh = [(self.statuses[number], number in self.needless) for number in self._fresh]
        return step_components(
            self.config.reward,
            total=len(self.task.intents),
            settled=fresh,
            turns=self._turns_ended,
            questions=self._step_questions,
            invalid=int(self._invalid),
        )

    def _complete(self) -> None:
        """The action is done and the session goes on, unless a limit says otherwise."""
        if self.steps >= self.config.limits.max_steps:
            self._finish(terminated=False, reason="max_steps")
        else:
            self._close(self._step_components())

    def _close(self, components: dict[str, float]) -> None:
        self.step = StepRecord(
            self._new, total(components), components, self.terminated, self.truncated, "", self._invalid
        )

    # -- leaving the process ---------------------------------------------------------------------------------------

    def __getstate__(self) -> dict[str, Any]:
        """References (task, start) and what changed since: never the pack's own content."""
        state = dict(self.__dict__)
        opening: Opening = state.pop("opening")
        world: World = state.pop("world")
        state["start"] = opening.start
        state["delta"] = world.workspace.delta(opening.mark)
        state["apps"] = dict(world.apps.items())
        state["history"] = self.history[len(opening.history) :]
        state["log"] = list(self.log)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        start, delta, apps = state.pop("start"), state.pop("delta"), state.pop("apps")
        history, events = state.pop("history"), state.pop("log")
        self.__dict__.update(state)
        self.opening = open_task(self.task, start, self.config.tools)
        self.history = self.opening.history + history
        self.log = Log(events)
        self.world = self.opening.world.fork()
        self.world.workspace.apply_delta(delta)
        for name in sorted(apps):
            self.world.put_app(name, apps[name])


def _misplaced_question(calls: tuple[ToolCall, ...]) -> str:
    if any(call.name == "ask_user" for call in calls[:-1]):
        return "ask_user ends your turn, so it must be the last call of the action."
    return ""


def _question_text(arguments: Mapping[str, Any]) -> str:
    options = arguments.get("options") or []
    return "\n".join([str(arguments.get("question", "")), *(f"- {option}" for option in options)])
