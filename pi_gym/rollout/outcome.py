"""What came of a session: its record, its score, and how it went."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pi_gym.models.usage import Usage
from pi_gym.packs import Pack
from pi_gym.rollout.faults import place, trace
from pi_gym.rollout.plan import Key, Plan, PlannedSession
from pi_gym.session import Trajectory
from pi_gym.session.trajectory import failed_fields
from pi_gym.templates import prompt_hash

_MAX_ERROR_CHARS = 300


@dataclass(frozen=True, slots=True)
class Score:
    """What a run keeps of a session in memory.

    Args:
        scored: whether it has a score; `error_kind` says whose failure it was where not.
        proc, comp, return_: None where unscored or undefined.
        turns, questions, steps, invalid_actions: counts; the last one of actions that were rejected, or of which a
            call failed.
        intents: hidden intents that the session held.
        error: why there is no score, in one line; `place` the line of code, where one is known. That is no part of a
            record.
    """

    scored: bool
    error_kind: str
    proc: float | None
    comp: float | None
    return_: float | None
    turns: int
    questions: int
    steps: int
    invalid_actions: int = 0
    error: str = ""
    place: str = ""
    intents: int = 1

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Score:
        """The score in a trajectory's JSON object."""
        names = ("scored", "error_kind", "proc", "comp", "return", "turns", "questions", "steps", "invalid_actions")
        parts = (*(record[name] for name in names), _one_line(record["error"]), "", len(record["intents"]))
        return cls(*parts)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A session that was played, or tried.

    Args:
        session: which one.
        key: its key.
        line: its trajectory, one line of JSON without the line end.
        score: what that says.
        seconds: how long it took, by the wall clock.
        trace: the last frames of what was raised, with this machine's paths; empty where nothing was.
        models: what the roles' models were asked, by role; empty where there are none.
        agent_metadata: what the agent says of the session in its own `metadata`; empty where it says nothing.
        waits: how long the session waited each time, in seconds by the wall clock, by what for.
    """

    session: PlannedSession
    key: Key
    line: str
    score: Score
    seconds: float
    trace: str = ""
    models: Mapping[str, Usage] = field(default_factory=dict)
    agent_metadata: Mapping[str, Any] = field(default_factory=dict)
    waits: Mapping[str, Sequence[float]] = field(default_factory=dict)


def unplayed(
    packs: tuple[Pack, ...], plan: Plan, planned: PlannedSession, error: str, kind: str, seconds: float
) -> Outcome:
    """The record of a session that could not be opened, or that never came back."""
    pack = next(pack for pack in packs if planned.task_id in pack.task_ids)
    trajectory = Trajectory(
        agent=plan.agent,
        sample=planned.sample,
        env_id=plan.env_id,
        task_id=planned.task_id,
        variant=planned.variant,
        seed=planned.seed,
        history_mode=plan.history_mode,
        pack=pack.name,
        pack_hash=pack.content_hash,
        prompt_hash=prompt_hash(),
        config={},
        user="",
        grader="",
        opening=(),
        turns=0,
        steps=0,
        tool_calls=0,
        words_by_user=0,
        invalid_actions=0,
        group_id=plan.group_id(planned),
        **failed_fields(error, kind),
    )
    return outcome_of(planned, plan.key(planned), trajectory, seconds)


def outcome_of(planned: PlannedSession, key: Key, trajectory: Trajectory, seconds: float) -> Outcome:
    """What came of a session that has a record."""
    score = Score(
        trajectory.scored,
        trajectory.error_kind,
        trajectory.proc,
        trajectory.comp,
        trajectory.return_,
        trajectory.turns,
        trajectory.questions,
        trajectory.steps,
        trajectory.invalid_actions,
        _one_line(trajectory.error),
        intents=len(trajectory.intents),
    )
    return Outcome(planned, key, trajectory.to_line(), score, seconds)


def located(outcome: Outcome, error: BaseException) -> Outcome:
    """The same, with the place where its error was raised."""
    return replace(outcome, score=replace(outcome.score, place=place(error)), trace=trace(error))


def _one_line(text: str) -> str:
    line = " ".join(text[: 2 * _MAX_ERROR_CHARS].split())
    return line if len(line) <= _MAX_ERROR_CHARS else f"{line[:_MAX_ERROR_CHARS]}…"
