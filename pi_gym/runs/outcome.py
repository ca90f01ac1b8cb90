"""The outcome of a session: its record, its score, and how it went."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from pi_gym.catalogue import TaskSet
from pi_gym.family import Family
from pi_gym.models.usage import Usage
from pi_gym.runs.plan import Plan, PlannedSession
from pi_gym.session.faults import error_place, error_trace
from pi_gym.session.trajectory import SessionKey, Trajectory, unplayed_record
from pi_gym.templates import prompt_hash
from pi_gym.types import EngineFault

_MAX_ERROR_CHARS = 300
#: The counts that every record has.
COUNTS = ("turns", "steps", "tool_calls", "invalid_actions")


@dataclass(frozen=True, slots=True)
class Score:
    """The score of a session, as a run keeps it in memory.

    Args:
        scored: whether it has a score; `error_kind` says whose failure it was where not.
        values: by name, the scores, the counts and the labels that are numbers, or true (1) or false (0); None where
            undefined.
        error: why there is no score, in one line; `error_place` the line of code, where one is known. No part of a
            record.
        fault: the first of the record's `engine_faults`, in one line; empty where there is none.
        shares: by kind of the session's parts, how many were met, of how many: its label `shares`, if it has one.
    """

    scored: bool
    error_kind: str
    values: Mapping[str, float | None]
    error: str = ""
    place: str = ""
    fault: str = ""
    shares: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Score:
        """The score of a trajectory, by its fields: those of its JSON object, or of the object itself (`vars`)."""
        counts = {name: record[name] for name in COUNTS}
        labels = {name: float(value) for name, value in record["labels"].items() if isinstance(value, int | float)}
        values = {**counts, **labels, **record["scores"]}
        faults = (
            one if isinstance(one, EngineFault) else EngineFault.from_json(one) for one in record["engine_faults"]
        )
        error = _one_line(record["error"])
        shares = {one["name"]: (one["met"], one["of"]) for one in record["labels"].get("shares", ())}
        return cls(record["scored"], record["error_kind"], values, error, fault=_first_fault(faults), shares=shares)

    @property
    def steps(self) -> int:
        """The number of the agent's actions."""
        return int(self.values["steps"] or 0)

    @property
    def invalid_actions(self) -> int:
        """The number of these that were rejected or had a call that failed."""
        return int(self.values["invalid_actions"] or 0)


def require_own_names(family: Family) -> None:
    """See to it that no score or label of a family has the name of anything else that its records hold.

    Raises:
        ValueError: one has; the message names it.
    """
    taken = {*(one.name for one in fields(Trajectory)), *COUNTS}
    for name in (*family.scores, *family.columns):
        if name in taken:
            raise ValueError(f"family {family.name!r}: {name!r} is the name of something else in its records")
        taken.add(name)
    for one in family.measures:
        for name in one.reads:
            if name not in {*COUNTS, *family.scores, *family.columns}:
                raise ValueError(f"family {family.name!r}: a measure reads {name!r}, which its records do not hold")


@dataclass(frozen=True, slots=True)
class SessionOutcome:
    """A session that was played, or tried.

    Args:
        session: which one.
        key: its key.
        line: its trajectory, one line of JSON without the line end.
        score: what that says.
        seconds: how long it took, by the wall clock.
        trace: the last frames of what was raised, with this machine's paths; empty where nothing was.
        models: what models were asked, by role; an agent's own model is the role "agent". Empty where there are none.
        agent_metadata: what the agent says of the session in its own `metadata`; empty where it says nothing.
        waits: how long the session waited each time, in seconds by the wall clock, by what for.
    """

    session: PlannedSession
    key: SessionKey
    line: str
    score: Score
    seconds: float
    trace: str = ""
    models: Mapping[str, Usage] = field(default_factory=dict)
    agent_metadata: Mapping[str, Any] = field(default_factory=dict)
    waits: Mapping[str, Sequence[float]] = field(default_factory=dict)


def unplayed(
    packs: Iterable[TaskSet], plan: Plan, planned: PlannedSession, error: str, kind: str, seconds: float
) -> SessionOutcome:
    """The record of a session that could not be opened, or that never came back."""
    pack = next(pack for pack in packs if pack.name == planned.pack)
    key = plan.key(planned)
    hashes = pack.content_hash, prompt_hash()
    return outcome_of(planned, unplayed_record(key, *hashes, plan.group_id(planned), error, kind), seconds)


def outcome_of(planned: PlannedSession, record: Trajectory, seconds: float) -> SessionOutcome:
    """The outcome of a session that has a record."""
    return SessionOutcome(planned, record.key, record.to_line(), Score.of(vars(record)), seconds)


def with_error_place(outcome: SessionOutcome, error: BaseException) -> SessionOutcome:
    """The same outcome, with the place where its error was raised."""
    return replace(outcome, score=replace(outcome.score, place=error_place(error)), trace=error_trace(error))


def _first_fault(faults: Iterable[EngineFault]) -> str:
    return next((_one_line(f"{fault.where}: {fault.error}") for fault in faults), "")


def _one_line(text: str) -> str:
    line = " ".join(text[: 2 * _MAX_ERROR_CHARS].split())
    return line if len(line) <= _MAX_ERROR_CHARS else f"{line[:_MAX_ERROR_CHARS]}…"
