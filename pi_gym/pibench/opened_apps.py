"""The apps of a session: those that it offers or that its task fills, as the session finds them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pi_gym.apps import apps_of, sign_out_everywhere
from pi_gym.packs.app_rows import StagedRow
from pi_gym.packs.task import Task
from pi_gym.state import Table, World


def open_apps(world: World, task: Task, tools: Iterable[str]) -> None:
    """Sign out everywhere, put in the apps that are offered for the first time, and stage the task's rows.

    Args:
        world: the session's world; it is changed.
        task: the task.
        tools: names of the tools that the session offers.
    """
    sign_out_everywhere(world)
    names = sorted({*apps_of(tools), *task.apps})
    if not names:
        return
    seeds = task.home.app_seeds
    for name in names:
        if name not in world.apps:
            world.put_app(name, seeds.database(name))
        for table, rows in task.apps.get(name, {}).items():
            database = world.apps[name]
            world.put_app(name, database.put(table, _with_rows(database.table(table), rows)))


def _with_rows(table: Table, rows: Mapping[int, StagedRow]) -> Table:
    """The table with a task's rows, whatever earlier sessions did to them."""
    for key, row in rows.items():
        current = table.get(key)
        table = table.insert(key, row.whole) if current is None else table.update(key, **row.given)
    return table
