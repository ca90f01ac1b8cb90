"""Bounded caches that several threads may use."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import RLock
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


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
        # Reentrant: making a value may need another one of the same cache.
        self._lock = RLock()

    def get(self, key: K, make: Callable[[], V]) -> V:
        """The value of a key, made where it is not there; what `make` raises is passed on and nothing is kept."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
            value = make()
            self._values[key] = value
            while len(self._values) > self._size:
                self._values.popitem(last=False)
            return value

    def __len__(self) -> int:
        return len(self._values)
