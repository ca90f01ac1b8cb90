"""Recall and precision of every task's questions.yaml over questions by writers who did not see the patterns.

`blind/<task>.yaml` has, for each intent, the variant whose text the writer saw, targeted questions for it, and near
misses: questions about something else with the same words. The word lists were made with other writers' questions in
view; the weights of `pi_gym.questions.claims` are fitted on these, and hold on tasks left out of it. Who tunes lists
on them needs new ones. The figures are printed by `pytest -rP tests/questions/test_blind.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from support.questions import asked, pool, researcher, written

FOLDER = Path(__file__).parent / "blind"
LEAST = 15
RECALL, PRECISION, WRONG_CREDIT = 0.88, 0.92, 0.05


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


def blind(task: str) -> dict[str, Any]:
    return written(FOLDER / f"{task}.yaml")


@cache
def figures(task: str) -> tuple[Figures, ...]:
    measured = []
    for intent, entry in blind(task).items():
        named = [asked(task, question, entry["variant"]) for question in entry["targeted"]]
        heard, wrong = sum(intent in names for names in named), sum(bool(names - {intent}) for names in named)
        taken = sum(intent in asked(task, question, entry["variant"]) for question in entry["near"])
        measured.append(Figures(task, intent, heard, len(named), taken, len(entry["near"]), wrong))
    return tuple(measured)


@pytest.mark.parametrize("task", researcher().task_ids)
def test_every_intent_has_enough_different_questions(task: str) -> None:
    assert list(blind(task)) == pool(task)
    for intent, entry in blind(task).items():
        for kind in ("targeted", "near"):
            assert len(set(entry[kind])) >= LEAST, f"{intent}: {kind}"
        assert not set(entry["targeted"]) & set(entry["near"]), intent


def test_recall_and_precision_over_the_pack() -> None:
    assert sorted(path.stem for path in FOLDER.iterdir()) == sorted(researcher().task_ids)
    every = [one for task in researcher().task_ids for one in figures(task)]
    print("task, intent, recall, precision")
    for one in every:
        print(f"{one.task}, {one.intent}, {one.recall:.2f}, {one.precision:.2f}")
    heard, taken = sum(one.heard for one in every), sum(one.taken for one in every)
    targeted, near = sum(one.targeted for one in every), sum(one.near for one in every)
    recall, precision, wrong = heard / targeted, heard / (heard + taken), sum(one.wrong for one in every) / targeted
    print(f"{len(every)} intents, {targeted} targeted questions, {near} near misses:")
    print(f"recall {recall:.3f}, precision {precision:.3f}, credited to another one too or instead {wrong:.3f}")
    assert recall >= RECALL
    assert precision >= PRECISION
    assert wrong <= WRONG_CREDIT
