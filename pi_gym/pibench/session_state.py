"""Everything that a session knows: what it was given, where it stands, what it has recorded.

A plain record with the few operations that keep it whole; the protocol is in `pi_gym.pibench.turns`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Self
from weakref import WeakKeyDictionary

from pi_gym.graders.base import Grader
from pi_gym.packs import Intent, Item, Task
from pi_gym.pibench.opening import Opening, choose_tools, open_task
from pi_gym.pibench.reminders import reminder_data
from pi_gym.pibench.settings import MIN_QUESTIONS, NEEDLESS_CREDITED, SPARE_QUESTIONS, SessionConfig
from pi_gym.pibench.standing import NO_SCORES, Ruling, Standing, judged_items
from pi_gym.pibench.views import NO_CHANGES, NOTHING_DECLINED, evidence, widened
from pi_gym.predicates import Evidence
from pi_gym.predicates.evidence import ChangeSpan, Place, SentMessages
from pi_gym.results.guarding import sent_so_far
from pi_gym.session.live_session import LiveSession
from pi_gym.session.trajectory import Identity
from pi_gym.state import Database, World
from pi_gym.state.log import Log
from pi_gym.tools import Registry
from pi_gym.types import (
    Ask,
    Event,
    IntentStatus,
    Message,
    ToolRequest,
    Verdict,
)
from pi_gym.users.base import User

WORKSPACE = "workspace"
"""The name of the copy of the workspace in the payload of a request."""
FAMILY = "pibench"
"""The family's name in keys and records."""
NOTHING_TOLD: tuple[tuple[Intent, ...] | None, frozenset[str]] = (None, frozenset())
#: By opening, the intents of its task and the ids of those that its world tells: found once for all sessions that open
#: alike. The opening cannot hold them itself: what shows an agent its session reads nothing that is hidden.
_told: WeakKeyDictionary[Opening, tuple[tuple[Intent, ...] | None, frozenset[str]]] = WeakKeyDictionary()


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


class SessionState(LiveSession):
    """The state of a session: what `LiveSession` has, and beside it what this family's protocol needs.

    Args:
        task: the task.
        config: limits, patience, reward and the like.
        user: the simulated user.
        grader: the grader.
        opening: how it opened; shared with the sessions that opened alike.

    Attributes:
        said: the agent's replies so far, questions and messages too.
        change_spans: by file and table, how many replies came before the agent first and last changed it.
        cron_start: the scheduled jobs as the session found them, with what firing did to them; None until one fired.
        declined: by the name of a wish that the user has declined, the messages that were sent by then.
        standing: the statuses of the intents, and the questions; `before` is how it was when the action came.
        in_turn: the turn in progress.
    """

    def __init__(self, task: Task, config: SessionConfig, user: User, grader: Grader, opening: Opening) -> None:
        self.task, self.config, self.user, self.grader, self.opening = task, config, user, grader, opening
        super().__init__(
            Identity(FAMILY, task.pack, task.id, task.variant, config.history, config.env_id, config.seed),
            opening.world.fork(),
            datetime.fromisoformat(task.time),
            opening.history,
            strict=config.strict,
            keep_prompts=config.keep_prompts,
        )
        self.said: tuple[str, ...] = ()
        self.change_spans: Mapping[Place, ChangeSpan] = NO_CHANGES
        self.cron_start: Database | None = None
        self.declined: Mapping[str, SentMessages] = NOTHING_DECLINED
        self.standing = Standing.at_opening(task.intents)
        self.in_turn, self.before = OpenTurn(), self.standing
        self._seen: tuple[Standing, Evidence] | None = None
        for fired in opening.fired:
            self.record("reminder", **reminder_data(fired))

    def begin_step(self) -> None:
        """Forget what belongs to the last action."""
        super().begin_step()
        self.before, self._seen = self.standing, None

    def begin_turn(self) -> None:
        """The user has spoken, and the agent has the word."""
        self.turn += 1
        self.in_turn, self._seen = OpenTurn(len(self.log), self.tool_calls), None

    # -- recording -------------------------------------------------------------------------------------------------

    def record_reply(self, text: str, how: str, **data: Any) -> None:
        """Append a reply to the log."""
        self.record("reply", text=text, how=how, **data)
        self.said = (*self.said, text)

    def follow(self, ruling: Ruling) -> None:
        """Let a judgement count."""
        self.standing = ruling.standing
        for kind, data in ruling.notes:
            self.record(kind, **data)

    def decline(self, names: Iterable[str]) -> None:
        """Keep that the user declines some wishes; what she said once holds as of then."""
        new = [name for name in names if name not in self.declined]
        if new:
            self.declined = {**self.declined, **dict.fromkeys(new, sent_so_far(self.turn_evidence()))}

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

    # -- looking ---------------------------------------------------------------------------------------------------

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
            self.declined,
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
    def offered(self) -> frozenset[str]:
        """Ids of the intents that are offered, and not looked up: what the work leaves behind.

        Only where the task says how many questions are answered: a list learnt by heart earns no more than these.
        """
        if self.task.question_budget is None:
            return frozenset()
        return frozenset(one.id for one in self.task.intents if one.is_beyond)

    @property
    def needless_credited(self) -> int | None:
        """The number of needless questions that are credited; None for all."""
        return None if self.config.paper_letter else NEEDLESS_CREDITED

    def open_intents(self) -> tuple[Intent, ...]:
        """The intents still open, in file order."""
        return self.standing.open(self.task.intents)

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
        other = super().fork()
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
