"""The arguments of a vector environment for each of its sessions, and those that it refuses."""

from __future__ import annotations

import copy
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode
from support.packs import PROTOCOL, TINY
from vector_cases import ID, IDS, ours, records, sync

from pi_gym.errors import UnknownName
from pi_gym.pibench.env import PiEnv, PiVectorEnv
from pi_gym.vector import SessionVectorEnv


@pytest.mark.parametrize("name", IDS)
def test_make_vec_gives_ours_and_gymnasiums_where_they_are_asked_for(name: str) -> None:
    vector = gym.make_vec(name, num_envs=2)
    assert isinstance(vector, SessionVectorEnv)
    assert vector.spec is not None
    assert vector.spec.id == name
    assert gym.make_vec(vector.spec).num_envs == 2
    assert isinstance(sync(2, name=name), gym.vector.SyncVectorEnv)


@pytest.mark.parametrize("kind", [list, tuple, np.array])
def test_each_session_has_its_own_task_and_variant(kind: Any) -> None:
    vector = ours(3, pack=PROTOCOL)
    tasks, variants = ["02-beat", "01-three", "02-beat"], [4, 0, 2]
    observations, infos = vector.reset(seed=9, options={"task": kind(tasks), "variant": kind(variants)})
    assert infos["task_id"].tolist() == tasks
    assert infos["variant"].tolist() == variants
    for place, (task, variant) in enumerate(zip(tasks, variants, strict=True)):
        single = gym.make(ID, pack=PROTOCOL)
        observation, _ = single.reset(seed=9 + place, options={"task": task, "variant": variant})
        assert observation["history"] == observations["history"][place]
        assert records(vector)[place] == single.unwrapped.session.trajectory().to_line()  # type: ignore[attr-defined]


def test_one_value_is_for_all_and_none_leaves_it_open() -> None:
    vector = ours(2, pack=PROTOCOL, split="train")
    _, infos = vector.reset(seed=1, options={"task": "01-three", "variant": (None, 5)})
    assert infos["task_id"].tolist() == ["01-three"] * 2
    assert infos["variant"][0] >= 1
    assert infos["variant"][1] == 5
    _, infos = vector.reset(options={"variant": np.int64(3), "task": np.array("02-beat")})
    assert (infos["task_id"].tolist(), infos["variant"].tolist()) == (["02-beat"] * 2, [3, 3])


def test_with_a_mask_a_list_still_has_one_value_for_each_session() -> None:
    vector = ours(3, pack=PROTOCOL)
    before, _ = vector.reset(seed=0, options={"task": "01-three"})
    options = {"task": ["02-beat", "02-beat", "04-last"], "reset_mask": np.array([False, False, True])}
    after, infos = vector.reset(seed=[None, None, 7], options=options)
    assert infos["task_id"].tolist() == [None, None, "04-last"]
    assert infos["_task_id"].tolist() == [False, False, True]
    assert after["history"][:2] == before["history"][:2]
    assert options["reset_mask"].tolist() == [False, False, True]  # the caller's dict stays as it was
    assert vector.sessions[2].config.seed == 7


BAD_RESETS: list[tuple[dict[str, Any], type[Exception], str]] = [
    (
        {"options": {"task": ["01-three"]}},
        ValueError,
        r"options\['task'\]: .*a list of 2, one for each; got a list of 1",
    ),
    ({"options": {"variant": [1, 2, 3]}}, ValueError, r"options\['variant'\]"),
    ({"options": {"variant": [1, -2]}}, ValueError, "expected an integer of 0 or more, got -2"),
    ({"options": {"task": ["01-three", "01-thre"]}}, UnknownName, "01-three"),
    ({"options": {"tusk": "01-three"}}, UnknownName, "task"),
    ({"options": ["01-three"]}, TypeError, "expected a mapping"),
    ({"seed": [1]}, ValueError, "list of 2, one for each session; got 1"),
    ({"options": {"reset_mask": [True, False]}}, TypeError, "numpy array of bools"),
    ({"options": {"reset_mask": np.array([1, 0])}}, TypeError, "array of int64"),
    ({"options": {"reset_mask": np.array([True])}}, ValueError, r"shape \(2,\)"),
    ({"options": {"reset_mask": np.array([False, False])}}, ValueError, "at least one True"),
]


