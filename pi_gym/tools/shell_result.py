"""What a shell command left behind, as plain JSON, so that a trajectory records it and a replay reuses it."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

#: Why a command was ended before its time, as the runner says it, and what the agent is told.
ENDINGS = {
    "": "",
    "timeout": "killed: it ran longer than it may",
    "memory": "killed: it took more memory than it may",
    "processes": "killed: it started more processes than it may",
    "disk": "killed: it wrote more than fits on the disk",
    "entries": "killed: it made more files than it may",
}
MAX_OUTPUT_CHARS = 10_000
MAX_TAKEN_FILES = 2_000
MAX_TAKEN_BYTES = 8_000_000
MAX_REFUSED = 200
_KEYS = frozenset(("exit", "output", "cut", "ended", "files", "folders", "deleted", "refused", "overflow"))


class NoShellResult(ValueError):
    """A value is not what `ShellResult.to_json` writes."""


@dataclass(frozen=True, slots=True)
class ShellResult:
    """What a command did.

    Args:
        exit: its exit status.
        output: what it printed, at most `MAX_OUTPUT_CHARS` characters; `cut` counts the bytes that it printed in all,
            0 where nothing is missing.
        ended: one of `ENDINGS`.
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
            "files": {path: _written(data) for path, data in sorted(self.files.items())},
            "folders": list(self.folders),
            "deleted": list(self.deleted),
            "refused": [list(pair) for pair in self.refused],
            "overflow": self.overflow,
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
                files={str(path): _read(data) for path, data in raw["files"].items()},
                folders=tuple(str(path) for path in raw["folders"]),
                deleted=tuple(str(path) for path in raw["deleted"]),
                refused=tuple((str(what), str(why)) for what, why in raw["refused"]),
                overflow=str(raw["overflow"]),
            )
        except (TypeError, ValueError, AttributeError, KeyError) as error:
            raise NoShellResult(f"no result of a shell command: {error}") from error


def printable(data: bytes) -> str:
    """What a command printed, as text that can stand in a transcript: control characters become U+FFFD.

    >>> printable(bytes([104, 105, 0, 255]))
    'hi��'
    """
    text = data.decode("utf-8", "replace")
    return "".join(c if (c >= " " and c != "\x7f") or c in "\n\t\r" else "\ufffd" for c in text)


def _written(data: bytes) -> Any:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode("ascii")}


def _read(raw: Any) -> bytes:
    if isinstance(raw, str):
        return raw.encode()
    try:
        return base64.b64decode(raw["base64"], validate=True)
    except binascii.Error as error:
        raise ValueError(str(error)) from error
