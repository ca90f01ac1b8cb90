"""The application that serves sessions over HTTP, each at its own URL."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import anyio
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from pi_gym.adapters.mcp.session_server import SessionServer
from pi_gym.adapters.mcp.tool_session import ToolSessions
from pi_gym.errors import BadArgument, PiGymError, UnknownName, unknown
from pi_gym.runs.store import AlreadyScored, FolderBusy

PATH = "/mcp"
#: Seconds after which whoever finds no room may ask again.
RETRY_SECONDS = 10
#: Seconds for which a session that is over keeps its place, so that its last result is sent.
_LINGER_SECONDS = 1.0
_NUMBERS = ("variant", "seed", "sample")
_NAMES = ("task", *_NUMBERS)


class TooManySessions(PiGymError):
    """As many sessions are open as may be."""


@dataclass
class _Place:
    """The session at one URL: its server, that server's application, and what ends it."""

    served: SessionServer
    application: Any
    scope: anyio.CancelScope


class SessionsApp:
    """The application that serves sessions over HTTP.

    The URL names the session: `/mcp?task=…&variant=…&seed=…&sample=…`. The first request opens it. One that nobody used
    for a while is ended, graded and written, since no protocol says that a host is gone; so are all when the server is
    stopped.

    Args:
        sessions: opens them.
        usual: the parts of a URL that it need not name, by name.
        host: where it listens, for the protection of a machine's own addresses.
        idle_s: seconds without a call after which a session is ended.
        max_sessions: how many may be open; a URL of another is answered with 503 until one ends.

    Attributes:
        failures: by session, what went wrong as it was ended; another try that goes well takes it away.
    """

    def __init__(
        self, sessions: ToolSessions, usual: dict[str, Any], *, host: str, idle_s: float, max_sessions: int
    ) -> None:
        self._sessions, self._usual, self._host = sessions, usual, host
        self._idle_s, self._max_sessions = idle_s, max_sessions
        self._places: dict[tuple[Any, ...], _Place] = {}
        self._opening: dict[tuple[Any, ...], anyio.Event] = {}
        # An opening may wait for a model, and holds a thread for as long.
        self._threads = anyio.CapacityLimiter(max_sessions)
        self._group: Any = None
        self.failures: dict[tuple[Any, ...], str] = {}
        self.asgi = Starlette(routes=[Route(PATH, endpoint=_Endpoint(self))], lifespan=self._life)

    async def answer(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request, at the session that its URL names."""
        try:
            place = await self._place(Request(scope).query_params)
        except PiGymError as error:
            status = _status(error)
            headers = {"Retry-After": str(RETRY_SECONDS)} if status == 503 else None
            await JSONResponse({"error": str(error)}, status, headers)(scope, receive, send)
            return
        place.served.touch()
        await place.application(scope, receive, send)

    async def _place(self, query: Any) -> _Place:
        named = _read_query(query, self._usual)
        named["task"] = self._sessions.full_name(named["task"])
        key = tuple(named.values())
        while key in self._opening:
            await self._opening[key].wait()
        if key not in self._places:
            self._opening[key] = opened = anyio.Event()
            try:
                await self._make_room()
                session = await anyio.to_thread.run_sync(partial(self._sessions.begin, **named), limiter=self._threads)
                served = SessionServer(session)
                application = served.server.streamable_http_app(
                    streamable_http_path=PATH, json_response=True, host=self._host
                )
                self._places[key] = await self._group.start(self._keep, served, application)
            finally:
                del self._opening[key]
                opened.set()
        return self._places[key]

    async def _make_room(self) -> None:
        """Let go of sessions that are over, as far as there is no room for those that are being opened.

        Raises:
            TooManySessions: all are open.
        """
        while len(self._places) + len(self._opening) > self._max_sessions:
            over = (key for key, place in self._places.items() if place.served.over_for_s > _LINGER_SECONDS)
            if (key := next(over, None)) is None:
                raise TooManySessions(
                    f"as many sessions are open as may be (--max-sessions {self._max_sessions}); try again when one of"
                    " them has ended"
                )
            await self._retire(key)

    async def _keep(self, served: SessionServer, application: Any, *, task_status: Any) -> None:
        """Keep a session's application going until its scope is cancelled."""
        with anyio.CancelScope() as scope:
            async with application.router.lifespan_context(application):
                task_status.started(_Place(served, application, scope))
                await anyio.sleep_forever()

    @asynccontextmanager
    async def _life(self, application: Any) -> AsyncIterator[None]:
        async with anyio.create_task_group() as group:
            self._group = group
            group.start_soon(self._sweep)
            yield
            async with anyio.create_task_group() as ending:
                for key in self._places:
                    ending.start_soon(self._end, key)
            group.cancel_scope.cancel()

    async def _sweep(self) -> None:
        while True:
            await anyio.sleep(min(self._idle_s / 4, 5.0))
            async with anyio.create_task_group() as ending:
                for key, place in self._places.items():
                    if place.served.idle_for_s > self._idle_s:
                        ending.start_soon(self._retire, key)

    async def _retire(self, key: tuple[Any, ...]) -> None:
        """End a session, and give its place away; whoever comes again finds in the folder that it was played."""
        await self._end(key)
        place = self._places.get(key)
        if place is not None and place.served.session.over:
            del self._places[key]
            place.scope.cancel()

    async def _end(self, key: tuple[Any, ...]) -> None:
        place = self._places.get(key)
        if place is None:
            return
        try:
            await place.served.end()
        except Exception as error:  # the others are to be ended all the same; the command tells of it
            self.failures[key] = f"{type(error).__name__}: {error}"
        else:
            self.failures.pop(key, None)


class _Endpoint:
    """The endpoint of a route; Starlette takes functions for something else."""

    def __init__(self, app: SessionsApp) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        await self._app.answer(scope, receive, send)


def _read_query(query: Any, usual: dict[str, Any]) -> dict[str, Any]:
    """The session that a URL names, in the order of its parts.

    Raises:
        UnknownName: it has a part of another name.
        BadArgument: (a ValueError) a part is no number, or there is no task.
    """
    odd = next((name for name in query if name not in _NAMES), None)
    if odd is not None:
        raise UnknownName(unknown("part of the URL", odd, _NAMES))
    given = {**usual, **dict(query)}
    if not given.get("task"):
        raise BadArgument(f"the URL names no session: expected {PATH}?task=…, and variant, seed or sample")
    named: dict[str, Any] = {"task": str(given["task"])}
    for name in _NUMBERS:
        text = str(given.get(name, 0))
        if not (text.isascii() and text.isdigit() and len(text) < 10):
            raise BadArgument(f"{name}: expected a number, got {text[:80]!r}")
        named[name] = int(text)
    return named


def _status(error: PiGymError) -> int:
    """The status that tells a host whose failure it is."""
    if isinstance(error, AlreadyScored):
        return 409
    if isinstance(error, UnknownName):
        return 404
    if isinstance(error, (TooManySessions, FolderBusy)):
        return 503
    return 400 if isinstance(error, BadArgument) else 500
