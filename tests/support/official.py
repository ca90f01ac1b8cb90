"""The fixture in the official layout, a copy of the real one where there is one, and roles that ask a model."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pi_gym.graders.base import FinalView
from pi_gym.models.role_requests import Answers, Requests
from pi_gym.models.scripted import ScriptedModel
from pi_gym.packs import Pack, load_pack, pack_world
from pi_gym.pibench.opening import open_task
from pi_gym.pibench.session import PiSession
from pi_gym.pibench.settings import SessionConfig
from pi_gym.questions import Asked
from pi_gym.types import Answer, Ask, ModelRequest, Verdict
from pi_gym.users.base import Decision, Satisfied, TurnView

GARDENER = Path(__file__).parents[1] / "packs_official" / "gardener"


def gardener() -> Pack:
    return load_pack(GARDENER)


def official_copy() -> Path:
    """The folder of a persona in the official layout that this machine has; without one the test is skipped."""
    place = os.environ.get("PI_BENCH_OFFICIAL", "")
    if not place:
        pytest.skip("PI_BENCH_OFFICIAL does not name a persona's folder in the official layout")
    return Path(place)


def request(stage: str) -> Requests:
    return (ModelRequest(({"role": "user", "content": stage},), {"type": "object"}, stage),)


@dataclass
class ScriptedUser:
    """One request a stage; answers are lists of intent ids, and texts (None: the intents' own)."""

    name: str = "scripted"

    def satisfied(self, view: TurnView, answers: Answers | None = None) -> Satisfied | Requests:
        return request("satisfied") if answers is None else Satisfied(dict.fromkeys(answers[0].value, "so said"))

    def asked(self, view: TurnView, answers: Answers | None = None) -> Asked | Requests:
        return request("asked") if answers is None else Asked((), tuple(answers[0].value), view.misses, 0)

    def message(self, view: TurnView, decision: Decision, answers: Answers | None = None) -> str | Requests:
        if answers is None:
            return request("message")
        return answers[0].value or "\n".join(intent.reveal for intent in decision.intents)


@dataclass
class ScriptedGrader:
    """One request; the answer maps item ids to truth values."""

    name: str = "scripted"

    def grade(self, view: FinalView, answers: Answers | None = None) -> tuple[Verdict, ...] | Requests:
        if answers is None:
            return request("grade")
        passed = answers[0].value
        return tuple(Verdict(i.id, "passed" if passed.get(i.id) else "failed", i.grader, "so said") for i in view.items)


def passive(ask: Ask) -> object:
    """A user whom nothing satisfies and nobody asks, and a grader who passes c1."""
    return {"satisfied": [], "asked": [], "message": None, "grade": {"c1": True}}[ask.stage]


def opened_official(pack: Pack, task_id: str, **config: Any) -> PiSession:
    task = pack.instantiate(task_id)
    opening = open_task(task, pack_world(pack), "task")
    roles = {"user": ScriptedUser(), "grader": ScriptedGrader()}
    return PiSession(task, config=SessionConfig(**config), opening=opening, **roles)


def answering(
    model: Callable[[Ask], object] = passive, shell: Callable[[Ask], Answer] | None = None
) -> Callable[[tuple[Ask, ...]], list[Answer]]:
    """Answers asks: those for a shell with `shell`, the others with a scripted model."""
    scripted = ScriptedModel(model)

    def answer(asks: tuple[Ask, ...]) -> list[Answer]:
        return [shell(one) if one.kind == "shell" and shell is not None else scripted([one])[0] for one in asks]

    return answer
