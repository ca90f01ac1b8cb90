"""Questions that ask for one intent of a task, and for no other: the questions that its patterns were made with.

`known/<task>.yaml` has `asking`: for each intent of the pool, questions for it and for nothing else; `missed`: those of
them that the patterns do not take so (one that they come to take leaves the list); `beside`: questions for no intent;
`near`: for an intent, questions for something else, another intent too. `test_blind.py` has questions whose writers had
not seen the patterns.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.questions import asked, pool, written

FOLDER = Path(__file__).parent / "known"
TASKS = sorted(path.stem for path in FOLDER.iterdir())
INTENTS = [(task, intent) for task in TASKS for intent in pool(task)]
PARTS = {"asking", "missed", "beside", "near"}


def known(task: str) -> dict[str, Any]:
    return written(FOLDER / f"{task}.yaml")


def having(part: str) -> list[str]:
    return [task for task in TASKS if part in known(task)]


@pytest.mark.parametrize("task", TASKS)
def test_questions_are_known_for_the_whole_pool(task: str) -> None:
    assert set(known(task)) <= PARTS
    assert list(known(task)["asking"]) == pool(task)
    assert set(known(task).get("near", ())) <= set(pool(task))
    every = [question for questions in known(task)["asking"].values() for question in questions]
    assert len(set(every)) == len(every)
    assert set(known(task).get("missed", ())) <= set(every)


@pytest.mark.parametrize(("task", "intent"), INTENTS)
def test_a_question_asks_for_its_intent_alone(task: str, intent: str) -> None:
    questions, missed = known(task)["asking"][intent], known(task).get("missed", ())
    heard = {question: asked(task, question) for question in questions}
    taken_otherwise = {question: names for question, names in heard.items() if names != {intent}}
    assert set(taken_otherwise) == set(questions) & set(missed), taken_otherwise
    assert len(taken_otherwise) <= 0.2 * len(questions)


@pytest.mark.parametrize("task", having("beside"))
def test_what_is_beside_the_point_asks_for_nothing(task: str) -> None:
    heard = {question: asked(task, question) for question in known(task)["beside"]}
    assert not {question: names for question, names in heard.items() if names}


@pytest.mark.parametrize(("task", "intent"), [(task, one) for task in having("near") for one in known(task)["near"]])
def test_a_question_nearby_does_not_ask_for_the_intent(task: str, intent: str) -> None:
    assert not [question for question in known(task)["near"][intent] if intent in asked(task, question)]
