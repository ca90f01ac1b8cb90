"""The apps that a phone can have: the folders of `pi_gym/phone`, imported at the first use."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterable
from functools import cache
from importlib import import_module

from pi_gym import phone
from pi_gym.errors import UnknownName, unknown
from pi_gym.phone.declare import PhoneApp
from pi_gym.tools import Registry


@cache
def phone_app_names() -> tuple[str, ...]:
    """The names of the apps, sorted, as their folders have them: "emails"."""
    return tuple(sorted(found.name for found in pkgutil.iter_modules(phone.__path__) if found.ispkg))


@cache
def load_phone_app(name: str) -> PhoneApp:
    """An app with all its operations: `app.py` of its folder holds it as `APP`, the other modules add to it.

    Args:
        name: as its operations have it ("Emails"), or as its folder is called.

    Raises:
        UnknownName: there is no such app; the message lists those that exist.
    """
    folder = name.lower()
    if folder not in phone_app_names():
        raise UnknownName(unknown("app of the phone", name, [one.capitalize() for one in phone_app_names()]))
    package = import_module(f"{phone.__name__}.{folder}")
    for module in sorted(found.name for found in pkgutil.iter_modules(package.__path__)):
        import_module(f"{phone.__name__}.{folder}.{module}")
    app: PhoneApp = import_module(f"{phone.__name__}.{folder}.app").APP
    assert app.name.lower() == folder, f"the app in the folder {folder!r} calls itself {app.name!r}"
    return app


def agent_tools(names: Iterable[str]) -> Registry:
    """The operations of these apps that an agent may call, app by app in the order of their names."""
    return Registry(one for name in sorted(names) for one in load_phone_app(name).offered("assistant"))
