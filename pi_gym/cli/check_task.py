"""`pi-gym check`: what is wrong with one task, for its author."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer


def command(
    pack: Annotated[str, typer.Argument(help="A name or a folder.")],
    task: Annotated[str, typer.Argument(help="The task.")],
    variant: Annotated[int, typer.Option(min=0, help="The world in which it is tried.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Prove one task in one world, and say of everything that fails what it means and what to do.

    The exit status is 1 where something fails. `pi-gym validate` proves all worlds.
    """
    from pi_gym.cli.finding import named_ids, open_environment
    from pi_gym.family import load_entry
    from pi_gym.runs.plan import named_task

    (env_id, kwargs), *_ = named_ids(pack)
    env = open_environment(env_id, kwargs)
    made: Any = load_entry(env.family.task_check, f"check of tasks of {env.family.name}")
    found = env.packs[0]
    report = made(found, named_task([found], task)[1], variant)
    typer.echo(json.dumps(report.to_json(), indent=2, ensure_ascii=False) if as_json else report.text())
    if not report.ok:
        raise typer.Exit(1)
