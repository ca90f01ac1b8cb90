"""The cost of asking models: counts by role."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

#: The role under which the tokens of an agent's own model are counted.
AGENT_ROLE = "agent"


@dataclass(slots=True)
class Usage:
    """Counts of one role; they add up.

    Args:
        answers: asks that got an answer; `failures` those that got none after all retries.
        cache_hits: answers that came from the disk.
        fallbacks: answers that are a request's fallback: the model's messages had no end.
        shared: asks that waited for a request which another had under way.
        requests: sent to the server, retries included.
        retries: requests that repeat one that failed, or that brought no usable answer.
        prompt_tokens, completion_tokens: as the server counts them.
        request_s: time from sending to the last byte, over all requests.
        queue_s: time spent waiting for a free place among `max_concurrency`.
    """

    answers: int = 0
    failures: int = 0
    cache_hits: int = 0
    fallbacks: int = 0
    shared: int = 0
    requests: int = 0
    retries: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    request_s: float = 0.0
    queue_s: float = 0.0

    def __add__(self, other: Usage) -> Usage:
        return Usage(*(getattr(self, name) + getattr(other, name) for name in NAMES))

    def __sub__(self, other: Usage) -> Usage:
        return Usage(*(getattr(self, name) - getattr(other, name) for name in NAMES))

    def to_json(self) -> dict[str, Any]:
        """The counts as a JSON object."""
        return {name: round(value, 6) for name in NAMES for value in [getattr(self, name)]}

    @classmethod
    def from_json(cls, raw: dict[str, Any]) -> Usage:
        """The usage that `to_json` wrote; what it lacks is 0."""
        return cls(**{name: raw[name] for name in NAMES if name in raw})


NAMES = tuple(entry.name for entry in fields(Usage))


def add_usages(total: dict[str, Usage], more: Mapping[str, Usage]) -> None:
    """Add counts by role to others, in place."""
    for role, used in more.items():
        total[role] = total.get(role, Usage()) + used
