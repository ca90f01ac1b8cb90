"""The app Notes: its tables, its screens, and how notes and folders are changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pi_gym.apps.attachments import TABLE as ATTACHMENTS
from pi_gym.apps.attachments import attach, attached, attachment_table, files_of, files_on
from pi_gym.apps.columns import Column, TableSpec
from pi_gym.apps.row_search import search, words_of
from pi_gym.apps.texts import is_blank
from pi_gym.phone.declare import PhoneApp, Screen
from pi_gym.phone.phone_desk import PhoneDesk
from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError

DEFAULT_FOLDERS = ("Inbox", "Personal", "Work")
SEARCHED = {"title": 4, "content": 1}
APP = PhoneApp(
    "Notes",
    "the notes",
    "Notes with a title and a text in folders; a note can carry files. The folders Inbox, Personal and Work are always"
    " there.",
    {
        "notes": TableSpec(
            {
                "title": Column(str, "the title", "", max_chars=200),
                "content": Column(str, "the text", ""),
                "folder": Column(str, "the name of the folder that it is in", "Inbox", max_chars=100),
                "pinned": Column(bool, "whether it stands before the others", False),
                "created_at": Column(str, "when it was written, ISO 8601"),
                "updated_at": Column(str, "when it was last changed, ISO 8601"),
            },
            noun="note",
            find="search_notes",
        ),
        "folders": TableSpec(
            {"name": Column(str, "the name of a folder beside those that are always there", max_chars=100)},
            noun="folder",
            find="list_folders",
        ),
        ATTACHMENTS: attachment_table("note", "notes"),
    },
    [
        Screen("NoteList", {"folder": "Inbox"}),
        Screen("NoteDetail", {"note_id": None}),
        Screen("EditNote", {"note_id": None, "folder": "Inbox"}),
        Screen("FolderList"),
    ],
)
NOTES, FOLDERS = "notes", "folders"
LIST, DETAIL, EDIT, FOLDER_LIST = APP.screens


def note(desk: PhoneDesk, key: int) -> dict[str, Any]:
    """A note whole, with the names of the files that it carries."""
    files = [one["file_name"] for one in attached(desk, key)]
    return {"note_id": key, **desk.need(NOTES, key), "attachments": files}


def entry(key: int, row: Row) -> dict[str, Any]:
    """A note as a list shows it."""
    return {"note_id": key, **{name: row[name] for name in ("title", "folder", "pinned", "updated_at")}}


def folder_names(desk: PhoneDesk) -> list[str]:
    """All folders: those that are always there, then the others by name."""
    return [*DEFAULT_FOLDERS, *sorted(row["name"] for _, row in desk.table(FOLDERS).rows())]


def folder_list(desk: PhoneDesk) -> dict[str, Any]:
    """All folders with the number of their notes."""
    return {"folders": [{"name": name, "notes": len(notes_in(desk, name))} for name in folder_names(desk)]}


def need_folder(desk: PhoneDesk, name: str) -> str:
    """A folder's name as it is written; ToolError where there is none."""
    names = folder_names(desk)
    for one in names:
        if one.casefold() == name.strip().casefold():
            return one
    raise ToolError(f"There is no folder {name[:60]!r}; there are: {', '.join(names)}.")


def notes_in(desk: PhoneDesk, folder: str) -> list[tuple[int, Row]]:
    """The notes of a folder as (id, row): pinned ones first, each in order of their last change."""
    rows = desk.having(NOTES, "folder", folder)
    return sorted(rows, key=lambda pair: (pair[1]["pinned"], pair[1]["updated_at"], pair[0]), reverse=True)


def found(desk: PhoneDesk, query: str, keep: Callable[[Row], bool] | None = None) -> dict[str, Any]:
    """The notes that have a word of the query, best first."""
    if not words_of(query):
        raise ToolError("The query is empty; give words of the title or the text.")
    rows = search(desk.table(NOTES), query, SEARCHED, keep)
    return {"notes": [entry(*pair) for pair in rows], "total": len(rows)}


def created(desk: PhoneDesk, folder: str, title: str, content: str, pinned: bool = False) -> int:
    """A new note; ToolError where it would be empty."""
    if is_blank(title) and is_blank(content):
        raise ToolError("Title and content are empty; a note needs one of them.")
    where = need_folder(desk, folder)
    return desk.insert(
        NOTES, title=title, content=content, folder=where, pinned=pinned, created_at=desk.now, updated_at=desk.now
    )


