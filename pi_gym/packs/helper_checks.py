"""Helpers of `pi_gym.authoring` as checks of a task, by the name that it gives them: `playlists.lasts`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from inspect import signature
from types import ModuleType
from typing import Any

Function = Callable[..., Any]


def known_checks(own: Mapping[str, Function], names: Iterable[str]) -> Mapping[str, Function]:
    """The functions that a task's checks may name: those of its right.py, and the helpers among the names.

    Args:
        own: the functions of right.py, by name.
        names: what the task calls for, without "check_"; one with a dot is a helper, "playlists.lasts".
    """
    found = {f"check_{name}": helper for name in names if (helper := _helper(name)) is not None}
    return {**own, **found} if found else own


def _helper(name: str) -> Function | None:
    """The public function of a module that the helpers bring which judges evidence; None without one."""
    from pi_gym import authoring

    module, dot, function = name.partition(".")
    home = getattr(authoring, module, None)
    if not dot or not isinstance(home, ModuleType) or function.startswith("_"):
        return None
    found = getattr(home, function, None)
    is_own = getattr(found, "__module__", "") == home.__name__
    return found if is_own and _judges(found) else None


def _judges(helper: Any) -> bool:
    """Whether a helper takes the evidence first and says yes or no: what gives a text or numbers would always hold."""
    if not callable(helper):
        return False
    taken = signature(helper)
    return next(iter(taken.parameters), "") == "evidence" and taken.return_annotation == "bool"
