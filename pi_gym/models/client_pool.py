"""Clients of one server, opened as they are needed: each has few connections.

The HTTP library looks at all connections of a client whenever a request begins or ends; with some hundred of them that
takes more time than the request itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pi_gym.models.config import ModelConfig

if TYPE_CHECKING:
    import openai

#: Requests that one client has out at a time. Fewer are no faster, and each client of a TLS server reads certificates.
PLACES = 16
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class ClientPool:
    """Of one server, on one event loop.

    Args:
        config: where it is and how it is reached.
    """

    def __init__(self, config: ModelConfig) -> None:
        self._config = config
        self._clients: list[openai.AsyncOpenAI] = []
        #: By the client's place in the list, how many requests it has out.
        self._out: list[int] = []

    @contextmanager
    def client(self) -> Iterator[openai.AsyncOpenAI]:
        """A client with a free place, for one request."""
        # The first that has one: the connections that were used last are open still.
        place = next((place for place, out in enumerate(self._out) if out < PLACES), len(self._out))
        if place == len(self._out):
            self._clients.append(_made(self._config))
            self._out.append(0)
        clients, out = self._clients, self._out
        out[place] += 1
        try:
            yield clients[place]
        finally:
            out[place] -= 1

    async def close(self) -> None:
        """Close all of them; the next request opens one again."""
        clients, self._clients, self._out = self._clients, [], []
        for client in clients:
            await client.close()


def _made(config: ModelConfig) -> openai.AsyncOpenAI:
    import openai

    address = urlsplit(config.base_url)
    local = address.scheme == "http" and address.hostname in _LOOPBACK
    return openai.AsyncOpenAI(
        base_url=config.base_url,
        api_key=config.key,
        timeout=openai.Timeout(config.timeout_s, connect=config.connect_timeout_s),
        max_retries=0,
        # A server on this machine is never behind a proxy; and without TLS there is nothing to load for it.
        http_client=openai.DefaultAsyncHttpxClient(trust_env=False, verify=False, follow_redirects=False)
        if local
        else None,
    )
