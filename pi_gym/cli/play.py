"""`pi-gym play`: a person, or a program over a pipe, plays the agent."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from pi_gym.cli.common_options import ROLE, ROLE_HELP, RULE, named_roles, require_history


def command(
    env_id: Annotated[str, typer.Argument(help="The environment, as `pi-gym list` shows it.")],
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
    role: Annotated[list[str] | None, typer.Option(metavar=ROLE, help=ROLE_HELP)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON line in, one out.")] = False,
) -> None:
    """Play a session yourself, in the terminal or over a pipe.

    With --json the first line out is the opening. A line in is {"action": ...}, an OpenAI assistant message, or a JSON
    string; a line that is none of these is answered by {"error": ...}, and the session goes on.
    """
    from pi_gym.cli.play_json import play_lines
    from pi_gym.cli.play_terminal import play_terminal
    from pi_gym.environments import family_of, make_env
    from pi_gym.errors import BadArgument, UnknownName, unknown
    from pi_gym.sampling import SPLITS

    if split not in SPLITS:
        raise UnknownName(unknown("split", split, SPLITS))
    require_history(history)
    if history == "own":
        raise BadArgument("history='own' cannot be played: one session is opened here, not an episode")
    given: dict[str, Any] = {"pack": pack, "history": history}
    given |= {"exec_backend": exec_backend or None, "exclude_needs": tuple(exclude_needs or ()) or None}
    given |= {name: value for name, value in named_roles(role, family_of(env_id)).items() if value != RULE}
    kwargs = {"split": split} | {name: value for name, value in given.items() if value is not None}
    options = {name: value for name, value in (("task", task), ("variant", variant)) if value is not None}
    try:
        env = make_env(env_id, kwargs)
    except ValueError as error:  # a split without tasks
        raise BadArgument(str(error)) from error
    try:
        if as_json:
            play_lines(env, seed, options)
        else:
            play_terminal(env, seed, options)
    finally:
        env.close()
