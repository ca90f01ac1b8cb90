"""Sets of tasks, as lists, splits and plans see them, without making a task."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from pi_gym.errors import UnknownName, unknown

#: The name of a task: its set's name and its own.
TaskName: TypeAlias = tuple[str, str]
#: What a session may need beyond the engine: "exec", a sandbox for shell commands.
Need: TypeAlias = Literal["exec"]
NEEDS: tuple[Need, ...] = ("exec",)


@dataclass(frozen=True, slots=True)
class TaskCard:
    """One task at a glance.

    Args:
        id: the task's name in its set.
        group: its dependency group; empty where it stands alone.
        depends_on: earlier tasks of the set that it builds on directly.
        holdout: kept out of training.
        needs: what a session needs beyond the engine, see `Need`.
        fixed: there is one world of it, variant 0.
        graded: it has a final grading beside what is paid on the way.
        details: what a list shows of it beside, by column.
        tags: by kind ("app"), the names under which summaries count it beside.
    """

    id: str
    group: str = ""
    depends_on: tuple[str, ...] = ()
    holdout: bool = False
    needs: tuple[str, ...] = ()
    fixed: bool = False
    graded: bool = True
    details: Mapping[str, str] = field(default_factory=dict)
    tags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


class TaskSet(Protocol):
    """The tasks of one pack, whatever its family and however it is stored.

    Attributes:
        name: unique among those of an environment; records name it.
        title: who or what it is about, in a line; `description` in a paragraph.
        content_hash: of all that decides what is played; records hold it, and what is played again is held to it.
        task_ids: in the order of an episode.
        warnings: what is not as it should be and can be lived with, a sentence each.
    """

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def content_hash(self) -> str: ...
    @property
    def task_ids(self) -> Sequence[str]: ...
    @property
    def warnings(self) -> Sequence[str]: ...

    def card(self, task_id: str) -> TaskCard:
        """One task at a glance.

        Raises:
            UnknownName: there is no such task; the message lists the known ones.
        """
        ...


def read_needs(value: Iterable[str]) -> tuple[str, ...]:
    """The argument `exclude_needs`, each of its words once and in order.

    Raises:
        TypeError: it is no list or tuple.
        UnknownName: there is no such need; the message lists those that there are.
    """
    if not isinstance(value, list | tuple):
        raise TypeError(f"exclude_needs: expected a list or tuple such as ('exec',), got {value!r}")
    other = next((one for one in value if one not in NEEDS), None)
    if other is not None:
        raise UnknownName(unknown("need in exclude_needs", str(other), NEEDS))
    return tuple(one for one in NEEDS if one in value)


class TaskList:
    """A set of tasks that is written down in code.

    Args:
        name: see `TaskSet`.
        cards: of the tasks, in order.
        title: see `TaskSet`; `description` likewise.
        content: whatever decides what is played, beside the cards; a new version of it is another content.

    Raises:
        ValueError: two tasks have one id.
    """

    def __init__(
        self, name: str, cards: Iterable[TaskCard], *, title: str = "", description: str = "", content: str = ""
    ) -> None:
        self.name, self.title, self.description = name, title or name, description
        self._cards: dict[str, TaskCard] = {}
        for card in cards:
            if card.id in self._cards:
                raise ValueError(f"two tasks are named {card.id!r}")
            self._cards[card.id] = card
        self.task_ids: tuple[str, ...] = tuple(self._cards)
        self.warnings: tuple[str, ...] = ()
        self.content_hash = hashlib.sha256(repr((name, list(self._cards.values()), content)).encode()).hexdigest()

    def card(self, task_id: str) -> TaskCard:
        """One task at a glance; UnknownName lists the known ones."""
        found = self._cards.get(task_id)
        if found is None:
            raise UnknownName(unknown(f"task of {self.name!r}", task_id, self._cards))
        return found
