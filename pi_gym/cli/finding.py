"""Finding what a command's argument names: environments by their ids, by their packs, or by a pack's folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pi_gym.catalogue import TaskSet
    from pi_gym.env import SessionEnv


def named_ids(name: str | None) -> list[tuple[str, dict[str, Any]]]:
    """The environment ids that a name means, each with the arguments that it takes beside.

    Args:
        name: an id ("module:Name-v0" too), a pack's name, or the path of a pack's folder; None: every registered id
            that stands for one pack.

    Raises:
        UnknownName: it is none of these; the message lists what is known.
    """
    from pi_gym.environments import make_env
    from pi_gym.errors import PackError, UnknownName, unknown
    from pi_gym.registration import registered_ids, spec_of

    packs = {env_id: spec_of(env_id).kwargs.get("pack", env_id) for env_id in registered_ids()}
    if name is None:
        return [(env_id, {}) for env_id, pack in packs.items() if pack is not None]
    if name in packs or ":" in name:
        return [(name, {})]
    found: list[tuple[str, dict[str, Any]]] = [(env_id, {}) for env_id, pack in packs.items() if pack == name]
    if found:
        return found
    refused: UnknownName | None = None
    for env_id, pack in packs.items():
        if pack is None:  # an id that takes any pack of its family
            try:
                make_env(env_id, {"pack": name}).close()
            except PackError:
                raise
            except UnknownName as error:
                refused = refused or error
                continue
            return [(env_id, {"pack": name})]
    known = [*packs, *(str(pack) for pack in packs.values() if pack is not None)]
    raise refused or UnknownName(unknown("environment or pack", name, known, shown=25))


def open_environment(env_id: str, kwargs: dict[str, Any]) -> SessionEnv:
    """The environment of an id, below Gymnasium's own wrappers."""
    from pi_gym.environments import base_env, make_env

    return base_env(make_env(env_id, kwargs))


def environment_with(task: str, name: str | None) -> tuple[SessionEnv, TaskSet]:
    """The first environment in which there is a task, and the pack that it is of.

    Args:
        task: the task's name.
        name: as in `named_ids`.

    Raises:
        UnknownName: there is none; the message lists the known tasks.
    """
    from pi_gym.errors import UnknownName, unknown

    known: list[str] = []
    for env_id, kwargs in named_ids(name):
        env = open_environment(env_id, kwargs)
        for pack in env.packs:
            known += pack.task_ids
            if task in pack.task_ids:
                return env, pack
    raise UnknownName(unknown("task", task, known, shown=25))
