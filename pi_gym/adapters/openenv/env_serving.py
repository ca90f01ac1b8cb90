"""The server: OpenEnv's application with our sessions behind it; needs openenv."""

from __future__ import annotations

from functools import partial
from typing import Any

from fastapi.responses import JSONResponse
from openenv.core.env_server.http_server import create_fastapi_app

from pi_gym.adapters.http_server import serve
from pi_gym.adapters.openenv.connection_guard import ConnectionGuard
from pi_gym.adapters.openenv.served_environment import ServedEnvironment
from pi_gym.adapters.openenv.served_sessions import ServedSessions
from pi_gym.adapters.openenv.session_messages import ServedState, SessionAction, SessionObservation
from pi_gym.errors import PiGymError, UnknownName
from pi_gym.runs.lines import RunError

#: Seconds between two signs of life that the server asks of a connection.
PING_SECONDS = 20


def make_app(sessions: ServedSessions, *, max_sessions: int, idle_s: float) -> Any:
    """The application.

    It has OpenEnv's routes but `/reset`, `/step` and `/state`, which have a fresh session for each request, and `/mcp`,
    whose sessions nobody lets go.

    Args:
        sessions: opens them.
        max_sessions: how many connections may have one; the next is told CAPACITY_REACHED.
        idle_s: seconds without a word of the client's after which a session is let go.
    """
    app = create_fastapi_app(
        partial(ServedEnvironment, sessions),
        SessionAction,
        SessionObservation,
        max_concurrent_envs=max_sessions,
        env_name=sessions.env_id,
        state_cls=ServedState,
        mode="production",
    )
    app.router.routes[:] = [route for route in app.router.routes if getattr(route, "path", "") != "/mcp"]
    app.add_exception_handler(PiGymError, _refuse)
    return ConnectionGuard(app, idle_s)


async def _refuse(request: Any, error: Exception) -> Any:
    return JSONResponse({"detail": str(error)}, 404 if isinstance(error, UnknownName) else 400)


def serve_sessions(sessions: ServedSessions, host: str, port: int, *, max_sessions: int, idle_s: float) -> None:
    """Serve sessions until the process is told to end; those that are open then are unscored.

    Raises:
        BadArgument: (a ValueError) nothing can listen there.
        RunError: records could not be written.
    """
    serve(
        make_app(sessions, max_sessions=max_sessions, idle_s=idle_s),
        host,
        port,
        told="Ctrl-C ends it, and the sessions that are open.",
        # A client that generates or learns meanwhile may answer no ping for as long as it may be silent.
        ws_ping_interval=PING_SECONDS,
        ws_ping_timeout=idle_s,
    )
    sessions.write_rest()
    if sessions.failures:
        raise RunError(f"{len(sessions.failures)} sessions could not be written; the first: {sessions.failures[0]}")
