"""A phone with something in every app, and arguments for every operation that fit it.

Each app has a module of its own in `phone_rows`, with `ROWS` (rows by table and id) and `ARGUMENTS`
(for operations that need some: by name, a list of arguments, of which one at least works). A module may have `FILES`
too: texts by path, for the workspace.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from pi_gym.phone.installed_apps import load_phone_app, phone_app_names
from pi_gym.state import Workspace, World

_MODULES = {name: import_module(f"support.phone_rows.{name}") for name in phone_app_names()}
ARGUMENTS: dict[str, list[dict[str, Any]]] = {
    name: given for module in _MODULES.values() for name, given in module.ARGUMENTS.items()
}


@cache
def _seeded() -> World:
    files = {path: text for module in _MODULES.values() for path, text in getattr(module, "FILES", {}).items()}
    world = World(Workspace({path: text.encode() for path, text in files.items()}))
    for name, module in _MODULES.items():
        app = load_phone_app(name)
        rows = {
            table: {key: app.tables[table].complete(row) for key, row in given.items()}
            for table, given in module.ROWS.items()
        }
        world.put_app(app.name, app.database(rows))
    return world


def phone_world() -> World:
    """The world of the phone, a fresh fork."""
    return _seeded().fork()
