"""Splits, seeds and options: the choice of what a reset opens."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from pi_gym.catalogue import TaskCard, TaskSet
from pi_gym.errors import BadArgument, UnknownName, unknown

Split: TypeAlias = Literal["test", "train", "validation", "holdout"]
SPLITS: tuple[Split, ...] = ("test", "train", "validation", "holdout")
#: Packs with their tasks to draw from.
Choices: TypeAlias = "list[tuple[TaskSet, tuple[str, ...]]]"
FIRST_VALIDATION = 100_000
LAST_VALIDATION = 999_999


def split_tasks(pack: TaskSet, split: Split, exclude_needs: Collection[str] = ()) -> tuple[str, ...]:
    """The tasks of a split, in episode order: all for `test`, only holdout ones for `holdout`, the others else.

    Tasks of which there is one world are in `test` alone. Those that have one of the excluded needs are in none.
    """
    if split == "test" and not exclude_needs:
        return tuple(pack.task_ids)
    cards = [card for card in map(pack.card, pack.task_ids) if not is_excluded(card, exclude_needs)]
    if split == "test":
        return tuple(card.id for card in cards)
    wanted = split == "holdout"
    return tuple(card.id for card in cards if card.holdout == wanted and not card.fixed)


def is_excluded(card: TaskCard, exclude_needs: Collection[str]) -> bool:
    """Whether a task has one of the needs that are excluded."""
    return any(need in exclude_needs for need in card.needs)


def require_included(card: TaskCard, exclude_needs: Collection[str]) -> None:
    """Raise BadArgument where a task that is named has one of the needs that are excluded."""
    if is_excluded(card, exclude_needs):
        raise BadArgument(
            f"task {card.id!r} needs {', '.join(card.needs)}, which exclude_needs={tuple(exclude_needs)} leaves out"
        )


def split_variants(split: Split) -> tuple[int, int]:
    """The first and the last variant of a split.

    >>> split_variants("train")
    (1, 99999)
    """
    if split == "test":
        return 0, 0
    return (1, FIRST_VALIDATION - 1) if split == "train" else (FIRST_VALIDATION, LAST_VALIDATION)


@dataclass(frozen=True, slots=True)
class Start:
    """One session to open; `first` where it begins a new episode."""

    pack: TaskSet
    task_id: str
    variant: int
    first: bool = True


class StartSampler:
    """Decides what the next reset opens.

    Args:
        packs: what to draw from.
        split: tasks and variants to draw from.
        own: episodes in order (history="own") rather than single sessions.
        exclude_needs: tasks that have one of these needs are not drawn, and refused where they are named.

    Raises:
        ValueError: the split has no tasks.
    """

    def __init__(
        self, packs: Sequence[TaskSet], split: Split, *, own: bool, exclude_needs: Collection[str] = ()
    ) -> None:
        self.split, self.own, self.exclude_needs = split, own, exclude_needs
        found = ((pack, split_tasks(pack, split, exclude_needs)) for pack in packs)
        self.choices: Choices = [(pack, tasks) for pack, tasks in found if tasks]
        if not self.choices:
            names = ", ".join(pack.name for pack in packs)
            without = f" without exclude_needs={tuple(exclude_needs)}" if exclude_needs else ""
            raise ValueError(f"the split {split!r} has no tasks in {names}{without}; known splits: {', '.join(SPLITS)}")
        self.packs = tuple(packs)
        self._tasks = {pack.name: tasks for pack, tasks in self.choices}
        self._episode: tuple[TaskSet, int, int] | None = None

    def start(self, random: np.random.Generator, options: Mapping[str, Any] | None, *, new: bool) -> Start:
        """The pack, task and variant to open; under history="own" the episode goes on once it is `opened`.

        Args:
            random: draws what the options leave open.
            options: "task", "pack" and "variant", all optional.
            new: a seed was given: under history="own" a new episode begins.
        """
        choices, task_id, variant = self.checked(options)
        if self.own:
            return self._next_of_episode(random, choices, variant, new)
        pack, tasks = choices[int(random.integers(len(choices)))] if task_id is None else choices[0]
        chosen = tasks[int(random.integers(len(tasks)))] if task_id is None else task_id
        return Start(pack, chosen, self._variant(random) if variant is None else variant)

    def opened(self, start: Start) -> None:
        """Take note that what `start` gave is open: under history="own" its successor comes next."""
        if self.own:
            place = self._tasks[start.pack.name].index(start.task_id)
            self._episode = (start.pack, start.variant, place + 1)

    def checked(self, options: Mapping[str, Any] | None) -> tuple[Choices, str | None, int | None]:
        """The choices that options leave, the task and the variant; None where they leave it open. Nothing is drawn.

        Raises:
            UnknownName: no such option or task.
            TypeError, ValueError: a value that is none, or one that is refused under history="own" or `exclude_needs`.
        """
        if options is not None and not isinstance(options, Mapping):
            raise TypeError(f"options: expected a mapping such as {{'task': …, 'variant': …}}, got {options!r}")
        options = dict(options or {})
        odd = sorted(str(name) for name in set(options) - {"task", "pack", "variant"})
        if odd:
            raise UnknownName(unknown("reset option", odd[0], ["task", "pack", "variant"]))
        variant = options.get("variant")
        if variant is not None:
            if isinstance(variant, bool) or not isinstance(variant, int | np.integer) or variant < 0:
                raise ValueError(f"options['variant']: expected an integer of 0 or more, got {variant!r}")
            variant = int(variant)
        name, task_id = options.get("pack"), options.get("task")
        choices = self.choices if name is None else [one for one in self.choices if one[0].name == name]
        if not choices and (task_id is None or name not in [pack.name for pack in self.packs]):
            raise UnknownName(unknown("pack", str(name), [pack.name for pack in self.packs]))
        if task_id is None:
            return choices, None, variant
        if self.own:
            raise ValueError(
                "options['task'] is refused under history='own': its sessions come in episode order. "
                "Use options['variant'] or a seed to begin a new episode, or another history."
            )
        pack = self._pack_of(task_id, name)
        require_included(pack.card(str(task_id)), self.exclude_needs)
        return [(pack, ())], str(task_id), variant

    def go_to(self, task_id: str) -> TaskSet:
        """Under history="own", have the next start of the present episode be this task; those between are left out.

        Returns:
            The episode's pack.

        Raises:
            ValueError: there is no such episode.
            UnknownName: the task is none of the split's; the message lists them.
        """
        if self._episode is None:
            raise ValueError("no episode of history='own' has begun: reset the environment first")
        pack, variant, _ = self._episode
        tasks = self._tasks[pack.name]
        if task_id not in tasks:
            raise UnknownName(unknown("task of the episode", task_id, tasks, shown=25))
        self._episode = (pack, variant, tasks.index(task_id))
        return pack

    def _variant(self, random: np.random.Generator) -> int:
        first, last = split_variants(self.split)
        return int(random.integers(first, last + 1))

    def _pack_of(self, task_id: object, name: object) -> TaskSet:
        packs = [pack for pack in self.packs if name in (None, pack.name)]
        found = [pack for pack in packs if task_id in pack.task_ids]
        if len(found) == 1:
            return found[0]
        if found:
            names = ", ".join(pack.name for pack in found)
            raise UnknownName(f"options['task']: {task_id!r} is a task of {names}; say which by options['pack']")
        known = [one for pack in packs for one in pack.task_ids]
        raise UnknownName(unknown("task", str(task_id), known, shown=25))

    def _next_of_episode(self, random: np.random.Generator, choices: Choices, variant: int | None, new: bool) -> Start:
        if new or variant is not None or self._episode is None or len(choices) < len(self.choices):
            pack, _ = choices[int(random.integers(len(choices)))]
            number, position = self._variant(random) if variant is None else variant, 0
        else:
            pack, number, position = self._episode
        tasks = self._tasks[pack.name]
        if position >= len(tasks):
            pack, _ = self.choices[int(random.integers(len(self.choices)))]
            number, position = self._variant(random), 0
            tasks = self._tasks[pack.name]
        return Start(pack, tasks[position], number, first=position == 0)
