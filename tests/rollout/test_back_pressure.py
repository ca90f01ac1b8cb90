"""Sessions do not run ahead of those who take what comes of them."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from process_cases import wait_for
from rollout_cases import ENV_ID
from support.packs import TINY

from pi_gym.rollout.engines.driver import SessionDriver
from pi_gym.rollout.request import Request
from pi_gym.rollout.run import Run
from pi_gym.rollout.slots import SlotMaker
from pi_gym.runs.assignments import assignments

CONCURRENCY, MOST = 2, 3


@pytest.mark.parametrize("history", ["reference", "own"])
def test_a_driver_whose_outcomes_are_not_taken_plays_no_further(history):
    begun = []

    def policy(messages, tools):
        if len(messages) == 2:
            begun.append(1)
        return "Done."

    kwargs = {"pack": str(TINY), "history": history}
    run = Run.prepare(Request(ENV_ID, policy, variants=list(range(10)), env_kwargs=kwargs))
    driver = SessionDriver(
        SlotMaker(ENV_ID, kwargs, policy, {}),
        replace(run.plan, sessions=()),
        concurrency=CONCURRENCY,
        most_untaken=MOST,
    )
    driver.add(assignments(run.plan, ()))
    driver.end()
    outcomes = driver.outcomes()
    first = next(found for found in outcomes if found is not None)
    # One is taken; as many as may lie there, and then each place holds the one that it played.
    limit = 1 + MOST + CONCURRENCY
    wait_for(lambda: len(begun) >= limit)
    time.sleep(0.3)
    assert len(begun) == limit
    rest = [found for found in outcomes if found is not None]
    assert len({found.key for found in [first, *rest]}) == len(begun) == 30
    run.close()
