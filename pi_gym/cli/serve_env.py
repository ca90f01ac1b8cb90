"""`pi-gym serve-env`: sessions for clients of OpenEnv."""

from __future__ import annotations

from inspect import signature
from pathlib import Path
from typing import Annotated, Any

import typer

from pi_gym.cli.common_options import path
from pi_gym.cli.rollout import environment_arguments
from pi_gym.cli.run_options import options_of
from pi_gym.runs.request import argument_helps


def command(
    *,
    host: Annotated[str, typer.Option(help="Where it listens.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Where it listens; 0: a free one.")] = 8000,
    max_sessions: Annotated[
        int, typer.Option(min=1, help="How many clients may have a session; others are told CAPACITY_REACHED.")
    ] = 512,
    idle: Annotated[
        float, typer.Option(min=1, help="Seconds without a word of a client's after which its session is let go.")
    ] = 3600,
    agent: Annotated[str, typer.Option(help="Who plays, for the record.")] = "openenv",
    out: Annotated[
        Path | None, typer.Option(parser=path, metavar="RUN", help="A run's folder for the records.")
    ] = None,
    **given: Any,
) -> None:
    """Serve sessions to clients of OpenEnv, one over each WebSocket.

    A reset names task, variant and seed; what it leaves open is drawn from --split, or --task. The reward is None until
    the session is done, then its return, and None even then where it is unscored.
    """
    from pi_gym.errors import BadArgument

    try:
        from pi_gym.adapters.openenv.env_serving import serve_sessions
        from pi_gym.adapters.openenv.served_sessions import ServedSessions
    except ModuleNotFoundError as error:
        raise BadArgument(f"needs the package openenv: pip install 'pi-gym[openenv]' ({error})") from error
    env_kwargs = environment_arguments(**{name: given[name] for name in signature(environment_arguments).parameters})
    sessions = ServedSessions(
        given["env_id"], {**env_kwargs, "split": given["split"]}, tasks=given["tasks"], out=out, agent=agent
    )
    try:
        serve_sessions(sessions, host, port, max_sessions=max_sessions, idle_s=idle)
    finally:
        sessions.close()


# Typer reads a command's options off its signature.
command.__signature__ = options_of(  # type: ignore[attr-defined]
    command, environment_arguments, without=set(argument_helps()) - {"env_id", "split", "tasks"}
)
