"""The heap of a run: what stays is kept from the garbage collector, and given back."""

from __future__ import annotations

import asyncio
import gc
import os
import threading
from contextlib import closing
from dataclasses import replace

import pytest
from rollout_cases import ENV_ID, run
from support.packs import TINY

from pi_gym.heap import SettledHeap, paused_collection
from pi_gym.rollout.engines.slots import SlotMaker, SlotPlayer, SlotSetup
from pi_gym.rollout.run import Run
from pi_gym.runs.assignments import assignments
from pi_gym.runs.request import RunRequest


def test_what_is_there_is_frozen_until_the_end_and_what_comes_later_is_collected():
    with SettledHeap() as heap:
        assert gc.get_freeze_count() == 0
        heap.settle()
        frozen = gc.get_freeze_count()
        heap.settle()
        assert 0 < gc.get_freeze_count() <= frozen
        circle: list[object] = []
        circle.append(circle)
        assert any(one is circle for one in gc.get_objects())
        del circle
        assert gc.collect() > 0
    assert gc.get_freeze_count() == 0


def test_where_the_program_froze_its_objects_itself_they_stay_so():
    gc.freeze()
    try:
        with SettledHeap() as heap:
            heap.settle()
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()


def test_a_run_leaves_nothing_frozen():
    seen = []

    async def policy(messages, tools):
        await asyncio.sleep(0.01)
        seen.append(gc.get_freeze_count() > 0)
        return "Done."

    run(policy, env_kwargs={"pack": str(TINY)}, concurrency=3)
    assert any(seen)
    assert gc.get_freeze_count() == 0


def test_nothing_is_frozen_before_a_session_has_begun():
    kwargs, frozen = {"pack": str(TINY)}, []

    async def policy(messages, tools):
        frozen.append(gc.get_freeze_count() > 0)
        await asyncio.sleep(0.01)
        return "Done."

    with closing(Run.prepare(RunRequest(ENV_ID, policy, env_kwargs=kwargs))) as prepared:
        setup = SlotSetup(ENV_ID, kwargs, policy, replace(prepared.plan, sessions=()), concurrency=2)
        player = SlotPlayer(SlotMaker(setup))
        with closing(player.outcomes()) as outcomes:
            assert next(outcomes) is None
            assert gc.get_freeze_count() == 0
            player.add(assignments(prepared.plan, ()))
            player.end()
            assert any(found is not None for found in outcomes)
    assert any(frozen)
    assert gc.get_freeze_count() == 0


def test_the_collector_rests_while_a_world_is_made_and_no_longer():
    seen = []
    with paused_collection():
        seen.append(gc.isenabled())
        with paused_collection():
            pass
        seen.append(gc.isenabled())
    with pytest.raises(KeyError), paused_collection():
        raise KeyError
    assert seen == [False, False]
    assert gc.isenabled()


def test_the_collector_rests_until_the_last_of_several_threads_is_done():
    inside, leave, seen = threading.Barrier(3), threading.Barrier(3), []

    def make():
        with paused_collection():
            inside.wait()
            seen.append(gc.isenabled())
            leave.wait()

    threads = [threading.Thread(target=make) for _ in range(2)]
    for thread in threads:
        thread.start()
    inside.wait()
    leave.wait()
    for thread in threads:
        thread.join()
    assert seen == [False, False]
    assert gc.isenabled()


def test_a_collector_that_the_program_turned_off_stays_off():
    gc.disable()
    try:
        with paused_collection():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked on this system; Linux and macOS do")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_child_that_is_forked_in_a_pause_collects_and_can_pause():
    with paused_collection():
        child = os.fork()
        if not child:
            fine = gc.isenabled()
            with paused_collection():
                fine = fine and not gc.isenabled()
            os._exit(0 if fine and gc.isenabled() else 1)
        _, status = os.waitpid(child, 0)
    assert status == 0
