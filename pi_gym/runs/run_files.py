"""The files in a run's folder by name, and the folders that are runs."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

TRAJECTORIES, UNSCORED, METRICS = "trajectories.jsonl", "unscored.jsonl", "metrics.jsonl"
RUN, SUMMARY, LOCK, ERRORS = "run.json", "summary.json", "run.lock", "errors.log"
RUN_FILES = (TRAJECTORIES, UNSCORED, METRICS, ERRORS, RUN, SUMMARY, LOCK, f"{RUN}.tmp", f"{SUMMARY}.tmp")


def walk_runs(place: Path) -> Iterator[tuple[Path, list[str]]]:
    """The folders at or below a place that have run.json or trajectories.jsonl, with their files, in stable order."""
    for folder, below, names in os.walk(place):
        below.sort()
        if RUN in names or TRAJECTORIES in names:
            yield Path(folder), names
