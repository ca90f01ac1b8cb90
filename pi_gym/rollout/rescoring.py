"""Re-scoring: the stored conversations of a run, judged anew by other roles, into a run's folder of its own."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import perf_counter
from typing import Any

from pi_gym.errors import AnswerError, PiGymError, SessionError, StateMismatch
from pi_gym.graders.base import Grader
from pi_gym.packs import Pack, load_pack
from pi_gym.rollout.lines import RunError
from pi_gym.rollout.outcome import Outcome, Score
from pi_gym.rollout.plan import Key, Plan, PlannedSession
from pi_gym.rollout.progress import Meter, Progress
from pi_gym.rollout.store import RUN, UNSCORED, RunFolder
from pi_gym.rollout.summary import RunSummary, summarise
from pi_gym.session import Trajectory, read_trajectories
from pi_gym.session.answerers import Responder
from pi_gym.session.episode import Pasts
from pi_gym.session.faults import told_with_place
from pi_gym.session.playback import Playback, play_back
from pi_gym.session.rejudging import Asks, Rejudgement, rejudge
from pi_gym.session.rejudging import judges as judged_by
from pi_gym.session.trajectory import failed_fields
from pi_gym.templates import prompt_hash
from pi_gym.types import Answer, Ask
from pi_gym.users.base import User

RESCORED_FROM, JUDGES = "rescored_from", "judges"
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
) -> RunSummary:
    """Judge the scored sessions of a run anew.

    The agent is not played again: its actions, what its tools answered and what the user said are taken from the
    record; see `pi_gym.session.rejudging` for what a new judgement of old words means.

    Args:
        run: a run's folder, or a file of trajectories.
        out: the folder of the new judgements; a run's folder too.
        judges: who judges.
        pack: where the pack lies; None: where the run had it.
        resume: go on with what `out` holds; sessions without a score are tried again.
        width: the most sessions judged at one time.
        progress: called at the start and after every session.

    Returns:
        Means and counts, as of a rollout. Sessions whose model failed are unscored, and in no mean.

    Raises:
        RunError: a folder cannot be used as asked.
        StateMismatch: a pack's content is not the recorded one.
    """
    source, asked = Path(run), _asked(Path(run))
    plan, counts = _plan(source, asked)
    where = pack if pack is not None else asked.get("env_kwargs", {}).get("pack")
    packs = _Packs(where)
    plan = replace(plan, groups={name: packs.group(*one) for name, one in counts.items()})
    wanted = {
        **{name: value for name, value in asked.items() if name != "prompts"},
        "prompts": prompt_hash(),
        RESCORED_FROM: os.path.relpath(source, out),
        JUDGES: judges.to_json(),
    }
    with RunFolder(out, wanted, resume=resume) as folder:
        there = {key for key, score in folder.scores.items() if score.scored}
        meter = Meter(len(plan.sessions), [score for score in folder.scores.values() if score.scored], progress)
        by_key = {plan.key(session): session for session in plan.sessions}
        for record, line in _judged(_played(read_trajectories(source), packs, there), judges, width):
            outcome = Outcome(by_key[record.key], record.key, line.text, line.score, line.seconds)
            folder.add(outcome)
            meter.count(outcome.score)
        summary = summarise(plan, folder.scores, out=folder.path)
        folder.write_summary(summary.to_json())
        return summary


def unjudged(run: str | Path) -> int:
    """How many attempts of a run have no score, and so no conversation that could be judged."""
    path = Path(run) / UNSCORED
    return sum(1 for _ in path.open(encoding="utf-8")) if path.is_file() else 0


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


class _Packs:
    """The packs of records, each loaded once."""

    def __init__(self, where: str | Path | None) -> None:
        self._where = where
        self._loaded: dict[str, Pack] = {}

    def of(self, name: str) -> Pack:
        if name not in self._loaded:
            self._loaded[name] = load_pack(self._where if self._where is not None else name)
        return self._loaded[name]

    def group(self, pack: str, task_id: str) -> str:
        return self.of(pack).instantiate(task_id).group


def _played(
    records: Iterable[Trajectory], packs: _Packs, judged: Container[Key]
) -> Iterator[tuple[Trajectory, Playback | SessionError]]:
    """The records that are not judged yet, played again, or why that failed."""
    pasts = Pasts()
    for record in records:
        if record.key in judged and record.history_mode != "own":
            continue  # no other session rests on it
        pack = packs.of(record.pack)
        found: Playback | SessionError
        try:
            found = play_back(record, pack=pack, start=pasts.before(record, pack))
        except SessionError as error:
            found = error
        pasts.keep(record, found.session if isinstance(found, Playback) else None)
        if record.key not in judged:
            yield record, found


def _judged(
    played: Iterator[tuple[Trajectory, Playback | SessionError]], judges: Judges, width: int
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
            if isinstance(found, SessionError):
                yield record, _failed(record, judges, str(found), "engine", begin)
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
        return _failed(one.record, judges, told_with_place(error), "engine", one.begin)
    one.answers = _submit(judges.model, one.asks)
    return None


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


def _asked(source: Path) -> dict[str, Any]:
    """What the run was asked to be; nothing is known of a lone file."""
    place = source / RUN
    if not place.is_file():
        if not source.exists():
            raise RunError(f"{source}: there is no such run")
        return {}
    try:
        asked = dict(json.loads(place.read_text(encoding="utf-8")))
    except (ValueError, TypeError) as error:
        raise RunError(f"{place} is no JSON object ({error}); it was changed by hand") from error
    if RESCORED_FROM in asked:
        raise RunError(f"{source} holds a re-scoring; take the run that was re-scored, {source / asked[RESCORED_FROM]}")
    return asked


def _plan(source: Path, asked: dict[str, Any]) -> tuple[Plan, dict[str, tuple[str, str]]]:
    """The sessions that the run has, and by task its pack and name."""
    sessions: list[PlannedSession] = []
    repeats: Counter[str] = Counter()
    episodes: dict[tuple[int, int, int], int] = {}
    tasks: dict[str, tuple[str, str]] = {}
    runs: set[tuple[str, str, str]] = set()
    try:
        for index, record in enumerate(read_trajectories(source)):
            runs.add((record.agent, record.env_id, record.history_mode))
            tasks.setdefault(record.task_id, (record.pack, record.task_id))
            start = record.variant, record.seed, record.sample
            repeat = repeats[record.task_id]
            if record.history_mode == "own":  # its episode, whose sessions lie among those of others
                repeat = episodes.setdefault(start, len(episodes))
            sessions.append(PlannedSession(index, record.task_id, *start, repeat))
            repeats[record.task_id] += 1
    except (OSError, ValueError) as error:
        raise RunError(f"{source} cannot be read: {error}") from error
    if len(runs) != 1:
        what = "has no scored session" if not runs else "holds sessions of several agents, environments or histories"
        raise RunError(f"{source} {what}; there is nothing to judge as one run")
    ((agent, env_id, history_mode),) = runs
    split = asked.get("split", "explicit")
    groups = dict.fromkeys(tasks, "")
    size = asked.get("group_size", 1)
    return Plan(agent, env_id, split, history_mode, tuple(sessions), groups, group_size=size), tasks
