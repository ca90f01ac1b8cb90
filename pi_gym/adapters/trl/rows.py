"""The rows of a training set, and the prompts that name a session where a row's prompt is all that TRL hands on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from pi_gym.adapters.session_row import BadRow, SessionRow, plan_rows
from pi_gym.adapters.trl.toolsets import tool_sets
from pi_gym.environments import base_env, make_env
from pi_gym.sampling import Split

#: The beginning of a prompt for `SessionRollout`: a `rollout_func` is given a row's prompt and nothing else.
_MARK = "pi_gym session "


def read_prompt(prompt: Any) -> SessionRow:
    """Read the prompt of a row that was made for `SessionRollout`.

    Raises:
        BadRow: it is none.
    """
    content = prompt[-1].get("content") if isinstance(prompt, list) and prompt else prompt
    if isinstance(content, str) and content.startswith(_MARK):
        try:
            row = json.loads(content.removeprefix(_MARK))
        except ValueError:
            row = None
        if isinstance(row, dict):
            return SessionRow.of(row)
    raise BadRow(
        "prompt: expected that of a row of make_dataset(…, for_rollout=True), which names its session, got"
        f" {repr(content)[:200]}"
    )


def write_prompt(row: SessionRow) -> list[dict[str, str]]:
    """The prompt that names a session to `SessionRollout`."""
    return [{"role": "user", "content": _MARK + json.dumps(asdict(row))}]


def make_dataset(
    env_id: str,
    split: Split = "train",
    size: int | None = None,
    seed: int = 0,
    *,
    tasks: Sequence[str] | None = None,
    variants: Sequence[int] | None = None,
    for_rollout: bool = False,
    **env_kwargs: Any,
) -> list[dict[str, Any]]:
    """Rows for a trainer, each a session: what `pi_gym.collect` would play for the same arguments, in that order.

    Args:
        env_id: a registered environment.
        split: what tasks and variants are drawn from.
        size: number of rows; None: each task once (for each of `variants`).
        seed: draws the variants, and seeds every reset.
        tasks: these instead of the split's.
        variants: these instead of drawn ones.
        for_rollout: rows for `SessionRollout`: their prompts name the session. Else they are for `EnvironmentFactory`,
            whose `reset` writes the prompt.
        env_kwargs: arguments of the environment beside its id's.

    Returns:
        `size` dicts: `prompt` (chat messages), `pack`, `task`, `variant`, `seed`, and `environment`, which names one of
        `environment_factories`. `datasets.Dataset.from_list` takes them.

    Raises:
        UnknownName: no such environment, split or task.
        BadArgument: (a ValueError) an argument is out of range, or no task is left.
        RolesNeeded: (a ValueError) the tasks have no predicates, and user or grader is rule-based.
        SandboxNeeded: tasks run shell commands, and nothing runs those here; `exclude_needs=("exec",)` leaves them out.
    """
    env = base_env(make_env(env_id, {"split": split, **env_kwargs}))
    names = {task: name for name, (members, _) in tool_sets(env).items() for task in members}
    rows = []
    for row in plan_rows(env, size, seed, tasks=tasks, variants=variants):
        prompt = write_prompt(row) if for_rollout else [{"role": "user", "content": ""}]
        rows.append({"prompt": prompt, **asdict(row), "environment": names[row.pack, row.task]})
    return rows
