"""References into which mistakes are put: what a policy starts from that still has something to learn."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping
from typing import Any

import gymnasium as gym

from pi_gym.baselines.reference import ReferenceAgent

_BLOCK = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL)


class NoisyReference(ReferenceAgent):
    """Plays the reference, and leaves things out: whole steps before the last two, and lines of what it writes.

    What was left out is not known later: a line of which nothing was read or heard is not written either, so that
    nothing that it does teaches to guess.

    Args:
        noise: the probability with which each step, and each line, is left out.
    """

    name = "noisy-reference"

    def __init__(self, noise: float) -> None:
        self.noise = noise

    def reset(self, observation: Mapping[str, str], info: Mapping[str, Any], env: gym.Env[Any, Any]) -> None:
        """Take the reference of the session that opens, and decide what is left out."""
        super().reset(observation, info, env)
        actions = list(self._actions)
        self._draw = random.Random(f"{info['task_id']}/{info['variant']}")
        kept = [action for action in actions[:-2] if self._draw.random() >= self.noise]
        self._actions = iter([*kept, *actions[-2:]])
        self._seen = ""

    def act(self, observation: Mapping[str, str], info: Mapping[str, Any]) -> str:
        """The next action, without what is left out."""
        self._seen += "\n".join(str(message["content"]) for message in info["new_messages"])
        return _BLOCK.sub(self._noisy, super().act(observation, info))

    def _noisy(self, block: re.Match[str]) -> str:
        call = json.loads(block[1])
        text = call["arguments"].get("content")
        if text is None:
            return block[0]
        first, *lines = text.splitlines(keepends=True)
        kept = [line for line in lines if line.strip() in self._seen and self._draw.random() >= self.noise]
        call["arguments"]["content"] = "".join([first, *kept])
        return f"<tool_call>{json.dumps(call)}</tool_call>"
