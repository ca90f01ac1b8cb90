"""A session in the terminal: a person plays the agent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium as gym
import typer

from pi_gym.rollout.environments import base_env
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
    _print_messages(info["new_messages"])
    typer.echo(_HELP)
    try:
        while not session.ended:
            action = _read_action(session)
            _, _, _, _, info = env.step(action)
            # The first of the new messages is what was just typed.
            _print_messages(info["new_messages"][1:])
    except _Quit:
        session.truncate("quit")
        base_env(env).answerers.settle(session)
    typer.echo(_scores(session))


def _read_action(session: Session) -> str:
    """What the person types, up to an empty line; commands are answered on the way."""
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
            _answer_command(line.strip(), session)
            continue
        lines.append(line)


def _answer_command(line: str, session: Session) -> None:
    if line == "/quit":
        raise _Quit
    if line == "/tools":
        typer.echo(session.opening.registry.signatures())
    elif line == "/diff":
        opening, now = session.opening, session.world.workspace
        diff = unified_diff(opening.world.workspace, now, now.changes(opening.mark))
        typer.echo(diff or "nothing has changed")
    else:
        typer.echo(f"{line} is no command; there are /tools, /diff and /quit. Begin with a blank to send it as text.")


def _print_messages(messages: Sequence[Mapping[str, Any]]) -> None:
    for message in messages:
        typer.secho(f"--- {message['role']}", bold=True)
        typer.echo(f"{message['content'].rstrip()}\n")


def _scores(session: Session) -> str:
    if not session.scored:
        return f"The session is unscored: {session.error}"
    texts = {intent.id: intent.text for intent in session.task.intents}
    lines = ["=== the user's hidden intents"]
    lines.extend(f"{status:>9}  {texts[number]}" for number, status in session.statuses.items())
    criteria = {item.id: item.text for item in session.checklist}
    lines.append("=== the checklist")
    lines.extend(f"{verdict.verdict:>9}  {criteria[verdict.id]}" for verdict in session.verdicts)
    named = (("Proc", session.proc), ("Comp", session.comp), ("return", sum(session.return_components().values())))
    lines.append("=== " + ", ".join(f"{name} {value:.3f}" for name, value in named if value is not None))
    return "\n".join(lines)
