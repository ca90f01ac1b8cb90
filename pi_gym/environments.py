"""Making environments by their ids, and looking below wrappers."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import Parameter, signature
from typing import Any

import gymnasium as gym
from gymnasium.envs.registration import load_env_creator
from gymnasium.wrappers import OrderEnforcing, PassiveEnvChecker

from pi_gym.env import SessionEnv
from pi_gym.errors import BadArgument, PiGymError, UnknownName, unknown
from pi_gym.family import Family
from pi_gym.registration import registered_ids, spec_of


class NotASessionEnv(PiGymError, ValueError):
    """An environment is none of pi_gym's."""


def make_env(env_id: str, kwargs: Mapping[str, Any]) -> gym.Env[Any, Any]:
    """An environment without Gymnasium's passive checker.

    Args:
        env_id: as `gym.make` takes it, also "module:Name-v0".
        kwargs: its arguments.

    Raises:
        UnknownName: no such id; the message lists ours.
        NotASessionEnv: the id is none of a pi_gym environment.
        BadArgument: it takes no such argument, or not this value of it.
    """
    creator = _creator(env_id)
    known = signature(creator).parameters if callable(creator) else {}
    if not any(one.kind is Parameter.VAR_KEYWORD for one in known.values()):
        odd = next((name for name in kwargs if name not in known), None)
        if odd is not None:
            raise BadArgument(f"{env_id}: {unknown('argument', odd, known, shown=25)}")
    try:
        env = gym.make(spec_of(env_id), disable_env_checker=True, **kwargs)
    except PiGymError:
        raise
    except ValueError as error:
        raise BadArgument(f"{env_id}: {error}") from error
    base_env(env)
    return env


def base_env(env: gym.Env[Any, Any]) -> SessionEnv:
    """The environment below its wrappers.

    Raises:
        NotASessionEnv: it is none of pi_gym's.
    """
    base = env.unwrapped
    if not isinstance(base, SessionEnv):
        raise NotASessionEnv(f"{env.spec.id if env.spec else env!r} is no environment of pi_gym")
    return base


def is_bare(env: gym.Env[Any, Any]) -> bool:
    """Whether nothing but Gymnasium's own guards lies around the environment, which may be stepped below them."""
    while isinstance(env, OrderEnforcing | PassiveEnvChecker):
        env = env.env
    return isinstance(env, SessionEnv)


def note_reset(env: gym.Env[Any, Any]) -> None:
    """Let Gymnasium's guards know that the environment below them was reset: one of them refuses to render before."""
    while isinstance(env, OrderEnforcing | PassiveEnvChecker):
        if isinstance(env, OrderEnforcing):
            env._has_reset = True
        env = env.env


def family_of(env_id: str) -> Family:
    """The family of an environment, which is not made for that.

    Args:
        env_id: as `gym.make` takes it, also "module:Name-v0".

    Raises:
        UnknownName: no such id; the message lists ours.
        NotASessionEnv: the id is none of a pi_gym environment.
    """
    found = _family_of_class(env_id)
    if found is None:
        raise NotASessionEnv(f"{env_id} is no environment of pi_gym")
    return found


def _creator(env_id: str) -> Any:
    """The class, or the function, that makes an environment."""
    entry = spec_of(env_id).entry_point
    return load_env_creator(entry) if isinstance(entry, str) else entry


def _family_of_class(env_id: str) -> Family | None:
    """The family that the class of an environment names; None where it is none of ours."""
    found = getattr(_creator(env_id), "family", None)
    return found if isinstance(found, Family) else None


def families() -> list[Family]:
    """The families of which an environment is registered, each once; none is made for that."""
    found = (_family_of_class(env_id) for env_id in registered_ids())
    return list({family.name: family for family in found if family is not None}.values())


def family_named(name: str) -> Family:
    """The family of that name, of which an environment is registered; none is made for that.

    Raises:
        UnknownName: there is none; the message lists those that there are.
    """
    known = {found.name: found for found in families()}
    if name in known:
        return known[name]
    hint = "Import the module that registers its environments first (pi-gym --import MODULE …)."
    raise UnknownName(f"{unknown('family', name, known)} {hint}")
