"""The environments of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium as gym
from gymnasium.wrappers import OrderEnforcing, PassiveEnvChecker

from pi_gym.env import PiEnv
from pi_gym.errors import UnknownName, unknown
from pi_gym.registration import ENTRY_POINT
from pi_gym.rollout.plan import BadArgument
from pi_gym.shell import ShellRunner


def make_env(env_id: str, kwargs: Mapping[str, Any]) -> gym.Env[Any, Any]:
    """An environment for a run, without Gymnasium's passive checker.

    Raises:
        UnknownName: no such id; the message lists ours.
        BadArgument: the id is none of a pi_gym environment.
    """
    if ":" not in env_id and env_id not in gym.registry:
        known = [name for name, spec in gym.registry.items() if spec.entry_point == ENTRY_POINT]
        raise UnknownName(unknown("environment", env_id, known, shown=25))
    try:
        env = gym.make(env_id, disable_env_checker=True, **kwargs)
    except (gym.error.Error, ModuleNotFoundError) as error:
        if ":" not in env_id:
            raise
        raise UnknownName(f"environment {env_id!r}: {error}") from error
    base_env(env)
    return env


def base_env(env: gym.Env[Any, Any]) -> PiEnv:
    """The environment below its wrappers."""
    base = env.unwrapped
    if not isinstance(base, PiEnv):
        raise BadArgument(f"{env.spec.id if env.spec else env!r} is no environment of pi_gym")
    return base


def is_bare(env: gym.Env[Any, Any]) -> bool:
    """Whether nothing but Gymnasium's own guards lies around the environment, which may be stepped below them."""
    while isinstance(env, OrderEnforcing | PassiveEnvChecker):
        env = env.env
    return isinstance(env, PiEnv)


def why_no_shell(env: PiEnv) -> str:
    """Why an environment runs no shell commands; empty where it does."""
    if not isinstance(env.shell, ShellRunner):
        return ""
    found = env.shell.available()
    return "" if found else found.text


def playable_tasks(env: PiEnv, tasks: Sequence[str]) -> list[str]:
    """Those of the tasks that can be played here: without a sandbox for shell commands, the ones that need none.

    Args:
        env: what is to play them.
        tasks: ids, in order.

    Raises:
        BadArgument: none is left.
    """
    cards = {name: pack.card(name) for pack in env.packs for name in pack.task_ids}
    needing = [name for name in tasks if "exec" in cards[name].needs]
    why = why_no_shell(env) if needing else ""
    kept = [name for name in tasks if not why or name not in needing]
    if not kept:
        raise BadArgument(f"all tasks run shell commands, and nothing runs those here ({why}): {', '.join(tasks)}")
    return kept
