"""`pi-gym calibrate`: how far a model decides as the rules do, before one trusts it in a role."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pi_gym.cli.common_options import ROLE, ROLE_HELP, named_roles, path

if TYPE_CHECKING:
    from pi_gym.calibration.calibration_outcome import Calibration

#: How many cases in which they differ the terminal shows.
SHOWN = 5
MAX_WORDS = 160


def command(
    env_id: Annotated[str, typer.Argument(help="The environment.")],
    role: Annotated[list[str] | None, typer.Option(metavar=ROLE, help=ROLE_HELP)] = None,
    out: Annotated[
        Path | None,
        typer.Option(parser=path, metavar="DIR", help="Write calibration.json and calibration.md; new or empty."),
    ] = None,
    tasks: Annotated[int, typer.Option(min=1, help="So many tasks, drawn.")] = 4,
    task: Annotated[list[str] | None, typer.Option(help="This task instead; can be repeated.")] = None,
    variants: Annotated[int, typer.Option(min=1, help="Worlds of each task, of the validation split.")] = 1,
    trials: Annotated[
        int, typer.Option(min=1, help="Of each origin (wrong ways, questions, …) in a world, at most so many.")
    ] = 4,
    lists: Annotated[
        Path | None,
        typer.Option(parser=path, metavar="DIR", help="Lists by other writers as well: TASK.yaml or PACK/TASK.yaml."),
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Draws tasks and trials.")] = 0,
    concurrency: Annotated[int, typer.Option(min=1, help="Trials at one time.")] = 16,
    pack: Annotated[str | None, typer.Option(help="Another pack than the id's: a name, or a folder.")] = None,
    model_timeout: Annotated[float | None, typer.Option(min=0.001, help="Seconds for one request.")] = None,
    cache: Annotated[str | None, typer.Option(metavar="DIR", help="The folder of kept answers, or off.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress bar.")] = False,
) -> None:
    """Put work that the rules have judged to the models of roles, and tell how far they agree.

    The exit status is 1 where some trials are unscored; run again, what was answered is taken from the kept answers.
    """
    from pi_gym.calibration.calibrating import calibrate
    from pi_gym.calibration.calibration_files import calibration_folder
    from pi_gym.cli.bar import bar
    from pi_gym.environments import family_of

    options: dict[str, Any] = {} if model_timeout is None else {"timeout_s": model_timeout}
    if cache is not None:
        options["cache"] = None if cache == "off" else cache
    roles = named_roles(role, family_of(env_id))
    with nullcontext(None) if out is None else calibration_folder(out) as write:
        with bar("calibrate", quiet) as tell:
            found = calibrate(
                env_id,
                roles,
                tasks=task or tasks,
                variants=variants,
                trials=trials,
                lists=lists,
                seed=seed,
                concurrency=concurrency,
                env_kwargs={} if pack is None else {"pack": pack},
                progress=tell,
                **options,
            )
        if write is not None:
            write(found)
    typer.echo(_told(found))
    if out is not None:
        typer.echo(f"written to {out}")
    if found.unscored:
        first = found.unscored[0]
        typer.echo(f"pi-gym: {len(found.unscored)} trials are unscored; the first, {first.id}: {first.error}", err=True)
        raise typer.Exit(1)


def _told(found: Calibration) -> str:
    from pi_gym.calibration.calibration_page import (
        COST_HEADS,
        HEADS,
        MEANT_HEADS,
        agreement_rows,
        cost_rows,
        meant_rows,
    )
    from pi_gym.cli.text_table import table

    parts = [f"{len(found.trials)} trials, {len(found.unscored)} unscored (in no figure), {found.elapsed_s:.0f} s"]
    parts.append(table(HEADS, agreement_rows(found, origins=False), right=[3]))
    if labels := meant_rows(found, origins=False):
        parts.append(table(MEANT_HEADS, labels, right=[2]))
    if found.usage:
        parts.append(table(COST_HEADS, cost_rows(found), right=range(1, len(COST_HEADS))))
    apart = [(trial, one) for trial in found.scored for one in trial.pairs if one.rules != one.model]
    for trial, one in apart[:SHOWN]:
        words = " ".join(one.words.split())
        words = words if len(words) <= MAX_WORDS else f"{words[:MAX_WORDS]}…"
        parts.append(f"{one.kind} {one.name}: rules {one.rules}, {one.role} {one.model} ({trial.id})\n  {words}")
    return "\n\n".join(parts)
