"""Openings by (task, history mode, tools), made once and shared by all sessions that open alike."""

from __future__ import annotations

from typing import Literal

from pi_gym.caches import BoundedCache
from pi_gym.packs import Pack, Task
from pi_gym.pibench.history import start_world
from pi_gym.pibench.opening import Opening, open_task

OPENING_CACHE = 512
_openings: BoundedCache[tuple[Pack, str, int, str, str, str, bool], Opening] = BoundedCache(OPENING_CACHE)


def opening_for(
    pack: Pack,
    task: Task,
    mode: Literal["reference", "none"],
    tools: Literal["task", "all"],
    subagent: bool = False,
) -> Opening:
    """The opening of a task; the least recently used are forgotten beyond `OPENING_CACHE`."""
    key = (pack, task.id, task.variant, task.canary, mode, tools, subagent)
    return _openings.get(key, lambda: open_task(task, start_world(pack, task, mode), tools, subagent=subagent))
