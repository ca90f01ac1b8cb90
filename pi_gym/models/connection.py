"""The connection to one server: single requests, with limits of number and time."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from random import Random
from time import perf_counter
from typing import Any

from pi_gym.models.config import ModelConfig
from pi_gym.models.http_client import HttpClient
from pi_gym.models.refusal import RequestFailed
from pi_gym.models.usage import Usage

MAX_PAUSE_S = 20.0


class Connection:
    """The connection to one server, for one role. Everything happens on one event loop.

    Args:
        config: where it is and how it is asked.

    Attributes:
        in_flight: requests that are out now.
    """

    def __init__(self, config: ModelConfig) -> None:
        self.config, self.in_flight = config, 0
        self._places = asyncio.Semaphore(config.max_concurrency)
        self._http = HttpClient(config)
        # Seeded by the system, and drawn from for pauses alone: nothing of it reaches a session.
        self._chance = Random()

    async def post(self, body: bytes, usage: Usage) -> str:
        """Send one request for a chat completion, and give the body of the response.

        Args:
            body: JSON, as it is sent.
            usage: counts.

        Raises:
            RequestFailed: there is no response, or none that can be used.
        """
        asked = perf_counter()
        async with self._places:
            sent = perf_counter()
            usage.queue_s += sent - asked
            usage.requests += 1
            self.in_flight += 1
            try:
                async with asyncio.timeout(self.config.timeout_s):
                    return await self._http.send("POST", "/chat/completions", body)
            except TimeoutError:
                raise RequestFailed(f"no whole response within {self.config.timeout_s:g} s") from None
            finally:
                self.in_flight -= 1
                usage.request_s += perf_counter() - sent

    async def served(self) -> Mapping[str, Mapping[str, Any]]:
        """The server's list of its models, by name; empty where it says nothing that can be read."""
        try:
            async with asyncio.timeout(self.config.timeout_s):
                listed = json.loads(await self._http.send("GET", "/models"))
            return {served["id"]: served for served in listed["data"]}
        except (RequestFailed, TimeoutError, ValueError, TypeError, LookupError, RecursionError):
            return {}  # whoever cannot be reached says so when it is asked

    async def pause(self, failures: int, asked_s: float = 0.0) -> None:
        """Wait before the next of several tries.

        Args:
            failures: how many there were before this one.
            asked_s: what the server asked for, if that is longer.
        """
        whole = min(self.config.backoff_s * 2.0 ** min(failures, 30), MAX_PAUSE_S)
        await asyncio.sleep(max(asked_s, whole * self._chance.uniform(0.5, 1.0)))

    async def close(self) -> None:
        """Close it; the next request opens it again."""
        await self._http.close()
