"""The predicates of a task's intents and items: a pickle of one is a reference to its pack, as that of the task is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pi_gym.predicates.compile import Predicate

if TYPE_CHECKING:
    from pi_gym.packs.folder import PackFolder


@dataclass(frozen=True, slots=True)
class TaskPredicate(Predicate):
    """A predicate of an intent or an item, which sees what is right in its world.

    Args:
        root, field: see `Predicate`.
        pack: that of its task.
        place: task, variant and canary, then the id of the intent or item, and the name of its field.
    """

    pack: PackFolder | None = None
    place: tuple[Any, ...] = ()

    def __reduce__(self) -> tuple[Any, ...]:
        assert self.pack is not None
        return _of_task, (self.pack.source, self.pack.content_hash, *self.place)


def _of_task(source: str, content_hash: str, task_id: str, variant: int, canary: str, number: str, part: str) -> Any:
    from pi_gym.packs.origin import referred_pack

    task = referred_pack(source, content_hash).instantiate(task_id, variant, canary=canary)
    holder = next(one for one in (*task.intents, *task.checklist) if one.id == number)
    return getattr(holder, part)
