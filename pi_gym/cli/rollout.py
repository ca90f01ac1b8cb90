"""`pi-gym rollout`: collect sessions with an agent."""

from __future__ import annotations

import sys
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pi_gym.cli.common_options import (
    ENV_OPTION_HELP,
    ROLE,
    ROLE_HELP,
    faulty_text,
    left_out_text,
    named_roles,
    named_values,
    require_history,
    role_models,
    unscored_text,
)
from pi_gym.cli.run_options import options_of, request_arguments
from pi_gym.cli.text_table import number, spread, table
from pi_gym.runs.request import PLAYERS, RESULT, SESSIONS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pi_gym.family import Measure
    from pi_gym.rollout import RunSummary
    from pi_gym.runs.summary import Mean

#: Above this share of actions that fail, something is wrong with the agent rather than with single actions.
MANY_INVALID = 0.25


def environment_arguments(
    env_id: str,
    role: Annotated[list[str] | None, typer.Option(metavar=ROLE, help=ROLE_HELP, rich_help_panel=PLAYERS)] = None,
    model_timeout: Annotated[
        float | None,
        typer.Option(min=0.001, help="Seconds for one request to the models of roles.", rich_help_panel=PLAYERS),
    ] = None,
    max_requests: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Requests out at one time for each served model, in each process; 64 by default.",
            rich_help_panel=PLAYERS,
        ),
    ] = None,
    cache: Annotated[
        str,
        typer.Option(
            metavar="DIR",
            help="Where the answers of roles' models are kept; off: nowhere.",
            rich_help_panel=PLAYERS,
        ),
    ] = "auto",
    pack: Annotated[
        str | None, typer.Option(help="Another pack than the id's: a name, or a folder.", rich_help_panel=SESSIONS)
    ] = None,
    history: Annotated[
        str | None, typer.Option(help="What happened before: reference, own or none.", rich_help_panel=SESSIONS)
    ] = None,
    exec_backend: Annotated[
        str,
        typer.Option(help="Sandbox for shell commands: auto, bubblewrap, landlock, off.", rich_help_panel=SESSIONS),
    ] = "",
    exclude_needs: Annotated[
        list[str] | None,
        typer.Option(help="Leave out tasks that need this: exec, a sandbox.", rich_help_panel=SESSIONS),
    ] = None,
    env_option: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help=ENV_OPTION_HELP,
            rich_help_panel=SESSIONS,
        ),
    ] = None,
    keep_prompts: Annotated[
        bool,
        typer.Option(
            "--keep-prompts",
            help="Trajectories keep what the roles' models were asked, word for word.",
            rich_help_panel=RESULT,
        ),
    ] = False,
) -> dict[str, Any]:
    """The environment's arguments beside its id's; an option that is not given says nothing."""
    from pi_gym.environments import family_of

    require_history(history)
    given = {"pack": pack, "history": history, "exec_backend": exec_backend or None}
    chosen: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    if exclude_needs:
        chosen["exclude_needs"] = tuple(exclude_needs)
    if keep_prompts:
        chosen["keep_prompts"] = True
    roles = named_roles(role, family_of(env_id))
    chosen = {**named_values(env_option or []), **chosen}
    return {**chosen, **role_models(roles, model_timeout, cache, max_requests)}


def command(
    *,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress bar.", rich_help_panel=RESULT)] = False,
    **given: Any,
) -> None:
    """Collect sessions with an agent, many at a time, resumably.

    The exit status is 0 where every session has a score, 1 where some are unscored (--resume tries them again) or
    something of pi_gym's own broke in some.
    """
    from pi_gym.cli.bar import bars
    from pi_gym.rollout import collect

    if str(Path.cwd()) not in sys.path:
        # An agent in the folder where one stands is found, as `python -m` finds it; last, so that it hides nothing.
        sys.path.append(str(Path.cwd()))
    env_kwargs = environment_arguments(**{name: given[name] for name in signature(environment_arguments).parameters})
    request = request_arguments(given)
    if given["max_requests"] is not None and "@" in request["policy"]:
        request["policy_kwargs"].setdefault("max_concurrency", given["max_requests"])
    try:
        with bars(quiet) as bar:
            summary = collect(**request, env_kwargs=env_kwargs, progress=bar(request["policy"]))
    except KeyboardInterrupt:
        out = given["out"]
        then = f"the same command with --resume goes on in {out}" if out is not None else "nothing was kept"
        typer.echo(f"pi-gym: stopped; {then}", err=True)
        raise typer.Exit(130) from None
    typer.echo(_report(summary))
    if summary.unscored:
        _complain(summary, given["out"])
    if summary.faulty:
        typer.echo(faulty_text(summary.faulty, summary.first_fault), err=True)
    if summary.unscored or summary.faulty:
        raise typer.Exit(1)


