"""The plan of a run: its sessions, decided before the first one opens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from pi_gym.catalogue import TaskCard, TaskName, TaskSet
from pi_gym.errors import BadArgument, UnknownName, unknown
from pi_gym.sampling import SPLITS, Split, require_included, split_tasks, split_variants
from pi_gym.seeding import Stream
from pi_gym.session.trajectory import SessionKey

MAX_SESSIONS = 1_000_000
#: The split of all sessions of a plan; "explicit": tasks or variants were given that are not of the split asked for.
PlanSplit: TypeAlias = Split | Literal["explicit"]


@dataclass(frozen=True, slots=True)
class PlannedSession:
    """One session of a plan.

    Args:
        index: place in the plan, from 0.
        pack: the set that the task is of.
        task_id: the task; `variant` its world's number.
        seed: of the reset.
        sample: counts the sessions of the plan with the same task and variant, from 0.
        repeat: counts the sessions of the plan with the same task, from 0. Under history="own" the sessions of one
            repeat are an episode.
        position: the task's place among those of the plan, from 0.
    """

    index: int
    pack: str
    task_id: str
    variant: int
    seed: int
    sample: int
    repeat: int
    position: int = 0

    @property
    def task(self) -> TaskName:
        """The task's name."""
        return self.pack, self.task_id


@dataclass(frozen=True)
class Plan:
    """The sessions of a run, in order.

    Args:
        agent: the agent's name.
        env_id: the environment's id; `family` its family.
        split: what all its sessions are of.
        history_mode: what happened before each session.
        sessions: what is played.
        cards: every task of the plan, at a glance.
        skipped: tasks of the split that are left out for what they need, where no tasks were named.
        by_episode: sessions rest on those before them in the same repeat, which therefore come first.
        group_size: how many sessions (under history="own": episodes) are played from each start.
        exclude_needs: tasks with one of these needs are left out.
        notes: what whoever plays it should know of its settings, a sentence each.
    """

    agent: str
    env_id: str
    family: str
    split: PlanSplit
    history_mode: str
    sessions: tuple[PlannedSession, ...]
    cards: Mapping[TaskName, TaskCard] = field(default_factory=dict)
    skipped: tuple[TaskName, ...] = ()
    by_episode: bool = False
    group_size: int = 1
    exclude_needs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def tasks(self) -> tuple[TaskName, ...]:
        """The tasks of the plan, in the order in which they come first."""
        return tuple(dict.fromkeys(session.task for session in self.sessions))

    def label(self, task: TaskName) -> str:
        """The name by which a task is shown: its id, with its pack where the plan has several."""
        return task_label(task, {pack for pack, _ in (*self.tasks, *self.skipped)})

    def group_id(self, session: PlannedSession) -> str:
        """The id that the sessions from one start have in common; empty where each start is played once.

        Under history="own" the start is an episode's, so that all sessions of the group's episodes have one id.
        """
        if self.group_size == 1:
            return ""
        start = f"v{session.variant}/s{session.seed}/g{session.sample // self.group_size}"
        return f"{session.pack}/{start}" if self.by_episode else f"{session.pack}/{session.task_id}/{start}"

    def key(self, session: PlannedSession) -> SessionKey:
        """The key that the session's trajectory has."""
        return SessionKey(
            self.agent,
            self.env_id,
            self.family,
            session.pack,
            session.task_id,
            session.variant,
            session.seed,
            self.history_mode,
            session.sample,
        )


def task_label(task: TaskName, packs: Collection[str]) -> str:
    """The name by which a task is shown among those of some packs: its id, with its pack where there are several.

    >>> task_label(("law_trainee", "03-lease"), ["law_trainee"]), task_label(("law_trainee", "03-lease"), ["a", "b"])
    ('03-lease', 'law_trainee/03-lease')
    """
    return task[1] if len(packs) < 2 else "/".join(task)


