"""`pi-gym rollout`: collect sessions with an agent."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from pi_gym.cli.arguments import ROLE, path, require_history, role_models, unscored_text
from pi_gym.cli.tables import number, spread, table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pi_gym.rollout import RunSummary
    from pi_gym.rollout.averages import Protocol
    from pi_gym.rollout.summary import Measure
    from pi_gym.sampling import Split

#: Above this share of actions that fail, something is wrong with the agent rather than with single actions.
MANY_INVALID = 0.25


def command(
    env_id: Annotated[str, typer.Argument(help="The environment, as `pi-gym list` shows it.")],
    agent: Annotated[
        str, typer.Option(help="reference, silent, asking, random, module:Class, or MODEL@URL.")
    ] = "reference",
    sessions: Annotated[
        int | None, typer.Option(min=1, help="How many, at most a million; without it each task once a variant.")
    ] = None,
    workers: Annotated[int, typer.Option("--workers", "--num-envs", min=1, help="Number of processes.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="Draws the variants; seeds every session.")] = 0,
    split: Annotated[str, typer.Option(help="test, train, validation or holdout.")] = "test",
    task: Annotated[
        list[str] | None, typer.Option(help="Only this task, whatever the split; can be repeated, with another.")
    ] = None,
    variant: Annotated[
        list[int] | None, typer.Option(min=0, help="This variant, whatever the split; can be repeated, with another.")
    ] = None,
    pack: Annotated[str | None, typer.Option(help="Another pack than the id's: a name, or a folder.")] = None,
    history: Annotated[str | None, typer.Option(help="What happened before: reference or none.")] = None,
    exec_backend: Annotated[
        str, typer.Option(help="Sandbox for shell commands: auto, bubblewrap, landlock, off.")
    ] = "",
    user: Annotated[str, typer.Option(metavar=ROLE, help="Who plays the user: rule, or a served model.")] = "rule",
    grader: Annotated[str, typer.Option(metavar=ROLE, help="Who grades: rule, or a served model.")] = "rule",
    model_timeout: Annotated[
        float | None, typer.Option(min=0.001, help="Seconds for one request to the models of user and grader.")
    ] = None,
    cache: Annotated[
        str, typer.Option(metavar="DIR", help="Where these models' answers are kept; off: nowhere.")
    ] = "auto",
    concurrency: Annotated[
        int | None,
        typer.Option(min=1, help="Sessions that a process plays at a time; with models 16 by default, else 1."),
    ] = None,
    out: Annotated[Path | None, typer.Option(parser=path, metavar="PATH", help="The run's folder.")] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the run in the folder; where there is none, begin it.")
    ] = False,
    protocol: Annotated[str, typer.Option(help="How the summary averages: paper, or official.")] = "paper",
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress bar.")] = False,
) -> None:
    """Collect sessions with an agent, in parallel, resumably.

    The exit status is 0 where every session has a score, 1 where some are unscored (--resume tries them again).
    """
    from pi_gym.cli.bar import bars
    from pi_gym.rollout import collect

    require_history(history)
    if str(Path.cwd()) not in sys.path:
        # An agent in the folder where one stands is found, as `python -m` finds it; last, so that it hides nothing.
        sys.path.append(str(Path.cwd()))
    kwargs: dict[str, Any] = {} if pack is None else {"pack": pack}
    if history is not None:
        kwargs["history"] = history
    if exec_backend:
        kwargs["exec_backend"] = exec_backend
    kwargs |= role_models(user, grader, model_timeout, cache)
    try:
        with bars(quiet) as bar:
            summary = collect(
                env_id,
                agent,
                sessions=sessions,
                workers=workers,
                concurrency=concurrency,
                seed=seed,
                split=cast("Split", split),
                out=out,
                resume=resume,
                env_kwargs=kwargs,
                tasks=task or None,
                variants=variant or None,
                progress=bar(agent),
                protocol=cast("Protocol", protocol),
            )
    except KeyboardInterrupt:
        then = f"the same command with --resume goes on in {out}" if out is not None else "nothing was kept"
        typer.echo(f"pi-gym: stopped; {then}", err=True)
        raise typer.Exit(130) from None
    typer.echo(_report(summary))
    if summary.unscored:
        kinds = ", ".join(f"{count} {kind}" for kind, count in summary.error_kinds.items())
        typer.echo(unscored_text(summary.unscored, kinds, summary.first_error), err=True)
        if out is not None:
            logs = " and ".join(str(out / name) for name in ("unscored.jsonl", "errors.log") if (out / name).exists())
            typer.echo(f"pi-gym: see {logs}; --resume tries again", err=True)
        raise typer.Exit(1)


def _report(summary: RunSummary) -> str:
    rows = [_row(name, found) for name, found in summary.tasks.items()]
    rows += [_row(f"group {name}", found) for name, found in summary.groups.items() if len(summary.groups) > 1]
    rows.append(_row("all", summary.overall))
    text = table(["task", "sessions", "Proc", "Comp", "return", "turns"], rows, right=[1, 2, 3, 4, 5])
    if summary.invalid_actions > MANY_INVALID * summary.steps:
        text += (
            f"\n{summary.invalid_actions} of {summary.steps} actions were rejected or had a call that failed;"
            " the answers of the environment and the tools say why"
        )
    if summary.plan.skipped:
        text += f"\nleft out, for they run shell commands: {', '.join(summary.plan.skipped)}"
    for role, used in summary.models.items():
        text += (
            f"\n{role}: {used.answers} answers, {used.cache_hits} of them kept before; {used.requests} requests,"
            f" {used.retries} of them retries; {used.prompt_tokens} tokens in, {used.completion_tokens} out;"
            f" {used.request_s / max(used.requests, 1):.2f} s a request"
        )
    return text + (f"\nwritten to {summary.out}" if summary.out is not None else "")


def _row(name: str, found: Mapping[str, Measure]) -> list[str]:
    scores = [spread(found[measure].mean, found[measure].std) for measure in ("proc", "comp", "return_")]
    return [name, str(found["turns"].sessions), *scores, number(found["turns"].mean, 1)]
