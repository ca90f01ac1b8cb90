"""The sessions that a server has open for its clients: how they are opened, and where their records go."""

from __future__ import annotations

import itertools
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from time import monotonic
from typing import Any

from pi_gym.adapters.session_play import SessionPlay, finish, single_session_env
from pi_gym.adapters.session_row import SessionRow, plan_rows
from pi_gym.errors import BadArgument, PiGymError, SessionError, UnknownName, unknown
from pi_gym.rollout.shared_run import SharedRun
from pi_gym.runs.plan import choose_tasks, named_task
from pi_gym.runs.store import AlreadyScored
from pi_gym.sampling import SPLITS
from pi_gym.seeding import Stream

#: The parts of a reset that say which session it opens.
NAMES = ("seed", "task", "variant", "pack", "sample")
_NUMBERS = ("seed", "variant", "sample")


class ServedSession:
    """One session that a client plays, until its record is written; one thread at a time.

    Args:
        play: plays it; `ServedSessions.open` has opened it.
        sample: its number among those that begin alike.
        sessions: whose it is.
        named: its client chose the number.
    """

    def __init__(self, play: SessionPlay, sample: int, sessions: ServedSessions, *, named: bool) -> None:
        self.play, self.sample, self._named = play, sample, named
        self._sessions = sessions
        self._begun = monotonic()
        self._acted = self._told = False
        self._record()  # a failure of ours may end it in its opening

    def act(self, action: Any) -> list[dict[str, Any]]:
        """Take an action of any form that the environment takes.

        Returns:
            The messages that it brought to the agent; none where something of ours broke, which ends the session.

        Raises:
            SessionError: it is over.
        """
        if self.play.over:
            raise SessionError("the session is over; reset opens another")
        self._acted = True
        news: list[dict[str, Any]] = []
        try:
            news = self.play.act(action)
        except Exception as error:  # ours, whatever it was: never the agent's, and never a score
            self.play.fail(error)
        self._record()
        return news

    def finish(self) -> None:
        """End it where it stands, graded; one that is over stays as it is."""
        if not self.play.over:
            try:
                finish([self.play])
            except Exception as error:  # ours, as above
                self.play.fail(error)
        self._record()

    def leave(self, *, wanted: bool, why: str) -> None:
        """End it as its client goes; one in which the agent did nothing leaves nothing.

        Args:
            wanted: the client ended it, so it is graded as it stands. Else whatever happened is not the agent's doing:
                it is unscored, and can be played again.
            why: what happened.
        """
        if self.play.over or not self._acted:
            return
        if wanted:
            self.finish()
        else:
            self.play.session.fail(why, "policy")
            self._record()

    def _record(self) -> None:
        if self.play.over and not self._told:
            self._sessions.keep(self.play, monotonic() - self._begun, named=self._named)
            self._told = True


@dataclass
class _Due:
    """A session whose record is to be written: how long it took, and whether its client chose its number."""

    play: SessionPlay
    seconds: float
    named: bool


