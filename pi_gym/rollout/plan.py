"""Which sessions a run plays, decided before the first one opens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from pi_gym.errors import PiGymError, UnknownName, unknown
from pi_gym.packs import Pack
from pi_gym.sampling import SPLITS, Split, split_tasks, split_variants
from pi_gym.seeding import Stream

MAX_SESSIONS = 1_000_000
#: What a plan's sessions are all of; "explicit": tasks or variants were given that are not of the split asked for.
PlanSplit: TypeAlias = Split | Literal["explicit"]
#: What makes a session the same: agent, env_id, task, variant, seed, history mode, sample.
Key = tuple[str, str, str, int, int, str, int]


class BadArgument(PiGymError, ValueError):
    """An argument of a run is out of range or does not fit the others; the message says what is expected."""


@dataclass(frozen=True, slots=True)
class PlannedSession:
    """One session of a plan.

    Args:
        index: place in the plan, from 0.
        task_id: the task; `variant` its world's number.
        seed: of the reset.
        sample: counts the sessions of the plan with the same task and variant, from 0.
        repeat: counts the sessions of the plan with the same task, from 0. Under history="own" the sessions of one
            repeat are an episode.
        position: the task's place among those of the plan, from 0.
    """

    index: int
    task_id: str
    variant: int
    seed: int
    sample: int
    repeat: int
    position: int = 0


@dataclass(frozen=True)
class Plan:
    """The sessions of a run, in order.

    Args:
        agent: the agent's name.
        env_id: the environment's id.
        split: what all its sessions are of.
        history_mode: what happened before each session.
        sessions: what is played.
        groups: task id to dependency group; "" where a task stands alone.
        skipped: tasks left out because they need something that this run does not have.
        depends_on: task id to the earlier tasks that it builds on directly.
        ungraded: tasks without a checklist.
        group_size: how many sessions (under history="own": episodes) are played from each start.
    """

    agent: str
    env_id: str
    split: PlanSplit
    history_mode: str
    sessions: tuple[PlannedSession, ...]
    groups: Mapping[str, str]
    skipped: tuple[str, ...] = ()
    depends_on: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    ungraded: frozenset[str] = frozenset()
    group_size: int = 1

    @property
    def by_episode(self) -> bool:
        """Whether sessions rest on those before them in the same repeat, which therefore come first."""
        return self.history_mode == "own"

    def group_id(self, session: PlannedSession) -> str:
        """What the sessions from one start have in common; empty where each start is played once.

        Under history="own" the start is an episode's, so that all sessions of the group's episodes have one id.
        """
        if self.group_size == 1:
            return ""
        start = f"v{session.variant}/s{session.seed}/g{session.sample // self.group_size}"
        return start if self.by_episode else f"{session.task_id}/{start}"

    def key(self, session: PlannedSession) -> Key:
        """The key that the session's trajectory has."""
        return (
            self.agent,
            self.env_id,
            session.task_id,
            session.variant,
            session.seed,
            self.history_mode,
            session.sample,
        )


def plan_sessions(
    task_ids: Sequence[str],
    split: Split,
    *,
    sessions: int | None,
    seed: int,
    variants: Sequence[int] | None = None,
    group_size: int = 1,
) -> tuple[PlannedSession, ...]:
    """The sessions of a run: round after round over the tasks, one variant a round, each start as often as asked.

    A round is one episode of one world (with groups, `group_size` of them side by side), so what its sessions have in
    common is built once. Rounds are drawn independently: more sessions go on where fewer ended.

    Args:
        task_ids: the tasks of a round, in order.
        split: what variants are drawn from where none are given: always 0 for "test".
        sessions: how many in all; None: one round for each of `variants`, or one round.
        seed: seed of the draw and of every reset.
        variants: the rounds' variants, from the first again after the last.
        group_size: how many times each start (task, variant, seed) is played, one after the other.

    Raises:
        BadArgument: an argument is out of range; the message says what is expected.
    """
    for name, value, least in (("sessions", sessions, 1), ("seed", seed, 0), ("group_size", group_size, 1)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < least):
            raise BadArgument(f"{name}: expected an integer of {least} or more, got {value!r}")
    _require_variants(variants)
    if sessions is None:
        sessions = len(task_ids) * (len(variants) if variants else 1) * group_size
    if sessions > MAX_SESSIONS:
        raise BadArgument(f"sessions: expected at most {MAX_SESSIONS:,} in one run, got {sessions:,}")
    if sessions % group_size:
        fewer = sessions - sessions % group_size
        near = " or ".join(str(number) for number in (fewer, fewer + group_size) if number)
        raise BadArgument(f"sessions: expected whole groups of group_size={group_size}, got {sessions}; ask for {near}")
    planned: list[PlannedSession] = []
    samples: Counter[tuple[str, int]] = Counter()
    for index in range(sessions):
        start, member = divmod(index, group_size)
        number, position = divmod(start, len(task_ids))
        task_id = task_ids[position]
        variant = variants[number % len(variants)] if variants else _drawn_variant(split, seed, number)
        sample, repeat = samples[task_id, variant], number * group_size + member
        planned.append(PlannedSession(index, task_id, variant, seed, sample, repeat, position))
        samples[task_id, variant] += 1
    return tuple(planned)


