"""The pool of a task: all intents that its variants are drawn from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class PoolWay:
    """A way to know an intent without asking.

    Args:
        place: the file that tells it, or app and table, as authors wrote it.
        session: the earlier session that established it, or None.
        intent: its name in that session.
        column: app, table, column and where of an app's rows, or None.
        field: where its author wrote it.
    """

    place: str
    session: str | None = None
    intent: str = ""
    column: Mapping[str, Any] | None = None
    field: str = ""


@dataclass(frozen=True, slots=True)
class PoolIntent:
    """An intent of the pool, drawn or not.

    Args:
        name: unique in the task.
        always: drawn in every variant.
        persistent: it lasts over sessions.
        values: names of the hidden parameters that it stands for.
        ways: to know it without asking; none: only the user tells it.
        tags: what makes it hard.
        lasting: the lasting wish that it uses; empty for none.
    """

    name: str
    always: bool
    persistent: bool
    values: tuple[str, ...]
    ways: tuple[PoolWay, ...]
    tags: tuple[str, ...] = ()
    lasting: str = ""

    @property
    def asked_only(self) -> bool:
        """Whether nothing but asking tells it."""
        return not self.ways
