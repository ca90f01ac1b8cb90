"""Re-scoring: the stored conversations of a run, judged anew by other roles, into a run's folder of its own."""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import Any

from pi_gym.errors import AnswerError, PiGymError, SessionError, StateMismatch, UnknownName, unknown
from pi_gym.graders.base import Grader
from pi_gym.pibench.episode import Pasts
from pi_gym.pibench.playback import Playback, play_back
from pi_gym.pibench.rejudging import Asks, Rejudgement, rejudge
from pi_gym.pibench.rejudging import judges as judged_by
from pi_gym.pibench.role_check import require_roles
from pi_gym.rewards import RewardConfig
from pi_gym.rollout.averages import PROTOCOLS, Protocol
from pi_gym.rollout.outcome import Outcome, Score
from pi_gym.rollout.plan import Key
from pi_gym.rollout.progress import Meter, Progress
from pi_gym.rollout.recorded import RESCORED_FROM, RecordedRun
from pi_gym.rollout.store import RunFolder
from pi_gym.rollout.summary import RunSummary, summarise
from pi_gym.session import Trajectory, read_trajectories
from pi_gym.session.answerers import Responder
from pi_gym.session.faults import told_with_place
from pi_gym.session.trajectory import failed_fields
from pi_gym.templates import prompt_hash
from pi_gym.types import Answer, Ask
from pi_gym.users.base import User

JUDGES = "judges"
#: How many sessions are judged at one time; the model's own limit of concurrency is beside it.
WIDTH = 64


@dataclass(frozen=True)
class Judges:
    """Who judges.

    Args:
        user: judges the intents.
        grader: judges the checklist.
        models: by role, the language model that plays it and its sampling, as records keep it.
        model: answers what the two ask; None where they ask nothing. Of one with a method `submit`, which gives a
            future of the answers, all sessions ask at one time.
    """

    user: User
    grader: Grader
    models: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    model: Responder | None = None

    def to_json(self) -> dict[str, Any]:
        """What run.json keeps of them."""
        roles = (("user", self.user.name), ("grader", self.grader.name))
        return {role: {"name": name, **self.models.get(role, {})} for role, name in roles}

    def label(self, role: str) -> str:
        """What to call a role's judge: the model, or what else it is."""
        found = self.to_json()[role]
        return str(found.get("model", found["name"]))


