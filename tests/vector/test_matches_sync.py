"""Step by step what Gymnasium's SyncVectorEnv gives over the same seeds, options and actions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from hypothesis import given, settings
from hypothesis import strategies as st
from support.packs import PROTOCOL, TINY
from support.shell import no_shell
from vector_cases import HOSTILE, ID, IDS, MODES, PLAIN, Mixture, assert_same, ours, records, sync

DISABLED = AutoresetMode.DISABLED


def compare(count: int, mode: AutoresetMode, steps: int, seed: int = 0, name: str = ID, **settings: Any) -> int:
    """Drive both; the number of sessions that ended."""
    both = [make(count, mode, name, **settings) for make in (ours, sync)]
    mixture = Mixture(both[0], seed)
    assert_same(*(vector.reset(seed=seed) for vector in both))
    ended = 0
    for _ in range(steps):
        actions = mixture.actions()
        results = [vector.step(actions) for vector in both]
        assert_same(*results)
        assert results[0][0] in both[0].observation_space
        done = results[0][2] | results[0][3]
        if done.any():
            assert records(both[0]) == records(both[1])
        ended += int(done.sum())
        if mode is DISABLED and done.any():
            assert_same(*(vector.reset(options={"reset_mask": done.copy()}) for vector in both))
    for vector in both:
        vector.close()
    return ended


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", IDS)
def test_every_registered_id_in_every_mode(name: str, mode: AutoresetMode) -> None:
    short: dict[str, Any] = {"max_turns": 3}
    if name.startswith("PiBench"):
        short = {"history": "none", "exec_backend": "off", "responder": no_shell, "max_steps": 9}
    assert compare(3, mode, 12, name=name, split="train", **short) >= 2


@pytest.mark.slow
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("history", ["reference", "own", "none"])
def test_every_history_in_every_mode(history: str, mode: AutoresetMode) -> None:
    assert compare(3, mode, 30, pack=TINY, history=history, split="train", max_steps=7) >= 8


@pytest.mark.parametrize("mode", MODES)
def test_hidden_things_that_differ_from_task_to_task_are_batched_too(mode: AutoresetMode) -> None:
    assert compare(3, mode, 15, pack=PROTOCOL, debug=True, max_steps=5, tools="all", exec_backend="off") >= 5


def test_one_session_is_a_batch_of_one() -> None:
    assert compare(1, AutoresetMode.SAME_STEP, 20, pack=TINY, max_steps=5) >= 3


SEEDS = st.none() | st.integers(0, 99) | st.lists(st.none() | st.integers(0, 99), min_size=2, max_size=2)
OPTIONS = st.fixed_dictionaries(
    {}, optional={"task": st.sampled_from(["01-list", "03-ping"]), "variant": st.integers(0, 3)}
)
RESETS = st.tuples(
    st.just("reset"), SEEDS, st.none() | OPTIONS, st.none() | st.sampled_from([(True, False), (True, True)])
)
STEPS = st.tuples(st.just("step"), st.tuples(*[st.sampled_from([*HOSTILE, *PLAIN])] * 2))


@settings(max_examples=30)
@given(st.sampled_from(MODES), st.lists(STEPS | RESETS, max_size=12))
def test_any_mixture_of_steps_and_resets(mode: AutoresetMode, moves: list[Any]) -> None:
    both = [make(2, mode, pack=TINY, max_steps=4, exec_backend="off") for make in (ours, sync)]
    assert_same(*(vector.reset(seed=[3, 4]) for vector in both))
    done = np.zeros(2, dtype=np.bool_)
    for move, *parts in moves:
        if move == "step":
            if mode is DISABLED and done.any():
                assert_same(*(vector.reset(options={"reset_mask": done.copy()}) for vector in both))
            results = [vector.step(parts[0]) for vector in both]
            assert_same(*results)
            done = results[0][2] | results[0][3]
        else:
            seed, options, mask = parts
            given_options = [None if options is None and mask is None else dict(options or {}) for _ in both]
            for one in given_options if mask is not None else []:
                one["reset_mask"] = np.array(mask)  # type: ignore[index]
            assert_same(*(v.reset(seed=seed, options=one) for v, one in zip(both, given_options, strict=True)))
            done &= False if mask is None else ~np.array(mask)
    # Without seeds both draw on from the same generators.
    assert_same(*(vector.reset() for vector in both))
    assert both[0].np_random_seed == both[1].np_random_seed


def test_the_spaces_are_the_same_and_sample_alike() -> None:
    both = [make(3, pack=TINY) for make in (ours, sync)]
    for name in ("action_space", "observation_space", "single_action_space", "single_observation_space"):
        one, other = (getattr(vector, name) for vector in both)
        assert one == other
        for space in (one, other):
            space.seed(5)
        assert_same(one.sample(), other.sample())
    assert both[0].metadata == both[1].metadata
