"""The spending of single sessions: tokens by role, as their run's metrics.jsonl has them, and money."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pi_gym.evaluation.prices import Price, cost
from pi_gym.models.usage import Usage, add_usages
from pi_gym.runs.entries import readable
from pi_gym.runs.run_files import METRICS
from pi_gym.session.trajectory import SessionKey


@dataclass(frozen=True, slots=True)
class Spending:
    """The spending of one session, failed attempts included.

    Args:
        key: the session's.
        attempts: how often it was played or tried.
        models: by role, what its model was asked.
    """

    key: SessionKey
    attempts: int
    models: Mapping[str, Usage]

    def to_json(self, prices: Mapping[str, Price]) -> dict[str, Any]:
        """The session's key and costs as a JSON object; None where a role that was sent tokens has no price."""
        return {
            **self.key._asdict(),
            "attempts": self.attempts,
            "cost": cost(self.models, prices),
            "roles": {role: cost({role: used}, prices) for role, used in sorted(self.models.items())},
        }


def read_spendings(run: Path) -> list[Spending]:
    """The spendings of a run's sessions, in the order of its metrics.jsonl; none where there is no file.

    Raises:
        RunError: a line is none of a run's; the message has its number.
    """
    path = run / METRICS
    models: dict[SessionKey, dict[str, Usage]] = {}
    attempts: dict[SessionKey, int] = {}
    if path.exists():
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                with readable(path, number):
                    raw = json.loads(line)
                    key = SessionKey.of(raw)
                    attempts[key] = attempts.get(key, 0) + 1
                    used = {role: Usage.from_json(one) for role, one in raw.get("models", {}).items()}
                    add_usages(models.setdefault(key, {}), used)
    return [Spending(key, attempts[key], used) for key, used in models.items()]
