"""Recall and precision of every task's questions.yaml over questions by writers who did not see the patterns.

`blind/<pack>/<task>.yaml` has, for each intent, the variant whose text the writer saw, targeted questions for it, and
near misses: questions about something else with the same words. The word lists were made with other questions in view
(the Pharmacist's with others of the same writers); the weights of `pi_gym.questions.claims` are fitted on the
Researcher's, and hold on tasks left out of it. Who tunes lists on them needs new ones. The figures are printed by
`pytest -rP tests/questions/test_blind.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from support.questions import asked, loaded, pool, written

FOLDER = Path(__file__).parent / "blind"


class Bounds(NamedTuple):
    """What is asked of a pack's lists, and of the pack on them."""

    targeted: int
    near: int
    recall: float
    precision: float
    wrong: float


BOUNDS = {"researcher": Bounds(15, 15, 0.88, 0.92, 0.05), "pharmacist": Bounds(4, 2, 0.79, 0.85, 0.07)}
TASKS = [(pack, task) for pack in BOUNDS for task in loaded(pack).task_ids]


@dataclass(frozen=True)
class Figures:
    """How one intent's questions were taken."""

    task: str
    intent: str
    heard: int
    targeted: int
    taken: int
    near: int
    wrong: int

    @property
    def recall(self) -> float:
        return self.heard / self.targeted

    @property
    def precision(self) -> float:
        return self.heard / (self.heard + self.taken) if self.heard + self.taken else 0.0


def blind(pack: str, task: str) -> dict[str, Any]:
    return written(FOLDER / pack / f"{task}.yaml")


@cache
def figures(pack: str, task: str) -> tuple[Figures, ...]:
    measured = []
    for intent, entry in blind(pack, task).items():
        named = [asked(task, question, entry["variant"], pack) for question in entry["targeted"]]
        heard, wrong = sum(intent in names for names in named), sum(bool(names - {intent}) for names in named)
        taken = sum(intent in asked(task, question, entry["variant"], pack) for question in entry["near"])
        measured.append(Figures(task, intent, heard, len(named), taken, len(entry["near"]), wrong))
    return tuple(measured)


@pytest.mark.parametrize(("pack", "task"), TASKS)
def test_every_intent_has_enough_different_questions(pack: str, task: str) -> None:
    assert list(blind(pack, task)) == pool(task, pack)
    least = BOUNDS[pack]
    for intent, entry in blind(pack, task).items():
        assert len(set(entry["targeted"])) >= least.targeted, intent
        assert len(set(entry["near"])) >= least.near, intent
        assert not set(entry["targeted"]) & set(entry["near"]), intent


@pytest.mark.slow
@pytest.mark.parametrize("pack", BOUNDS)
def test_recall_and_precision_over_the_pack(pack: str) -> None:
    tasks = loaded(pack).task_ids
    assert sorted(path.stem for path in (FOLDER / pack).iterdir()) == sorted(tasks)
    every = [one for task in tasks for one in figures(pack, task)]
    print("task, intent, recall, precision")
    for one in every:
        print(f"{one.task}, {one.intent}, {one.recall:.2f}, {one.precision:.2f}")
    heard, taken = sum(one.heard for one in every), sum(one.taken for one in every)
    targeted, near = sum(one.targeted for one in every), sum(one.near for one in every)
    # As if there were as many near misses as questions.
    recall, precision = heard / targeted, heard / (heard + taken * targeted / near)
    wrong = sum(one.wrong for one in every) / targeted
    print(f"{pack}: {len(every)} intents, {targeted} targeted questions, {near} near misses:")
    print(f"recall {recall:.3f}, precision {precision:.3f}, credited to another one too or instead {wrong:.3f}")
    bounds = BOUNDS[pack]
    assert recall >= bounds.recall
    assert precision >= bounds.precision
    assert wrong <= bounds.wrong