def rescore(
    run: str | Path,
    out: str | Path,
    judges: Judges,
    *,
    pack: str | Path | None = None,
    resume: bool = False,
    width: int = WIDTH,
    progress: Callable[[Progress], None] | None = None,
    protocol: Protocol = "paper",
) -> RunSummary:
    """Judge the scored sessions of a run anew.

    The agent is not played again: its actions, what its tools answered and what the user said are taken from the
    record; see `pi_gym.pibench.rejudging` for what a new judgement of old words means.

    Args:
        run: a run's folder, or a file of trajectories.
        out: the folder of the new judgements; a run's folder too.
        judges: who judges.
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
    if protocol not in PROTOCOLS:
        raise UnknownName(unknown("protocol", str(protocol), PROTOCOLS))
    recorded = RecordedRun(run, pack)
    for task in recorded.without_rules():
        require_roles(task, judges.user, judges.grader, RewardConfig())
    plan = recorded.plan()
    wanted = {
        **{name: value for name, value in recorded.asked.items() if name != "prompts"},
        "prompts": prompt_hash(),
        RESCORED_FROM: os.path.relpath(run, out),
        JUDGES: judges.to_json(),
    }
    with RunFolder(out, wanted, resume=resume) as folder:
        there = {key for key, score in folder.scores.items() if score.scored}
        meter = Meter(len(plan.sessions), [score for score in folder.scores.values() if score.scored], progress)
        by_key = {plan.key(session): session for session in plan.sessions}
        for record, line in _judged(_played(run, recorded, there), judges, width):
            outcome = Outcome(by_key[record.key], record.key, line.text, line.score, line.seconds)
            folder.add(outcome)
            meter.count(outcome.score)
        summary = summarise(plan, folder.scores, out=folder.path, protocol=protocol)
        folder.write_summary(summary.to_json())
        return summary


@dataclass(frozen=True, slots=True)
class _Line:
    text: str
    score: Score
    seconds: float


@dataclass
class _Running:
    record: Trajectory
    judgement: Rejudgement
    asks: Asks
    answers: Future[list[Answer]]
    begin: float


def _played(
    run: str | Path, recorded: RecordedRun, judged: Container[Key]
) -> Iterator[tuple[Trajectory, Playback | Exception]]:
    """The records that are not judged yet, played again, or why that failed."""
    pasts = Pasts()
    for record in read_trajectories(run):
        if record.key in judged and record.history_mode != "own":
            continue  # no other session rests on it
        pack = recorded.pack(record.pack)
        found: Playback | Exception
        try:
            found = play_back(record, pack=pack, start=pasts.before(record, pack))
        except StateMismatch:
            raise
        except Exception as error:  # one record that cannot be played leaves the others alone
            found = error
        pasts.keep(record, found.session if isinstance(found, Playback) else None)
        if record.key not in judged:
            yield record, found


def _judged(
    played: Iterator[tuple[Trajectory, Playback | Exception]], judges: Judges, width: int
) -> Iterator[tuple[Trajectory, _Line]]:
    """Every record with its new line, as they are done; a session goes on as soon as its own answers are there."""
    running: list[_Running] = []
    more = True
    while more or running:
        while more and len(running) < width:
            begin = perf_counter()
            record, found = next(played, (None, None))
            if record is None or found is None:
                more = False
                break
            if isinstance(found, Exception):
                yield record, _failed(record, judges, _why(found), "engine", begin)
                continue
            judgement = rejudge(record, found, judges.user, judges.grader, judges.models)
            one = _Running(record, judgement, (), Future(), begin)
            line = _advance(one, judges, None)
            if line is not None:
                yield record, line
            else:
                running.append(one)
        if running:
            wait([one.answers for one in running], return_when=FIRST_COMPLETED)
        for one in [one for one in running if one.answers.done()]:
            line = _advance(one, judges, tuple(one.answers.result()))
            if line is not None:
                running.remove(one)
                yield one.record, line


def _advance(one: _Running, judges: Judges, answers: tuple[Answer, ...] | None) -> _Line | None:
    """Take a judgement as far as it goes without waiting; its line where it is done."""
    try:
        one.asks = next(one.judgement) if answers is None else one.judgement.send(answers)
    except StopIteration as end:
        return _line(end.value, perf_counter() - one.begin)
    except AnswerError as error:
        forget = getattr(judges.model, "forget", None)
        if callable(forget):
            forget(one.asks)  # a kept answer without use would fail every further try
        return _failed(one.record, judges, str(error), "model", one.begin)
    except (StateMismatch, KeyboardInterrupt):
        raise
    except Exception as error:
        return _failed(one.record, judges, _why(error), "engine", one.begin)
    one.answers = _submit(judges.model, one.asks)
    return None


def _why(error: Exception) -> str:
    return str(error) if isinstance(error, SessionError) else told_with_place(error)


def _submit(model: Responder | None, asks: Sequence[Ask]) -> Future[list[Answer]]:
    if model is None:
        raise PiGymError("the judges ask a model, and none was given")
    submit = getattr(model, "submit", None)
    if callable(submit):
        submitted: Future[list[Answer]] = submit(asks)
        return submitted
    answered: Future[list[Answer]] = Future()
    answered.set_result(list(model(asks)))
    return answered


def _line(record: Trajectory, seconds: float) -> _Line:
    return _Line(record.to_line(), Score.of(record.to_json()), seconds)


def _failed(record: Trajectory, judges: Judges, error: str, kind: str, begin: float) -> _Line:
    """The record of a judgement that failed: nothing of it counts."""
    empty = replace(
        record,
        **judged_by(record, judges.user, judges.grader, judges.models),
        **failed_fields(error, kind),
    )
    return _line(empty, perf_counter() - begin)
