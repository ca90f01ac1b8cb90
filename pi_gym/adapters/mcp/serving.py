"""Serving sessions to hosts: one over the process's own input and output, or many over HTTP, each at its own URL."""

from __future__ import annotations

import os
import signal
import sys

import anyio
from mcp.server.stdio import stdio_server

from pi_gym.adapters.http_server import serve
from pi_gym.adapters.mcp.session_server import SessionServer
from pi_gym.adapters.mcp.sessions_app import PATH, SessionsApp
from pi_gym.adapters.mcp.tool_session import ToolSession
from pi_gym.runs.lines import RunError


def serve_stdio(session: ToolSession) -> None:
    """Serve one session over stdin and stdout, until the host closes them or ends the process; then end the session.

    Raises:
        RunError: its record cannot be written.
    """
    anyio.run(_serve_stdio, session)


async def _serve_stdio(session: ToolSession) -> None:
    served = SessionServer(session)
    failed: RunError | None = None
    async with anyio.create_task_group() as group:
        group.start_soon(_on_signals, served)
        try:
            async with stdio_server() as (reading, writing):
                await served.server.run(reading, writing, served.server.create_initialization_options())
        finally:
            try:
                await served.end()
            except RunError as error:  # the group would wrap it
                failed = error
            group.cancel_scope.cancel()
    if failed is not None:
        raise failed


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


def serve_http(app: SessionsApp, host: str, port: int) -> None:
    """Serve sessions over HTTP until the process is told to end; all that are open are then ended.

    Raises:
        BadArgument: (a ValueError) nothing can listen there.
        RunError: records could not be written.
    """
    told = "Ctrl-C ends it, and the sessions that are open."
    serve(app.asgi, host, port, path=PATH, told=told, lifespan="on")
    for error in app.failures.values():
        raise RunError(f"{len(app.failures)} sessions could not be written; the first: {error}")
