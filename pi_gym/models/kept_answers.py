"""The answers to one role's requests that are kept on disk."""

from __future__ import annotations

from typing import Any

from pi_gym.models.cache import MISSING, AnswerCache
from pi_gym.models.completion import fault_of
from pi_gym.models.request_body import RequestBodies
from pi_gym.types import Answer


class KeptAnswers:
    """The cached answers to a role's requests; without a cache there are none.

    Args:
        cache: where answers are kept.
    """

    def __init__(self, cache: AnswerCache | None) -> None:
        self._cache = cache

    def of(self, bodies: RequestBodies, attempt: int) -> Answer | None:
        """The answer to an attempt; one that would not be taken today is dropped."""
        if self._cache is None:
            return None
        key = bodies.key(attempt)
        value = self._cache.get(key)
        if value is MISSING:
            return None
        if fault_of(value, bodies.request):
            self._cache.forget(key)
            return None
        return Answer(value)

    def keep(self, bodies: RequestBodies, attempt: int, value: Any) -> Answer:
        """Keep an answer to an attempt; the one that was there first wins, and is returned."""
        return Answer(self._cache.put(bodies.key(attempt), value) if self._cache is not None else value)

    def fallback_of(self, bodies: RequestBodies) -> Answer | None:
        """The request's fallback, where it was taken before."""
        if self._cache is None or bodies.request.fallback is None:
            return None
        note = self._cache.get(bodies.fallback_key)
        return None if note is MISSING else Answer(bodies.request.fallback, note=str(note))

    def fall_back(self, bodies: RequestBodies, note: str) -> Answer:
        """Take the request's fallback, and keep that: a run repeated from the cache is to be the same.

        Args:
            bodies: of a request that has a fallback.
            note: why.
        """
        if self._cache is not None:
            note = str(self._cache.put(bodies.fallback_key, note))
        return Answer(bodies.request.fallback, note=note)

    def forget(self, bodies: RequestBodies, attempts: int) -> None:
        """Drop what is kept of a request's answers: whoever asked could make nothing of them.

        Args:
            bodies: of the request.
            attempts: how many answers it can have.
        """
        if self._cache is not None:
            for attempt in range(attempts):
                self._cache.forget(bodies.key(attempt))
            self._cache.forget(bodies.fallback_key)
