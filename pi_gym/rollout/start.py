"""Opening a session as it was planned."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import gymnasium as gym

from pi_gym.env import SessionEnv
from pi_gym.runs.assignments import Assignment
from pi_gym.runs.plan import Plan
from pi_gym.session import Trajectory


def open_session(
    env: gym.Env[Any, Any], base: SessionEnv, plan: Plan, assignment: Assignment
) -> tuple[Mapping[str, str], Mapping[str, Any]]:
    """Open the first session of an assignment.

    Args:
        env: the environment. Where sessions of the assignment's episode were played and it has no records, they were
            played in this very environment, the last thing that it did.
        base: the environment below its wrappers.
        plan: of the run.
        assignment: what to play.

    Returns:
        The observation and the info of the opening.

    Raises:
        PiGymError: the session cannot be opened, or the episode's records do not lead to it.
    """
    planned = assignment.first
    if not plan.by_episode:
        return env.reset(
            seed=planned.seed, options={"pack": planned.pack, "task": planned.task_id, "variant": planned.variant}
        )
    if assignment.played and not assignment.records:
        base.take_up(planned.task_id)
        return env.reset()
    # Wrappers see the beginning of an episode too where it is taken up later.
    opened = env.reset(seed=planned.seed, options={"pack": planned.pack, "variant": planned.variant})
    if not assignment.records and opened[1]["task_id"] == planned.task_id:
        return opened
    base.take_up(planned.task_id, [Trajectory.from_json(json.loads(line)) for line in assignment.records])
    return env.reset()