def plan_sessions(
    tasks: Sequence[TaskName],
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
        tasks: the tasks of a round, in order.
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
        sessions = len(tasks) * (len(variants) if variants else 1) * group_size
    if sessions > MAX_SESSIONS:
        raise BadArgument(f"sessions: expected at most {MAX_SESSIONS:,} in one run, got {sessions:,}")
    if sessions % group_size:
        fewer = sessions - sessions % group_size
        near = " or ".join(str(number) for number in (fewer, fewer + group_size) if number)
        raise BadArgument(f"sessions: expected whole groups of group_size={group_size}, got {sessions}; ask for {near}")
    planned: list[PlannedSession] = []
    samples: Counter[tuple[TaskName, int]] = Counter()
    for index in range(sessions):
        start, member = divmod(index, group_size)
        number, position = divmod(start, len(tasks))
        task = tasks[position]
        variant = variants[number % len(variants)] if variants else _drawn_variant(split, seed, number)
        sample, repeat = samples[task, variant], number * group_size + member
        planned.append(PlannedSession(index, *task, variant, seed, sample, repeat, position))
        samples[task, variant] += 1
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


def choose_tasks(
    packs: Sequence[TaskSet], split: Split, tasks: Sequence[str] | None, exclude_needs: Collection[str] = ()
) -> list[TaskName]:
    """The tasks of a round: those of the split in episode order, packs by turns, or the given ones whatever the split.

    Args:
        packs: what to choose from.
        split: "test", "train", "validation" or "holdout".
        tasks: ids, or "pack/id" where several packs have a task of that name.
        exclude_needs: tasks with one of these needs are none of the split's.

    Raises:
        UnknownName: no such split or task; the message lists the known ones.
        BadArgument: the split is empty, a task is given twice, or excluded, or its name stands for tasks of two packs.
    """
    if split not in SPLITS:
        raise UnknownName(unknown("split", split, SPLITS))
    if not tasks:
        found = _by_turns({pack.name: split_tasks(pack, split, exclude_needs) for pack in packs})
        if not found:
            without = f" without exclude_needs={tuple(exclude_needs)}" if exclude_needs else ""
            raise BadArgument(f"the split {split!r} has no tasks in {', '.join(pack.name for pack in packs)}{without}")
        return found
    chosen = [named_task(packs, name) for name in tasks]
    for task in chosen:
        if chosen.count(task) > 1:
            raise BadArgument(f"task {task[1]!r} is given twice; ask for more sessions instead")
    named = {pack.name: pack for pack in packs}
    for name, task_id in chosen:
        require_included(named[name].card(task_id), exclude_needs)
    return chosen


def _by_turns(tasks: Mapping[str, Sequence[str]]) -> list[TaskName]:
    """The tasks of packs in one row: each pack's in its order, and every part of the row has its share of each pack.

    Args:
        tasks: the tasks by their pack.
    """
    places = [
        (place / len(names), number, (pack, name))
        for number, (pack, names) in enumerate(tasks.items())
        for place, name in enumerate(names)
    ]
    return [task for _, _, task in sorted(places)]


def excluded_tasks(packs: Sequence[TaskSet], split: Split, exclude_needs: Collection[str]) -> tuple[TaskName, ...]:
    """The tasks of a split that are left out for what they need."""
    kept = {pack.name: split_tasks(pack, split, exclude_needs) for pack in packs}
    return tuple(
        (pack.name, name) for pack in packs for name in split_tasks(pack, split) if name not in kept[pack.name]
    )


def named_task(packs: Sequence[TaskSet], name: str) -> TaskName:
    """The task that a name means.

    Args:
        packs: where it may be.
        name: the task's, or "pack/task" where several packs have one of that name.

    Raises:
        UnknownName: there is none; the message lists the known tasks.
        BadArgument: it is in more than one pack.
    """
    known = [(pack.name, task_id) for pack in packs for task_id in pack.task_ids]
    found = [task for task in known if name in (task[1], "/".join(task))]
    if not found:
        raise UnknownName(unknown("task", name, [task_id for _, task_id in known], shown=25))
    if len(found) > 1:
        ways = " or ".join(repr("/".join(task)) for task in found)
        raise BadArgument(f"task {name!r} is in more than one pack; write {ways}")
    return found[0]


def require_episode(packs: Sequence[TaskSet], split: Split, tasks: Sequence[TaskName]) -> None:
    """See to it that tasks can be the sessions of one persona's episode.

    Raises:
        BadArgument: they are of several packs, out of order, or not of the split; the message says what to do.
    """
    names = dict.fromkeys(pack for pack, _ in tasks)
    if len(names) > 1:
        raise BadArgument(
            f"history='own': an episode is of one persona, and here are {', '.join(names)}; name one pack"
        )
    order = [(pack.name, name) for pack in packs for name in split_tasks(pack, split)]
    outside = next((task for task in tasks if task not in order), None)
    if outside is not None:
        raise BadArgument(
            f"history='own': task {outside[1]!r} is none of the split {split!r}, whose tasks an episode has"
        )
    if list(tasks) != sorted(tasks, key=order.index):
        raise BadArgument("tasks: under history='own' they are played in the episode's order; give them in it")


def split_of(packs: Sequence[TaskSet], split: Split, sessions: Sequence[PlannedSession]) -> PlanSplit:
    """The split that was asked for where every session is one of it, else "explicit"."""
    tasks = {(pack.name, name) for pack in packs for name in split_tasks(pack, split)}
    first, last = split_variants(split)
    inside = all(session.task in tasks and first <= session.variant <= last for session in sessions)
    return split if inside else "explicit"


def _drawn_variant(split: Split, seed: int, repeat: int) -> int:
    first, last = split_variants(split)
    return Stream("rollout", "variant", split, seed, repeat).integer(first, last)
