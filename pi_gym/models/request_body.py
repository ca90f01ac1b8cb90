"""The bodies of requests to a server, and the keys of their answers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from pi_gym.models.config import ModelConfig
from pi_gym.models.encoded import encode_object
from pi_gym.models.json_schema import portable
from pi_gym.types import ModelRequest

KEY_FORMAT = 1
#: An attempt after an answer of no use is drawn at least so freely: a greedy one would say the same again.
RETRY_TEMPERATURE = 0.3


def request_body(config: ModelConfig, request: ModelRequest, attempt: int) -> dict[str, Any]:
    """The body of a request: everything that decides the answer.

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
        wanted = dict(request.schema) if config.bound_schemas else portable(request.schema)
        schema = {"name": request.name, "schema": wanted, "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    return body


def request_key(body: Mapping[str, Any]) -> bytes:
    """The key of a request's answer: SHA-256 of what is sent."""
    text = json.dumps([KEY_FORMAT, body], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).digest()


class RequestBodies:
    """The bodies of one request's attempts, and the keys of its answers; each is made once.

    Args:
        config: the model's.
        request: what is asked.
    """

    def __init__(self, config: ModelConfig, request: ModelRequest) -> None:
        self.request, self._config = request, config
        self._made: dict[int, dict[str, Any]] = {}
        self._keys: dict[int, bytes] = {}

    def sent(self, attempt: int) -> bytes:
        """The body of an attempt, as JSON."""
        return encode_object(self._body(attempt))

    def key(self, attempt: int) -> bytes:
        """The key of the answer to an attempt."""
        if attempt not in self._keys:
            self._keys[attempt] = request_key(self._body(attempt))
        return self._keys[attempt]

    @cached_property
    def fallback_key(self) -> bytes:
        """The key under which it is kept that the request's fallback was taken; other fallbacks have others."""
        return request_key({**self._body(0), "fallback": self.request.fallback})

    def _body(self, attempt: int) -> dict[str, Any]:
        if attempt not in self._made:
            self._made[attempt] = request_body(self._config, self.request, attempt)
        return self._made[attempt]
