"""Registering environments, and finding those that are registered."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import gymnasium as gym
from gymnasium.envs.registration import EnvSpec

from pi_gym.errors import UnknownName, unknown

#: The ids that were registered here, in that order.
_IDS: dict[str, None] = {}


def register(
    env_id: str,
    entry_point: str,
    *,
    vector_entry_point: str,
    kwargs: Mapping[str, Any] | None = None,
    reward_threshold: float | None = None,
    nondeterministic: bool = False,
) -> None:
    """Register an environment of a family with Gymnasium, so that commands list it too; a second call does nothing.

    A package of its own calls this when it is imported, or names that in Gymnasium's entry point group
    "gymnasium.envs", and `gym.make("package:Name-v0")` finds it either way.

    Args:
        env_id: such as "PiBench-Researcher-v0".
        entry_point: "module:Class" of a subclass of `pi_gym.env.SessionEnv`; nothing is imported here.
            `gymnasium.pprint_registry` lists an id under the module's second name, or where there are more its third.
        vector_entry_point: of a subclass of `pi_gym.vector.SessionVectorEnv`.
        kwargs: arguments of the environment that the id stands for.
        reward_threshold: the mean return from which on the environment counts as solved.
        nondeterministic: the same seed and actions may be answered differently another time.
    """
    _IDS[env_id] = None
    if env_id not in gym.registry:
        # No `max_episode_steps`: a time limit ends sessions without grading; sessions have limits of their own.
        gym.register(
            id=env_id,
            entry_point=entry_point,
            vector_entry_point=vector_entry_point,
            kwargs=dict(kwargs or {}),
            reward_threshold=reward_threshold,
            nondeterministic=nondeterministic,
        )


def register_families(package: Path) -> None:
    """Have every family register its environments: each is a folder with a module `registration`.

    Args:
        package: the folder of pi_gym.
    """
    for path in sorted(package.glob("*/registration.py")):
        import_module(f"{package.name}.{path.parent.name}.registration").register_environments()


def registered_ids() -> list[str]:
    """The ids that were registered here and are there still, in that order."""
    return [name for name in _IDS if name in gym.registry]


def spec_of(env_id: str) -> EnvSpec:
    """The specification of an id; "module:Name-v0" imports the module first.

    Raises:
        UnknownName: there is none; the message lists those of pi_gym.
    """
    module, colon, name = env_id.rpartition(":")
    try:
        if colon:
            import_module(module)
        return gym.spec(name)
    except (gym.error.Error, ModuleNotFoundError) as error:
        if colon:
            raise UnknownName(f"environment {env_id!r}: {error}") from error
        raise UnknownName(unknown("environment", env_id, registered_ids(), shown=25)) from error
