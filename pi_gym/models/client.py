"""Asking one model: retries, the cache, requests that are shared. Everything here runs on one event loop."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Mapping
from typing import Any

from pi_gym.models.cache import MISSING, AnswerCache
from pi_gym.models.completion import BadCompletion, read_completion, value_of
from pi_gym.models.config import ModelConfig
from pi_gym.models.connection import Connection, RequestFailed
from pi_gym.models.flights import Flights
from pi_gym.models.json_schema import BadSchema
from pi_gym.models.usage import Usage
from pi_gym.types import Answer, ModelRequest

KEY_FORMAT = 1
#: An attempt after an answer of no use is drawn at least so freely: a greedy one would say the same again.
RETRY_TEMPERATURE = 0.3
_MAX_TOLD_CHARS = 400


def request_body(config: ModelConfig, request: ModelRequest, attempt: int) -> dict[str, Any]:
    """What is sent: everything that decides the answer.

    Args:
        config: the model's.
        request: what is asked.
        attempt: 0, and one more after each answer of no use; it is the seed.
    """
    body: dict[str, Any] = {"model": config.model, "messages": [dict(message) for message in request.messages]}
    body["temperature"] = config.temperature
    if config.max_tokens is not None:
        body["max_tokens"] = config.max_tokens
    body.update(request.sampling)
    body.update(config.extra_body)
    body["seed"] = attempt
    if attempt:
        body["temperature"] = max(body["temperature"], RETRY_TEMPERATURE)
    if request.schema is not None:
        schema = {"name": request.name, "schema": dict(request.schema), "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    return body


def request_key(body: Mapping[str, Any]) -> bytes:
    """The key of a request's answer: SHA-256 of what is sent."""
    text = json.dumps([KEY_FORMAT, body], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).digest()


class ModelClient:
    """One role's model.

    Args:
        config: where it is and how it is asked.
        cache: of the answers; None: nothing is kept.
    """

    def __init__(self, config: ModelConfig, cache: AnswerCache | None) -> None:
        self.config, self._cache = config, cache
        self._connection = Connection(config)
        self._flights: Flights[Answer] = Flights()
        self._listing = asyncio.Lock()
        self._served: Mapping[str, Mapping[str, Any]] | None = None

    async def answer(self, request: ModelRequest, usage: Usage) -> Answer:
        """Ask, and try again as the configuration says; `usage` counts.

        Where answers are kept, the same request is sent once, also while its answer is under way.
        """
        if self.config.cache is None:
            answer = await self._answer(request, usage)
        else:
            key = request_key(request_body(self.config, request, 0))
            usage.shared += key in self._flights
            answer = await self._flights.join(key, lambda: self._answer(request, usage))
        usage.failures += bool(answer.error)
        usage.answers += not answer.error
        return answer

    @property
    def in_flight(self) -> int:
        """Requests that are out now."""
        return self._connection.in_flight

    async def complete(self, body: Mapping[str, Any], usage: Usage) -> str:
        """The body of the response to a request, tried again where it is lost; nothing is looked up or kept.

        Raises:
            RequestFailed: after the retries, or where a retry is of no use.
        """
        failures = 0
        while True:
            usage.retries += failures > 0
            try:
                return await self._connection.post(body, usage)
            except RequestFailed as error:
                if error.final or failures >= self.config.retries:
                    raise
                await self._connection.pause(failures, error.pause_s)
                failures += 1

    async def context_tokens(self) -> int | None:
        """How many tokens the model takes, as vLLM says it in its list of models; None where the server does not."""
        async with self._listing:  # many agents begin at one time, and one of them asks for all
            if self._served is None:
                self._served = await self._connection.served()
        found = self._served.get(self.config.model, {}).get("max_model_len")
        return found if isinstance(found, int) and found > 0 else None

    def forget(self, request: ModelRequest) -> None:
        """Drop what is kept of a request's answers: whoever asked could make nothing of them."""
        if self._cache is not None:
            for attempt in range(self.config.retries + 1):
                self._cache.forget(request_key(request_body(self.config, request, attempt)))

    async def close(self) -> None:
        """Close the connections."""
        await self._connection.close()

    async def _answer(self, request: ModelRequest, usage: Usage) -> Answer:
        attempt = failures = 0
        while True:
            body = request_body(self.config, request, attempt)
            key = request_key(body)
            known = self._cache.get(key) if self._cache is not None else MISSING
            if known is not MISSING:
                usage.cache_hits += 1
                return Answer(known)
            usage.retries += failures > 0
            asked_s: float | None = None
            final = False
            try:
                value = value_of_response(await self._connection.post(body, usage), request, usage)
            except RequestFailed as error:
                told, asked_s, final = str(error), error.pause_s, error.final
            except BadCompletion as error:
                told = str(error)
                attempt += 1
            except BadSchema as error:
                told, final = str(error), True
            else:
                return Answer(self._cache.put(key, value) if self._cache is not None else value)
            if final or failures >= self.config.retries:
                return Answer(error=self._told(told, failures + 1))
            if asked_s is not None:  # an answer of no use says nothing of the server's load: no pause
                await self._connection.pause(failures, asked_s)
            failures += 1

    def _told(self, told: str, failures: int) -> str:
        line = " ".join(self.config.hidden(told).split())
        line = line if len(line) <= _MAX_TOLD_CHARS else f"{line[:_MAX_TOLD_CHARS]}…"
        count = "1 request" if failures == 1 else f"{failures} requests, the last"
        return f"no answer from {self.config.model} at {self.config.server} ({count}: {line})"


def value_of_response(body: str, request: ModelRequest, usage: Usage) -> Any:
    """The answer in a response's body; what it cost is counted, whether it is of use or not."""
    completion = read_completion(body)
    usage.prompt_tokens += completion.prompt_tokens
    usage.completion_tokens += completion.completion_tokens
    return value_of(completion, request.schema)
