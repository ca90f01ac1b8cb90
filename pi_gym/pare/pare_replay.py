"""Playing a recorded Pare session again: the same scenario, actions and answers; no model is asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pi_gym.errors import StateMismatch
from pi_gym.pare.pare_settings import PareConfig, PareReward
from pi_gym.pare.person import Person
from pi_gym.pare.scenario_set import installed_scenarios
from pi_gym.pare.session import PareSession
from pi_gym.session.playing_again import play_again
from pi_gym.session.trajectory import Trajectory


def replay_pare(trajectory: Trajectory, *, person: Person | None = None) -> PareSession:
    """The session that a trajectory records, played again, see `replay_with_rewards`."""
    return replay_with_rewards(trajectory, person=person)[0]


def replay_with_rewards(
    trajectory: Trajectory, *, person: Person | None = None
) -> tuple[PareSession, Mapping[int, Mapping[str, float]]]:
    """The session that a trajectory records, played again; `trajectory()` of it gives the same line.

    Beside it, by step, its reward by component.

    Args:
        trajectory: the record.
        person: who played the person; needed only where it was not the rules.

    Raises:
        StateMismatch: the scenarios are not the recorded ones.
        ValueError: the person is not the recorded one.
        SessionError: the record does not fit the session: another engine made it.
    """
    recorded = trajectory.config["roles"]["user"]
    if (person.name if person is not None else "rule") != recorded:
        raise ValueError(f"the record was made with the user {recorded!r}; give it as person=")
    scenarios = installed_scenarios()
    if scenarios.content_hash != trajectory.pack_hash:
        raise StateMismatch("the scenarios are not those of the record; install the ones that it is of")
    scenario = scenarios.instantiate(trajectory.task_id, trajectory.variant)
    session = PareSession(scenario, config=_recorded_config(trajectory), person=person)
    return session, play_again(session, trajectory)


def _recorded_config(trajectory: Trajectory) -> PareConfig:
    raw: Mapping[str, Any] = {name: value for name, value in trajectory.config.items() if name != "roles"}
    return PareConfig(**{**raw, "reward": PareReward(**raw["reward"])}, env_id=trajectory.env_id, seed=trajectory.seed)