# Typer reads a command's options off its signature.
command.__signature__ = options_of(environment_arguments, command)  # type: ignore[attr-defined]


def _complain(summary: RunSummary, out: Path | None) -> None:
    """Say which sessions have no score, and where to read more."""
    kinds = ", ".join(f"{count} {kind}" for kind, count in summary.error_kinds.items())
    typer.echo(unscored_text(summary.unscored, kinds, summary.first_error), err=True)
    if out is not None:
        logs = " and ".join(str(out / name) for name in ("unscored.jsonl", "errors.log") if (out / name).exists())
        typer.echo(f"pi-gym: see {logs}; --resume tries again", err=True)


def _report(summary: RunSummary) -> str:
    measures = summary.family.shown
    rows = [_row(name, found, measures) for name, found in summary.tasks.items()]
    rows += [
        _row(f"group {name}", found, measures) for name, found in summary.groups.items() if len(summary.groups) > 1
    ]
    for kind, tags in summary.by.items():
        # Tags that are more than the tasks are for summary.json.
        if 1 < len(tags) <= len(summary.tasks):
            rows += [_row(f"{kind} {tag}", found, measures) for tag, found in tags.items()]
    rows.append(_row("all", summary.overall, measures))
    if summary.faulty:
        rows.append(_row("all, where nothing broke", summary.overall_sound, measures))
    heads = [one.title for one in measures]
    text = table(["task", "sessions", *heads], rows, right=range(1, len(heads) + 2))
    if summary.invalid_actions > MANY_INVALID * summary.steps:
        text += (
            f"\n{summary.invalid_actions} of {summary.steps} actions were rejected or had a call that failed;"
            " the answers of the environment and the tools say why"
        )
    if len(summary.shares) > 1:
        rows = [[name, str(of), f"{met / of:.3f}"] for name, (met, of) in summary.shares.items()]
        text += "\n\n" + table(["by tag", "parts", "met"], rows, right=(1, 2))
    text += _on_groups(summary) + _on_tries(summary) + _on_episodes(summary)
    text += left_out_text(summary.plan) + "".join(f"\n{note}" for note in summary.plan.notes)
    for role, used in summary.models.items():
        text += (
            f"\n{role}: {used.answers} answers, {used.cache_hits} of them kept before, {used.shared} of them another's;"
            f" {used.requests} requests, {used.retries} of them retries; {used.prompt_tokens} tokens in,"
            f" {used.completion_tokens} out; {used.request_s / max(used.requests, 1):.2f} s a request"
        )
    return text + (f"\nwritten to {summary.out}" if summary.out is not None else "")


def _on_groups(summary: RunSummary) -> str:
    found = summary.sampling
    if found is None or not found.whole:
        return "" if found is None else f"\nno group of {found.size} has a score for every member"
    return (
        f"\n{found.whole} of {found.whole + found.partial} groups of {found.size} have a score for every member; their"
        f" return: std {number(found.std)}, best {number(found.best)}, worst {number(found.worst)};"
        f" the same for all members in {found.alike}"
    )


def _on_tries(summary: RunSummary) -> str:
    found = summary.tries
    if found is None:
        return ""
    lines = []
    for sign, shares in (("@", found.one_of), ("^", found.all_of)):
        told = ", ".join(f"{number(share)} ({tries})" for tries, share in shares.items())
        lines.append(f"\n{found.of}{sign}k over {found.starts} starts, by the number of tries k: {told}")
    return "".join(lines)


def _on_episodes(summary: RunSummary) -> str:
    found = summary.episodes
    if found is None or not found.stopped:
        return ""
    return (
        f"\n{found.stopped} of {found.planned} episodes stopped at a session without a score; {summary.missing}"
        " sessions of the plan were not played"
    )


def _row(name: str, found: Mapping[str, Mean], measures: Sequence[Measure]) -> list[str]:
    values = [spread(found[one.name].mean, found[one.name].std, one.decimals) for one in measures]
    return [name, str(max(mean.sessions for mean in found.values())), *values]
