"""The client of a server of sessions; needs openenv, and nothing of an environment."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from openenv.core.client_types import StepResult
from openenv.core.env_client import EnvClient
from openenv.core.sync_client import SyncEnvClient
from websockets.exceptions import ConnectionClosed
from websockets.protocol import State as SocketState

from pi_gym.adapters.openenv.session_messages import ServedState, SessionAction, SessionObservation
from pi_gym.errors import PiGymError

#: Seconds for an answer: a step waits for the models that play user and grader, perhaps through many tries.
ANSWER_SECONDS = 3600.0
#: Seconds for a sign of life of a server that is busy with many sessions.
PONG_SECONDS = 120.0

#: The code with which a connection is closed by a client whose program broke.
_BROKEN = 1011


class SessionGone(PiGymError, ConnectionError):
    """The session that was reset is gone, with its connection or its server; `reset` opens another."""


class SessionClient(EnvClient):  # type: ignore[misc]  # openenv is not there where types are checked
    """One session at a time on a server, over a connection of its own.

    `reset(seed=…, task=…, variant=…)`, `step(SessionAction(message=…))` and `state()` are awaited, or called on
    `client.sync()`. A connection that was lost is made anew by `reset` alone: OpenEnv's own clients make it anew
    before any message, with no session behind it. An exception that leaves the `with` block is no goodbye: the session
    is unscored, as one whose client was killed. What the server refuses is a RuntimeError, with its words.

    Args:
        base_url: the server's address.
        options: OpenEnv's; the time for an answer is an hour unless `message_timeout_s` says otherwise.
    """

    # OpenEnv's own.
    _ws: Any
    _ws_loop: Any
    _sync_client: Any

    def __init__(self, base_url: str | None = None, **options: Any) -> None:
        chosen = {"message_timeout_s": ANSWER_SECONDS, "websocket_ping_timeout_s": PONG_SECONDS, **options}
        super().__init__(base_url, **chosen)
        self._opened_on: Any = None

    async def _reset_async(self, **named: Any) -> Any:
        self._opened_on = None
        result = await super()._reset_async(**named)
        self._opened_on = self._ws
        return result

    async def _send_and_receive(self, message: dict[str, Any]) -> Any:
        opened = self._opened_on
        if opened is not None and (opened is not self._ws or opened.state is not SocketState.OPEN):
            raise SessionGone(_farewell(opened))
        try:
            return await super()._send_and_receive(message)
        except ConnectionClosed as error:
            raise SessionGone(_farewell(opened or self._ws)) from error

    async def __aexit__(self, kind: Any, error: Any, trace: Any) -> None:
        try:
            if error is not None:
                await self._drop()
        finally:
            await super().__aexit__(kind, error, trace)

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if error is not None:
            self._run_sync(self._drop)
        super().__exit__(kind, error, trace)

    def sync(self) -> Any:
        """The client for programs without an event loop."""
        if self._sync_client is None:
            self._sync_client = _SyncSessionClient(self)
        return self._sync_client

    async def _drop(self) -> None:
        """Close the connection as one whose program broke, which is no goodbye: the session is unscored."""
        socket, self._ws, self._ws_loop = self._ws, None, None
        if socket is not None:
            # A task, which goes on where the program is being cancelled; OpenEnv's close waits for it.
            closing = asyncio.create_task(socket.close(_BROKEN, "the client's program broke"))
            self._pending_close_tasks.add(closing)
            closing.add_done_callback(self._pending_close_tasks.discard)
            with suppress(Exception):  # the program's own is the one that counts
                await asyncio.shield(closing)

    def _step_payload(self, action: SessionAction) -> dict[str, Any]:
        payload: dict[str, Any] = action.model_dump()
        return payload

    def _parse_result(self, payload: Mapping[str, Any]) -> Any:
        told = {"reward": payload.get("reward"), "done": payload.get("done", False)}
        observation = SessionObservation(**{**payload.get("observation", {}), **told})
        return StepResult(observation=observation, **told)

    def _parse_state(self, payload: Mapping[str, Any]) -> ServedState:
        return ServedState(**payload)


class _SyncSessionClient(SyncEnvClient):  # type: ignore[misc]  # as above
    """The same, each call of which waits."""

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if error is not None:
            self._run(self._async._drop())
        super().__exit__(kind, error, trace)


def _farewell(socket: Any) -> str:
    """The words for a session that is gone, with how its connection was closed."""
    code, reason = getattr(socket, "close_code", None), getattr(socket, "close_reason", None)
    how = f" (the server closed it: {code} {reason or ''}".rstrip() + ")" if code else ""
    return f"the session is gone with its connection{how}: it cannot go on, and reset opens another"
