"""`pi-gym evaluate`: agents over a whole split, several times, in one command that can be resumed."""

from __future__ import annotations

import sys
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pi_gym.cli.common_options import faulty_text, named_values, path, unscored_text
from pi_gym.cli.rollout import environment_arguments
from pi_gym.cli.run_options import options_of, request_arguments
from pi_gym.cli.text_table import number, spread, table
from pi_gym.installed import agent_names
from pi_gym.runs.request import PLAYERS, RESULT, SESSIONS

if TYPE_CHECKING:
    from pi_gym.evaluation import Evaluation
    from pi_gym.evaluation.evaluation_results import AgentResult
    from pi_gym.runs.summary import RunSummary

#: Arguments of a run that an evaluation decides itself, or has in another form.
OWN = ("policy", "policy_kwargs", "sessions", "group_size", "tasks", "variants", "out")


def command(
    *,
    agent: Annotated[
        list[str],
        typer.Option(
            metavar="[NAME=]AGENT",
            help="Who is evaluated: module:Class, module:function, MODEL@URL, or one of ours by its name:"
            f" {', '.join(agent_names())}. NAME labels it. Can be repeated, with another.",
            rich_help_panel=PLAYERS,
        ),
    ],
    agent_option: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[AGENT:]NAME=VALUE",
            help="Arguments of agents that are named, of all or of the one so labelled; of a served one for example"
            " temperature=1.0, max_tokens=4096. Can be repeated, with another.",
            rich_help_panel=PLAYERS,
        ),
    ] = None,
    out: Annotated[
        Path, typer.Option(metavar="DIR", parser=path, help="The evaluation's folder.", rich_help_panel=RESULT)
    ],
    runs: Annotated[int, typer.Option(min=1, help="How often each session is played.", rich_help_panel=SESSIONS)] = 3,
    ablation: Annotated[
        bool,
        typer.Option(
            "--ablation",
            help="Play the last session of each dependency group without a past, too.",
            rich_help_panel=SESSIONS,
        ),
    ] = False,
    price: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MODEL=IN,OUT",
            help="Money for a million tokens in and out, of a role's or an agent's model. Can be repeated.",
            rich_help_panel=RESULT,
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress bar.", rich_help_panel=RESULT)] = False,
    **given: Any,
) -> None:
    """Evaluate agents: every session of a split, several times, resumably.

    The exit status is 0 where every session has a score, 1 where some are unscored (--resume tries them again) or
    something of pi_gym's own broke in some.
    """
    from pi_gym.cli.bar import evaluation_bar
    from pi_gym.evaluation import evaluate
    from pi_gym.evaluation.prices import read_prices

    if str(Path.cwd()) not in sys.path:
        sys.path.append(str(Path.cwd()))  # as for `pi-gym rollout`
    kwargs = environment_arguments(**{name: given[name] for name in signature(environment_arguments).parameters})
    shared, own = _options(agent_option or [])
    prices = read_prices(price or [])
    try:
        with evaluation_bar(quiet) as tell:
            found = evaluate(
                agents=agent,
                out=out,
                runs=runs,
                ablation=ablation,
                prices=prices,
                agent_options=own,
                policy_kwargs=shared,
                progress=tell,
                env_kwargs=kwargs,
                **request_arguments(given),
            )
    except KeyboardInterrupt:
        typer.echo(f"pi-gym: stopped; the same command with --resume goes on in {out}", err=True)
        raise typer.Exit(130) from None
    typer.echo(report(found))
    for one in found.agents.values():
        _complain(one)
    if not found.is_whole:
        raise typer.Exit(1)


# Typer reads a command's options off its signature.
command.__signature__ = options_of(environment_arguments, command, without=OWN)  # type: ignore[attr-defined]


def report(found: Evaluation) -> str:
    """The tables of an evaluation: each agent's measures, tokens and cost, and what the past is worth to it."""
    measures = found.family.shown
    heads = ["agent", "sessions", *(one.title for one in measures), "unscored", "tokens in", "tokens out", "cost"]
    rows = []
    for label, one in found.agents.items():
        tokens = [sum(getattr(used, name) for used in one.models.values()) for name in _TOKENS]
        told = [str(one.summary.scored), *_values(found, one.summary), str(sum(run.unscored for run in one.summaries))]
        rows.append([label, *told, *map(str, tokens), number(one.cost, 2)])
    parts = [table(heads, rows, right=range(1, len(heads)))]
    rows = []
    for label, one in found.agents.items():
        for name, part in (("with the past", one.kept), ("without", one.ablated)):
            if part is not None:
                rows.append([label, name, str(part.scored), *_values(found, part)])
    if rows:
        heads = ["last sessions of groups", "", "sessions", *(one.title for one in measures)]
        parts.append(table(heads, rows, right=range(2, len(heads))))
    rows = [_role(label, one, role) for label, one in found.agents.items() for role in sorted(one.models)]
    if rows:
        heads = ["agent", "role", "answers", "kept", "tokens in", "tokens out", "cost", "cost a session"]
        parts.append(table(heads, rows, right=range(2, len(heads))))
    parts += [f"not comparable: {one}" for one in found.not_comparable]
    return "\n\n".join([*parts, f"written to {found.out}"])


_TOKENS = ("prompt_tokens", "completion_tokens")


def _values(found: Evaluation, summary: RunSummary) -> list[str]:
    return [
        spread(summary.overall[one.name].mean, summary.overall[one.name].std, one.decimals)
        for one in found.family.shown
    ]


def _role(label: str, one: AgentResult, role: str) -> list[str]:
    used = one.to_json()["models"][role]
    counts = [str(used[name]) for name in ("answers", "cache_hits", *_TOKENS)]
    return [label, role, *counts, number(used["cost"], 2), number(used["cost_per_session"], 4)]


def _complain(one: AgentResult) -> None:
    """Say which sessions of an agent have no score, and where to read more."""
    if one.failed:
        typer.echo(f"pi-gym: {one.label}: {one.failed}; --resume tries again", err=True)
    for run in one.summaries:
        if run.unscored:
            kinds = ", ".join(f"{count} {kind}" for kind, count in run.error_kinds.items())
            told = unscored_text(run.unscored, kinds, run.first_error).removeprefix("pi-gym: ")
            typer.echo(f"pi-gym: {one.label}: {told}; see {run.out}, and --resume tries again", err=True)
        elif run.missing and not one.failed:
            typer.echo(f"pi-gym: {one.label}: {run.missing} sessions were not played; --resume with it does", err=True)
        if run.faulty:
            typer.echo(faulty_text(run.faulty, run.first_fault), err=True)


def _options(texts: list[str]) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """The arguments of all agents, and those of single ones by label."""
    own: dict[str, list[str]] = {}
    shared = []
    for text in texts:
        head, _, _ = text.partition("=")
        label, colon, _ = head.rpartition(":")
        if colon:
            own.setdefault(label, []).append(text[len(label) + 1 :])
        else:
            shared.append(text)
    return named_values(shared), {label: named_values(found) for label, found in own.items()}
