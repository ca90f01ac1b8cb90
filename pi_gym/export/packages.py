"""The packages of the extra `data`, imported when a table is made."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from pi_gym.errors import PiGymError

_PACKAGES = ("datasets", "pyarrow")


class DataMissing(PiGymError, ImportError):
    """The packages that make tables are not installed."""


def package(name: str) -> Any:
    """A package of the extra, or a module of it.

    Raises:
        DataMissing: one of the packages is not installed.
    """
    missing = [one for one in _PACKAGES if find_spec(one) is None]
    if missing:
        raise DataMissing(f"tables need the packages {' and '.join(missing)}: pip install 'pi-gym[data]'")
    return import_module(name)
