"""The guard of a server's connections: frames that would break one, clients that are gone, and who ended what."""

from __future__ import annotations

import json
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import anyio

from pi_gym.session.actions import clean

#: The codes with which a connection is closed: by a client that is done, a server that stops, and this guard.
_NORMAL, _RESTART, _IDLE = 1000, 1012, 4408
#: Sent on in the place of a frame that is no JSON object: the server answers it with an error, and goes on.
_NO_FRAME = "(a frame that is no JSON object)"


@dataclass
class Departure:
    """The end of one connection.

    Args:
        ended_by_client: the client said goodbye.
        lost: what happened otherwise.
    """

    ended_by_client: bool = False
    lost: str = "the client is gone: its connection was lost"


DEPARTURE: ContextVar[Departure | None] = ContextVar("departure", default=None)


class ConnectionGuard:
    """An application around OpenEnv's, whose connections end where a client says nothing for a while.

    Args:
        app: OpenEnv's.
        idle_s: seconds without a frame, where none is being answered, after which a connection is closed.
    """

    def __init__(self, app: Any, idle_s: float) -> None:
        self._app, self._idle_s = app, idle_s

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Serve one connection, or one request."""
        if scope["type"] == "websocket":
            guarded = _Guarded(receive, send, self._idle_s)
            DEPARTURE.set(guarded.departure)
            receive, send = guarded.receive, guarded.send
        await self._app(scope, receive, send)


class _Guarded:
    """One connection.

    Args:
        receive: the server's.
        send: likewise.
        idle_s: as above.
    """

    def __init__(self, receive: Any, send: Any, idle_s: float) -> None:
        self.departure = Departure()
        self._receive, self._send, self._idle_s = receive, send, idle_s
        self._closed = False

    async def receive(self) -> Any:
        with anyio.move_on_after(self._idle_s):
            event = await self._receive()
            if event["type"] == "websocket.receive":
                return self._read(event)
            if event["type"] == "websocket.disconnect":
                self._take_leave(event.get("code"))
            return event
        why = f"nothing came for {self._idle_s:g} seconds: the session was let go"
        self.departure.lost = f"the client is gone: {why}"
        await self.send({"type": "websocket.close", "code": _IDLE, "reason": why})
        self._closed = True
        return {"type": "websocket.disconnect", "code": _IDLE, "reason": why}

    async def send(self, event: Any) -> None:
        if not self._closed:  # the application closes what it was told is gone
            await self._send(event)

    def _read(self, event: Any) -> Any:
        try:
            frame = json.loads(event["text"])
        except (KeyError, TypeError, ValueError, RecursionError):
            frame = None
        if not isinstance(frame, dict):
            return {"type": "websocket.receive", "text": _NO_FRAME}
        if frame == {"type": "close"}:
            self.departure.ended_by_client = True
        if "\\ud" in event["text"].lower():  # half a letter perhaps, which no answer could repeat
            return {"type": "websocket.receive", "text": clean(json.dumps(frame, ensure_ascii=False))}
        return event

    def _take_leave(self, code: int | None) -> None:
        if code == _NORMAL:
            self.departure.ended_by_client = True
        elif code == _RESTART:
            self.departure.lost = "the server was stopped"
