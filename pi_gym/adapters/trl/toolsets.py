"""The tools that the tasks of an environment offer: the union, and task by task."""

from __future__ import annotations

from collections.abc import Mapping

from pi_gym.catalogue import TaskName
from pi_gym.env import SessionEnv
from pi_gym.sampling import split_tasks
from pi_gym.tools import Registry

#: The name of the set of tools that every task has; others are named by the tools that not every task has.
_PLAIN = "general"


def tool_sets(env: SessionEnv) -> Mapping[str, tuple[tuple[TaskName, ...], Registry]]:
    """The different sets of tools, by a name made of what they have beside the others: their tasks, and the tools.

    Args:
        env: an environment; its family, packs and settings decide.
    """
    sets: dict[tuple[str, ...], tuple[list[TaskName], Registry]] = {}
    for task, registry in offered(env).items():
        sets.setdefault(registry.names, ([], registry))[0].append(task)
    common = set.intersection(*(set(names) for names in sets))
    named: dict[str, tuple[tuple[TaskName, ...], Registry]] = {}
    for names, (tasks, registry) in sets.items():
        families = dict.fromkeys(name.partition("__")[0] for name in names if name not in common)
        label = name = "+".join(families) or _PLAIN
        number = 1
        while name in named:  # two sets of the same apps, with other operations of them
            number += 1
            name = f"{label}-{number}"
        named[name] = (tuple(tasks), registry)
    return named


def union(env: SessionEnv) -> Registry:
    """All tools that any of the tasks offers, in the order in which they come up."""
    operations = {operation.name: operation for registry in offered(env).values() for operation in registry}
    return Registry(operations.values())


def offered(env: SessionEnv) -> dict[TaskName, Registry]:
    """Task by task that it may open, in episode order, the tools that a session of it offers."""
    return {
        (pack.name, task_id): env.family.offered(env, pack, task_id)
        for pack in env.packs
        for task_id in split_tasks(pack, "test", env.exclude_needs)
    }
