"""The result of a shell command, as plain JSON, so that a trajectory records it and a replay reuses it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pi_gym.tools.file_changes import (
    CHANGE_KEYS,
    MAX_TAKEN_BYTES,
    MAX_TAKEN_FILES,
    changes_from_json,
    changes_to_json,
)

__all__ = ["ENDINGS", "MAX_TAKEN_BYTES", "MAX_TAKEN_FILES", "NoShellResult", "ShellResult", "printable"]

#: The reasons for ending a command before its time, as the runner says them, and what the agent is told.
ENDINGS = {
    "": "",
    "timeout": "killed: it ran longer than it may",
    "memory": "killed: it took more memory than it may",
    "processes": "killed: it started more processes than it may",
    "disk": "killed: it wrote more than fits on the disk",
    "entries": "killed: it made more files than it may",
}
STARVED = "killed: the machine was too busy to run it in time"
MAX_OUTPUT_CHARS = 10_000
_KEYS = frozenset(("exit", "output", "cut", "ended", "starved", *CHANGE_KEYS))


class NoShellResult(ValueError):
    """A value is not what `ShellResult.to_json` writes."""


@dataclass(frozen=True, slots=True)
class ShellResult:
    """The result of a shell command.

    Args:
        exit: its exit status.
        output: what it printed, at most `MAX_OUTPUT_CHARS` characters; `cut` counts the bytes that it printed in all,
            0 where nothing is missing.
        ended: one of `ENDINGS`.
        starved: it was ended because the host had no processor for it, which is no failure of its own.
        files: the content of every file that is new or differs.
        folders: directories that are new.
        deleted: files and directories that exist no more.
        refused: (what, why) of all that cannot be taken back.
        overflow: why none of its changes can be taken back; empty where they can.
    """

    exit: int = 0
    output: str = ""
    cut: int = 0
    ended: str = ""
    starved: bool = False
    files: Mapping[str, bytes] = field(default_factory=dict)
    folders: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()
    overflow: str = ""

    def to_json(self) -> dict[str, Any]:
        """The result as fresh JSON values; bytes that are no text become `{"base64": …}`."""
        return {
            "exit": self.exit,
            "output": self.output,
            "cut": self.cut,
            "ended": self.ended,
            "starved": self.starved,
            **changes_to_json(self),
        }

    @classmethod
    def from_json(cls, raw: Any) -> ShellResult:
        """The result that `to_json` wrote; `NoShellResult` for anything else."""
        if not isinstance(raw, Mapping) or set(raw) != _KEYS:
            raise NoShellResult(f"expected an object with {', '.join(sorted(_KEYS))}, got {raw!r:.200}")
        try:
            return cls(
                exit=int(raw["exit"]),
                output=str(raw["output"]),
                cut=int(raw["cut"]),
                ended=str(raw["ended"]),
                starved=bool(raw["starved"]),
                **changes_from_json(raw),
            )
        except (TypeError, ValueError, AttributeError, KeyError) as error:
            raise NoShellResult(f"no result of a shell command: {error}") from error


def printable(data: bytes) -> str:
    """The output of a command, as text that can stand in a transcript: control characters become U+FFFD.

    >>> printable(bytes([104, 105, 0, 255]))
    'hi��'
    """
    text = data.decode("utf-8", "replace")
    return "".join(c if (c >= " " and c != "\x7f") or c in "\n\t\r" else "\ufffd" for c in text)
