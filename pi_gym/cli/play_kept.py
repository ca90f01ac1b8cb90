"""A session that is played an action a call: what a call reads, and what it prints."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import typer

from pi_gym.cli.play_json import BadLine, read_action
from pi_gym.errors import BadArgument
from pi_gym.rollout.kept_session import KeptSession
from pi_gym.session.transcript import quote_lines

_SHOWN = ("new_messages", "clock", "turn", "steps", "tool_calls", "invalid_action", "failed_calls")


def play_call(
    kept: KeptSession, action: str | dict[str, Any] | None, *, as_json: bool, whole: bool, scores: bool
) -> None:
    """Take an action, where there is one, and print what came back; nothing of the score unless asked for.

    Args:
        kept: the session.
        action: the action.
        as_json: whether a line of JSON is printed.
        whole: whether all since the opening is printed, the agent's own messages and the tools too.
        scores: whether the scores are printed once it is over.
    """
    try:
        if action is not None:
            kept.act(action)
        shown = {name: kept.info[name] for name in _SHOWN} | {"workspace_diff": kept.observation["workspace_diff"]}
        if whole:
            shown |= {"new_messages": kept.messages, "tools": kept.tools}
        elif kept.info["tools"]:
            shown["tools"] = kept.info["tools"]
        shown["over"] = kept.session.ended
        if scores and shown["over"]:
            shown["scores"] = kept.info["scores"]
    finally:
        kept.close()
    typer.echo(json.dumps(shown) if as_json else _text(shown, own=whole))


def read_file(place: str, *, as_json: bool) -> str | dict[str, Any]:
    """The action in a file, or in what stdin gives for "-".

    Raises:
        BadArgument: it holds none; the message says what is expected.
    """
    try:
        data = sys.stdin.buffer.read() if place == "-" else Path(place).read_bytes()
        action = read_action(data) if as_json else data.decode().rstrip("\n")
    except OSError as error:
        raise BadArgument(f"--action {place}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BadArgument(f"--action {place}: expected UTF-8 text, got other bytes ({error.reason})") from error
    except BadLine as error:
        raise BadArgument(f"--action {place}: {error}") from error
    if not action:
        raise BadArgument(f"--action {place}: expected an action, got an empty text")
    return action


def _text(shown: dict[str, Any], own: bool) -> str:
    said = [one for one in shown["new_messages"] if own or one["role"] != "assistant"]
    parts = [(one["role"], _content(one)) for one in said]
    if shown["workspace_diff"]:
        parts.append(("workspace diff", shown["workspace_diff"]))
    if "tools" in shown:
        parts.append(("tools", "\n".join(json.dumps(tool["function"]) for tool in shown["tools"])))
    lines = [f"=== {head} ===\n{quote_lines(text, ('=== ',)).rstrip()}\n" for head, text in parts]
    if "scores" in shown:
        lines.append(", ".join(f"{name} {value:.3f}" for name, value in shown["scores"].items()))
    lines.append(f"=== session {'over' if shown['over'] else 'goes on'}, step {shown['steps']} ===")
    # A lone surrogate is no text that a terminal can take.
    return "\n".join(lines).encode(errors="replace").decode()


def _content(message: dict[str, Any]) -> str:
    calls = [json.dumps(call["function"]) for call in message.get("tool_calls") or ()]
    return "\n".join([message.get("content") or "", *calls]).strip()
