"""The event of the notes: a folder goes."""

from __future__ import annotations

from typing import Any

from pi_gym.phone.declare import EVENT
from pi_gym.phone.notes.app import APP, folder_deleted
from pi_gym.phone.phone_desk import PhoneDesk
from pi_gym.phone.showing import in_lines, named


@APP.operation("write", EVENT)
def delete_folder(desk: PhoneDesk, folder_name: str) -> Any:
    """Delete a folder with all its notes, from another device.

    Args:
        folder_name: its name.
    """
    name, titles = folder_deleted(desk, folder_name)
    told = f"Folder {name!r} was deleted"
    desk.notify(f"{told} (notes in it: {len(titles)})", in_lines(told, named(deleted_notes=titles)))
    return f"{told}."
