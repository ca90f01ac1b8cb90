"""`pi-gym new-task`: the folder of a new task from a filled sheet."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from pi_gym.cli.common_options import path


def command(
    pack: Annotated[Path, typer.Argument(parser=path, metavar="PACK", help="The pack's folder.")],
    slug: Annotated[str, typer.Argument(help="The task's name, such as partner-report.")],
    sheet: Annotated[
        Path, typer.Option(parser=path, metavar="FILE", help="The filled sheet, a Markdown page (docs/authoring.md).")
    ],
) -> None:
    """Begin a task: its folder, as far as a sheet of results and wishes tells it.

    What is left to write: the facts and files of its world, and right.py.
    """
    from pi_gym.environments import families
    from pi_gym.family import load_entry

    entry = next((family.task_maker for family in families() if family.task_maker), "")
    made: Any = load_entry(entry, "maker of tasks")
    folder = made(pack, slug, sheet)
    typer.echo(f"{folder}: task.yaml, right.py, questions.yaml, ways.yaml, files/")
    typer.echo(f"write right.py and the files, then: pi-gym check {pack} {folder.name}")
