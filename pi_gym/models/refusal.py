"""Requests that failed: why, whether the same may succeed later, and what the server says to it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from pi_gym.models.advice import advice

#: A server that asks for a longer pause is asked again after this one.
MAX_RETRY_AFTER_S = 60.0
#: The part of a server's words that is kept.
MAX_SAID_CHARS = 2_000
_TRY_AGAIN = frozenset({408, 409, 425, 429})


class RequestFailed(Exception):
    """A request brought no response that can be used.

    Args:
        told: what happened.
        pause_s: what the server asked to wait.
        final: the same request would fail again.
        status: of the response, where that is why; `said` the server's own words.
    """

    def __init__(
        self, told: str, pause_s: float = 0.0, *, final: bool = False, status: int = 0, said: str = ""
    ) -> None:
        super().__init__(told)
        self.pause_s, self.final, self.status, self.said = pause_s, final, status, said


def refusal(status: int, headers: Mapping[str, str], body: str) -> RequestFailed:
    """The error for a response that is no success.

    Args:
        status: the HTTP status, which is not of the 200s.
        headers: by names in any case.
        body: as far as it was read.
    """
    said = words_of(body)
    if 300 <= status < 400:
        # Not followed: the key, and what is asked, are for the server that was named.
        todo = f"(it sends requests on to {headers.get('location', 'nowhere')}: name the address that answers)"
    else:
        todo = advice(status, said)
    told = " ".join(filter(None, (f"HTTP {status}", todo)))
    return RequestFailed(
        f"{told}: {said}" if said else told,
        retry_after_s(headers),
        final=status not in _TRY_AGAIN and status < 500,
        status=status,
        said=said,
    )


def words_of(body: str) -> str:
    """The server's words in the body of an error: its message, with its code where it has one; else the whole body.

    >>> words_of('{"error": {"message": "Too long.", "code": "context_length_exceeded"}}')
    'Too long. (context_length_exceeded)'
    >>> words_of('{"detail": "Not Found"}')
    'Not Found'
    >>> words_of("<html>Bad gateway</html>")
    '<html>Bad gateway</html>'
    """
    try:
        raw: Any = json.loads(body)
    except (ValueError, RecursionError):
        raw = None
    error = raw.get("error", raw) if isinstance(raw, dict) else None
    if isinstance(error, dict):
        message, code = error.get("message", error.get("detail")), error.get("code")
        # Some say only there that the prompt is too long.
        error = f"{message} ({code})" if isinstance(message, str) and message and isinstance(code, str) else message
    said = (error if isinstance(error, str) else body).strip()
    return said if len(said) <= MAX_SAID_CHARS else f"{said[:MAX_SAID_CHARS]}…"


def retry_after_s(headers: Mapping[str, str]) -> float:
    """The seconds that the server asks to wait, up to the most that it gets; 0 where it does not say."""
    text = headers.get("retry-after", "").strip()
    try:
        wait_s = float(text)
    except ValueError:
        try:
            until = parsedate_to_datetime(text)
        except (ValueError, OverflowError):  # of numbers that no date has
            return 0.0
        until = until if until.tzinfo is not None else until.replace(tzinfo=UTC)
        wait_s = (until - datetime.now(UTC)).total_seconds()
    return min(max(wait_s, 0.0), MAX_RETRY_AFTER_S) if wait_s == wait_s else 0.0
