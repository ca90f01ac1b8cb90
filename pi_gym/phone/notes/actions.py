"""The actions of the owner on notes, by screen."""

from __future__ import annotations

from typing import Any

from pi_gym.apps.attachments import attached
from pi_gym.phone.declare import USER
from pi_gym.phone.navigation import BACK
from pi_gym.phone.notes.app import (
    APP,
    DETAIL,
    EDIT,
    FOLDER_LIST,
    LIST,
    NOTES,
    created,
    deleted,
    duplicated,
    entry,
    folder_list,
    found,
    moved,
    need_folder,
    note,
    notes_in,
    updated,
    with_file,
    without_file,
)
from pi_gym.phone.phone_desk import PhoneDesk
from pi_gym.phone.showing import page


@APP.operation("read", USER, on=LIST, name="list_notes")
def list_notes_shown(desk: PhoneDesk, offset: int = 0, limit: int = 10) -> Any:
    """List the notes of the folder that is open, pinned ones first, then the one that was changed last.

    Args:
        offset: how many to skip.
        limit: how many to list.
    """
    return page(notes_in(desk, need_folder(desk, desk.shown["folder"])), offset, limit, "notes", entry)


@APP.operation("read", USER, on=LIST, goto=FOLDER_LIST, name="list_folders")
def open_folders(desk: PhoneDesk) -> Any:
    """Open the list of folders."""
    desk.show(FOLDER_LIST)
    return folder_list(desk)


@APP.operation("read", USER, on=LIST, goto=EDIT)
def new_note(desk: PhoneDesk) -> Any:
    """Begin a new note in the folder that is open; it exists once it is written."""
    desk.show(EDIT, note_id=None, folder=desk.shown["folder"])
    return "A new note is open; write its title and text."


@APP.operation("read", USER, on=LIST, goto=DETAIL, name="open")
def open_note(desk: PhoneDesk, note_id: int) -> Any:
    """Open a note.

    Args:
        note_id: the note's id.
    """
    told = note(desk, note_id)
    desk.show(DETAIL, note_id=note_id)
    return told


@APP.operation("read", USER, on=LIST)
def search(desk: PhoneDesk, keyword: str) -> Any:
    """Search the notes of all folders by words of title and text, best first.

    Args:
        keyword: words to look for.
    """
    return found(desk, keyword)


@APP.operation("read", USER, on=DETAIL)
def refresh(desk: PhoneDesk) -> Any:
    """Show the note that is open."""
    return note(desk, desk.shown["note_id"])


@APP.operation("read", USER, on=DETAIL, name="list_attachments")
def list_attachments_shown(desk: PhoneDesk) -> Any:
    """List the files that the open note carries, with their text."""
    desk.need(NOTES, desk.shown["note_id"])
    return attached(desk, desk.shown["note_id"])


@APP.operation("write", USER, on=DETAIL)
def add_attachment(desk: PhoneDesk, attachment_path: str) -> Any:
    """Let the open note carry a file.

    Args:
        attachment_path: a file of the workspace; the note carries it as it is now.
    """
    return with_file(desk, desk.shown["note_id"], attachment_path)


@APP.operation("write", USER, on=DETAIL, name="remove_attachment")
def remove_attachment_shown(desk: PhoneDesk, attachment: str) -> Any:
    """Take a file from the open note.

    Args:
        attachment: the file's name.
    """
    return without_file(desk, desk.shown["note_id"], attachment)


@APP.operation("write", USER, on=DETAIL, goto=BACK)
def delete(desk: PhoneDesk) -> Any:
    """Delete the note that is open."""
    told = deleted(desk, desk.shown["note_id"])
    desk.leave()
    return told


@APP.operation("write", USER, on=DETAIL, goto=DETAIL)
def duplicate(desk: PhoneDesk) -> Any:
    """Copy the open note into its folder, and open the copy."""
    row = desk.need(NOTES, desk.shown["note_id"])
    key = duplicated(desk, desk.shown["note_id"], row["folder"])
    desk.show(DETAIL, note_id=key)
    return note(desk, key)


@APP.operation("read", USER, on=DETAIL, goto=EDIT)
def edit(desk: PhoneDesk) -> Any:
    """Edit the note that is open."""
    number = desk.shown["note_id"]
    told = note(desk, number)
    desk.show(EDIT, note_id=number, folder=told["folder"])
    return told


@APP.operation("write", USER, on=DETAIL, goto=LIST)
def move(desk: PhoneDesk, dest_folder_name: str) -> Any:
    """Move the open note to another folder, and open that.

    Args:
        dest_folder_name: the folder's name.
    """
    where = moved(desk, desk.shown["note_id"], dest_folder_name)
    told = f"Note {desk.shown['note_id']} moved to {where!r}."
    desk.show(LIST, folder=where)
    return told


@APP.operation("write", USER, on=EDIT, goto=(BACK, DETAIL))
def update(desk: PhoneDesk, title: str, content: str) -> Any:
    """Keep what is written, and show the note.

    Args:
        title: the whole title.
        content: the whole text.
    """
    number, folder = desk.shown["note_id"], desk.shown["folder"]
    if number is None:
        number = created(desk, folder, title, content)
        desk.leave()
        desk.show(DETAIL, note_id=number)
    else:
        updated(desk, number, title, content)
        desk.leave()
    return note(desk, number)


@APP.operation("read", USER, on=FOLDER_LIST, goto=LIST, name="open")
def open_folder(desk: PhoneDesk, folder: str) -> Any:
    """Open a folder.

    Args:
        folder: the folder's name.
    """
    where = need_folder(desk, folder)
    desk.show(LIST, folder=where)
    return page(notes_in(desk, where), 0, 10, "notes", entry)
