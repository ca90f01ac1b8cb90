"""`pi-gym questions`: how well the words of questions.yaml take the questions that they are written for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from pi_gym.cli.common_options import path


def command(
    pack: Annotated[str, typer.Argument(help="A name or a folder.")],
    task: Annotated[str | None, typer.Argument(help="Only this task.")] = None,
    listed: Annotated[
        Path | None,
        typer.Option(
            "--list",
            parser=path,
            metavar="FILE",
            help="Measure it by lines `topic<TAB>question` (of Pare `help<TAB>proposal`), `!topic` for a near miss.",
        ),
    ] = None,
    draft: Annotated[
        Path | None,
        typer.Option(
            parser=path,
            metavar="FILE",
            help="Print a questions.yaml drafted from such lines instead: six to twelve questions for each topic.",
        ),
    ] = None,
    variant: Annotated[int, typer.Option(min=0, help="The world whose words fill the templates.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Tell which of a pack's questions, or of a list of proposals, are missed or wrongly taken, and why.

    The exit status is 1 where one is.
    """
    from pi_gym.cli.finding import named_ids, open_environment
    from pi_gym.family import load_entry
    from pi_gym.runs.plan import named_task

    (env_id, kwargs), *_ = named_ids(pack)
    env = open_environment(env_id, kwargs)
    if draft is not None:
        drafted: Any = load_entry(env.family.question_draft, f"draft of questions of {env.family.name}")
        typer.echo(drafted(draft), nl=False)
        return
    check: Any = load_entry(env.family.question_check, f"check of questions of {env.family.name}")
    found = env.packs[0]
    tasks = None if task is None else [named_task([found], task)[1]]
    report = check(found, tasks, listed=listed, variant=variant)
    typer.echo(json.dumps(report.to_json(), indent=2, ensure_ascii=False) if as_json else report.text())
    if not report.ok:
        raise typer.Exit(1)
