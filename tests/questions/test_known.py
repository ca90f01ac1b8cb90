"""Questions that ask for one wish of a task, and for no other: the questions that its word lists were made with.

`known/<task>.yaml` has `asking`: for each wish of the pool, questions for it and for nothing else; `beside`: questions
for no wish; `near`: for a wish, questions for something else, another wish too. `test_blind.py` has questions whose
writers had not seen the lists.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.questions import asked, pool, written

FOLDER = Path(__file__).parent / "known"
TASKS = sorted(path.stem for path in FOLDER.iterdir())
PARTS = {"asking", "beside", "near"}


def known(task: str) -> dict[str, Any]:
    return written(FOLDER / f"{task}.yaml")


@pytest.mark.parametrize("task", TASKS)
def test_questions_are_known_for_the_whole_pool(task: str) -> None:
    assert set(known(task)) <= PARTS
    assert list(known(task)["asking"]) == pool(task)
    assert set(known(task).get("near", ())) <= set(pool(task))
    every = [question for questions in known(task)["asking"].values() for question in questions]
    assert len(set(every)) == len(every)


@pytest.mark.parametrize("task", TASKS)
def test_a_question_asks_for_its_wish_alone(task: str) -> None:
    asking = [(name, question) for name, questions in known(task)["asking"].items() for question in questions]
    otherwise = {question: names for name, question in asking if (names := asked(task, question)) != {name}}
    assert len(otherwise) <= 0.05 * len(asking), otherwise


@pytest.mark.parametrize("question", ["How should the file be called?", "What should the file be called?"])
@pytest.mark.parametrize("task", [task for task in TASKS if "naming" in pool(task)])
def test_a_file_is_asked_to_be_called_something_in_every_task(task: str, question: str) -> None:
    assert "naming" in asked(task, question)


@pytest.mark.parametrize("task", TASKS)
def test_each_wish_is_asked_for_by_most_of_its_questions(task: str) -> None:
    for name, questions in known(task)["asking"].items():
        heard = [question for question in questions if name in asked(task, question)]
        assert len(heard) >= 0.7 * len(questions), (name, set(questions) - set(heard))


def test_what_is_beside_the_point_or_nearby_is_seldom_taken() -> None:
    beside = [(task, question) for task in TASKS for question in known(task).get("beside", ())]
    near = [
        (task, name, question)
        for task in TASKS
        for name, questions in known(task).get("near", {}).items()
        for question in questions
    ]
    taken = [(task, question) for task, question in beside if asked(task, question)]
    taken += [(task, question) for task, name, question in near if name in asked(task, question)]
    assert len(taken) <= 0.06 * (len(beside) + len(near)), taken
