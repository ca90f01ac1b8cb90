"""The operations of an agent on notes and folders, with those that are an action of the owner, too."""

from __future__ import annotations

from typing import Any

from pi_gym.apps.attachments import attached
from pi_gym.phone.declare import USER
from pi_gym.phone.notes.app import (
    APP,
    FOLDER_LIST,
    FOLDERS,
    NOTES,
    created,
    deleted,
    duplicated,
    entry,
    folder_deleted,
    folder_list,
    found,
    moved,
    need_folder,
    new_folder_name,
    note,
    notes_in,
    own_folder,
    updated,
    with_file,
    without_file,
)
from pi_gym.phone.phone_desk import PhoneDesk
from pi_gym.phone.showing import page
from pi_gym.tools.declare import ToolError


@APP.operation("read")
def get_note_by_id(desk: PhoneDesk, note_id: int) -> Any:
    """Show a note whole.

    Args:
        note_id: the note's id.
    """
    return note(desk, note_id)


@APP.operation("read")
def list_notes(desk: PhoneDesk, folder: str, offset: int = 0, limit: int = 10) -> Any:
    """List the notes of a folder, pinned ones first, then the one that was changed last.

    Args:
        folder: the folder's name.
        offset: how many to skip.
        limit: how many to list.
    """
    return page(notes_in(desk, need_folder(desk, folder)), offset, limit, "notes", entry)


@APP.operation("read", USER, on=FOLDER_LIST)
@APP.operation("read")
def list_folders(desk: PhoneDesk) -> Any:
    """List the folders."""
    return folder_list(desk)


@APP.operation("read")
def search_notes(desk: PhoneDesk, query: str) -> Any:
    """Search the notes of all folders by words of title and text, best first.

    Args:
        query: words to look for.
    """
    return found(desk, query)


@APP.operation("read")
def search_notes_in_folder(desk: PhoneDesk, query: str, folder_name: str) -> Any:
    """Search the notes of one folder by words of title and text, best first.

    Args:
        query: words to look for.
        folder_name: the folder's name.
    """
    where = need_folder(desk, folder_name)
    return found(desk, query, lambda row: bool(row["folder"] == where))


@APP.operation("read")
def list_attachments(desk: PhoneDesk, note_id: int) -> Any:
    """List the files that a note carries, with their text.

    Args:
        note_id: the note's id.
    """
    desk.need(NOTES, note_id)
    return attached(desk, note_id)


@APP.operation("write")
def new_folder(desk: PhoneDesk, folder_name: str) -> Any:
    """Make a folder.

    Args:
        folder_name: its name.
    """
    name = new_folder_name(desk, folder_name)
    desk.insert(FOLDERS, name=name)
    return f"Folder {name!r} made."


@APP.operation("write")
def delete_folder(desk: PhoneDesk, folder_name: str) -> Any:
    """Delete a folder with all its notes.

    Args:
        folder_name: its name.
    """
    name, titles = folder_deleted(desk, folder_name)
    return {"message": f"Folder {name!r} deleted.", "deleted_notes": titles}


@APP.operation("write")
def rename_folder(desk: PhoneDesk, folder: str, new_folder: str) -> Any:
    """Give a folder another name; its notes stay in it.

    Args:
        folder: its name.
        new_folder: its name from now on.
    """
    key, old = own_folder(desk, folder)
    new = new_folder_name(desk, new_folder)
    desk.update(FOLDERS, key, name=new)
    for one, _ in notes_in(desk, old):
        desk.update(NOTES, one, folder=new)
    return f"Folder {old!r} is called {new!r}."


@APP.operation("write")
def create_note(
    desk: PhoneDesk, folder: str = "Inbox", title: str = "", content: str = "", pinned: bool = False
) -> Any:
    """Write a new note.

    Args:
        folder: the folder that it goes to.
        title: its title.
        content: its text.
        pinned: whether it stands before the others.
    """
    return {"message": "Note created.", "note_id": created(desk, folder, title, content, pinned)}


@APP.operation("write")
def update_note(desk: PhoneDesk, note_id: int, title: str | None = None, content: str | None = None) -> Any:
    """Give a note another title, another text, or both.

    Args:
        note_id: the note's id.
        title: the whole new title.
        content: the whole new text.
    """
    return updated(desk, note_id, title, content)


@APP.operation("write")
def delete_note(desk: PhoneDesk, note_id: int) -> Any:
    """Delete a note.

    Args:
        note_id: the note's id.
    """
    return deleted(desk, note_id)


@APP.operation("write")
def move_note(
    desk: PhoneDesk, note_id: int, source_folder_name: str = "Inbox", dest_folder_name: str = "Personal"
) -> Any:
    """Move a note to another folder.

    Args:
        note_id: the note's id.
        source_folder_name: the folder that it is in.
        dest_folder_name: the folder that it goes to.
    """
    folder = desk.need(NOTES, note_id)["folder"]
    if need_folder(desk, source_folder_name) != folder:
        raise ToolError(f"The note {note_id} is in the folder {folder!r}, not in {source_folder_name[:60]!r}.")
    return f"Note {note_id} moved to {moved(desk, note_id, dest_folder_name)!r}."


@APP.operation("write")
def duplicate_note(desk: PhoneDesk, folder_name: str, note_id: int) -> Any:
    """Copy a note, with the files that it carries.

    Args:
        folder_name: the folder that the copy goes to.
        note_id: the note's id.
    """
    return {"message": f"Note {note_id} copied.", "note_id": duplicated(desk, note_id, folder_name)}


@APP.operation("write")
def add_attachment_to_note(desk: PhoneDesk, note_id: int, attachment_path: str) -> Any:
    """Let a note carry a file.

    Args:
        note_id: the note's id.
        attachment_path: a file of the workspace; the note carries it as it is now.
    """
    return with_file(desk, note_id, attachment_path)


@APP.operation("write")
def remove_attachment(desk: PhoneDesk, note_id: int, attachment: str) -> Any:
    """Take a file from a note.

    Args:
        note_id: the note's id.
        attachment: the file's name.
    """
    return without_file(desk, note_id, attachment)