def _require_variants(variants: Sequence[int] | None) -> None:
    if variants is None:
        return
    if not variants:
        raise BadArgument("variants: expected at least one, or None to draw them from the split")
    if len(variants) > MAX_SESSIONS:
        raise BadArgument(f"variants: expected at most {MAX_SESSIONS:,} in one run, got {len(variants):,}")
    for variant in variants:
        if isinstance(variant, bool) or not isinstance(variant, int) or variant < 0:
            raise BadArgument(f"variants: expected integers of 0 or more, got {variant!r}")
    twice = next((variant for variant, count in Counter(variants).items() if count > 1), None)
    if twice is not None:
        raise BadArgument(f"variant {twice} is given twice; ask for more sessions instead")


def choose_tasks(packs: Sequence[Pack], split: Split, tasks: Sequence[str] | None) -> list[str]:
    """The tasks of a round: those of the split in episode order, or the given ones whatever the split.

    Raises:
        UnknownName: no such split or task; the message lists the known ones.
        BadArgument: the split is empty, a task is given twice, or its name stands for tasks of two packs.
    """
    if split not in SPLITS:
        raise UnknownName(unknown("split", split, SPLITS))
    known = [name for pack in packs for name in pack.task_ids]
    for name in tasks or ():
        if name not in known:
            raise UnknownName(unknown("task", name, known, shown=25))
    chosen = list(tasks) if tasks else [name for pack in packs for name in split_tasks(pack, split)]
    if not chosen:
        raise BadArgument(f"the split {split!r} has no tasks in {', '.join(pack.name for pack in packs)}")
    for name in chosen:
        if known.count(name) > 1:
            raise BadArgument(f"task {name!r} is in more than one pack; roll each pack out under its own id")
        if chosen.count(name) > 1:
            raise BadArgument(f"task {name!r} is given twice; ask for more sessions instead")
    return chosen


def require_episode(packs: Sequence[Pack], split: Split, task_ids: Sequence[str]) -> None:
    """See to it that tasks can be the sessions of one persona's episode.

    Raises:
        BadArgument: they are of several packs, out of order, or not of the split; the message says what to do.
    """
    if len(packs) > 1:
        names = ", ".join(pack.name for pack in packs)
        raise BadArgument(f"history='own': an episode is of one persona, and here are {names}; name one pack")
    order = split_tasks(packs[0], split)
    outside = next((name for name in task_ids if name not in order), None)
    if outside is not None:
        raise BadArgument(f"history='own': task {outside!r} is none of the split {split!r}, whose tasks an episode has")
    if list(task_ids) != sorted(task_ids, key=order.index):
        raise BadArgument("tasks: under history='own' they are played in the episode's order; give them in it")


def split_of(packs: Sequence[Pack], split: Split, sessions: Sequence[PlannedSession]) -> PlanSplit:
    """The split that was asked for where every session is one of it, else "explicit"."""
    tasks = {name for pack in packs for name in split_tasks(pack, split)}
    first, last = split_variants(split)
    inside = all(session.task_id in tasks and first <= session.variant <= last for session in sessions)
    return split if inside else "explicit"


def _drawn_variant(split: Split, seed: int, repeat: int) -> int:
    first, last = split_variants(split)
    return Stream("rollout", "variant", split, seed, repeat).integer(first, last)
