"""The apps there are: the folders of this package. An app's modules are imported at its first use."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from pathlib import Path

from pi_gym.apps.declare import SEPARATOR, App
from pi_gym.errors import UnknownName, unknown
from pi_gym.tools import EVERY, Registry

_FOLDER = str(Path(__file__).parent)


@cache
def app_names() -> tuple[str, ...]:
    """The apps' names, sorted; nothing is imported."""
    return tuple(sorted(found.name for found in pkgutil.iter_modules([_FOLDER]) if found.ispkg))


@cache
def load_app(name: str) -> App:
    """An app with all its operations: `app.py` of its folder holds it as `APP`, the other modules add to it.

    Raises:
        UnknownName: there is no such app; the message lists those that exist.
    """
    if name not in app_names():
        raise UnknownName(unknown("app", name, app_names()))
    package = import_module(f"pi_gym.apps.{name}")
    for module in sorted(found.name for found in pkgutil.iter_modules(package.__path__)):
        import_module(f"pi_gym.apps.{name}.{module}")
    app: App = import_module(f"pi_gym.apps.{name}.app").APP
    assert app.name == name, f"the app in the folder {name!r} calls itself {app.name!r}"
    return app


def apps_of(names: Iterable[str]) -> list[str]:
    """The apps that some tools belong to, sorted; tools of no app are skipped.

    >>> apps_of(["read_file", "simple_note__login", "simple_note__*"])
    ['simple_note']
    """
    prefixes = {name.partition(SEPARATOR)[0] for name in names if SEPARATOR in name}
    return [name for name in app_names() if name in prefixes]


@cache
def all_tools() -> Registry:
    """The general tools, then the operations of every app that the assistant may call."""
    return EVERY.merged(*(Registry(load_app(name).operations).audience("assistant") for name in app_names()))


def operations(names: Iterable[str]) -> Registry:
    """The tools with these names: general ones, `app__operation`, or `app__*` for a whole app; in a stable order.

    Raises:
        UnknownName: one does not exist; the message lists the closest names.
    """
    wanted = list(dict.fromkeys(names))
    known = EVERY.merged(*(Registry(load_app(app).operations).audience("assistant") for app in apps_of(wanted)))
    chosen: set[str] = set()
    for name in wanted:
        app, _, operation = name.partition(SEPARATOR)
        if name in known:
            chosen.add(name)
        elif operation == "*" and app in app_names():
            chosen.update(one for one in known.names if one.startswith(app + SEPARATOR))
        else:
            raise UnknownName(_unknown(name, known.names))
    return known.subset(chosen)


def _unknown(name: str, known: tuple[str, ...]) -> str:
    app = name.partition(SEPARATOR)[0]
    if SEPARATOR in name and app not in app_names():
        return unknown("app", app, app_names())
    own = [one for one in known if one.startswith(app + SEPARATOR)] if SEPARATOR in name else list(EVERY.names)
    return unknown("tool", name, own or known, shown=40)