@pytest.mark.parametrize(("given", "kind", "message"), BAD_RESETS)
@pytest.mark.parametrize("history", ["none", "own"])
def test_a_reset_that_is_refused_leaves_every_session_as_it_was(
    given: dict[str, Any], kind: type[Exception], message: str, history: str
) -> None:
    vector, twin = (ours(2, pack=PROTOCOL, history=history, split="train") for _ in range(2))
    for one in (vector, twin):
        one.reset(seed=3)
    sessions = vector.sessions
    if history == "own" and "task" in (given.get("options") or ()) and "list" not in message:
        kind, message = ValueError, "refused under history='own'"
    with pytest.raises(kind, match=message):
        vector.reset(**copy.deepcopy(given))
    assert vector.sessions == sessions
    assert vector.step(["a", "b"])[0] == twin.step(["a", "b"])[0]
    assert vector.reset()[0] == twin.reset()[0]


BAD_ACTIONS: list[tuple[Any, type[Exception]]] = [
    ("ab", TypeError),
    (None, TypeError),
    ({"a": 1, "b": 2}, TypeError),
    (["a"], ValueError),
    (["a", "b", "c"], ValueError),
]


@pytest.mark.parametrize(("actions", "kind"), BAD_ACTIONS)
def test_actions_that_are_not_one_for_each_session_are_refused_before_any_is_taken(actions: Any, kind: Any) -> None:
    vector = ours(2, pack=TINY)
    vector.reset(seed=0)
    with pytest.raises(kind, match="one for each session"):
        vector.step(actions)
    assert vector.step(["a", "b"])[4]["steps"].tolist() == [1, 1]


def test_actions_may_come_from_any_iterable() -> None:
    vector = ours(2, pack=TINY)
    vector.reset(seed=0)
    for actions in (("a", "b"), np.array(["a", "b"]), np.array(["a", {"content": "b"}], dtype=object), iter("ab")):
        assert not vector.step(actions)[4]["invalid_action"].any()


def test_nothing_can_be_stepped_or_reset_in_part_before_a_reset() -> None:
    vector = ours(2, pack=TINY)
    with pytest.raises(ResetNeeded):
        vector.step(["a", "b"])
    with pytest.raises(ResetNeeded, match="without a reset_mask"):
        vector.reset(options={"reset_mask": np.array([True, True])})


def test_a_session_that_is_over_must_be_reset_where_autoreset_is_disabled() -> None:
    vector = ours(2, AutoresetMode.DISABLED, pack=TINY, max_steps=1)
    vector.reset(seed=0)
    _, _, terminated, truncated, _ = vector.step(["a", "b"])
    assert (terminated | truncated).all()
    for kind in (ResetNeeded, AssertionError):  # ours everywhere, Gymnasium's here
        with pytest.raises(kind, match=r"Sessions \[0, 1\] are over"):
            vector.step(["a", "b"])
    vector.reset(options={"reset_mask": np.array([True, False])})
    with pytest.raises(ResetNeeded, match=r"Sessions \[1\] are over"):
        vector.step(["a", "b"])
    vector.reset(options={"reset_mask": np.array([False, True])})
    assert vector.step(["a", "b"])[4]["steps"].tolist() == [1, 1]


BAD_SETTINGS: list[dict[str, Any]] = [
    {"split": "tset"},
    {"history": "mine"},
    {"on_error": "ignore"},
    {"render_mode": "rgb"},
    {"web": "on"},
    {"subagent": 3},
    {"pack": "no_such_pack"},
    {"user": "gpt"},
    {"exec_backend": "docker"},
    {"persna": "x"},
]


@pytest.mark.parametrize("settings", BAD_SETTINGS, ids=str)
def test_settings_are_refused_as_the_single_environment_refuses_them(settings: dict[str, Any]) -> None:
    settings = {"pack": TINY, **settings}
    with pytest.raises(Exception) as single:
        PiEnv(**settings)
    with pytest.raises(Exception) as vector:
        ours(2, **settings)
    assert (vector.type, str(vector.value)) == (single.type, str(single.value))


@pytest.mark.parametrize("count", [0, -1, 2.0, True, "2"])
def test_the_number_of_sessions_is_checked(count: Any) -> None:
    with pytest.raises(ValueError, match="num_envs: expected an integer of 1 or more"):
        PiVectorEnv(count, pack=TINY)


def test_the_autoreset_mode_may_be_a_text_as_in_gymnasium() -> None:
    assert PiVectorEnv(1, pack=TINY, autoreset_mode="SameStep").metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    with pytest.raises(ValueError, match="Sometimes"):
        PiVectorEnv(1, pack=TINY, autoreset_mode="Sometimes")
