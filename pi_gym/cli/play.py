"""`pi-gym play`: a person, or a program over a pipe, plays the agent."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from pi_gym.cli.common_options import (
    ENV_OPTION_HELP,
    ROLE,
    ROLE_HELP,
    RULE,
    named_roles,
    named_values,
    path,
    require_history,
)


def command(
    context: typer.Context,
    env_id: Annotated[str | None, typer.Argument(help="The environment, as `pi-gym list` shows it.")] = None,
    task: Annotated[str | None, typer.Option(help="The task; without it the seed draws one.")] = None,
    variant: Annotated[int | None, typer.Option(min=0, help="The world's number; without it the seed draws.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Draws what is left open.")] = 0,
    split: Annotated[str, typer.Option(help="test, train, validation or holdout.")] = "test",
    pack: Annotated[str | None, typer.Option(help="Another pack than the id's: a name, or a folder.")] = None,
    history: Annotated[str | None, typer.Option(help="What happened before: reference or none.")] = None,
    exec_backend: Annotated[
        str, typer.Option(help="Sandbox for shell commands: auto, bubblewrap, landlock, off.")
    ] = "",
    exclude_needs: Annotated[
        list[str] | None, typer.Option(help="Draw no task that needs this: exec, a sandbox.")
    ] = None,
    env_option: Annotated[list[str] | None, typer.Option(metavar="NAME=VALUE", help=ENV_OPTION_HELP)] = None,
    role: Annotated[list[str] | None, typer.Option(metavar=ROLE, help=ROLE_HELP)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON line in, one out.")] = False,
    state: Annotated[
        Path | None,
        typer.Option(parser=path, metavar="DIR", help="Keep the session here between calls: an action a call."),
    ] = None,
    action: Annotated[
        str | None, typer.Option(metavar="FILE", help="With --state: the next action, a file or - for stdin.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option(parser=path, metavar="RUN", help="With --state: the run's folder for the outcome.")
    ] = None,
    agent: Annotated[str, typer.Option(help="With --state: who plays, for the record.")] = "player",
    whole: Annotated[bool, typer.Option("--whole", help="With --state: print all since the opening.")] = False,
    scores: Annotated[bool, typer.Option("--scores", help="With --state: print the scores at the end.")] = False,
) -> None:
    """Play a session yourself, in the terminal or over a pipe.

    With --json the first line out is the opening. A line in is {"action": ...}, an OpenAI assistant message, or a JSON
    string; a line that is none of these is answered by {"error": ...}, and the session goes on.

    With --state the session is kept in a folder. The first call names ENV_ID and --out and prints the opening; each
    further one takes --action, and without it prints again what came last, or with --whole all that was said. A call
    that is killed has taken its action or has not: `steps` says it.
    """
    if state is None:
        if env_id is None:
            raise typer.BadParameter("is needed.", param_hint="ENV_ID")
        if action is not None or out is not None or scores or whole or _is_given(context, "agent"):
            raise typer.BadParameter("--action, --out, --agent, --whole and --scores are for --state.")
    elif env_id is None:
        from pi_gym.cli.play_kept import play_call, read_file
        from pi_gym.rollout.kept_session import KeptSession

        fixed = [one for one in context.params if one not in ("state", "action", "as_json", "whole", "scores")]
        if odd := [one for one in fixed if _is_given(context, one)]:
            raise typer.BadParameter(f"{odd[0]} is settled where a session begins, with ENV_ID.")
        taken = None if action is None else read_file(action, as_json=as_json)
        play_call(KeptSession(state), taken, as_json=as_json, whole=whole, scores=scores)
        return
    elif out is None or action is not None:
        raise typer.BadParameter("a session begins with --out, and without --action.", param_hint="ENV_ID")
    from pi_gym.cli.play_json import play_lines
    from pi_gym.cli.play_terminal import play_terminal
    from pi_gym.environments import base_env, family_of, make_env
    from pi_gym.errors import BadArgument, UnknownName, unknown
    from pi_gym.runs.plan import named_task
    from pi_gym.sampling import SPLITS

    if split not in SPLITS:
        raise UnknownName(unknown("split", split, SPLITS))
    require_history(history)
    if history == "own":
        raise BadArgument("history='own' cannot be played: one session is opened here, not an episode")
    given: dict[str, Any] = {"pack": pack, "history": history}
    given |= {"exec_backend": exec_backend or None, "exclude_needs": tuple(exclude_needs or ()) or None}
    given |= {name: value for name, value in named_roles(role, family_of(env_id)).items() if value != RULE}
    kwargs = {"split": split} | named_values(env_option or [])
    kwargs |= {name: value for name, value in given.items() if value is not None}
    options: dict[str, Any] = {} if variant is None else {"variant": variant}
    env = make_env(env_id, kwargs)
    try:
        if task is not None:
            options["pack"], options["task"] = named_task(base_env(env).packs, task)
        if state is not None and out is not None:
            from pi_gym.cli.play_kept import play_call
            from pi_gym.rollout.kept_session import KeptSession

            kept = KeptSession.begin(state, env_id, kwargs, options, seed=seed, agent=agent, out=out)
            play_call(kept, None, as_json=as_json, whole=whole, scores=scores)
            return
        if as_json:
            play_lines(env, seed, options)
        else:
            play_terminal(env, seed, options)
    finally:
        env.close()


def _is_given(context: typer.Context, name: str) -> bool:
    found = context.get_parameter_source(name)
    return found is not None and found.name == "COMMANDLINE"
