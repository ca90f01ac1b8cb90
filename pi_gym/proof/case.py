"""One case of validation: a task in one variant, and what is played on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pi_gym.baselines.memory import another
from pi_gym.packs import Pack, Task
from pi_gym.packs.source import TaskSource
from pi_gym.packs.task import ReferenceAction
from pi_gym.pibench.history import opening_for
from pi_gym.pibench.opening import Opening
from pi_gym.proof.adversaries import Scene, Tactic
from pi_gym.proof.rendering import Rendering, rendering
from pi_gym.proof.stage import Stage, StagedPlay
from pi_gym.questions import asking_clauses
from pi_gym.sampling import FIRST_VALIDATION
from pi_gym.session import parse_action

EARLY_VARIANTS = 3


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
    def early(self) -> bool:
        """Whether it is among the first of its split: what does not depend on the variant is looked at there only."""
        return self.task.variant % FIRST_VALIDATION < EARLY_VARIANTS

    @property
    def scene(self) -> Scene:
        """The scene that adversaries plan from."""
        return Scene(self.task, self.opening.world.workspace, self.work_for)

    @cached_property
    def stage(self) -> Stage:
        """The stage for sessions in the world that the past left."""
        return Stage(self.opening)

    @cached_property
    def bare(self) -> Stage:
        """The stage for sessions in a world without a past."""
        return Stage(opening_for(self.pack, self.task, "none", "task"))

    @cached_property
    def reference(self) -> StagedPlay:
        """The reference, played; left open where it does not reach the end."""
        return self.stage.play(self.task.reference, None)

    def work_for(self, belief: Mapping[str, Any]) -> list[str]:
        """The reference as it would be for other hidden values, which are given by parameter name; made once each."""
        wrong = {name: value for name, value in belief.items() if value != self.task.values[name]}
        key = repr(sorted(wrong.items()))
        if key not in self._works:
            self._works[key] = self.task.reference_for(wrong) if wrong else self.task.reference
        return self._works[key]

    @cached_property
    def _works(self) -> dict[str, list[str]]:
        return {}

    @cached_property
    def plain(self) -> Rendering:
        """The task's templates for the true values."""
        return self.under({})

    def under(self, belief: Mapping[str, Any]) -> Rendering:
        """The task's templates as they would read with other hidden values, which are given by parameter name."""
        return rendering(self.pack, self.source, self.task.variant, belief)

    @cached_property
    def visible(self) -> StagedPlay:
        """The work with a wrong value for every drawn intent that stands for some, and no questions."""
        names = dict.fromkeys(name for intent in self.task.intents for name in intent.values)
        belief = {name: another(self.pack, self.task, name) for name in names}
        return self.stage.play(without_questions(self.work_for(belief)))

    def run(self, plan: Tactic) -> StagedPlay:
        """A plan, played to the end."""
        return self.stage.play(plan.actions, plan.closing)


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
