"""The rows of sessions that a report is made of, read from a run's files in one pass."""

from __future__ import annotations

import json
import mmap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from pathlib import Path
from sys import intern
from typing import Any

from pi_gym.catalogue import TaskName
from pi_gym.runs.lines import RunError
from pi_gym.runs.outcome import Score
from pi_gym.runs.run_files import METRICS, TRAJECTORIES, UNSCORED
from pi_gym.session.trajectory import FORMAT, SessionKey

#: In a record's line events stand between what says which session it is and its scores; a report reads none of them.
_EVENTS, _SCORES = b',"events":[', b'],"scores":'


@dataclass(frozen=True, slots=True)
class ReportedSession:
    """One session, as far as a report needs it.

    Args:
        key: its key.
        score: its score, or why there is none.
        tallies: by label, how often its parts have each value: {"intents": {"completed": 2}}.
        tokens: of all models that were asked in it, the agent's too; None where nothing counts them.
    """

    key: SessionKey
    score: Score
    tallies: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    tokens: int | None = None

    @property
    def task(self) -> TaskName:
        """The task's name."""
        return self.key.pack, self.key.task_id

    @property
    def world(self) -> tuple[str, str, str, int]:
        """The world that it was played in: those who play the same one can be paired."""
        return self.key.env_id, self.key.pack, self.key.task_id, self.key.variant


@dataclass(frozen=True, slots=True)
class RunRows:
    """The sessions of a run.

    Args:
        scored: those with a score.
        unscored: those that were tried and have none, once each.
        remarks: what is odd about the files, a sentence each.
    """

    scored: tuple[ReportedSession, ...]
    unscored: tuple[ReportedSession, ...]
    remarks: tuple[str, ...]


def read_rows(run: Path, tallied: Mapping[str, str]) -> RunRows:
    """The sessions of a run's folder.

    Args:
        run: the folder.
        tallied: by label, the field by which its parts are counted.

    Raises:
        RunError: a line is no trajectory of this format; the message has its number.
    """
    remarks: list[str] = []
    tokens = _tokens(run / METRICS, remarks)
    scored: dict[SessionKey, ReportedSession] = {}
    for number, row in _rows(run / TRAJECTORIES, tallied, tokens, remarks):
        if row.key in scored:
            raise RunError(f"{run / TRAJECTORIES}, line {number}: the session {row.key} comes twice")
        scored[row.key] = row
    tried = {}
    for _, row in _rows(run / UNSCORED, tallied, tokens, remarks):
        if row.key not in scored:
            tried[row.key] = row
    return RunRows(tuple(scored.values()), tuple(tried.values()), tuple(remarks))


def _row(record: Mapping[str, Any], tallied: Mapping[str, str], tokens: Mapping[SessionKey, int]) -> ReportedSession:
    key = SessionKey.of(record)
    kept: dict[str, Any] = {name: intern(value) for name, value in key._asdict().items() if isinstance(value, str)}
    key = key._replace(**kept)
    score = Score.of(record)
    for name, value in (*score.values.items(), *((name, sum(share)) for name, share in score.shares.items())):
        if value is not None and not isfinite(value):
            raise ValueError(f"{name} is {value}")
    labels = record["labels"]
    counts = {
        label: dict(Counter(intern(str(part[name])) for part in labels[label]))
        for label, name in tallied.items()
        if label in labels
    }
    return ReportedSession(key, score, counts, tokens.get(key))


def _rows(
    path: Path, tallied: Mapping[str, str], tokens: Mapping[SessionKey, int], remarks: list[str]
) -> Iterator[tuple[int, ReportedSession]]:
    """The sessions of a file, each with the number of its line."""
    for number, line, is_whole in _lines(path):
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            if not is_whole:
                remarks.append(f"the last line of {path.name} is unfinished and left out")
                return
            raise RunError(f"{path}, line {number}: not a trajectory ({error}); it was changed by hand") from error
        if not isinstance(record, dict) or record.get("format") != FORMAT:
            found = record.get("format") if isinstance(record, dict) else None
            raise RunError(f"{path}, line {number}: expected a trajectory of format {FORMAT}, got format {found!r}")
        try:
            row = _row(record, tallied, tokens)
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise RunError(f"{path}, line {number}: not a trajectory ({error!r}); it was changed by hand") from error
        yield number, row


def _lines(path: Path) -> Iterator[tuple[int, bytes, bool]]:
    """The lines of a file, each with its number and whether it has an end; a long one is not copied."""
    if not path.is_file() or not path.stat().st_size:
        return
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        begin = number = 0
        while begin < len(data):
            end = data.find(b"\n", begin)
            number += 1
            stop = len(data) if end < 0 else end
            yield number, _trimmed(data, begin, stop), end >= 0
            begin = stop + 1


def _trimmed(data: mmap.mmap, begin: int, end: int) -> bytes:
    """A line without what its events hold, where it is written as records are; else the whole line.

    What looks like the end of the events can stand in a text after them too, so that candidates are tried from the last
    one: only at the true one the rest is JSON that closes with the line.
    """
    head = data.find(_EVENTS, begin, end)
    place = data.rfind(_SCORES, max(head, begin), end) if head >= 0 else -1
    while place >= 0:
        line = data[begin : head + len(_EVENTS)] + data[place:end]
        try:
            json.loads(line)
            return line
        except (ValueError, RecursionError):
            place = data.rfind(_SCORES, head, place)
    return data[begin:end]


def _tokens(path: Path, remarks: list[str]) -> dict[SessionKey, int]:
    """The tokens of each session, of all roles and the agent; attempts without a score count too."""
    found: Counter[SessionKey] = Counter()
    for number, line, is_whole in _lines_of_text(path):
        try:
            record = json.loads(line)
            key = SessionKey.of(record)
            usages: Sequence[Mapping[str, Any]] = [*record.get("models", {}).values(), record.get("agent_metadata", {})]
            counts = [
                one[name]
                for one in usages
                for name in ("prompt_tokens", "completion_tokens")
                if isinstance(one.get(name), int)
            ]
        except (ValueError, KeyError, TypeError, AttributeError):
            if is_whole:
                remarks.append(f"{path.name}, line {number} cannot be read; its tokens are not counted")
            continue
        if counts:
            found[key] += sum(counts)
    return dict(found)


def _lines_of_text(path: Path) -> Iterator[tuple[int, bytes, bool]]:
    if path.is_file():
        with path.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                yield number, line, line.endswith(b"\n")
