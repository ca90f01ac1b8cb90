"""`pi-gym rollout`: collect sessions with an agent."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from pi_gym.cli.arguments import ROLE, named_values, path, require_history, role_models, unscored_text
from pi_gym.cli.tables import number, spread, table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pi_gym.family import Measure
    from pi_gym.rollout import RunSummary
    from pi_gym.rollout.request import Engine
    from pi_gym.runs.summary import Mean
    from pi_gym.sampling import Split

#: Above this share of actions that fail, something is wrong with the agent rather than with single actions.
MANY_INVALID = 0.25
PLAYERS, SESSIONS, PACE, RESULT = "Who plays", "Which sessions", "How many at a time", "What comes out"


def command(
    env_id: Annotated[str, typer.Argument(help="The environment, as `pi-gym list` shows it.")],
    agent: Annotated[
        str,
        typer.Option(
            help="reference, memory, silent, asking, random, module:Class, module:function, or MODEL@URL.",
            rich_help_panel=PLAYERS,
        ),
    ] = "reference",
    agent_option: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="An argument of the agent; of a served one for example temperature=1.0, max_tokens=4096,"
            " context_tokens=16000, token_ids=true. Can be repeated, with another.",
            rich_help_panel=PLAYERS,
        ),
    ] = None,
    user: Annotated[
        str, typer.Option(metavar=ROLE, help="Who plays the user: rule, or a served model.", rich_help_panel=PLAYERS)
    ] = "rule",
    grader: Annotated[
        str, typer.Option(metavar=ROLE, help="Who grades: rule, or a served model.", rich_help_panel=PLAYERS)
    ] = "rule",
    model_timeout: Annotated[
        float | None,
        typer.Option(
            min=0.001, help="Seconds for one request to the models of user and grader.", rich_help_panel=PLAYERS
        ),
    ] = None,
    keep_prompts: Annotated[
        bool,
        typer.Option(
            "--keep-prompts",
            help="Trajectories keep what user and grader were asked, word for word.",
            rich_help_panel=RESULT,
        ),
    ] = False,
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
            metavar="DIR", help="Where the answers of user and grader are kept; off: nowhere.", rich_help_panel=PLAYERS
        ),
    ] = "auto",
    sessions: Annotated[
        int | None,
        typer.Option(
            min=1, help="How many, at most a million; without it each task once a variant.", rich_help_panel=SESSIONS
        ),
    ] = None,
    group_size: Annotated[
        int,
        typer.Option(
            min=1,
            help="How often each start is played; --sessions counts all and is a multiple of it.",
            rich_help_panel=SESSIONS,
        ),
    ] = 1,
    seed: Annotated[
        int, typer.Option(min=0, help="Draws the variants; seeds every session.", rich_help_panel=SESSIONS)
    ] = 0,
    split: Annotated[str, typer.Option(help="test, train, validation or holdout.", rich_help_panel=SESSIONS)] = "test",
    task: Annotated[
        list[str] | None,
        typer.Option(
            help="Only this task, whatever the split; can be repeated, with another.", rich_help_panel=SESSIONS
        ),
    ] = None,
    variant: Annotated[
        list[int] | None,
        typer.Option(
            min=0, help="This variant, whatever the split; can be repeated, with another.", rich_help_panel=SESSIONS
        ),
    ] = None,
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
    concurrency: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Sessions that a process plays at a time; with models 16 by default, else 1.",
            rich_help_panel=PACE,
        ),
    ] = None,
    workers: Annotated[
        int, typer.Option("--workers", "--num-envs", min=1, help="Number of processes.", rich_help_panel=PACE)
    ] = 1,
    engine: Annotated[
        str,
        typer.Option(
            help="Where the processes are: local, on this machine, or ray, on a Ray cluster.", rich_help_panel=PACE
        ),
    ] = "local",
    ray_option: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help='Of each worker on Ray; for example num_cpus=2, resources={"rollout": 1},'
            ' runtime_env={"env_vars": {"OPENAI_API_KEY": "…"}}. Can be repeated, with another.',
            rich_help_panel=PACE,
        ),
    ] = None,
    session_timeout: Annotated[
        float | None,
        typer.Option(
            min=0.001,
            help="Seconds for a whole session; one that takes longer is unscored, and the others go on.",
            rich_help_panel=PACE,
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(parser=path, metavar="PATH", help="The run's folder.", rich_help_panel=RESULT)
    ] = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume",
            help="Go on with the run in the folder; where there is none, begin it.",
            rich_help_panel=RESULT,
        ),
    ] = False,
    protocol: Annotated[
        str | None,
        typer.Option(help="How the summary averages; of PiBench sessions paper, or official.", rich_help_panel=RESULT),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress bar.", rich_help_panel=RESULT)] = False,
) -> None:
    """Collect sessions with an agent, many at a time, resumably.

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
    if keep_prompts:
        kwargs["keep_prompts"] = True
    kwargs |= role_models(user, grader, model_timeout, cache, max_requests)
    options = named_values(agent_option or [])
    if max_requests is not None and "@" in agent:
        options.setdefault("max_concurrency", max_requests)
    try:
        with bars(quiet) as bar:
            summary = collect(
                env_id,
                agent,
                sessions=sessions,
                concurrency=concurrency,
                group_size=group_size,
                out=out,
                resume=resume,
                engine=cast("Engine", engine),
                workers=workers,
                ray_options=named_values(ray_option or []),
                session_timeout_s=session_timeout,
                seed=seed,
                split=cast("Split", split),
                tasks=task or None,
                variants=variant or None,
                env_kwargs=kwargs,
                policy_kwargs=options,
                progress=bar(agent),
                protocol=protocol,
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
    measures = summary.family.shown
    rows = [_row(name, found, measures) for name, found in summary.tasks.items()]
    rows += [
        _row(f"group {name}", found, measures) for name, found in summary.groups.items() if len(summary.groups) > 1
    ]
    rows.append(_row("all", summary.overall, measures))
    heads = [one.title for one in measures]
    text = table(["task", "sessions", *heads], rows, right=range(1, len(heads) + 2))
    if summary.invalid_actions > MANY_INVALID * summary.steps:
        text += (
            f"\n{summary.invalid_actions} of {summary.steps} actions were rejected or had a call that failed;"
            " the answers of the environment and the tools say why"
        )
    text += _on_groups(summary) + _on_episodes(summary)
    if summary.plan.skipped:
        text += f"\nleft out, for they run shell commands: {', '.join(map(summary.plan.label, summary.plan.skipped))}"
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
