"""Ours: a session of PiBench, the pack `researcher`, in an environment of its own.

Opened: `PiEnv.reset` to a variant of one task; `PastSession` makes the sessions before it first, as the default of
`PiEnv` does, `OurSession` has no past, as neither peer has one. Read and written: a text file of a thousand characters,
by tool calls as text through `env.step`. The observation holds the whole transcript and the changes of all files. A
session at hand is reset in the environment that played it.
"""

from __future__ import annotations

import json
from typing import Any, ClassVar

from pi_gym.pibench.env import PiEnv

TASK = "10-foyer-order"
RECORD_PATH = "notes/record.txt"
RECORD_SIZE = 1_000


class OurSession:
    """A session without a past; the world's number is the variant."""

    history: ClassVar[str] = "none"

    def __init__(self, world: int) -> None:
        self._options = {"task": TASK, "variant": world}
        self._env = PiEnv("researcher", history=self.history, max_steps=10**9, max_tool_calls=10**9)
        self.again()

    def again(self) -> None:
        """Reset the environment to the same variant."""
        self._env.reset(options=self._options)

    def read(self) -> None:
        """Read a file of a thousand characters."""
        self._call("read_file", path=RECORD_PATH)

    def write(self, number: int) -> None:
        """Write that file anew."""
        self._call("write_file", path=RECORD_PATH, content=f"{number:05d} ".ljust(RECORD_SIZE, "x"))

    def close(self) -> None:
        """Close the environment."""
        self._env.close()

    def _call(self, tool: str, **arguments: Any) -> None:
        action = json.dumps({"name": tool, "arguments": arguments})
        *_, terminated, truncated, _ = self._env.step(f"<tool_call>{action}</tool_call>")
        assert not terminated
        assert not truncated


class PastSession(OurSession):
    """A session that nine others come before."""

    history = "reference"
