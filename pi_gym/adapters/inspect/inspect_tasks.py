"""The tasks that Inspect finds: one for each environment that is registered; needs inspect-ai."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample

from pi_gym.adapters.inspect.session_solver import SessionSolving, session_scorer, session_solver
from pi_gym.adapters.session_row import SessionRow, plan_rows
from pi_gym.errors import BadArgument
from pi_gym.registration import registered_ids
from pi_gym.version import __version__


def task_name(env_id: str) -> str:
    """The name of an environment's task: `PiBench-NightBaker-v0` is `night_baker`, `Pare-v0` `pare`."""
    last = re.sub(r"-v\d+$", "", env_id.rpartition(":")[2]).rpartition("-")[2]
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", last).lower()


def session_task(env_id: str) -> Callable[..., Any]:
    """The function that makes the task of an environment, with what `-T` says of it."""

    def sessions_of(
        split: str = "test",
        sessions: int | None = None,
        seed: int = 0,
        tasks: str | Sequence[str] | None = None,
        variants: int | Sequence[int] | None = None,
        out: str = "",
        **env_kwargs: Any,
    ) -> Any:
        """Sessions of one environment, a sample each.

        Args:
            split: what tasks and variants are drawn from.
            sessions: number of samples; None: each task once (for each of `variants`).
            seed: draws the variants, and seeds every reset.
            tasks: these instead of the split's.
            variants: these instead of drawn ones.
            out: a run's folder that the records go to as well; "": none.
            env_kwargs: arguments of the environment: `user` and `grader`, as "MODEL@URL", `history`, `max_turns`, …

        Raises:
            UnknownName: no such split or task.
            BadArgument: (a ValueError) an argument is out of range, or the environment takes no such argument.
        """
        solving = SessionSolving(env_id, {"split": split, **env_kwargs}, Path(out) if out else None)
        rows = plan_rows(
            solving.env,
            sessions,
            seed,
            tasks=[tasks] if isinstance(tasks, str) else tasks,
            variants=[variants] if isinstance(variants, int) else variants,
        )
        return Task(
            dataset=MemoryDataset(_samples(rows), name=env_id),
            solver=session_solver(solving),
            scorer=session_scorer(solving.env.family.scores),
            version=__version__,
        )

    return sessions_of


def _samples(rows: Sequence[SessionRow]) -> list[Any]:
    """The samples of rows; each names its session, and those of one session are counted."""
    packs, counts, samples = {row.pack for row in rows}, Counter[SessionRow](), []
    totals = Counter(rows)
    for row in rows:
        name = f"{row.task}/{row.variant}" if len(packs) == 1 else f"{row.pack}/{row.task}/{row.variant}"
        counted = {"sample": counts[row], "samples": totals[row]}
        counts[row] += 1
        if counts[row] > 1:
            name = f"{name}/{counts[row]}"
        metadata = {"pack": row.pack, "task": row.task, "variant": row.variant, "seed": row.seed, **counted}
        samples.append(Sample(id=name, input=f"The session {name}, which opens by itself.", metadata=metadata))
    return samples


def register_tasks() -> dict[str, Any]:
    """The tasks by name, registered with Inspect; of several versions of an environment the last one has the name."""
    named = {task_name(env_id): env_id for env_id in registered_ids()}
    if len(named) < len({re.sub(r"-v\d+$", "", env_id) for env_id in registered_ids()}):
        raise BadArgument(f"two environments have one name for Inspect: {', '.join(registered_ids())}")
    return {name: task(name=name)(session_task(env_id)) for name, env_id in named.items()}


TASKS = register_tasks()
