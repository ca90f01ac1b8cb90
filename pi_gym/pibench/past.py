"""The world that a session leaves when its reference is followed, made without a session.

Nobody judges and nobody listens: the reference's calls that change something are done, and what is said follows from
the wishes that it asks for. `pi-gym validate` proves that the session, played and judged, leaves the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from pi_gym.errors import PackError
from pi_gym.packs import Task
from pi_gym.packs.folder import HISTORY_FILE
from pi_gym.packs.solution_actions import calls_of, reply_of
from pi_gym.pibench.opening import choose_tools, stage
from pi_gym.pibench.remarks import assumption_words
from pi_gym.pibench.reminders import reminder_data
from pi_gym.pibench.session import ASK_USER, CALL_TIME, call_context
from pi_gym.pibench.turns import TURN_SECONDS
from pi_gym.pibench.views import session_log
from pi_gym.questions import AskedClause
from pi_gym.session.actions import clean
from pi_gym.state import World
from pi_gym.state.log import Log
from pi_gym.tools.declare import Effort
from pi_gym.tools.jobs import Fired, fire_due
from pi_gym.types import Event, ToolCall
from pi_gym.users.base import Decision
from pi_gym.users.rule import reveals, with_remarks


def composed_world(task: Task, start: World) -> World | None:
    """The world that a task's reference leaves to the next session.

    Args:
        task: the task.
        start: the world that the session begins in.

    Returns:
        None where what the user says hangs on more than the questions that the reference asks: then it has to be
        played.
    """
    steps = task.solution
    past = _Past(task, start)
    for place, (index, step) in enumerate(steps, start=1):
        if "calls" in step:
            calls = calls_of(step, index)
            if any(call.name == ASK_USER for call, _ in calls):
                return None
            for call, result in calls:
                past.call(call, result)
            continue
        text, asks, is_last = clean(reply_of(step, task.canary)), step.get("asks", {}), place == len(steps)
        if is_last and not asks:
            past.reply(text)
            return with_entry(past.world, task, past.log)
        # With a question mark more, something else is asked too: what is said to that only the matcher knows.
        if is_last or not asks or text.count("?") != len(asks):
            return None
        past.ask(text, asks)
    return None


class _Past:
    """The doings and the record of a session, as far as later sessions can see them."""

    def __init__(self, task: Task, start: World) -> None:
        self.task = task
        self.registry = choose_tools(task, "task")
        self.world, fired = stage(task, start, self.registry)
        self.clock = datetime.fromisoformat(task.time)
        self.log: Log[Event] = Log()
        self._remind(fired)

    def _note(self, kind: str, **data: Any) -> None:
        self.log.append(Event(kind, 0, 0, data))

    def _remind(self, fired: tuple[Fired, ...]) -> None:
        for one in fired:
            self._note("reminder", **reminder_data(one))

    def call(self, call: ToolCall, declared: Mapping[str, Any] | None) -> None:
        """Make a call, unless it only reads; `declared` is the result of a command."""
        self._note("call", name=call.name)
        self.clock += CALL_TIME
        if call.name in self.registry and self.registry.get(call.name).effect == "read":
            return
        context = call_context(self.task, self.world, self.clock, Effort(), self.task.home.web)
        if declared is None:
            done = self.registry.run(call, context)
        else:
            done = self.registry.resume(call, context, dict(declared))
        if not done.ok or done.request is not None:
            said = done.text or f"it asks for something from outside ({call.name})"
            field = f"the reference's call of {call.name} (variant {self.task.variant})"
            raise PackError(f"tasks/{self.task.id}/task.yaml", field, said)
        for sent in context.outbox:
            self._note("reply", text=sent.text)

    def reply(self, text: str) -> None:
        """Give a reply."""
        self._note("reply", text=text)
        self.clock += timedelta(seconds=TURN_SECONDS)

    def ask(self, text: str, questions: Mapping[str, str]) -> None:
        """Give a reply that asks for wishes, and have it answered.

        Args:
            text: of the reply.
            questions: by wish, the question in it.
        """
        self.reply(text)
        hits = tuple(intent for intent in self.task.intents if intent.name in questions)
        clauses = [AskedClause(questions[intent.name], (intent.id,), "hit") for intent in hits]
        decision = Decision("answer", hits, assumption_words(hits, clauses))
        said = with_remarks(reveals(decision), decision)
        self._remind(fire_due(self.world, self.clock, self.task.persona.timezone))
        self._note("user", text=said)


def with_entry(left: World, task: Task, log: Log[Event]) -> World:
    """A world with a session's entry in the log of sessions."""
    world = left.fork()
    before = world.workspace.text(HISTORY_FILE) or ""
    number = before.count("\n## Conversation ") + 1
    entry = session_log(number, task.time, task.opening, log)
    world.workspace.write(HISTORY_FILE, (before + entry).encode(), limited=False)
    return world
