"""The interface of a logger."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol

from pi_gym.errors import PiGymError


class Logger(Protocol):
    """Takes figures as they come."""

    def log(self, step: int, values: Mapping[str, float]) -> None:
        """Note figures.

        Args:
            step: of sessions or updates, not below an earlier one.
            values: by name; "/" in names makes groups.
        """
        ...

    def close(self) -> None:
        """Write what is outstanding; a later `log` goes on."""
        ...


class LoggerMissing(PiGymError, ImportError):
    """The package of a logger is not installed."""


def logger_package(name: str, module: str = "") -> Any:
    """A logger's package, or a module of it.

    Raises:
        LoggerMissing: it is not installed.
    """
    require_package(name)
    return import_module(module or name)


def require_package(name: str) -> None:
    """Raise LoggerMissing where a logger's package is not installed."""
    found = find_spec(name)
    if found is None or found.origin is None:  # without an origin: a folder of that name where one stands
        raise LoggerMissing(f"logging to {name} needs the package {name}: pip install 'pi-gym[{name}]'")