class ServedSessions:
    """All sessions of a server.

    Args:
        env_id: a registered environment.
        env_kwargs: its arguments beside its id's; `split` is what seeds draw from.
        tasks: what they draw from instead of the split's tasks.
        out: the run's folder for records; None: they are not kept.
        agent: who plays, for the record.

    Attributes:
        env_id: of the environment, without the module that it is registered by.

    Raises:
        UnknownName: no such environment, split or task.
        BadArgument: (a ValueError) an argument does not fit.
        SandboxNeeded: a task of `tasks` runs shell commands, and nothing runs those here.
    """

    def __init__(
        self,
        env_id: str,
        env_kwargs: Mapping[str, Any],
        *,
        tasks: Sequence[str] | None = None,
        out: Path | None = None,
        agent: str = "openenv",
    ) -> None:
        self._asked, self._env_kwargs, self._named, self._agent = env_id, dict(env_kwargs), tasks, agent
        self._env = single_session_env(env_id, env_kwargs)
        self.env_id = env_id.rpartition(":")[2]
        self._tasks = choose_tasks(self._env.packs, self._env.split, tasks, self._env.exclude_needs) if tasks else []
        self._env.require(self._tasks)
        self._run = None if out is None else SharedRun(out, self._env, agent, env_kwargs, source="pi-gym serve-env")
        self._lock, self._writing, self._planning = (threading.Lock() for _ in range(3))
        self._seeds = itertools.count()
        self._taken = Counter[SessionRow]()
        self._plans: dict[str, list[SessionRow]] = {}
        self._unwritten: list[_Due] = []
        self._lost: list[str] = []
        self._failed: list[str] = []

    def open(self, **named: Any) -> ServedSession:
        """Open a session.

        Args:
            named: any of "seed"; "task", the task's id; "variant", its world's number; "pack", the set that the task is
                of; "sample", which counts sessions that begin alike. The seed draws task and variant where they are
                not named, as `gym.make(env_id).reset(seed=…)` does. Where it is not named itself, resets count.
                Where the sample is not, it is the next one that is free.

        Raises:
            UnknownName: no such name, task or pack.
            BadArgument: (a ValueError) a value is none that it can be.
            AlreadyScored: the run's folder holds the score of the sample that is named.
            PiGymError: the session cannot be opened; `RunError`: the folder cannot be written.
        """
        asked = _checked(named)
        seed, sample = asked.pop("seed", None), asked.pop("sample", None)
        if seed is None:
            seed = 0 if {"task", "variant"} <= set(asked) else next(self._seeds)
        if "task" in asked:
            asked["pack"], asked["task"] = named_task(
                self._env.packs, "/".join(asked[name] for name in ("pack", "task") if name in asked)
            )
        elif self._tasks and "pack" not in asked:
            place = Stream("served task", seed).integer(0, len(self._tasks) - 1)
            asked["pack"], asked["task"] = self._tasks[place]
        play = SessionPlay(self._env.twin())
        play.open_drawn(seed, asked, agent=self._agent)
        number = self._number(play, sample)
        play.count_as(number)
        return ServedSession(play, number, self, named=sample is not None)

    def _number(self, play: SessionPlay, sample: int | None) -> int:
        if sample is not None:
            if self._run is not None:
                self._run.require_new(play.session, sample)
            return sample
        one = play.session.identity
        row = SessionRow(one.task_id, one.variant, one.seed, one.pack)
        with self._lock:
            first = self._taken[row]
            found = first if self._run is None else self._run.free_sample(play.session, first)
            self._taken[row] = found + 1
        return found

    @property
    def failures(self) -> list[str]:
        """The texts of what went wrong with the records that are not there."""
        return self._lost + self._failed

    def keep(self, play: SessionPlay, seconds: float, *, named: bool) -> None:
        """Write the record of a session that is over; where that goes wrong, it is tried again with the next.

        Args:
            play: the session.
            seconds: how long it took, by the wall clock.
            named: its client chose its number. Else it is written under another where a server of the same folder has
                taken that one meanwhile.
        """
        if self._run is not None:
            with self._writing:
                self._unwritten.append(_Due(play, seconds, named))
                self._write(self._run)

    def _write(self, run: SharedRun) -> None:
        waiting, self._unwritten, self._failed = self._unwritten, [], []
        for due in waiting:
            try:
                self._add(run, due)
            except AlreadyScored as error:  # two clients named one sample, and the first score stands
                self._lost.append(str(error))
            except (PiGymError, OSError) as error:  # the client has its reward all the same; the command tells of it
                self._unwritten.append(due)
                self._failed.append(str(error))

    def _add(self, run: SharedRun, due: _Due) -> None:
        record = due.play.result().record
        while True:
            try:
                return run.add(record, due.seconds)
            except AlreadyScored:
                if due.named:
                    raise
            record = replace(record, sample=self._number(due.play, None))

    def rows(self, split: str) -> list[SessionRow]:
        """The sessions of a split that a client may go through: each task once.

        Raises:
            UnknownName: no such split.
            PiGymError: its tasks cannot be played here.
        """
        if split not in SPLITS:
            raise UnknownName(unknown("split", split, SPLITS))
        with self._planning:
            if split not in self._plans:
                with closing(single_session_env(self._asked, {**self._env_kwargs, "split": split})) as env:
                    self._plans[split] = plan_rows(env, tasks=self._named)
            return self._plans[split]

    def write_rest(self) -> None:
        """Try again to write the records that could not be written."""
        if self._run is not None:
            with self._writing:
                self._write(self._run)

    def close(self) -> None:
        """Write the records and the summary that are due, and let go of the connections to models.

        Raises:
            RunError: the summary cannot be written.
        """
        try:
            self.write_rest()
            if self._run is not None:
                self._run.close()
        finally:
            self._env.close()


def _checked(named: Mapping[str, Any]) -> dict[str, Any]:
    """The parts that a reset names; None is nothing."""
    given = {name: value for name, value in named.items() if value is not None}
    for name, value in given.items():
        if name not in NAMES:
            raise UnknownName(unknown("argument of reset", name, NAMES))
        if name in _NUMBERS:
            if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**63:
                raise BadArgument(f"{name}: expected a number of 0 or more, got {str(value)[:80]!r}")
        elif not isinstance(value, str):
            raise BadArgument(f"{name}: expected text, got {str(value)[:80]!r}")
    return given
