"""A session over a pipe: one JSON line in, one JSON line out."""

from __future__ import annotations

import json
import math
import sys
from typing import Any

import gymnasium as gym

_FORMS = 'expected {"action": ...} with a text or an OpenAI assistant message, such a message, or a JSON string'
_MESSAGE_KEYS = frozenset({"role", "content", "tool_calls"})


class BadLine(Exception):
    """A line is no action."""


def play_lines(env: gym.Env[Any, Any], seed: int, options: dict[str, Any]) -> None:
    """Open a session and play it with the lines of stdin, until it is over or stdin ends."""
    observation, info = env.reset(seed=seed, options=options)
    _say({"observation": observation, "reward": 0.0, "terminated": False, "truncated": False, "info": info})
    for line in sys.stdin.buffer:
        if not line.strip():
            continue
        try:
            action = read_action(line)
        except BadLine as error:
            _say({"error": str(error)})
            continue
        observation, reward, terminated, truncated, info = env.step(action)
        paid = float(reward)
        _say(
            {
                "observation": observation,
                "reward": None if math.isnan(paid) else paid,
                "terminated": terminated,
                "truncated": truncated,
                "info": info,
            }
        )
        if terminated or truncated:
            return


def read_action(line: bytes) -> str | dict[str, Any]:
    """The action that a line holds.

    Raises:
        BadLine: it holds none; the message says what is expected.

    >>> read_action(b'{"action": "hello"}')
    'hello'
    """
    try:
        value = json.loads(line)
    except RecursionError:
        raise BadLine(f"the JSON is nested too deeply; {_FORMS}") from None
    except ValueError as error:  # broken UTF-8, broken JSON, a number of too many digits
        raise BadLine(f"this is no JSON ({error}); {_FORMS}") from None
    if isinstance(value, dict) and "action" in value:
        odd = sorted(set(value) - {"action"})
        if odd:
            raise BadLine(f"unknown key {odd[0]!r} beside 'action'; {_FORMS}")
        value = value["action"]
    if isinstance(value, str):
        return value
    if isinstance(value, dict) and _MESSAGE_KEYS & set(value):
        return value
    kind = {dict: "an object of other keys", list: "a list", type(None): "null"}.get(type(value), type(value).__name__)
    raise BadLine(f"got {kind}; {_FORMS}")


def _say(value: dict[str, Any]) -> None:
    # ASCII, so that no encoding of the pipe can break it.
    sys.stdout.write(json.dumps(value, allow_nan=False) + "\n")
    sys.stdout.flush()
