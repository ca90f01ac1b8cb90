"""File changes that come back from outside: as plain JSON for the record, and applied to the workspace."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any, Protocol

from pi_gym.state.paths import PathRefused, normalise
from pi_gym.state.workspace import FULL, WorkspaceError
from pi_gym.tools.declare import ToolContext, ToolError

MAX_TAKEN_FILES = 2_000
MAX_TAKEN_BYTES = 8_000_000
CHANGE_KEYS = ("files", "folders", "deleted", "refused", "overflow")
_NOTES_SHOWN = 10


class FileChanges(Protocol):
    """The changes that somebody else's work made to a copy of the workspace."""

    @property
    def files(self) -> Mapping[str, bytes]:
        """The content of every file that is new or differs."""
        ...

    @property
    def folders(self) -> tuple[str, ...]:
        """Directories that are new."""
        ...

    @property
    def deleted(self) -> tuple[str, ...]:
        """Files and directories that exist no more."""
        ...

    @property
    def refused(self) -> tuple[tuple[str, str], ...]:
        """(what, why) of all that cannot be taken back."""
        ...

    @property
    def overflow(self) -> str:
        """The reason why none of the changes can be taken back; empty where they can."""
        ...


def changes_to_json(changes: FileChanges) -> dict[str, Any]:
    """The changes as fresh JSON values; bytes that are no text become `{"base64": …}`."""
    return {
        "files": {path: _written(data) for path, data in sorted(changes.files.items())},
        "folders": list(changes.folders),
        "deleted": list(changes.deleted),
        "refused": [list(pair) for pair in changes.refused],
        "overflow": changes.overflow,
    }


def changes_from_json(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The values that `changes_to_json` wrote, by name.

    Raises:
        TypeError, ValueError, AttributeError, KeyError: another form.
    """
    return {
        "files": {str(path): _read(data) for path, data in raw["files"].items()},
        "folders": tuple(str(path) for path in raw["folders"]),
        "deleted": tuple(str(path) for path in raw["deleted"]),
        "refused": tuple((str(what), str(why)) for what, why in raw["refused"]),
        "overflow": str(raw["overflow"]),
    }


def take_back(context: ToolContext, changes: FileChanges) -> list[str]:
    """Apply the changes; gives notes on what was left out. Where a limit is reached, nothing is applied."""
    if changes.overflow:
        return [f"none of its changes to files were kept: {changes.overflow}"]
    workspace = context.workspace
    before = workspace.fork()
    left_out = list(changes.refused)
    full = ""

    def attempt(path: str, kind: str) -> None:
        nonlocal full
        try:
            place = context.target(path) if normalise(path, context.root) == path else ""
            if not place:
                left_out.append((path, "its name is not possible in the workspace"))
            elif kind == "delete":
                if workspace.node(place) is not None:
                    workspace.delete(place)
            elif kind == "folder":
                workspace.make_folder(place)
            else:
                workspace.write(place, changes.files[path])
        except (PathRefused, ToolError) as error:
            left_out.append((path, str(error)))
        except WorkspaceError as error:
            left_out.append((path, str(error)))
            full = full or (FULL if str(error) == FULL else "")

    # What goes makes room for what comes, deepest first: a file may have become a directory, or changed its case.
    for path in sorted(changes.deleted, reverse=True):
        attempt(path, "delete")
    for path in sorted(changes.folders):
        attempt(path, "folder")
    for path in sorted(changes.files):
        attempt(path, "file")
    if full:
        workspace.restore(before)
        return [f"none of its changes to files were kept: {full}"]
    notes = [f"not kept: {what}: {why}" for what, why in left_out[:_NOTES_SHOWN]]
    if len(left_out) > _NOTES_SHOWN:
        notes.append(f"not kept: {len(left_out) - _NOTES_SHOWN} more")
    return [note if len(note) <= 300 else note[:300] + "…" for note in notes]


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
