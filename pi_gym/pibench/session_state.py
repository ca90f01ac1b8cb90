"""Everything that a session knows: what it was given, where it stands, what it has recorded.

A plain record with the few operations that keep it whole; the protocol is in `pi_gym.pibench.turns`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, Self

from pi_gym.graders.base import Grader
from pi_gym.packs import Intent, Item, Task
from pi_gym.pibench.opening import Opening, choose_tools, open_task
from pi_gym.pibench.reminders import reminder_data
from pi_gym.pibench.script_items import script_items
from pi_gym.pibench.settings import SessionConfig
from pi_gym.pibench.views import evidence
from pi_gym.predicates import Evidence
from pi_gym.rewards import Tally, return_components, total
from pi_gym.session.trajectory import Identity
from pi_gym.session.transcript import render_message
from pi_gym.state import Database, World
from pi_gym.state.log import Log
from pi_gym.tools import Registry
from pi_gym.tools.declare import Effort
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
from pi_gym.users.base import Decision, User

WORKSPACE = "workspace"
"""What a request's payload calls the copy of the workspace that it is about."""


FAMILY = "pibench"
"""The family's name in keys and records."""
NO_SCORES: Mapping[str, float | None] = dict.fromkeys(("proc", "strict_proc", "comp", "return"))


class SessionState:
    """The state of a session.

    Args:
        task: the task.
        config: limits, patience, reward and the like.
        user: the simulated user.
        grader: the grader.
        opening: how it opened; shared with the sessions that opened alike.
    """

    def __init__(self, task: Task, config: SessionConfig, user: User, grader: Grader, opening: Opening) -> None:
        self.task, self.config, self.user, self.grader, self.opening = task, config, user, grader, opening
        self.world: World = opening.world.fork()
        # What was said since the text was last asked for; joined only then, so that a step copies the text once.
        self._text = opening.history
        self._said: Log[Message] = Log()
        self.log: Log[Event] = Log()
        # The scheduled jobs as the session found them, with what firing did to them; None until one has fired.
        self.cron_start: Database | None = None
        self.clock = datetime.fromisoformat(task.time)
        self.statuses: dict[str, IntentStatus] = {intent.id: "open" for intent in task.intents}
        self.settled_at: dict[str, int] = {}
        self.needless: frozenset[str] = frozenset()
        self.turn = 1
        self.steps = 0
        self.tool_calls = 0
        self.questions = 0
        self.misses = 0
        self.spared: tuple[str, ...] = ()
        self.invalid_actions = 0
        # How it ended.
        self.ended = self.terminated = self.truncated = self.scored = False
        self.end_reason = self.error = self.error_kind = ""
        self.proc: float | None = None
        self.comp: float | None = None
        # What the task's rule scripts said, in their order.
        self.script_results: tuple[Mapping[str, Any], ...] = ()
        self.verdicts: tuple[Verdict, ...] = ()
        self.held: tuple[str, ...] = ()
        # Between an action and its record.
        self.pending: tuple[Ask, ...] = ()
        self.step: StepRecord | None = None
        self.stage = ""
        self.answers: dict[str, Answer] = {}
        self.asks_made = 0
        self.queue: tuple[ToolCall, ...] = ()
        self.ask_call = ""
        self.decision: Decision | None = None
        self.turn_start = 0
        self.turn_calls = 0
        for fired in opening.fired:
            self.record("reminder", **reminder_data(fired))
        self.begin_step()

    def begin_step(self) -> None:
        """Forget what belongs to the last action."""
        self.step = None
        self.new_messages: tuple[Message, ...] = ()
        self.newly_settled: tuple[str, ...] = ()
        self.step_turns = 0
        self.step_questions = 0
        self.step_invalid = False
        self.effort = Effort()

    # -- recording -------------------------------------------------------------------------------------------------

    def record(self, kind: str, **data: Any) -> None:
        """Append an event to the log."""
        self.log.append(Event(kind, self.turn, self.steps, data))

    def say(self, message: Message) -> None:
        """Append a message to what the agent sees."""
        self.new_messages = (*self.new_messages, message)
        self._said.append(message)

    def close_calls(self, text: str) -> None:
        """Give calls that will never have a result this one: an unanswered question, calls beyond a limit."""
        for number in [*([self.ask_call] if self.ask_call else []), *(call.id for call in self.queue)]:
            self.say(Message("tool", text, tool_call_id=number))
        self.ask_call, self.queue = "", ()

    def mark_invalid(self) -> None:
        """The action of this step was rejected, or one of its calls failed."""
        if not self.step_invalid:
            self.step_invalid = True
            self.invalid_actions += 1

    def pend(self, stage: str, role: str, requests: Iterable[ModelRequest | ToolRequest]) -> None:
        """Wait for answers; `stage` is where it goes on."""
        asks = []
        for request in requests:
            self.asks_made += 1
            kind = "model" if isinstance(request, ModelRequest) else request.kind
            asks.append(Ask(f"a{self.asks_made}", kind, role, stage, request))
            self.record("ask", id=f"a{self.asks_made}", ask=kind, role=role, stage=stage, **self._kept(request))
        self.stage, self.pending = stage, tuple(asks)

    def _kept(self, request: ModelRequest | ToolRequest) -> dict[str, Any]:
        """What the record keeps of a request: a model's by its hash, and whole where the settings say so."""
        if not isinstance(request, ModelRequest):
            return {}
        kept: dict[str, Any] = {"sha256": request.sha256}
        return {**kept, "request": request.to_json()} if self.config.keep_prompts else kept

    # -- looking ---------------------------------------------------------------------------------------------------

    @property
    def history(self) -> str:
        """The whole transcript that the agent may see, as text."""
        if len(self._said):
            self._text = "".join((self._text, *map(render_message, self._said)))
            self._said = Log()
        return self._text

    def open_intents(self) -> tuple[Intent, ...]:
        """The intents still open, in file order."""
        return tuple(intent for intent in self.task.intents if self.statuses[intent.id] == "open")

    def evidence(self, events: Iterable[Event]) -> Evidence:
        """What some events and the present state show."""
        statuses = {intent.name: self.statuses[intent.id] for intent in self.task.intents}
        return evidence(events, self.opening.world, self.world, self.opening.mark, statuses, self.cron_start)

    @property
    def checklist(self) -> tuple[Item, ...]:
        """The items as they are graded: once a rule script has spoken, its own items stand in place of it."""
        return tuple(item for item, _ in script_items(self.task.checklist, self.script_results))

    def tally(self) -> Tally:
        """What the session's return is computed from."""
        intents = [
            (self.statuses[intent.id], intent.id in self.needless, intent.id in self.held)
            for intent in self.task.intents
        ]
        turns = sum(1 for event in self.log if event.kind == "reply" and event.data["how"] != "message")
        return Tally(intents, self.comp, turns, self.questions, self.invalid_actions)

    @property
    def identity(self) -> Identity:
        """Which session it is."""
        task, config = self.task, self.config
        return Identity(
            FAMILY, task.pack, task.pack_hash, task.id, task.variant, config.history, config.env_id, config.seed
        )

    @property
    def registry(self) -> Registry:
        """The tools that it offers."""
        return self.opening.registry

    @property
    def scores(self) -> Mapping[str, float | None]:
        """Proc, strict Proc, Comp and the return; None until the end, where undefined, and where unscored."""
        if not self.scored:
            return NO_SCORES
        strict = None if self.proc is None else self.proc - len(self.needless) / len(self.statuses)
        paid = total(self.return_components())
        return {"proc": self.proc, "strict_proc": strict, "comp": self.comp, "return": paid}

    def return_components(self) -> Mapping[str, float]:
        """The return by component, in closed form; of a scored session."""
        return return_components(self.config.reward, self.tally())

    # -- copying ---------------------------------------------------------------------------------------------------

    def fork(self) -> Self:
        """An independent session in the same state, at the same cost however long the session is."""
        # Not copy.copy: that would go through __getstate__, which is made for leaving the process.
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.world = self.world.fork()
        other.log = self.log.fork()
        other._said = self._said.fork()
        other.statuses = dict(self.statuses)
        other.settled_at = dict(self.settled_at)
        other.effort = Effort(self.effort.left)
        return other

    def __getstate__(self) -> dict[str, Any]:
        """References (task, start) and what changed since: never the pack's own content."""
        history = self.history
        state = dict(self.__dict__)
        del state["_text"], state["_said"]
        opening: Opening = state.pop("opening")
        world: World = state.pop("world")
        state["start"] = opening.start
        state["delta"], state["spent"] = world.workspace.delta(opening.mark), world.workspace.spent
        state["apps"] = {
            name: world.apps[name].delta(opening.world.apps.get(name) or Database()) for name in sorted(world.apps)
        }
        state["pending"] = tuple(_without_workspace(ask) for ask in self.pending)
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
        self.opening = open_task(self.task, start, self.config.tools, registry, subagent=self.config.subagent)
        self._text, self._said = self.opening.history + history, Log()
        self.log = Log(events)
        self.world = self.opening.world.fork()
        self.world.workspace.apply_delta(delta)
        self.world.workspace.spend(spent)
        for name in sorted(apps):
            self.world.put_app(name, (self.world.apps.get(name) or Database()).with_delta(apps[name]))
        self.pending = tuple(self._with_workspace(ask) for ask in self.pending)

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
