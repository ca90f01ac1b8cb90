"""Whether the engine shows the agent anything hidden: canaries, searched for in all that the environment gives."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import re2
from pi_gym.baselines.adversaries import GENERIC_QUESTIONS, hidden_lines, silent, writes
from pi_gym.baselines.validate.plays import Case
from pi_gym.baselines.validate.report import Sheet

from pi_gym.env import PiEnv
from pi_gym.packs import Pack, Task
from pi_gym.sampling import Start
from pi_gym.session import Trajectory
from pi_gym.users.base import User

CANARY = "qzcanary"
MIN_REASON_CHARS = 20
_MARK = re2.compile(CANARY + r"-([a-z]+[0-9]*)")


class CanaryEnv(PiEnv):
    """The environment, over tasks whose hidden texts carry a canary where one is set."""

    canary = ""

    def _find(self, start: Start) -> tuple[Pack, Task]:
        return start.pack, start.pack.instantiate(start.task_id, start.variant, canary=self.canary)


def check_leaks(case: Case, sheet: Sheet, user: User | Literal["rule"] = "rule") -> None:
    """Drive the canary build with the plain build's actions and search all that the agent gets, at every step."""
    env = CanaryEnv(case.pack.source, history="reference", user=user)
    lines = hidden_lines(case.task)
    plans: dict[str, tuple[Sequence[str], str]] = {
        "reference": (case.task.reference, ""),
        "silent": ((), silent(case.scene).closing),
        "stuffing": (writes({"stuffed.md": "\n".join(lines)}), "\n".join(lines)),
        "asking": ((), "\n".join(GENERIC_QUESTIONS[:10])),
    }
    for name, (actions, closing) in plans.items():
        env.canary = CANARY
        seen: set[str] = set()
        for step, visible in _drive(env, case.task, actions, closing):
            for mark in marks(visible) - seen - stated(env):
                seen.add(mark)
                sheet.fail(mark_name(case.task, mark), f"its hidden text reaches the agent at step {step} of {name}")
            sheet.peak("steps, most", step)
        marked = _outcome(env)
        env.canary = ""
        *_, (_, last) = _drive(env, case.task, actions, closing)
        for reason in _reasons(env):
            if reason in last:
                sheet.fail(name, f"a predicate's verdict reaches the agent: {reason}")
        if marked != _outcome(env):
            sheet.fail(name, f"the build with canaries ends in {marked}, the plain one in {_outcome(env)}")
    env.close()


def _drive(env: PiEnv, task: Task, actions: Sequence[str], closing: str) -> Iterator[tuple[int, str]]:
    """Everything that the agent gets, as one text per step; step 0 is the reset."""
    observation, info = env.reset(options={"task": task.id, "variant": task.variant})
    yield 0, _visible(observation, info)
    done, step = False, 0
    while not done:
        action = actions[step] if step < len(actions) else closing
        observation, _, terminated, truncated, info = env.step(action)
        step, done = step + 1, terminated or truncated
        yield step, _visible(observation, info)


def _visible(observation: Mapping[str, str], info: Mapping[str, Any]) -> str:
    return "\n".join([*observation.values(), json.dumps(info, ensure_ascii=False, default=str)])


def _outcome(env: PiEnv) -> dict[str, Any]:
    assert env.session is not None
    record: Trajectory = env.session.trajectory()
    return {
        "intents": [(entry["id"], entry["status"], entry["turn"]) for entry in record.intents],
        "checklist": [(entry["id"], entry["verdict"]) for entry in record.checklist],
        "scores": (record.proc, record.comp),
    }


def _reasons(env: PiEnv) -> list[str]:
    """What predicates said of this session, where it is long enough to be theirs alone."""
    assert env.session is not None
    events = (event.data for event in env.session.log if event.kind in ("status", "verdict"))
    return [data["reason"] for data in events if len(data["reason"]) >= MIN_REASON_CHARS]


def marks(text: str) -> set[str]:
    """What the canaries in a text stand for: "i1", "c2", "reference"."""
    return set(_MARK.findall(text)) if CANARY in text else set()


def stated(env: PiEnv) -> set[str]:
    """The intents that the user has stated, whose text is hidden no more."""
    assert env.session is not None
    return {number for number, status in env.session.statuses.items() if status in ("inferred", "provided")}


def mark_name(task: Task, mark: str) -> str:
    """The author's name for what a canary stands for."""
    names = {intent.id: f"intent {intent.name}" for intent in task.intents}
    names |= {item.id: f"item {item.name}" for item in task.checklist}
    return names.get(mark, mark)
