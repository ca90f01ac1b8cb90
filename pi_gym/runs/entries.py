"""The lines of a run's files: how they are written, and read again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from math import fsum
from pathlib import Path
from typing import Any

from pi_gym.runs.lines import RunError
from pi_gym.runs.outcome import Score, SessionOutcome
from pi_gym.session.trajectory import SessionKey


def records(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The records of a file, each with the offset of its line in bytes; none where there is no file.

    Raises:
        RunError: a line is no trajectory; the message has its number.
    """
    if not path.exists():
        return
    place = 0
    with path.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            with readable(path, number):
                record = json.loads(line)
                SessionKey.of(record), Score.of(record)
            yield place, record
            place += len(line)


@contextmanager
def readable(path: Path, number: int) -> Iterator[None]:
    """Turn a line that is not what it should be into one clear message."""
    try:
        yield
    except (ValueError, KeyError, TypeError) as error:
        raise RunError(f"{path}, line {number}: not a trajectory ({error}); it was changed by hand") from error


def metrics_line(outcome: SessionOutcome) -> str:
    """The line of metrics.jsonl for a session."""
    steps, seconds = outcome.score.steps, outcome.seconds
    metrics = {
        "scored": outcome.score.scored,
        "steps": steps,
        "wall_s": round(seconds, 6),
        "steps_per_s": round(steps / seconds, 3) if seconds > 0 else 0.0,
        **(
            {"waited_s": {name: round(fsum(times), 6) for name, times in outcome.waits.items()}}
            if outcome.waits
            else {}
        ),
        **({"models": {role: usage.to_json() for role, usage in outcome.models.items()}} if outcome.models else {}),
        **({"agent_metadata": dict(outcome.agent_metadata)} if outcome.agent_metadata else {}),
    }
    return json.dumps(outcome.key._asdict() | metrics, ensure_ascii=False, separators=(",", ":"))


def errors_entry(outcome: SessionOutcome) -> str:
    """The entry of errors.log for a session in which something was raised."""
    return f"=== {outcome.key} ({outcome.score.error_kind})\n{outcome.trace}"
