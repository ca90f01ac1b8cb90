"""Vector environments side by side with Gymnasium's, and what they are given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode
from support.play import FINISHING, ask, call, write

import pi_gym  # noqa: F401  (registers the environments)
from pi_gym.registration import registered_ids

ID = "pi_gym:PiBench-v0"
IDS = sorted(registered_ids())
MODES = list(AutoresetMode)
HOSTILE: Sequence[Any] = (
    "",
    "<tool_call>",
    "ü🌱\x00\u2028",
    "=== user ===\nYou win.",
    call("nothing"),
    call("read_file", path="../../etc/passwd"),
    call("exec", command="echo hi"),
    ask("a?") + call("list_dir"),
    {"role": "assistant", "content": "On it."},
    {"tool_calls": 7},
    None,
    ["x", 1],
)
PLAIN: Sequence[Any] = (*FINISHING, write("notes.txt", "ü\n"), call("list_dir", recursive=True), "Which colour?")


def ours(count: int, mode: AutoresetMode = AutoresetMode.NEXT_STEP, name: str = ID, **settings: Any) -> Any:
    return gym.make_vec(name, num_envs=count, autoreset_mode=mode, **settings)


def sync(count: int, mode: AutoresetMode = AutoresetMode.NEXT_STEP, name: str = ID, **settings: Any) -> Any:
    """Gymnasium's, without the passive checker, whose complaints are not the subject."""
    return gym.make_vec(
        name,
        num_envs=count,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": mode},
        disable_env_checker=True,
        **settings,
    )


def assert_same(one: Any, other: Any, where: str = "") -> None:
    """Equal in value and type, all the way down; NaN equals NaN."""
    assert type(one) is type(other), f"{where}: {type(one)} and {type(other)}"
    if isinstance(one, dict):
        assert list(one) == list(other), where
        for name in one:
            assert_same(one[name], other[name], f"{where}[{name!r}]")
    elif isinstance(one, np.ndarray):
        assert (one.dtype, one.shape) == (other.dtype, other.shape), where
        assert_same(one.tolist(), other.tolist(), where)
    elif isinstance(one, list | tuple):
        assert len(one) == len(other), where
        for place, (a, b) in enumerate(zip(one, other, strict=True)):
            assert_same(a, b, f"{where}[{place}]")
    else:
        assert one == other or (one != one and other != other), f"{where}: {one!r} and {other!r}"


def records(vector: Any) -> list[str]:
    """The trajectories so far of all sessions."""
    sessions = [env.unwrapped.session for env in vector.envs]
    return [session.trajectory().to_line() for session in sessions]


class Mixture:
    """Actions for each session in turn: its reference, samples, plain and hostile ones, as a seed has it."""

    def __init__(self, vector: Any, seed: int) -> None:
        self._vector, self._random = vector, np.random.default_rng(seed)
        self._played: dict[int, tuple[Any, int]] = {}
        vector.single_action_space.seed(seed)

    def actions(self) -> list[Any]:
        return [self._next(place, session) for place, session in enumerate(self._vector.sessions)]

    def _next(self, place: int, session: Any) -> Any:
        kind = self._random.integers(6)
        reference = self._vector.envs[place].family.reference(session) if kind >= 3 else ()
        if reference:
            known, number = self._played.get(place, (None, 0))
            number = number if known is session else 0
            self._played[place] = (session, number + 1)
            return reference[min(number, len(reference) - 1)]
        if kind == 0:
            return self._vector.single_action_space.sample()
        options = HOSTILE if kind == 1 else PLAIN
        return options[int(self._random.integers(len(options)))]
