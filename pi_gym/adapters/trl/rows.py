"""The rows of a training set: each names the session that it stands for."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from pi_gym.adapters.trl.toolsets import tool_sets
from pi_gym.environments import base_env, make_env
from pi_gym.errors import PiGymError
from pi_gym.runs.plan import choose_tasks, plan_sessions
from pi_gym.sampling import Split

#: The beginning of a prompt for `SessionRollout`: a `rollout_func` is given a row's prompt and nothing else.
_MARK = "pi_gym session "


class BadRow(PiGymError, ValueError):
    """A row names no session; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class SessionRow:
    """The session that a row stands for.

    Args:
        task: the task's id; `variant` its world's number; `seed` of the reset.
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
                    f" {', '.join(sorted(row)) or 'none'}. Rows are made by pi_gym.adapters.trl.make_dataset."
                )
            found.append(value)
        return cls(*found)

    @classmethod
    def of_prompt(cls, prompt: Any) -> SessionRow:
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
                return cls.of(row)
        raise BadRow(
            "prompt: expected that of a row of make_dataset(…, for_rollout=True), which names its session, got"
            f" {repr(content)[:200]}"
        )

    def to_prompt(self) -> list[dict[str, str]]:
        """The prompt that names this session to `SessionRollout`."""
        return [{"role": "user", "content": _MARK + json.dumps(asdict(self))}]


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
    env = make_env(env_id, {"split": split, **env_kwargs})
    base = base_env(env)
    chosen = choose_tasks(base.packs, split, tasks, base.exclude_needs)
    names = {task: name for name, (members, _) in tool_sets(base).items() for task in members}
    planned = plan_sessions(chosen, split, sessions=size, seed=seed, variants=variants)
    base.require(dict.fromkeys(one.task for one in planned))
    rows = []
    for one in planned:
        row = SessionRow(one.task_id, one.variant, one.seed, one.pack)
        prompt = row.to_prompt() if for_rollout else [{"role": "user", "content": ""}]
        rows.append({"prompt": prompt, **asdict(row), "environment": names[one.task]})
    return rows
