"""Serving sessions to hosts: one over the process's own input and output, or many over HTTP, each at its own URL."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from time import monotonic
from typing import Any

import anyio
import uvicorn
from mcp.server.stdio import stdio_server
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from pi_gym.adapters.mcp.session_server import SessionServer
from pi_gym.adapters.mcp.tool_session import ToolSession, ToolSessions
from pi_gym.errors import BadArgument, PiGymError, UnknownName, unknown
from pi_gym.runs.lines import RunError

PATH = "/mcp"
#: Seconds that requests which are open when the server is stopped may still take.
GRACE_SECONDS = 5
_NUMBERS = ("variant", "seed", "sample")
_NAMES = ("task", *_NUMBERS)


def serve_stdio(session: ToolSession) -> None:
    """Serve one session over stdin and stdout, until the host closes them or ends the process; then end the session.

    Raises:
        RunError: its record cannot be written.
    """
    anyio.run(_serve_stdio, session)


async def _serve_stdio(session: ToolSession) -> None:
    served = SessionServer(session)
    async with anyio.create_task_group() as group:
        group.start_soon(_on_signals, served)
        try:
            async with stdio_server() as (reading, writing):
                await served.server.run(reading, writing, served.server.create_initialization_options())
        finally:
            await served.end()
            group.cancel_scope.cancel()


async def _on_signals(served: SessionServer) -> None:
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for _ in signals:
            status = 0
            try:
                await served.end()
            except RunError as error:
                sys.stderr.write(f"pi-gym: {error}\n")
                status = 1
            sys.stderr.flush()
            # A thread reads stdin, and nothing but the host can interrupt that.
            os._exit(status)


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

    Attributes:
        failures: by session, what went wrong as it was ended; another try that goes well takes it away.
    """

    def __init__(self, sessions: ToolSessions, usual: dict[str, Any], *, host: str, idle_s: float) -> None:
        self._sessions, self._usual, self._host, self._idle_s = sessions, usual, host, idle_s
        self._places: dict[tuple[Any, ...], _Place] = {}
        self._opening = anyio.Lock()
        self._group: Any = None
        self.failures: dict[tuple[Any, ...], str] = {}
        self.asgi = Starlette(routes=[Route(PATH, endpoint=_Endpoint(self))], lifespan=self._life)

    async def answer(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request, at the session that its URL names."""
        try:
            place = await self._place(Request(scope).query_params)
        except PiGymError as error:
            status = 409 if isinstance(error, RunError) else 404 if isinstance(error, UnknownName) else 400
            await JSONResponse({"error": str(error)}, status)(scope, receive, send)
            return
        place.served.session.used_at = monotonic()
        await place.application(scope, receive, send)

    async def _place(self, query: Any) -> _Place:
        named = _read_query(query, self._usual)
        named["task"] = self._sessions.full_name(named["task"])
        key = tuple(named.values())
        async with self._opening:
            if key not in self._places:
                session = await anyio.to_thread.run_sync(partial(self._sessions.begin, **named))
                served = SessionServer(session)
                application = served.server.streamable_http_app(
                    streamable_http_path=PATH, json_response=True, host=self._host
                )
                self._places[key] = await self._group.start(self._keep, served, application)
            return self._places[key]

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
            for key, place in list(self._places.items()):
                if monotonic() - place.served.session.used_at > self._idle_s:
                    await self._end(key)
                    if place.served.session.over:  # whoever comes again finds in the folder that it was played
                        del self._places[key]
                        place.scope.cancel()

    async def _end(self, key: tuple[Any, ...]) -> None:
        try:
            await self._places[key].served.end()
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


def serve_http(app: SessionsApp, host: str, port: int) -> None:
    """Serve sessions over HTTP until the process is told to end; all that are open are then ended.

    Raises:
        BadArgument: (a ValueError) nothing can listen there.
        RunError: records could not be written.
    """
    config = uvicorn.Config(
        app.asgi, host=host, port=port, log_level="warning", timeout_graceful_shutdown=GRACE_SECONDS, lifespan="on"
    )
    try:
        listening = config.bind_socket()
    except SystemExit:
        raise BadArgument(f"--http {host}:{port}: nothing can listen there") from None
    listening.listen()  # whoever reads the address may come at once
    port = listening.getsockname()[1]
    sys.stderr.write(f"http://{host}:{port}{PATH}\nCtrl-C ends it, and the sessions that are open.\n")
    sys.stderr.flush()
    # uvicorn repeats the signal that ended it, and the sessions' end is to be told before the process is gone.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        uvicorn.Server(config).run(sockets=[listening])
    except KeyboardInterrupt:
        pass
    finally:
        listening.close()
    for error in app.failures.values():
        raise RunError(f"{len(app.failures)} sessions could not be written; the first: {error}")
