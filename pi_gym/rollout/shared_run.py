"""The folder of a run whose sessions come one by one, from whatever processes play them."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from pi_gym.catalogue import TaskName
from pi_gym.env import SessionEnv
from pi_gym.runs.outcome import outcome_of
from pi_gym.runs.plan import Plan, PlannedSession
from pi_gym.runs.run_files import RUN
from pi_gym.runs.run_json import run_json
from pi_gym.runs.store import AlreadyScored, FolderBusy, RunFolder
from pi_gym.runs.summary import summarise
from pi_gym.session import Trajectory
from pi_gym.session.protocol import Session
from pi_gym.session.trajectory import SessionKey

#: The seconds that the end of a session waits for others that end in the same folder.
WAIT_SECONDS = 60.0
#: A summary, which is made of all sessions, is written again after this many times as long as the last one took.
SUMMARY_PAUSE = 20
_OF_ONE_SESSION = ("sessions", "tasks", "variants", "seed")


class SharedRun:
    """A run whose folder is locked for as long as a session is added, and no longer. Several threads may add.

    The folder is read once, and then what other processes have added to it. Its summary follows within seconds: where
    one was just written, a thread writes the next in a while, and the process ends after that. One that cannot be
    written stays due: the next session tries again, and so does `close`, which tells.

    Args:
        path: the folder; made where it does not exist.
        env: the environment of its sessions.
        agent: who plays all of them.
        env_kwargs: the environment's arguments, for run.json.
        source: of the agent, likewise.
    """

    def __init__(self, path: Path, env: SessionEnv, agent: str, env_kwargs: Mapping[str, Any], *, source: str) -> None:
        self.path, self.agent = path, agent
        self._packs, self._family = env.packs, env.family
        env_id = env.spec.id if env.spec is not None else ""
        plan = Plan(agent, env_id, env.family.name, "explicit", env.history_mode, ())
        asked = run_json(plan, source, {}, env.packs, env.family.roles, env_kwargs, seed=0, variants=None)
        self._lock = threading.Lock()
        self._folder: RunFolder | None = None
        self._summary_due, self._not_before = False, 0.0
        self._later: threading.Timer | None = None
        self._asked = {name: value for name, value in asked.items() if name not in _OF_ONE_SESSION}

    def require_new(self, session: Session, sample: int = 0) -> None:
        """See to it that a session can be added once it is over.

        Raises:
            AlreadyScored: the folder holds its score.
            RunError: it holds another run, or it cannot be written.
        """
        key = self._key(session, sample)
        with self._lock, self._opened() as run:
            if _is_scored(run, key):
                raise AlreadyScored(f"{self.path} holds the session {key} already; choose another --agent or --out")

    def free_sample(self, session: Session, first: int = 0) -> int:
        """The lowest sample, from `first` on, under which the folder has no score of a session.

        Raises:
            RunError: it holds another run, or it cannot be written.
        """
        with self._lock, self._opened() as run:
            return next(one for one in count(first) if not _is_scored(run, self._key(session, one)))

    def add(self, record: Trajectory, seconds: float) -> None:
        """Write a session that is over, unless it is there already.

        Args:
            record: of the session.
            seconds: how long it took, by the wall clock.

        Raises:
            AlreadyScored: the folder holds another score of it.
            RunError: it cannot be written.
        """
        planned = PlannedSession(
            0, record.pack, record.task_id, record.variant, record.seed, record.sample, record.sample
        )
        outcome = outcome_of(planned, record, seconds)
        with self._lock, self._opened() as run:
            if not run.holds(outcome):
                run.add(outcome)
            self._summary_due = True
            if self._later is None:
                wait = self._not_before - monotonic()
                if wait <= 0:
                    with suppress(Exception):  # the session is written all the same
                        self._summarise(run)
                else:
                    self._later = threading.Timer(wait, self.close)
                    self._later.start()

    def close(self) -> None:
        """Write the summary, if sessions were added after the last one that was written.

        Raises:
            RunError: it cannot be written.
        """
        with self._lock:
            if self._later is not None:
                self._later.cancel()
                self._later = None
            if self._summary_due and (self.path / RUN).is_file():  # it may have been cleared meanwhile
                with self._opened() as run:
                    self._summarise(run)

    def _key(self, session: Session, sample: int) -> SessionKey:
        one = session.identity
        return SessionKey(
            self.agent, one.env_id, one.family, one.pack, one.task_id, one.variant, one.seed, one.history_mode, sample
        )

    def _summarise(self, run: RunFolder) -> None:
        begun = monotonic()
        run.write_summary(summarise(_plan(list(run.scores), self._packs), self._family, run.scores).to_json())
        self._summary_due = False
        self._not_before = monotonic() + SUMMARY_PAUSE * (monotonic() - begun)

    @contextmanager
    def _opened(self) -> Iterator[RunFolder]:
        last = monotonic() + WAIT_SECONDS
        while True:
            try:
                if self._folder is None:
                    self._folder = RunFolder(self.path, self._asked, resume=True)
                else:
                    self._folder.reopen()
                break
            except FolderBusy:
                if monotonic() > last:
                    raise
                sleep(0.05)
        with self._folder as run:
            yield run


def _is_scored(run: RunFolder, key: SessionKey) -> bool:
    known = run.scores.get(key)
    return known is not None and known.scored


def _plan(keys: list[SessionKey], packs: Sequence[Any]) -> Plan:
    """The sessions that a folder holds, as a plan."""
    named, repeats, sessions = {pack.name: pack for pack in packs}, dict[TaskName, int](), list[PlannedSession]()
    for index, key in enumerate(sorted(keys)):
        task = key.pack, key.task_id
        sessions.append(PlannedSession(index, *task, key.variant, key.seed, key.sample, repeats.get(task, 0)))
        repeats[task] = repeats.get(task, 0) + 1
    first = keys[0]
    cards = {task: named[task[0]].card(task[1]) for task in repeats}
    return Plan(first.agent, first.env_id, first.family, "explicit", first.history_mode, tuple(sessions), cards)
