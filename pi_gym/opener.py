"""Opening one session after the other: what is drawn, and under history="own" what one leaves to the next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pi_gym.graders.base import Grader
from pi_gym.packs import Pack, Task
from pi_gym.pibench import PiSession, SessionConfig
from pi_gym.pibench.episode import last_session
from pi_gym.pibench.history import world_after
from pi_gym.pibench.openings import opening_for
from pi_gym.pibench.role_check import require_roles
from pi_gym.sampling import Split, Start, StartSampler
from pi_gym.session import Trajectory
from pi_gym.users.base import User


class SessionOpener:
    """Opens the sessions of an environment.

    Args:
        packs: what to draw from.
        split: tasks and variants to draw from.
        config: of every session.
        user: of every session.
        grader: of every session.

    Raises:
        ValueError: the split has no tasks.
    """

    def __init__(self, packs: Sequence[Pack], split: Split, config: SessionConfig, user: User, grader: Grader) -> None:
        self._config, self._user, self._grader = config, user, grader
        self._sampler = StartSampler(packs, split, own=config.history == "own")
        self._chosen: tuple[Start, Task] | None = None
        self._episode_seed: int | None = None

    def require_roles(self, tasks: Iterable[str]) -> None:
        """Raise RolesNeeded where one of these tasks cannot be judged by user and grader."""
        for pack in self._sampler.packs:
            for name in tasks if not pack.has_rules else ():
                if name in pack.task_ids:
                    require_roles(pack.instantiate(name), self._user, self._grader, self._config.reward)

    def require_options(self, options: Mapping[str, Any] | None) -> None:
        """Raise what `choose` would raise of these options by themselves; nothing is drawn."""
        self._sampler.checked(options)

    def choose(self, random: np.random.Generator, options: Mapping[str, Any] | None, *, new: bool) -> None:
        """Decide what is opened next; what can be refused is refused here, before anything is closed.

        Args:
            random: draws what the options leave open.
            options: "task" and "variant", both optional.
            new: a seed was given: under history="own" a new episode begins.

        Raises:
            UnknownName: no such option or task.
            PackError: the task cannot be made for this variant.
            RolesNeeded: the task has no predicates, and user or grader is rule-based.
        """
        self._chosen = None
        start = self._sampler.start(random, options, new=new)
        task = start.pack.instantiate(start.task_id, start.variant)
        require_roles(task, self._user, self._grader, self._config.reward)
        self._chosen = (start, task)

    def go_to(self, task_id: str) -> Pack:
        """Under history="own", have the next choice of the present episode be this task.

        Returns:
            The episode's pack.

        Raises:
            ValueError: no episode has begun.
            UnknownName: the task is none of the split's.
        """
        return self._sampler.go_to(task_id)

    def take_up(self, task_id: str, records: Sequence[Trajectory]) -> PiSession | None:
        """Go on with the present episode of history="own" at a task, after the sessions that are recorded.

        Returns:
            The last of these sessions, as it ended; None where there are none.

        Raises:
            ValueError: no episode has begun, or a record has no score.
            UnknownName: the task is none of the split's.
            StateMismatch: a record is of other content of the pack.
            SessionError: a session does not come out as it was recorded.
        """
        return last_session(self.go_to(task_id), records)

    def leave(self, session: PiSession | None) -> None:
        """Close a session: under history="own" one that is open is truncated, and may pend on its grading."""
        if session is None:
            return
        if session.pending:  # whoever had to answer raised
            session.fail("left before its asks were answered")
        elif self._config.history == "own" and not session.ended:
            session.truncate("reset")

    def open(self, before: PiSession | None, *, env_id: str, seed: int | None) -> PiSession:
        """Open what was chosen.

        Args:
            before: the session that was left; under history="own" its world goes on.
            env_id: for the record.
            seed: for the record; under history="own" that of the reset that began the episode stays.
        """
        assert self._chosen is not None
        (start, task), self._chosen = self._chosen, None
        if self._config.history == "own":
            if start.first:
                self._episode_seed = seed
            seed = self._episode_seed
        config = replace(self._config, env_id=env_id, seed=-1 if seed is None else seed)
        if config.history == "own":
            world = None if start.first or before is None else world_after(before)
            return PiSession(task, world, config=config, user=self._user, grader=self._grader)
        opening = opening_for(start.pack, task, config.history, config.tools, config.subagent)
        return PiSession(task, config=config, user=self._user, grader=self._grader, opening=opening)
