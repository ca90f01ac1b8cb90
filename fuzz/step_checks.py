"""What must hold of every step, whatever was sent."""

from __future__ import annotations

import json
import math
from time import process_time
from typing import Any

from machine_speed import slowness

from pi_gym.env import SessionEnv
from pi_gym.info import INFO_KEYS
from pi_gym.session import Trajectory
from pi_gym.session.faults import error_trace
from pi_gym.session.protocol import Session

#: CPU time of a step, on the machine of `slowness`; a slower one takes longer.
MOST_SECONDS = 0.3
_TOLERANCE = 1e-9
_SHARE = (0.0, 1.0)
#: By family, the least and the greatest of a step's reward and of each score that is no share, with the settings that
#: it has by itself. A proposal of Pare's can take the place of one and be rejected in the same step.
BOUNDS = {
    "pibench": {"reward": _SHARE},
    "pare": {"reward": (-2.0, 2.0), "score": (-1.0, 1.0), "return": (-400.0, 2.0)},
}


class Broken(Exception):
    """Something did not hold; the message says what."""


class CheckedEnv:
    """An environment whose every step is looked at.

    Args:
        env: the environment, below Gymnasium's wrappers; its user and grader are rules.

    Attributes:
        slowest_s: the CPU time of the slowest step so far.
        actions: how many were taken.
    """

    def __init__(self, env: SessionEnv) -> None:
        self.env = env
        self.slowest_s = 0.0
        self.actions = 0

    @property
    def session(self) -> Session:
        """The live session."""
        assert self.env.session is not None
        return self.env.session

    def reset(self, **arguments: Any) -> None:
        """Open a session."""
        try:
            observation, info = self.env.reset(**arguments)
        except Exception as error:
            raise Broken(f"reset raised\n{error_trace(error)}") from error
        self._check_shown(observation, info)

    def step(self, action: Any) -> bool:
        """Take an action; gives whether the session is over.

        Raises:
            Broken: something does not hold.
        """
        before = self.session.fork()
        begin = process_time()
        try:
            observation, reward, terminated, truncated, info = self.env.step(action)
        except Exception as error:
            raise Broken(f"step raised\n{error_trace(error)}") from error
        seconds = process_time() - begin
        if seconds > MOST_SECONDS:  # the machine may have been busy, or be slow
            seconds = min(seconds, *(_apply_seconds(before, action) for _ in range(3)))
        if seconds > MOST_SECONDS:
            seconds /= slowness()
        self.slowest_s = max(self.slowest_s, seconds)
        self.actions += 1
        _expect(seconds <= MOST_SECONDS, f"the step took {seconds:.2f} s of CPU time, expected {MOST_SECONDS} at most")
        self._check_shown(observation, info)
        _expect(type(reward) is float, f"the reward is a {type(reward).__name__}")
        least, most = BOUNDS[self.env.family.name]["reward"]
        _expect(least - _TOLERANCE <= float(reward) <= most + _TOLERANCE, f"the reward is {reward!r}")
        session = self.session
        _expect((terminated or truncated) == session.ended, "terminated and truncated do not say whether it is over")
        _expect(not (terminated and truncated), "both terminated and truncated")
        if session.step is not None and session.step.messages[-1].content.startswith(
            "[environment] The action was not"
        ):
            same = session.world.state_hash() == before.world.state_hash()
            _expect(same and info["invalid_action"], "a rejected action changed the world, or is not marked")
        if session.ended:
            check_end(session)
        return session.ended

    def _check_shown(self, observation: Any, info: Any) -> None:
        _expect(observation in self.env.observation_space, "the observation is not in its space")
        for name, text in observation.items():
            _encode(text, f"observation[{name!r}]")
        for name, (kind, _) in INFO_KEYS.items():
            _expect(type(info.get(name)) is kind, f"info[{name!r}] is a {type(info.get(name)).__name__}, not {kind}")
        try:
            json.dumps(info, allow_nan=False, ensure_ascii=False).encode()
        except ValueError as error:
            raise Broken(f"info cannot be written: {error}") from error
        for fault in self.session.engine_faults[:1]:
            raise Broken(f"engine fault in {fault.where}: {fault.error}\n{fault.traceback}")


def check_end(session: Session) -> None:
    """What must hold of a session that is over, and of its record.

    Raises:
        Broken: something does not.
    """
    _expect(session.scored and not session.error, f"unscored: {session.error_kind}: {session.error}")
    for name, score in session.scores.items():
        least, most = BOUNDS[session.identity.family].get(name, _SHARE)
        fine = score is None or (math.isfinite(score) and least - _TOLERANCE <= score <= most + _TOLERANCE)
        _expect(fine, f"the score {name} is {score!r}")
    line = session.trajectory().to_line()
    _encode(line, "the record")
    _expect(Trajectory.from_json(json.loads(line)).to_line() == line, "the record does not come back as it was written")


def _apply_seconds(before: Session, action: Any) -> float:
    copy = before.fork()
    begin = process_time()
    copy.apply(action)
    return process_time() - begin


def _encode(text: str, what: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise Broken(f"{what} cannot be encoded: {error}") from error


def _expect(holds: bool, problem: str) -> None:
    if not holds:
        raise Broken(problem)
