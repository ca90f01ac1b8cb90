"""Dataclasses some of whose fields are made at the first look."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields
from functools import cache
from typing import Any, Self

_WAITING = "_waiting"


@cache
def _factories(cls: type) -> Mapping[str, Callable[[], Any]]:
    """The fields whose defaults do not stand in the class, each with what makes its default."""
    found = {field.name: field.default_factory for field in fields(cls)}
    return {name: make for name, make in found.items() if make is not MISSING}


class Deferred:
    """Base of frozen dataclasses without slots whose fields may wait until somebody looks at them.

    An instance made as usual has all its fields. Copies by `dataclasses.replace`, pickles and comparisons look at every
    field, and so have them made.
    """

    @classmethod
    def waiting(cls, names: Sequence[str], make: Callable[[str], Any], **known: Any) -> Self:
        """An instance with fields that are made at the first look, each once.

        Args:
            names: the fields that wait.
            make: gives the value of one of them.
            known: the other fields.

        Raises:
            TypeError: a field that waits has a default that stands in the class: it would be found before it is made.
        """
        standing = [name for name in names if hasattr(cls, name)]
        if standing:
            raise TypeError(f"{cls.__name__}.{standing[0]} cannot wait: give it a default_factory, not a default")
        one = object.__new__(cls)
        for name, default in _factories(cls).items():  # type: ignore[arg-type]
            if name not in names and name not in known:
                one.__dict__[name] = default()
        one.__dict__.update(known)
        one.__dict__[_WAITING] = names, make
        return one

    def __getattr__(self, name: str) -> Any:
        # Python asks here for what is not in the instance: a field that waits, or nothing at all.
        names, make = self.__dict__.get(_WAITING, ((), None))
        if make is None or name not in names:
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        # Two threads may make the same; the first one made is kept.
        return self.__dict__.setdefault(name, make(name))

    def complete(self) -> None:
        """Have every field made; raises what making it raises."""
        for field in fields(self):  # type: ignore[arg-type]
            getattr(self, field.name)

    def __getstate__(self) -> dict[str, Any]:
        self.complete()
        return {name: value for name, value in self.__dict__.items() if name != _WAITING}
