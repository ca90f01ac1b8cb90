"""Serving an application over HTTP until the process is told to end; needs uvicorn."""

from __future__ import annotations

import signal
import sys
from typing import Any

import uvicorn

from pi_gym.errors import BadArgument

#: Seconds that requests which are open when the server is stopped may still take.
GRACE_SECONDS = 5


def serve(app: Any, host: str, port: int, *, path: str = "", told: str = "", **options: Any) -> None:
    """Serve until Ctrl-C or SIGTERM; the first line on stderr is the address.

    Args:
        app: the application, which ends what is open as its lifespan ends.
        host: where to listen.
        port: likewise; 0: a free one.
        path: behind the address, in that line.
        told: a line after it.
        options: of uvicorn.

    Raises:
        BadArgument: (a ValueError) nothing can listen there.
    """
    config = uvicorn.Config(
        app, host=host, port=port, log_level="warning", timeout_graceful_shutdown=GRACE_SECONDS, **options
    )
    try:
        listening = config.bind_socket()
    except SystemExit:
        raise BadArgument(f"{host}:{port}: nothing can listen there") from None
    listening.listen()  # whoever reads the address may come at once
    port = listening.getsockname()[1]
    sys.stderr.write(f"http://{f'[{host}]' if ':' in host else host}:{port}{path}\n{told}\n")
    sys.stderr.flush()
    # uvicorn repeats the signal that ended it, and the sessions' end is to be told before the process is gone.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        uvicorn.Server(config).run(sockets=[listening])
    except KeyboardInterrupt:
        pass
    finally:
        listening.close()
