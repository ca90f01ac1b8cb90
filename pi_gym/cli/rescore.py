"""`pi-gym rescore`: judge a run's conversations anew."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pi_gym.cli.common_options import ROLE, faulty_text, named_roles, path, unscored_text

if TYPE_CHECKING:
    from pi_gym.family import Family
    from pi_gym.rejudging.rescoring import Judges


def command(
    run: Annotated[Path, typer.Argument(parser=path, metavar="RUN", help="A run's folder, or a trajectories.jsonl.")],
    role: Annotated[
        list[str] | None,
        typer.Option(
            metavar=ROLE,
            help="Who judges in a role (of PiBench's: user the intents, grader rubric items); rule, or a served model."
            " Can be repeated.",
        ),
    ] = None,
    all_items: Annotated[bool, typer.Option("--all-items", help="Models judge what rules could, too.")] = False,
    out: Annotated[
        Path | None,
        typer.Option(parser=path, metavar="PATH", help="Where to; by default RUN/rescored/JUDGES."),
    ] = None,
    pack: Annotated[str | None, typer.Option(help="The sessions' pack, where it is not where the run had it.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with what the folder holds.")] = False,
    model_timeout: Annotated[float | None, typer.Option(min=0.001, help="Seconds for one request.")] = None,
    cache: Annotated[str | None, typer.Option(help="The folder of kept answers, or off.")] = None,
    protocol: Annotated[
        str | None, typer.Option(help="How the summary averages; of PiBench sessions paper, or official.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress bar.")] = False,
) -> None:
    """Judge a run's stored conversations anew, without playing the agent again.

    The exit status is 0 where every session has a score, 1 where some are unscored (--resume tries them again) or
    something of pi_gym's own broke in some.
    """
    from pi_gym.cli.bar import bars
    from pi_gym.cli.text_table import number
    from pi_gym.environments import family_named
    from pi_gym.rejudging.agreement import RESCORED
    from pi_gym.rejudging.rescoring import rescore
    from pi_gym.runs.recorded import run_family, unjudged

    options: dict[str, Any] = {} if model_timeout is None else {"timeout_s": model_timeout}
    if cache is not None:
        options["cache"] = None if cache == "off" else cache
    family = family_named(run_family(run))
    judges = _judges(family, role, all_items, options)
    if out is None:
        if run.is_file():
            raise typer.BadParameter("is needed where RUN is a file.", param_hint="--out")
        out = run / RESCORED / "+".join(_slug(judges.label(name)) for name in family.roles)
    try:
        with bars(quiet) as bar:
            summary = rescore(run, out, judges, pack=pack, resume=resume, progress=bar("rescore"), protocol=protocol)
    finally:
        close = getattr(judges.model, "close", None)
        if callable(close):
            close()
    shown = summary.family.headline
    measures = ", ".join(f"{one.title} {number(summary.overall[one.name].mean)}" for one in shown)
    typer.echo(f"{summary.scored} sessions judged: {measures}")
    if left_out := unjudged(run):
        typer.echo(f"left out, for they have no whole conversation: {left_out} sessions without a score")
    typer.echo(f"written to {out}; compare with `pi-gym audit {out}`")
    if summary.unscored:
        kinds = ", ".join(f"{count} {kind}" for kind, count in summary.error_kinds.items())
        typer.echo(unscored_text(summary.unscored, kinds, summary.first_error), err=True)
    if summary.faulty:
        typer.echo(faulty_text(summary.faulty, summary.first_fault), err=True)
    if summary.unscored or summary.faulty:
        raise typer.Exit(1)


def _judges(family: Family, role: list[str] | None, all_items: bool, options: dict[str, Any]) -> Judges:
    from pi_gym.family import load_entry

    made: Judges = load_entry(family.judges, f"way to judge sessions of {family.name} anew").of(
        named_roles(role, family), all_items=all_items, **options
    )
    return made


def _slug(label: str) -> str:
    """A label as part of a folder's name."""
    return "".join(char if char.isalnum() or char in "-._" else "-" for char in label)
