"""Bounded caches that several threads may use, and that survive a fork."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, Generic, TypeVar
from weakref import WeakSet

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

_all: WeakSet[BoundedCache[Any, Any]] = WeakSet()


class BoundedCache(Generic[K, V]):
    """The most recently used values, at most `size` of them.

    Args:
        size: how many are kept.

    >>> cache = BoundedCache(2)
    >>> [cache.get(key, lambda key=key: key * 2) for key in (1, 2, 3)], len(cache)
    ([2, 4, 6], 2)
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._values: OrderedDict[K, V] = OrderedDict()
        self._lock = Lock()
        _all.add(self)

    def get(self, key: K, make: Callable[[], V]) -> V:
        """The value of a key, made where it is not there; what `make` raises is passed on and nothing is kept.

        The lock is not held while a value is made, so two threads may make the same; the first one made is kept.
        """
        with self._lock:
            found = self._values.get(key)
            if found is not None or key in self._values:
                self._values.move_to_end(key)
                return found  # type: ignore[return-value]  # None only where that is the value
        value = make()
        with self._lock:
            value = self._values.setdefault(key, value)
            self._values.move_to_end(key)
            while len(self._values) > self._size:
                self._values.popitem(last=False)
            return value

    def renew_lock(self) -> None:
        """Renew the lock in a forked child: one that another thread held at the fork would never be freed."""
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._values)


def _after_fork() -> None:
    for cache in list(_all):
        cache.renew_lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
