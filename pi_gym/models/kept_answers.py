"""The answers to one role's requests that are kept on disk."""

from __future__ import annotations

from typing import Any

from pi_gym.models.cache import MISSING, AnswerCache
from pi_gym.models.completion import fault_of
from pi_gym.models.config import ModelConfig
from pi_gym.models.request_body import request_body, request_key
from pi_gym.types import Answer, ModelRequest


class KeptAnswers:
    """What the cache has of a role's requests; without a cache nothing.

    Args:
        config: the role's; with a request and an attempt it makes the key.
        cache: where answers are kept.
    """

    def __init__(self, config: ModelConfig, cache: AnswerCache | None) -> None:
        self._config, self._cache = config, cache

    def of(self, request: ModelRequest, attempt: int) -> Answer | None:
        """The answer to an attempt; one that would not be taken today is dropped."""
        if self._cache is None:
            return None
        key = self._key(request, attempt)
        value = self._cache.get(key)
        if value is MISSING:
            return None
        if fault_of(value, request):
            self._cache.forget(key)
            return None
        return Answer(value)

    def keep(self, request: ModelRequest, attempt: int, value: Any) -> Answer:
        """Keep an answer to an attempt; the one that was there first wins, and is returned."""
        return Answer(self._cache.put(self._key(request, attempt), value) if self._cache is not None else value)

    def fallback_of(self, request: ModelRequest) -> Answer | None:
        """The request's fallback, where it was taken before."""
        if self._cache is None or request.fallback is None:
            return None
        note = self._cache.get(self._fallback_key(request))
        return None if note is MISSING else Answer(request.fallback, note=str(note))

    def fall_back(self, request: ModelRequest, note: str) -> Answer:
        """Take the request's fallback, and keep that: a run repeated from the cache is to be the same.

        Args:
            request: one that has a fallback.
            note: why.
        """
        if self._cache is not None:
            note = str(self._cache.put(self._fallback_key(request), note))
        return Answer(request.fallback, note=note)

    def forget(self, request: ModelRequest) -> None:
        """Drop what is kept of a request's answers: whoever asked could make nothing of them."""
        if self._cache is not None:
            for attempt in range(self._config.retries + 1):
                self._cache.forget(self._key(request, attempt))
            self._cache.forget(self._fallback_key(request))

    def _key(self, request: ModelRequest, attempt: int) -> bytes:
        return request_key(request_body(self._config, request, attempt))

    def _fallback_key(self, request: ModelRequest) -> bytes:
        return request_key({**request_body(self._config, request, 0), "fallback": request.fallback})
