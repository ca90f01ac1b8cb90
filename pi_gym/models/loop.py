"""One background event loop in each process: all requests to models run on it.

So models can be waited for wherever an environment is stepped: in a script, in a Jupyter cell and under any other
running loop, in a worker of a vectorised environment, and in a forked child, which begins a loop of its own.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakSet

from pi_gym.models.cache import AnswerCache
from pi_gym.models.client import ModelClient
from pi_gym.models.config import ModelConfig

T = TypeVar("T")
_STOP_S = 5.0


class ModelLoop:
    """The loop, its thread, and the clients that live on it."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._clients: dict[tuple[str, ModelConfig, str], tuple[ModelClient, WeakSet[Any]]] = {}
        self._caches: dict[Path, AnswerCache] = {}
        self._thread = threading.Thread(target=self._run, name="pi_gym-models", daemon=True)
        self._thread.start()

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Have a coroutine run on the loop."""
        if self.is_here:
            work.close()
            raise RuntimeError("the loop of the models cannot wait for itself")
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    @property
    def is_here(self) -> bool:
        """Whether the caller runs on the loop."""
        return threading.current_thread() is self._thread

    def requests(self) -> dict[str, tuple[int, int]]:
        """The numbers of requests that are out now and that may be, by role; any thread may ask."""
        found: dict[str, tuple[int, int]] = {}
        for (role, config, _), (client, _) in list(self._clients.items()):
            out, limit = found.get(role, (0, 0))
            found[role] = (out + client.in_flight, limit + config.max_concurrency)
        return found

    def client(self, role: str, config: ModelConfig, user: object) -> ModelClient:
        """The client of a role, made where there is none; to be called on the loop.

        Args:
            role: each role has its own, and so its own places for requests.
            config: the model.
            user: whoever needs it; it is closed when nobody does.
        """
        name = (role, config, config.key)
        if name not in self._clients:
            self._clients[name] = (ModelClient(config, self._cache(config)), WeakSet())
        client, users = self._clients[name]
        users.add(user)
        return client

    async def release(self, user: object) -> None:
        """Close the clients that nobody else needs."""
        for name, (client, users) in list(self._clients.items()):
            users.discard(user)
            if not users:
                del self._clients[name]
                await client.close()

    def close(self) -> None:
        """Cancel what runs, close everything, end the thread."""
        if self._loop.is_closed():
            return
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(_STOP_S)

    def _cache(self, config: ModelConfig) -> AnswerCache | None:
        folder = config.cache_folder
        if folder is None:
            return None
        if folder not in self._caches:
            self._caches[folder] = AnswerCache(folder)
        return self._caches[folder]

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
            tasks = asyncio.all_tasks(self._loop)
            for task in tasks:
                task.cancel()
            self._loop.run_until_complete(self._end(tasks))
        finally:
            self._loop.close()

    async def _end(self, tasks: set[asyncio.Task[Any]]) -> None:
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.gather(*(client.close() for client, _ in self._clients.values()), return_exceptions=True)
        for cache in self._caches.values():
            cache.close()
        await self._loop.shutdown_asyncgens()


_lock = threading.Lock()
#: By process. What a fork inherited is kept, never touched: its thread is not in this process, its files are another's.
_loops: dict[int, ModelLoop] = {}


def model_loop() -> ModelLoop:
    """This process's loop; the first call begins it."""
    with _lock:
        found = _loops.get(os.getpid())
        if found is None:
            found = _loops[os.getpid()] = ModelLoop()
        return found


def release(user: object) -> None:
    """Close the clients of this process that only this user needed."""
    with _lock:
        found = _loops.get(os.getpid())
    if found is not None:
        found.submit(found.release(user)).result()


def close_model_loop() -> None:
    """End this process's loop, if there is one; the next use begins another."""
    with _lock:
        found = _loops.pop(os.getpid(), None)
    if found is not None:
        found.close()


def _after_fork() -> None:
    global _lock
    _lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
atexit.register(close_model_loop)
