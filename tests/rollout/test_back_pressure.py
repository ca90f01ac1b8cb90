"""Sessions do not run ahead of those who take what comes of them."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from rollout_cases import ENV_ID
from support.packs import TINY

from pi_gym.rollout.engines.slots import SlotMaker, SlotPlayer, SlotSetup
from pi_gym.rollout.run import Run
from pi_gym.runs.assignments import assignments
from pi_gym.runs.request import RunRequest

CONCURRENCY = 2


@pytest.mark.parametrize("history", ["reference", "own"])
def test_a_player_whose_outcomes_are_not_taken_plays_no_further(history):
    begun = []

    def policy(messages, tools):
        if len(messages) == 2:
            begun.append(1)
        return "Done."

    kwargs = {"pack": str(TINY), "history": history}
    run = Run.prepare(RunRequest(ENV_ID, policy, variants=list(range(10)), env_kwargs=kwargs))
    setup = SlotSetup(ENV_ID, kwargs, policy, replace(run.plan, sessions=()), concurrency=CONCURRENCY)
    player = SlotPlayer(SlotMaker(setup))
    player.add(assignments(run.plan, ()))
    player.end()
    outcomes = player.outcomes()
    first = next(found for found in outcomes if found is not None)
    time.sleep(0.3)
    assert 1 <= len(begun) <= CONCURRENCY  # those that were begun before the first of them was over
    rest = [found for found in outcomes if found is not None]
    assert len({found.key for found in [first, *rest]}) == len(begun) == 30
    run.close()
