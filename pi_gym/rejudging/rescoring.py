"""Re-scoring: the stored conversations of a run, judged anew by other roles, into a run's folder of its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from pi_gym.catalogue import TaskName, TaskSet
from pi_gym.errors import UnknownName, unknown
from pi_gym.rejudging.courses import Course, run_courses
from pi_gym.runs.outcome import SessionOutcome, outcome_of
from pi_gym.runs.plan import PlannedSession
from pi_gym.runs.progress import Meter, Progress
from pi_gym.runs.recorded import RESCORED_FROM, RecordedRun
from pi_gym.runs.store import RunFolder
from pi_gym.runs.summary import RunSummary, summarise
from pi_gym.session.answerers import Responder
from pi_gym.session.trajectory import SessionKey, Trajectory, read_trajectories
from pi_gym.templates import prompt_hash

JUDGES = "judges"
#: The number of sessions judged at one time; the model's own limit of concurrency is beside it.
WIDTH = 64
#: The course of one judgement: gives asks, takes their answers in order, returns the judged record.
Rejudgement: TypeAlias = Course[Trajectory]


class Judges(Protocol):
    """The judges that judge sessions of one family anew.

    Attributes:
        model: answers what the judges ask; None where they ask nothing. Of one with a method `submit`, which gives a
            future of the answers, all sessions ask at one time.
    """

    @property
    def model(self) -> Responder | None:
        """See the class."""
        ...

    def to_json(self) -> dict[str, Any]:
        """The judges, as run.json keeps them, by role."""
        ...

    def label(self, role: str) -> str:
        """The name of a role's judge."""
        ...

    def require(self, packs: Mapping[str, TaskSet], tasks: Iterable[TaskName]) -> None:
        """Raise PiGymError where they cannot judge one of these tasks."""
        ...

    def play_back(
        self, records: Iterable[Trajectory], packs: Mapping[str, TaskSet], judged: Collection[SessionKey]
    ) -> Iterator[tuple[Trajectory, Any]]:
        """The records that are not judged yet, each with what `judge` takes of it, or the exception that it raised.

        Raises:
            StateMismatch: a record is of other content of its pack.
        """
        ...

    def judge(self, record: Trajectory, played: Any) -> Rejudgement:
        """Judge a session that was played back."""
        ...

    def failed(self, record: Trajectory, error: str, kind: str) -> Trajectory:
        """The record of a judgement that failed: nothing in it is judged."""
        ...


def rescore(
    run: str | Path,
    out: str | Path,
    judges: Judges,
    *,
    pack: str | Path | None = None,
    resume: bool = False,
    width: int = WIDTH,
    progress: Callable[[Progress], None] | None = None,
    protocol: str | None = None,
) -> RunSummary:
    """Judge the scored sessions of a run anew.

    The agent is not played again: its actions, what its tools answered and what the user said are taken from the
    record; see `pi_gym.pibench.rejudging` for what a new judgement of old words means.

    Args:
        run: a run's folder, or a file of trajectories.
        out: the folder of the new judgements; a run's folder too.
        judges: who judges; of the run's family.
        pack: where the pack lies; None: where the run had it.
        resume: go on with what `out` holds; sessions without a score are tried again.
        width: the most sessions judged at one time.
        progress: called at the start and after every session.
        protocol: how the summary averages Proc and Comp, as of a rollout; what is judged is the same.

    Returns:
        Means and counts, as of a rollout. Sessions whose model failed are unscored, and in no mean.

    Raises:
        RunError: a folder cannot be used as asked, or the pack cannot be found.
        StateMismatch: a pack's content is not the recorded one.
        RolesNeeded: the tasks have no predicates, and a judge is rule-based.
        UnknownName: no such protocol.
    """
    recorded = RecordedRun(run, pack)
    family = recorded.family
    if protocol is not None and protocol not in family.protocols:
        raise UnknownName(unknown("protocol", str(protocol), family.protocols))
    plan = recorded.plan()
    judges.require(recorded.packs, plan.tasks)
    wanted = {
        **{name: value for name, value in recorded.asked.items() if name != "prompts"},
        "prompts": prompt_hash(),
        RESCORED_FROM: os.path.relpath(run, out),
        JUDGES: judges.to_json(),
    }
    with RunFolder(out, wanted, resume=resume) as folder:
        there = {key for key, score in folder.scores.items() if score.scored}
        measures = [one.name for one in family.headline]
        meter = Meter(
            len(plan.sessions), measures, [score for score in folder.scores.values() if score.scored], progress
        )
        by_key = {plan.key(session): session for session in plan.sessions}
        played = judges.play_back(read_trajectories(run), recorded.packs, there)
        for outcome in _outcomes(played, judges, by_key, width):
            folder.add(outcome)
            meter.count(outcome.score)
        summary = summarise(plan, family, folder.scores, out=folder.path, protocol=protocol or "")
        folder.write_summary(summary.to_json())
        return summary


def _outcomes(
    played: Iterator[tuple[Trajectory, Any]], judges: Judges, planned: Mapping[SessionKey, PlannedSession], width: int
) -> Iterator[SessionOutcome]:
    """Every session as it is judged."""
    courses = (
        (record, found if isinstance(found, Exception) else judges.judge(record, found)) for record, found in played
    )
    for end in run_courses(courses, judges.model, width):
        judged = judges.failed(end.key, end.error, end.kind) if end.result is None else end.result
        yield outcome_of(planned[end.key.key], judged, end.duration_s)
