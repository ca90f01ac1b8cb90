"""The predicate language: what authors write in YAML about replies, calls, files and apps (docs/predicates.md).

The parts are imported when they are first asked for: a session opens without compiling a predicate.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pi_gym.predicates.compile import Predicate, check_shape, compile_predicate
    from pi_gym.predicates.evidence import Evidence, Outcome

__all__ = ["Evidence", "Outcome", "Predicate", "check_shape", "compile_predicate"]

_HOMES = {"Evidence": "evidence", "Outcome": "evidence"}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}")
    value = getattr(import_module(f"{__name__}.{_HOMES.get(name, 'compile')}"), name)
    globals()[name] = value
    return value
