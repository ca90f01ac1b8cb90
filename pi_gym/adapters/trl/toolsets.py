"""Which tools the tasks of an environment offer: the union, and task by task."""

from __future__ import annotations

from collections.abc import Mapping

from pi_gym.env import PiEnv
from pi_gym.pibench.opening import choose_tools
from pi_gym.tools import Registry

#: What the name of a set is made of is the tools that not every task has.
_PLAIN = "general"


def tool_sets(env: PiEnv) -> Mapping[str, tuple[tuple[str, ...], Registry]]:
    """The different sets of tools, by a name made of what they have beside the others: their tasks, and the tools.

    Args:
        env: an environment; its packs, `tools` and `subagent` decide.
    """
    sets: dict[tuple[str, ...], tuple[list[str], Registry]] = {}
    for task_id, registry in offered(env).items():
        sets.setdefault(registry.names, ([], registry))[0].append(task_id)
    common = set.intersection(*(set(names) for names in sets))
    named: dict[str, tuple[tuple[str, ...], Registry]] = {}
    for names, (tasks, registry) in sets.items():
        families = dict.fromkeys(name.partition("__")[0] for name in names if name not in common)
        label = name = "+".join(families) or _PLAIN
        number = 1
        while name in named:  # two sets of the same apps, with other operations of them
            number += 1
            name = f"{label}-{number}"
        named[name] = (tuple(tasks), registry)
    return named


def union(env: PiEnv) -> Registry:
    """All tools that any of the tasks offers, in the order in which they come up."""
    operations = {operation.name: operation for registry in offered(env).values() for operation in registry}
    return Registry(operations.values())


def offered(env: PiEnv) -> dict[str, Registry]:
    """Task by task, in episode order, the tools that a session of it offers."""
    config = env.session_config
    return {
        name: choose_tools(pack.instantiate(name), config.tools, config.subagent)
        for pack in env.packs
        for name in pack.task_ids
    }