def updated(desk: PhoneDesk, note_id: int, title: str | None, content: str | None) -> str:
    """A note with another title, another text, or both; what is None stays."""
    row = desk.need(NOTES, note_id)
    columns = {name: value for name, value in (("title", title), ("content", content)) if value is not None}
    if not columns:
        raise ToolError("Nothing to change was given; give title, content, or both.")
    if all(is_blank({**row, **columns}[name]) for name in ("title", "content")):
        raise ToolError("Title and content would be empty; delete the note instead, or give one of them.")
    desk.update(NOTES, note_id, **columns, updated_at=desk.now)
    return f"Note {note_id} updated."


def deleted(desk: PhoneDesk, note_id: int) -> str:
    """A note less, with the files that it carried."""
    desk.need(NOTES, note_id)
    for key, _ in desk.having(ATTACHMENTS, "record", note_id):
        desk.delete(ATTACHMENTS, key)
    desk.delete(NOTES, note_id)
    return f"Note {note_id} deleted."


def moved(desk: PhoneDesk, note_id: int, folder: str) -> str:
    """A note in another folder; its name as it is written."""
    where = need_folder(desk, folder)
    if desk.need(NOTES, note_id)["folder"] == where:
        raise ToolError(f"The note {note_id} is in the folder {where!r} already.")
    desk.update(NOTES, note_id, folder=where)
    return where


def duplicated(desk: PhoneDesk, note_id: int, folder: str) -> int:
    """A copy of a note in a folder, with its files."""
    row = desk.need(NOTES, note_id)
    key = created(desk, folder, f"{row['title']} (copy)".strip(), row["content"])
    attach(desk, key, files_on(desk, ATTACHMENTS, note_id))
    return key


def with_file(desk: PhoneDesk, note_id: int, path: str) -> str:
    """A note that carries a workspace file more."""
    desk.need(NOTES, note_id)
    (row,) = files_of(desk, [path])
    if any(one["file_name"] == row["file_name"] for one in attached(desk, note_id)):
        raise ToolError(f"The note {note_id} carries a file {row['file_name']!r} already; remove that first.")
    attach(desk, note_id, [row])
    desk.update(NOTES, note_id, updated_at=desk.now)
    return f"Attached {row['file_name']!r} to the note {note_id}."


def without_file(desk: PhoneDesk, note_id: int, name: str) -> str:
    """A note that carries a file less."""
    desk.need(NOTES, note_id)
    files = desk.having(ATTACHMENTS, "record", note_id)
    for key, row in files:
        if row["file_name"] == name.strip():
            desk.delete(ATTACHMENTS, key)
            desk.update(NOTES, note_id, updated_at=desk.now)
            return f"Removed {row['file_name']!r} from the note {note_id}."
    listed = ", ".join(row["file_name"] for _, row in files) or "nothing"
    raise ToolError(f"The note {note_id} carries no file {name[:60]!r}; it carries: {listed}.")


def new_folder_name(desk: PhoneDesk, name: str) -> str:
    """A name for a folder, cleaned; ToolError where it is empty or taken."""
    cleaned = " ".join(name.split())
    if is_blank(cleaned):
        raise ToolError("The folder's name is empty; a folder needs one.")
    if cleaned.casefold() in (one.casefold() for one in folder_names(desk)):
        raise ToolError(f"The folder {cleaned[:60]!r} exists already; choose another name.")
    return cleaned


def own_folder(desk: PhoneDesk, name: str) -> tuple[int, str]:
    """A folder that may be renamed or deleted, as (id, name)."""
    where = need_folder(desk, name)
    if where in DEFAULT_FOLDERS:
        raise ToolError(f"The folder {where!r} is always there; it can be neither renamed nor deleted.")
    ((key, _),) = desk.having(FOLDERS, "name", where)
    return key, where


def folder_deleted(desk: PhoneDesk, name: str) -> tuple[str, list[str]]:
    """A folder less, with its notes; its name, and the titles of these."""
    key, where = own_folder(desk, name)
    notes = notes_in(desk, where)
    for one, _ in notes:
        deleted(desk, one)
    desk.delete(FOLDERS, key)
    return where, [row["title"] or row["content"][:60] for _, row in notes]
