"""Playing a list of actions on a task, and what one case of validation consists of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pi_gym.baselines.adversaries import Plan, Scene
from pi_gym.baselines.memory import another
from pi_gym.baselines.validate.rendering import Rendering, rendering
from pi_gym.packs import Pack, Task
from pi_gym.packs.source import TaskSource
from pi_gym.packs.task import ReferenceAction
from pi_gym.questions import asking_clauses
from pi_gym.session import Session, SessionConfig, parse_action
from pi_gym.session.declared import declared_answer
from pi_gym.session.opening import Opening
from pi_gym.session.openings import opening_for


@dataclass(frozen=True)
class Play:
    """A session after its actions.

    Args:
        session: the session.
        rewards: the reward of each step.
        unplayed: actions that were left when it ended.
    """

    session: Session
    rewards: tuple[float, ...]
    unplayed: int

    @cached_property
    def statuses(self) -> Mapping[str, str]:
        """Intent name to status."""
        return {intent.name: self.session.statuses[intent.id] for intent in self.session.task.intents}

    @cached_property
    def reasons(self) -> Mapping[str, str]:
        """Intent name to the reason for its status, for those that are not open."""
        names = {intent.id: intent.name for intent in self.session.task.intents}
        events = (event.data for event in self.session.log if event.kind == "status")
        return {names[data["intent"]]: data["reason"] for data in events}

    @property
    def held(self) -> frozenset[str]:
        """The names of the intents whose predicate holds in the end."""
        return frozenset(intent.name for intent in self.session.task.intents if intent.id in self.session.held)

    @property
    def passed(self) -> list[str]:
        """The passed items: name and reason."""
        return self._items("passed")

    @property
    def failed(self) -> list[str]:
        """The failed items: name and reason."""
        return self._items("failed")

    def _items(self, verdict: str) -> list[str]:
        names = {item.id: item.name for item in self.session.task.checklist}
        return [f"{names[v.id]} ({v.reason})" for v in self.session.verdicts if v.verdict == verdict]


def play(opening: Opening, actions: Sequence[str], closing: str | None = "") -> Play:
    """Play actions on a fresh session, then the closing reply until the session ends.

    Args:
        opening: the session's opening.
        actions: action texts.
        closing: the reply to everything afterwards; None leaves the session open.
    """
    session = Session(opening.task, opening=opening, config=SessionConfig(history="reference"))
    rewards: list[float] = []
    unplayed = len(actions)
    for action in actions:
        rewards.append(step_once(session, action))
        unplayed -= 1
        if session.ended:
            break
    while closing is not None and not session.ended:
        rewards.append(step_once(session, closing))
    return Play(session, tuple(rewards), unplayed)


def step_once(session: Session, action: str) -> float:
    """One action; a command does what the reference declares, other asks get an error. Gives the step's reward."""
    session.apply(action)
    while session.pending:
        for ask in session.pending:
            session.answer(ask.id, declared_answer(session, ask, action))
    return session.step.reward if session.step is not None else 0.0


@dataclass(frozen=True)
class Case:
    """One task in one variant, in the world that the reference sessions before it left.

    Args:
        pack: the pack.
        source: the task's template.
        task: the task.
        opening: the session before its first action.
    """

    pack: Pack
    source: TaskSource
    task: Task
    opening: Opening

    @property
    def scene(self) -> Scene:
        """What adversaries plan from."""
        return Scene(self.task, self.opening.world.workspace)

    @cached_property
    def reference(self) -> Play:
        """The reference, played; left open where it does not reach the end."""
        return play(self.opening, self.task.reference, None)

    @cached_property
    def plain(self) -> Rendering:
        """The task's templates for the true values."""
        return self.under({})

    def under(self, belief: Mapping[str, Any]) -> Rendering:
        """The task's templates as they would read with other hidden values, which are given by parameter name."""
        return rendering(self.pack, self.source, self.task.variant, belief)

    @cached_property
    def visible(self) -> Play:
        """The work with a wrong value for every drawn intent that stands for some, and no questions."""
        names = dict.fromkeys(name for intent in self.task.intents for name in intent.values)
        belief = {name: another(self.pack, self.task, name) for name in names}
        return play(self.opening, without_questions(self.task.reference_for(belief)))

    def run(self, plan: Plan) -> Play:
        """A plan, played to the end."""
        return play(self.opening, plan.actions, plan.closing)


def make_case(pack: Pack, task_id: str, variant: int) -> Case:
    """The case of one task and variant."""
    task = pack.instantiate(task_id, variant)
    return Case(pack, pack.source_of(task_id), task, opening_for(pack, task, "reference", "task"))


def without_questions(actions: Sequence[str]) -> list[str]:
    """The same work by an agent that does not ask: questions are dropped, whether calls or replies."""
    kept: list[str] = []
    for action in actions:
        parsed = parse_action(action)
        if not parsed.calls:
            if not asking_clauses(parsed.content):
                kept.append(action)
            continue
        results = action.results if isinstance(action, ReferenceAction) else (None,) * len(parsed.calls)
        pairs = zip(parsed.calls, results, strict=True)
        working = [(call, result) for call, result in pairs if not _asks(call.name, call.arguments)]
        if working:
            text = "\n".join(call.to_text() for call, _ in working)
            kept.append(ReferenceAction.of(text, [result for _, result in working]))
    return kept


def _asks(name: str, arguments: Mapping[str, object]) -> bool:
    return name == "ask_user" or (name == "message" and bool(asking_clauses(str(arguments.get("content", "")))))
