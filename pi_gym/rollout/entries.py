"""The lines of a run's files: how they are written, and read again."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from math import fsum
from pathlib import Path
from typing import Any

from pi_gym.rollout.lines import RunError
from pi_gym.rollout.outcome import Outcome, Score
from pi_gym.rollout.plan import Key


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
                key_of(record), Score.of(record)
            yield place, record
            place += len(line)


@contextmanager
def readable(path: Path, number: int) -> Iterator[None]:
    """Turn a line that is not what it should be into one clear message."""
    try:
        yield
    except (ValueError, KeyError, TypeError) as error:
        raise RunError(f"{path}, line {number}: not a trajectory ({error}); it was changed by hand") from error


def key_of(record: Mapping[str, Any]) -> Key:
    """The key in a trajectory's JSON object."""
    return (
        record["agent"],
        record["env_id"],
        record["task_id"],
        record["variant"],
        record["seed"],
        record["history_mode"],
        record["sample"],
    )


def metrics_line(outcome: Outcome) -> str:
    """What metrics.jsonl keeps of a session."""
    names = ("agent", "env_id", "task_id", "variant", "seed", "history_mode", "sample")
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
    return json.dumps(dict(zip(names, outcome.key, strict=True)) | metrics, ensure_ascii=False, separators=(",", ":"))


def errors_entry(outcome: Outcome) -> str:
    """What errors.log keeps of a session in which something was raised."""
    _, _, task_id, variant, _, _, sample = outcome.key
    return f"=== {task_id}, variant {variant}, sample {sample} ({outcome.score.error_kind})\n{outcome.trace}"
