"""Reset and step in halves: what a driver of many environments builds on."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from support.asking import AskingGrader, AskingUser
from support.packs import TINY

from pi_gym.driving.settling import settle
from pi_gym.models.scripted import ScriptedModel
from pi_gym.pibench.env import PiEnv
from pi_gym.session.answerers import Waiting, Waits
from pi_gym.types import Answer

TASKS = ("01-list", "02-memo")


def as_ruled(_: object) -> None:
    """Leaves a judgement to the rules."""


def asking(**options: Any) -> PiEnv:
    model = ScriptedModel(as_ruled)
    return PiEnv(TINY, user=AskingUser(2), grader=AskingGrader(), responder=model, **options)


def opened(task: str, **options: Any) -> PiEnv:
    env = asking(**options)
    env.reset(seed=0, options={"task": task})
    return env


def line(env: PiEnv) -> str:
    assert env.session is not None
    return env.session.trajectory().to_line()


def answered(wait: Waiting) -> list[Answer]:
    return list(wait.answerer(wait.asks))


def test_a_step_in_halves_is_a_step() -> None:
    whole, halves = opened("01-list"), opened("01-list")
    assert whole.session is not None
    for action in whole.session.task.reference:
        expected = whole.step(action)
        halves.begin_step(action)
        waits = halves.waits()
        wait = next(waits, None)
        while wait is not None:
            assert halves.session is not None
            assert halves.session.pending
            try:
                wait = waits.send(answered(wait))
            except StopIteration:
                wait = None
        assert halves.end_step() == expected
    assert line(whole) == line(halves)


def test_the_asks_of_many_environments_can_be_answered_together() -> None:
    alone, together = [opened(task) for task in TASKS], [opened(task) for task in TASKS]
    model, rounds = ScriptedModel(as_ruled), list[int]()
    for env in alone:
        env.step("On it.")
    for env in together:
        env.begin_step("On it.")
    waits: dict[int, Waits] = {number: env.waits() for number, env in enumerate(together)}
    there = {number: next(one) for number, one in waits.items()}
    while there:
        asks = [ask for wait in there.values() for ask in wait.asks]
        answers = iter(model(asks))
        rounds.append(len(asks))
        for number, wait in list(there.items()):
            try:
                there[number] = waits[number].send([next(answers) for _ in wait.asks])
            except StopIteration:
                del there[number]
    assert rounds == [4, 4, 4]  # both environments' two asks, stage by stage
    for env, other in zip(together, alone, strict=True):
        env.end_step()
        assert line(env) == line(other)


def test_a_reset_waits_for_the_grading_of_the_session_that_it_leaves() -> None:
    whole, halves = asking(history="own"), asking(history="own")
    for env in (whole, halves):
        env.reset(seed=0)
        env.step("On it.")
    left = halves.session
    expected = whole.reset()
    halves.begin_reset()
    waits = halves.waits()
    wait = next(waits)
    assert [ask.stage for ask in wait.asks] == ["grade"]
    assert halves.session is left
    with pytest.raises(StopIteration):
        waits.send(answered(wait))
    assert left is not None
    assert (left.ended, left.scored, left.end_reason) == (True, True, "reset")
    assert halves.end_reset() == expected


@pytest.mark.parametrize("history", ["own", "none"])
def test_a_reset_waits_for_nothing_of_a_session_whose_answers_never_came(history: Any) -> None:
    env = asking(history=history)
    env.reset(seed=0)
    env.begin_step("On it.")
    left = env.session
    env.reset()
    assert left is not None
    assert (left.scored, left.error) == (False, "left before its asks were answered")
    assert env.step("On it.")[3] is False


def test_a_wait_whose_answers_fail_can_be_taken_up_again() -> None:
    def down(_: object) -> Any:
        raise OSError("down")

    env = opened("01-list")
    env.answerers.other, sound = down, env.answerers.other
    with pytest.raises(OSError, match="down"):
        env.step("On it.")
    env.answerers.other = sound
    settle(env.waits())
    _, reward, _, truncated, info = env.end_step()
    assert not truncated
    assert (info["error"], np.isnan(reward)) == ("", False)


def test_an_environment_pickled_between_steps_shows_the_next_difference() -> None:
    env = opened("02-memo")
    assert env.session is not None
    action = env.session.task.reference[0]
    copy = pickle.loads(pickle.dumps(env))
    assert copy.step(action)[0] == env.step(action)[0]
