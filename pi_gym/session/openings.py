"""Openings by (task, history mode, tools), made once and shared by all sessions that open alike."""

from __future__ import annotations

from collections import OrderedDict
from typing import Literal

from pi_gym.packs import Pack, Task
from pi_gym.session.history import start_world
from pi_gym.session.opening import Opening, open_task

OPENING_CACHE = 1_024
_openings: OrderedDict[tuple[str, str, str, int, str, str, str], Opening] = OrderedDict()


def opening_for(pack: Pack, task: Task, mode: Literal["reference", "none"], tools: Literal["task", "all"]) -> Opening:
    """The opening of a task; the least recently used are forgotten beyond `OPENING_CACHE`."""
    key = (pack.source, pack.content_hash, task.id, task.variant, task.canary, mode, tools)
    found = _openings.get(key)
    if found is None:
        found = _openings[key] = open_task(task, start_world(pack, task, mode), tools)
        while len(_openings) > OPENING_CACHE:
            _openings.popitem(last=False)
    else:
        _openings.move_to_end(key)
    return found
