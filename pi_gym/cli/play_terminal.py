"""A session in the terminal: a person plays the agent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium as gym
import typer

from pi_gym.driving.settling import settle
from pi_gym.environments import base_env
from pi_gym.session.protocol import Session
from pi_gym.state.diff import unified_diff

_HELP = """\
You are the assistant. Write a reply, or <tool_call>{"name": ..., "arguments": {...}}</tool_call> blocks; end with an
empty line, or with a line that holds a single dot. Commands: /tools, /diff, /quit.
"""


class _Quit(Exception):
    """The person leaves."""


def play_terminal(env: gym.Env[Any, Any], seed: int, options: dict[str, Any]) -> None:
    """Open a session and play it with what is typed; at the end print the scores."""
    _, info = env.reset(seed=seed, options=options)
    session = base_env(env).session
    assert session is not None
    start = session.fork()
    _print_messages(info["new_messages"])
    typer.echo(_HELP)
    try:
        while not session.ended:
            action = _read_action(session, start)
            _, _, _, _, info = env.step(action)
            # The first of the new messages is what was just typed.
            _print_messages(info["new_messages"][1:])
    except _Quit:
        session.truncate("quit")
        settle(base_env(env).waits())
    scored = base_env(env).family.result_text(session) if session.scored else ""
    typer.echo(scored or f"The session is unscored: {session.error}")


def _read_action(session: Session, start: Session) -> str:
    """The action that the person types, up to an empty line; commands are answered on the way."""
    lines: list[str] = []
    while True:
        try:
            line = input("... " if lines else ">>> ")
        except EOFError:
            if any(lines):
                return "\n".join(lines)
            raise _Quit from None
        if line == ".":
            return "\n".join(lines)
        if lines:
            if not line.strip():
                return "\n".join(lines)
        elif not line.strip():
            continue
        elif line.startswith("/"):
            _answer_command(line.strip(), session, start)
            continue
        lines.append(line)


def _answer_command(line: str, session: Session, start: Session) -> None:
    if line == "/quit":
        raise _Quit
    if line == "/tools":
        typer.echo(session.registry.signatures())
    elif line == "/diff":
        before, now = start.world.workspace, session.world.workspace
        diff = unified_diff(before, now, now.changes(before.mark()))
        typer.echo(diff or "nothing has changed")
    else:
        typer.echo(f"{line} is no command; there are /tools, /diff and /quit. Begin with a blank to send it as text.")


def _print_messages(messages: Sequence[Mapping[str, Any]]) -> None:
    for message in messages:
        typer.secho(f"--- {message['role']}", bold=True)
        typer.echo(f"{message['content'].rstrip()}\n")
