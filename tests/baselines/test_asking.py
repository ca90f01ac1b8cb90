from __future__ import annotations

import gymnasium as gym
import pytest
from support.packs import TINY

from pi_gym.baselines.asking import QUESTIONS, AskingAgent
from pi_gym.questions.clauses import asking_clauses


def replies(task: str, variant: int, count: int) -> list[str]:
    env = gym.make("PiBench-v0", pack=str(TINY), disable_env_checker=True)
    observation, info = env.reset(seed=0, options={"task": task, "variant": variant})
    agent = AskingAgent()
    agent.reset(observation, info, env)
    return [agent.act(observation, info) for _ in range(count)]


def test_two_questions_a_turn_until_none_is_left():
    turns = len(QUESTIONS) // 2
    said = replies("01-list", 0, turns + 1)
    assert all(reply.count("?") == 2 for reply in said[:turns])
    assert len(set(said[:turns])) == turns
    assert "?" not in said[turns]
    assert "{" not in "".join(said)


def test_the_questions_depend_on_task_and_variant_alone():
    assert replies("01-list", 0, 5) == replies("01-list", 0, 5)
    assert replies("01-list", 0, 5) != replies("01-list", 1, 5)
    assert replies("01-list", 0, 5) != replies("02-memo", 0, 5)


def test_topics_are_words_of_the_request():
    words = " ".join(replies("02-memo", 0, len(QUESTIONS) // 2))
    assert "neighbour" in words
    assert "assistant" not in words


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_question_of_the_bank_counts_as_one(question):
    assert len(asking_clauses(question.replace("{topic}", "report"))) >= 1
