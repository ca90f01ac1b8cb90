"""Requests under way: whoever asks the same meanwhile waits for the same answer."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

T = TypeVar("T")


@dataclass(slots=True)
class _Flight(Generic[T]):
    task: asyncio.Task[T]
    passengers: int = 0


class Flights(Generic[T]):
    """The requests under way, by key, on one event loop."""

    def __init__(self) -> None:
        self._under_way: dict[Hashable, _Flight[T]] = {}

    def __contains__(self, key: Hashable) -> bool:
        return key in self._under_way

    async def join(self, key: Hashable, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """The result of the work under this key; it is begun where none is under way.

        Whoever is cancelled leaves the others their result; the work is cancelled with the last of them.
        """
        flight = self._under_way.get(key)
        if flight is None:
            flight = self._under_way[key] = _Flight(asyncio.ensure_future(work()))
            flight.task.add_done_callback(lambda _: self._under_way.pop(key, None))
        flight.passengers += 1
        try:
            return await asyncio.shield(flight.task)
        finally:
            flight.passengers -= 1
            if not flight.passengers and not flight.task.done():
                self._under_way.pop(key, None)
                flight.task.cancel()
