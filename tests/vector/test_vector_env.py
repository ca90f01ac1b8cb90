"""The vector environment as Gymnasium's tools use it."""

from __future__ import annotations

import pickle
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import vector as wrappers
from support.packs import TINY
from vector_cases import MODES, Mixture, assert_same, ours, records, sync


def driven(vector: Any, mode: AutoresetMode, steps: int, seed: int = 3) -> list[Any]:
    """What a wrapped environment gives over a mixture of actions."""
    mixture = Mixture(ours(2, pack=TINY), seed)
    mixture._vector.reset(seed=0)
    seen = [vector.reset(seed=seed)]
    for _ in range(steps):
        seen.append(vector.step(mixture.actions()))
        done = seen[-1][2] | seen[-1][3]
        if mode is AutoresetMode.DISABLED and done.any():
            seen.append(vector.reset(options={"reset_mask": done}))
    return seen


WRAPPERS: dict[str, Any] = {
    "DictInfoToList": wrappers.DictInfoToList,
    "ClipReward": lambda env: wrappers.ClipReward(env, 0.1, 0.2),
    "TransformReward": lambda env: wrappers.TransformReward(env, lambda reward: reward * 2),
    "TransformAction": lambda env: wrappers.TransformAction(
        env, lambda actions: actions, env.action_space, env.single_action_space
    ),
    "two": lambda env: wrappers.DictInfoToList(wrappers.ClipReward(env, 0.0, 0.1)),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("wrap", WRAPPERS.values(), ids=WRAPPERS)
def test_gymnasiums_vector_wrappers_give_what_they_give_around_sync(wrap: Any, mode: AutoresetMode) -> None:
    both = [wrap(make(2, mode, pack=TINY, max_steps=6)) for make in (ours, sync)]
    assert_same(*(driven(vector, mode, 20) for vector in both))


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.DISABLED])  # Gymnasium refuses the third
def test_observations_can_be_transformed(mode: AutoresetMode) -> None:
    def shortened(batch: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        return {name: tuple(text[-40:] for text in texts) for name, texts in batch.items()}

    both = [
        wrappers.TransformObservation(vector, shortened, vector.observation_space, vector.single_observation_space)
        for vector in (make(2, mode, pack=TINY, max_steps=6) for make in (ours, sync))
    ]
    assert_same(*(driven(vector, mode, 20) for vector in both))


# With masks Gymnasium's forgets the sessions that go on; tests/test_gymnasium.py has the sums for every mode.
@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_the_statistics_of_episodes_are_those_around_sync(mode: AutoresetMode) -> None:
    both = [wrappers.RecordEpisodeStatistics(make(2, mode, pack=TINY, max_steps=6)) for make in (ours, sync)]
    seen = [driven(vector, mode, 20) for vector in both]
    for step in [result for results in seen for result in results]:
        step[-1].get("episode", {}).pop("t", None)  # seconds of the wall clock
    assert_same(*seen)
    assert both[0].episode_count == both[1].episode_count >= 4
    assert list(both[0].return_queue) == list(both[1].return_queue)
    assert list(both[0].length_queue) == list(both[1].length_queue)


@pytest.mark.parametrize("history", ["reference", "own"])
@pytest.mark.parametrize("mode", MODES)
def test_a_pickled_environment_goes_on_as_the_original(mode: AutoresetMode, history: str) -> None:
    vector = ours(2, mode, pack=TINY, history=history, max_steps=5)
    mixture = Mixture(vector, 1)
    vector.reset(seed=4)
    for _ in range(3):
        vector.step(mixture.actions())
    other = pickle.loads(pickle.dumps(vector))
    assert_same(records(vector), records(other))
    for _ in range(12):
        actions = mixture.actions()
        results = [one.step(actions) for one in (vector, other)]
        assert_same(*results)
        assert_same(records(vector), records(other))
        done = results[0][2] | results[0][3]
        if mode is AutoresetMode.DISABLED and done.any():
            assert_same(*(one.reset(options={"reset_mask": done.copy()}) for one in (vector, other)))


def test_the_episodes_of_own_history_are_each_sessions_own() -> None:
    vector = ours(2, AutoresetMode.DISABLED, pack=TINY, history="own")
    _, infos = vector.reset(seed=0, options={"variant": [0, 1]})
    assert infos["task_id"].tolist() == ["01-list"] * 2
    _, infos = vector.reset(options={"reset_mask": np.array([True, False])})
    assert [session.task.id for session in vector.sessions] == ["02-memo", "01-list"]
    assert [session.task.variant for session in vector.sessions] == [0, 1]
    log = [session.world.workspace.text("memory/HISTORY.md") or "" for session in vector.sessions]
    assert ["Conversation" in text for text in log] == [True, False]
    vector.reset()
    assert [session.task.id for session in vector.sessions] == ["03-ping", "02-memo"]


def test_attributes_and_methods_of_the_sessions_environments_can_be_reached() -> None:
    vector = ours(3, pack=TINY, render_mode="ansi")
    assert vector.sessions == (None, None, None)
    assert vector.render() == ("", "", "")
    observations, _ = vector.reset(seed=1)
    assert vector.render() == vector.call("render") == observations["history"]
    assert vector.get_attr("split") == ("test",) * 3
    assert vector.get_attr("session") == vector.sessions
    assert vector.call("get_wrapper_attr", "render_mode") == ("ansi",) * 3
    vector.set_attr("note", [1, 2, 3])
    assert vector.get_attr("note") == (1, 2, 3)
    vector.set_attr("note", 4)
    assert vector.get_attr("note") == (4, 4, 4)
    with pytest.raises(ValueError, match="expected 3 values, one for each session; got 2"):
        vector.set_attr("note", [1, 2])
    assert vector.model_usage() == {}


def test_human_rendering_prints_each_transcript_once(capsys: pytest.CaptureFixture[str]) -> None:
    vector = ours(2, pack=TINY, render_mode="human")
    vector.reset(seed=1)
    observations, *_ = vector.step(["Hello.", "Well?"])
    printed = capsys.readouterr().out
    assert len(printed) == sum(map(len, observations["history"]))


def test_a_closed_environment_holds_no_sessions_and_can_be_reset() -> None:
    vector = ours(2, pack=TINY)
    vector.reset(seed=1)
    vector.close()
    vector.close()
    assert vector.closed
    assert vector.sessions == (None, None)
    with pytest.raises(ResetNeeded):
        vector.step(["a", "b"])


def test_sessions_share_what_does_not_change() -> None:
    vector = ours(3, pack=TINY)
    vector.reset(seed=0, options={"task": "01-list", "variant": 0})
    first, *others = vector.envs
    for env in others:
        for name in ("packs", "answerers", "user", "grader", "observation_space", "action_space"):
            assert getattr(env, name) is getattr(first, name)
        assert env.session.opening is first.session.opening
        assert env.session.task is first.session.task
        assert env.session.world is not first.session.world
        assert env.np_random is not first.np_random


def test_what_is_returned_is_the_callers() -> None:
    """Writing into a result changes neither the next one nor the environment."""
    vector, twin = (ours(2, pack=TINY, max_steps=2) for _ in range(2))
    for one in (vector, twin):
        one.reset(seed=0)
    for _ in range(5):
        observations, rewards, terminated, truncated, infos = vector.step(["a", "b"])
        assert_same((observations, rewards, terminated, truncated, infos), twin.step(["a", "b"]))
        observations.clear()
        rewards[:], terminated[:], truncated[:] = 7, ~terminated, ~truncated
        infos.clear()


def test_async_vectors_of_gymnasium_still_work() -> None:
    vector = gym.make_vec(
        "pi_gym:PiBench-v0",
        2,
        "async",
        vector_kwargs={"shared_memory": False},
        pack=str(TINY),
        disable_env_checker=True,
    )
    mine = ours(2, pack=str(TINY))
    try:
        assert_same(vector.reset(seed=3), mine.reset(seed=3))
        assert_same(vector.step(("a", "b")), mine.step(("a", "b")))
    finally:
        vector.close()
