"""What lists, splits and plans need to know of a task, without making it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TaskCard:
    """One task of a pack, at a glance.

    Args:
        id: the task's folder name.
        category: the letter of its kind of work; empty where it has none.
        group: its dependency group; empty where it stands alone.
        depends_on: earlier tasks that it builds on directly.
        holdout: kept out of training.
        trigger: what opens it: "user", "event" or "heartbeat".
        intents: the least and the most hidden intents that a variant holds; `pool` is what they are drawn from.
        items: checklist items.
        needs: what a session needs beyond the engine ("exec").
        fixed: there is one world of it, variant 0.
    """

    id: str
    category: str
    group: str
    depends_on: tuple[str, ...]
    holdout: bool
    trigger: str
    intents: tuple[int, int]
    pool: int
    items: int
    needs: tuple[str, ...]
    fixed: bool = False
