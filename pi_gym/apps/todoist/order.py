"""The order of siblings: sections of a project, tasks of a section, sub-tasks of a task; from 0 without gaps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from pi_gym.apps.desk import Desk
from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError

Siblings: TypeAlias = Sequence[tuple[int, Row]]


def sections_of(desk: Desk, project_id: int) -> list[tuple[int, Row]]:
    """The sections of a project, in order."""
    return in_order(desk.having("sections", "project", project_id))


def tasks_beside(desk: Desk, project_id: int, section_id: int | None) -> list[tuple[int, Row]]:
    """The tasks of a section, or those of a project that are in none; in no order."""
    if section_id is not None:
        return desk.having("tasks", "section", section_id)
    return [pair for pair in desk.having("tasks", "project", project_id) if pair[1]["section"] is None]


def sub_tasks_of(desk: Desk, task_id: int) -> list[tuple[int, Row]]:
    """The sub-tasks of a task, in order."""
    return in_order(desk.having("sub_tasks", "task", task_id))


def in_order(rows: Iterable[tuple[int, Row]]) -> list[tuple[int, Row]]:
    """Siblings by their place; equal places, which a task's rows may have, by id."""
    return sorted(rows, key=lambda pair: (pair[1]["order_index"], pair[0]))


def make_room(desk: Desk, table: str, siblings: Siblings, order_index: int) -> int:
    """Shift siblings for a new one and give its place.

    Args:
        desk: the app.
        table: the siblings' table.
        siblings: those that are there.
        order_index: the place that was asked for; -1 or beyond the end for the end.

    Raises:
        ToolError: the place is below -1.
    """
    ordered = in_order(siblings)
    place = _place(order_index, len(ordered))
    if place == len(ordered):
        # A task's rows may leave gaps or share places: behind the last one, whatever its place is.
        at: int = ordered[-1][1]["order_index"] + 1 if ordered else 0
        return at
    for at, (key, row) in enumerate(ordered):
        moved = at + (at >= place)
        if row["order_index"] != moved:
            desk.update(table, key, order_index=moved)
    return place


def close_gap(desk: Desk, table: str, siblings: Siblings, at: int) -> None:
    """Shift the siblings behind a place that became free."""
    for key, row in siblings:
        if row["order_index"] > at:
            desk.update(table, key, order_index=row["order_index"] - 1)


def move(desk: Desk, table: str, siblings: Siblings, key: int, order_index: int) -> None:
    """Put one of the siblings at another place; those between move by one.

    Args:
        desk: the app.
        table: the siblings' table.
        siblings: all of them.
        key: the one that moves.
        order_index: its new place; -1 or beyond the end for the end.

    Raises:
        ToolError: the place is below -1.
    """
    rest = in_order(pair for pair in siblings if pair[0] != key)
    rows = dict(siblings)
    keys = [other for other, _ in rest]
    keys.insert(_place(order_index, len(keys)), key)
    for at, other in enumerate(keys):
        if rows[other]["order_index"] != at:
            desk.update(table, other, order_index=at)


def _place(order_index: int, end: int) -> int:
    if order_index < -1:
        raise ToolError(f"order_index counts from 0, and -1 stands for the end, so {order_index} is no place.")
    return end if order_index == -1 else min(order_index, end)
