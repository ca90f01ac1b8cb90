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
    found: list[tuple[str, dict[str, Any]]] = [
        (env_id, {})
        for env_id, pack in packs.items()
        # An id that has no pack among its arguments knows its sets itself.
        if pack == name or (pack == env_id and name in [one.name for one in open_environment(env_id, {}).packs])
    ]
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
    """The environment in which there is a task, and the pack that it is of.

    Args:
        task: the task's name, or "pack/task" where several packs have one of that name.
        name: as in `named_ids`.

    Raises:
        UnknownName: there is none; the message lists the known tasks.
        BadArgument: it is in more than one pack; the message says how to write it.
    """
    from pi_gym.runs.plan import named_task

    found = [open_environment(env_id, kwargs) for env_id, kwargs in named_ids(name)]
    packs = {pack.name: (env, pack) for env in reversed(found) for pack in env.packs}
    of_pack, _ = named_task([pack for _, pack in packs.values()], task)
    return packs[of_pack]
