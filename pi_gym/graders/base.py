"""The interface of a grader: one function of a view, like the stages of a user simulator."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from pi_gym.models.role_requests import Answers
from pi_gym.packs.task import Item, Task
from pi_gym.predicates import Evidence
from pi_gym.types import Event, ModelRequest, ToolRequest, Verdict


@dataclass(frozen=True)
class FinalView:
    """The session as a grader sees it: the whole of it, and its final state.

    Args:
        task: the session's task.
        items: the items to judge.
        evidence: all replies, all calls, files and apps at the end and at the start.
        log: the session's events, oldest first.
    """

    task: Task
    items: tuple[Item, ...]
    evidence: Evidence
    log: Iterable[Event] = ()


class Grader(Protocol):
    """A grader of checklist items. `name` goes into the trajectory."""

    name: str

    def grade(
        self, view: FinalView, answers: Answers | None = None
    ) -> tuple[Verdict, ...] | tuple[ModelRequest | ToolRequest, ...]:
        """A verdict for each of `view.items`, in their order, before guards are settled.

        Of an item that turns out to have parts, one for each of these in its place; requests where something has to
        be asked first.
        """
        ...
