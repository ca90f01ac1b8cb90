"""`pi-gym mcp`: an agent with a loop of its own plays, by the Model Context Protocol."""

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
    task: Annotated[str | None, typer.Option(help="The task; over HTTP the URL may name another.")] = None,
    variant: Annotated[int, typer.Option(min=0, help="The world's number.")] = 0,
    seed: Annotated[int, typer.Option(min=0, help="Of the reset.")] = 0,
    sample: Annotated[int, typer.Option(min=0, help="Counts the sessions at one task, variant and seed.")] = 0,
    agent: Annotated[str, typer.Option(help="Who plays, for the record.")] = "mcp",
    out: Annotated[Path, typer.Option(parser=path, metavar="RUN", help="The run's folder for what comes of it.")],
    http: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="Listen there for many sessions; port 0: a free one.")
    ] = "",
    idle: Annotated[
        float, typer.Option(min=1, help="With --http: seconds without a call after which a session is ended.")
    ] = 1800,
    max_sessions: Annotated[
        int, typer.Option(min=1, help="With --http: how many may be open; others are told to come again (503).")
    ] = 512,
    **given: Any,
) -> None:
    """Serve sessions to a host of the Model Context Protocol, whose agent plays them.

    Over stdin and stdout one session; with --http as many as URLs name: /mcp?task=…&variant=…&seed=…&sample=….
    The record and the score go to the run's folder, and nothing of them to the agent. When the host leaves, the session
    is graded as it stands.
    """
    from pi_gym.adapters.mcp.tool_session import ToolSessions
    from pi_gym.errors import BadArgument

    try:
        from pi_gym.adapters.mcp.serving import serve_http, serve_stdio
        from pi_gym.adapters.mcp.sessions_app import SessionsApp
    except ModuleNotFoundError as error:
        raise BadArgument(f"needs the package mcp: pip install 'pi-gym[mcp]' ({error})") from error
    env_kwargs = environment_arguments(**{name: given[name] for name in signature(environment_arguments).parameters})
    sessions = ToolSessions(given["env_id"], env_kwargs, out, agent)
    usual = {"task": task, "variant": variant, "seed": seed, "sample": sample}
    try:
        if http:
            host, sign, port = http.rpartition(":")
            if not (sign and host and port.isdigit() and int(port) < 65_536):
                raise typer.BadParameter(f"expected HOST:PORT, got {http!r}.", param_hint="--http")
            app = SessionsApp(sessions, usual, host=host, idle_s=idle, max_sessions=max_sessions)
            serve_http(app, host, int(port))
            return
        if task is None:
            raise typer.BadParameter("is needed, or --http.", param_hint="--task")
        serve_stdio(sessions.begin(task, variant, seed, sample))
    finally:
        sessions.close()


# Typer reads a command's options off its signature.
command.__signature__ = options_of(  # type: ignore[attr-defined]
    command, environment_arguments, without=set(argument_helps()) - {"env_id"}
)
