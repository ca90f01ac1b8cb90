"""The changes of rows of apps."""

from __future__ import annotations

from pi_gym.state.tables import Row


def row_state(before: Row | None, after: Row | None) -> str:
    """The kind of change to a row that differs: created, updated or deleted."""
    return "created" if before is None else "deleted" if after is None else "updated"
