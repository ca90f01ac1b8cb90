"""The rows by which outsiders name sessions: task, variant, seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pi_gym.env import SessionEnv
from pi_gym.errors import PiGymError
from pi_gym.runs.plan import choose_tasks, plan_sessions


class BadRow(PiGymError, ValueError):
    """A row names no session; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class SessionRow:
    """The session that a row stands for.

    Args:
        task: the task's id; `variant` its world's number.
        seed: of the reset.
        pack: the set that the task is of; "": the environment's one that has it.
    """

    task: str
    variant: int
    seed: int
    pack: str = ""

    @property
    def options(self) -> dict[str, Any]:
        """The options of the reset that opens it."""
        named = {"pack": self.pack} if self.pack else {}
        return {**named, "task": self.task, "variant": self.variant}

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> SessionRow:
        """Read a row; what else it holds is not looked at.

        Raises:
            BadRow: it lacks a column, or a value is of another type.
        """
        found: list[Any] = []
        for name, kind in (("task", str), ("variant", int), ("seed", int), ("pack", str)):
            value = row.get(name, "" if name == "pack" else None)
            if isinstance(value, bool) or not isinstance(value, kind):
                raise BadRow(
                    f"row: expected {name!r} as {kind.__name__}, got {value!r}; its columns are"
                    f" {', '.join(sorted(row)) or 'none'}"
                )
            found.append(value)
        return cls(*found)


def plan_rows(
    env: SessionEnv,
    size: int | None = None,
    seed: int = 0,
    *,
    tasks: Sequence[str] | None = None,
    variants: Sequence[int] | None = None,
) -> list[SessionRow]:
    """The rows of the sessions that `pi_gym.collect` would play for the same arguments, in that order.

    Args:
        env: the environment; its split is what tasks and variants are drawn from.
        size: number of rows; None: each task once (for each of `variants`).
        seed: draws the variants, and seeds every reset.
        tasks: these instead of the split's.
        variants: these instead of drawn ones.

    Raises:
        UnknownName: no such task.
        BadArgument: (a ValueError) an argument is out of range, or no task is left.
        RolesNeeded: (a ValueError) the tasks have no predicates, and user or grader is rule-based.
        SandboxNeeded: tasks run shell commands, and nothing runs those here; `exclude_needs=("exec",)` leaves them out.
    """
    chosen = choose_tasks(env.packs, env.split, tasks, env.exclude_needs)
    planned = plan_sessions(chosen, env.split, sessions=size, seed=seed, variants=variants)
    env.require(dict.fromkeys(one.task for one in planned))
    return [SessionRow(one.task_id, one.variant, one.seed, one.pack) for one in planned]
