"""Operations on notes."""

from __future__ import annotations

from typing import Any, Literal

from pi_gym.apps.desk import Desk
from pi_gym.apps.pages import ordered, page
from pi_gym.apps.row_search import search
from pi_gym.apps.simple_note.app import APP
from pi_gym.apps.texts import is_blank
from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError

SEARCHED = {"title": 8, "tags": 4, "content": 1}
SORTED = ("created_at", "updated_at", "title")
PREVIEW_CHARS = 80
MAX_TAGS, MAX_TAG_CHARS = 20, 50
"""Lists show tags whole."""
LISTED_TAGS = 60


@APP.operation("write")
def create_note(desk: Desk, title: str, content: str = "", tags: list[str] | None = None, pinned: bool = False) -> Any:
    """Write a new note.

    Args:
        title: its title, 1 to 200 characters.
        content: its text.
        tags: its tags, at most 20 of 50 characters each.
        pinned: whether to pin it, so that it stands first in lists.
    """
    key = desk.insert(
        "notes",
        account=desk.account_id,
        title=_title(title),
        content=content,
        tags=_tags(tags or []),
        pinned=pinned,
        created_at=desk.now,
        updated_at=desk.now,
    )
    return {"message": "Note created.", "note_id": key}


@APP.operation("read")
def show_note(desk: Desk, note_id: int) -> Any:
    """Show a note whole.

    Args:
        note_id: the note's id.
    """
    return _whole(note_id, desk.need("notes", note_id))


@APP.operation("read")
def search_notes(
    desk: Desk,
    query: str = "",
    tags: list[str] | None = None,
    pinned: bool | None = None,
    dont_reorder_pinned: bool = False,
    page_index: int = 0,
    page_limit: int = 5,
    sort_by: str | None = None,
) -> Any:
    """Search your notes, or list them all. Pinned notes stand first, unless told otherwise.

    Notes are found by words of title, tags and content, best match first; without a query, the last changed first.
    The result has the beginning of each note; show_note gives it whole.

    Args:
        query: words to look for; empty for all notes.
        tags: only notes that have all of these tags.
        pinned: only notes that are pinned (true) or not pinned (false); null for both.
        dont_reorder_pinned: leave pinned notes at their place in the order.
        page_index: which page, from 0.
        page_limit: notes a page, 1 to 20.
        sort_by: + or - (ascending or descending) and created_at, updated_at or title; null for the best match first.
    """
    mine, wanted = desk.account_id, {tag.strip().casefold() for tag in tags or [] if tag.strip()}

    def keep(row: Row) -> bool:
        return (
            row["account"] == mine
            and (pinned is None or row["pinned"] == pinned)
            and (not wanted or wanted.issubset(tag.casefold() for tag in row["tags"]))
        )

    found = search(desk.table("notes"), query, SEARCHED, keep)
    found = ordered(found, sort_by or (None if query.strip() else "-updated_at"), SORTED)
    if not dont_reorder_pinned:
        found.sort(key=lambda pair: not pair[1]["pinned"])
    nothing = (
        "No notes match. Try fewer or other words, or simple_note__search_notes without query, tags and pinned for all"
        " notes."
    )
    if wanted and not found:
        nothing = _unknown_tags(desk, wanted) or nothing
    return page(found, page_index, page_limit, "notes", _short, nothing)


@APP.operation("write")
def update_note(
    desk: Desk,
    note_id: int,
    title: str | None = None,
    content: str | None = None,
    tags: list[str] | None = None,
    pinned: bool | None = None,
) -> Any:
    """Change a note. What is left out, or null, stays as it is.

    Args:
        note_id: the note's id.
        title: the new title, 1 to 200 characters.
        content: the new text, which replaces the whole old one.
        tags: the new tags, which replace the old ones; an empty list removes them.
        pinned: whether it is pinned.
    """
    desk.need("notes", note_id)
    given = {
        "title": None if title is None else _title(title),
        "content": content,
        "tags": None if tags is None else _tags(tags),
        "pinned": pinned,
    }
    changes = {name: value for name, value in given.items() if value is not None}
    if not changes:
        raise ToolError("Nothing to change; give title, content, tags or pinned.")
    desk.update("notes", note_id, **changes, updated_at=desk.now)
    return {"message": f"Note updated: {', '.join(changes)}.", "note_id": note_id}


@APP.operation("write")
def add_content_to_note(
    desk: Desk, note_id: int, added_content: str, append_or_prepend: Literal["append", "prepend"] = "append"
) -> Any:
    """Add text to a note, on lines of its own.

    Args:
        note_id: the note's id.
        added_content: the text to add.
        append_or_prepend: whether it goes to the end or to the beginning.
    """
    note = desk.need("notes", note_id)
    if not added_content:
        raise ToolError("added_content is empty; give the text to add.")
    parts = [part for part in (note["content"], added_content) if part]
    content = "\n".join(parts if append_or_prepend == "append" else reversed(parts))
    desk.update("notes", note_id, content=content, updated_at=desk.now)
    return {"message": "Content added.", "note_id": note_id}


@APP.operation("write")
def delete_note(desk: Desk, note_id: int) -> Any:
    """Delete a note for good.

    Args:
        note_id: the note's id.
    """
    desk.need("notes", note_id)
    desk.delete("notes", note_id)
    return {"message": "Note deleted.", "note_id": note_id}


def _title(text: str) -> str:
    title = text.strip()
    if is_blank(title):
        raise ToolError("The title is empty; give the note a title.")
    return title


def _tags(tags: list[str]) -> list[str]:
    """The tags without blanks around them, each once."""
    cleaned = list(dict.fromkeys(tag.strip() for tag in tags if not is_blank(tag)))
    if len(cleaned) > MAX_TAGS or any(len(tag) > MAX_TAG_CHARS for tag in cleaned):
        raise ToolError(f"At most {MAX_TAGS} tags of {MAX_TAG_CHARS} characters are possible.")
    return cleaned


def _unknown_tags(desk: Desk, wanted: set[str]) -> str:
    """A sentence about wanted tags that no note has; "" where each is on some note."""
    known = sorted({tag for _, note in desk.own("notes") for tag in note["tags"]})
    unknown = wanted - {tag.casefold() for tag in known}
    if not unknown:
        return ""
    named = ", ".join(repr(tag[:MAX_TAG_CHARS]) for tag in sorted(unknown)[:MAX_TAGS])
    return f"No note has the tag {named}; there are: {', '.join(known[:LISTED_TAGS])}."


def _whole(key: int, note: Row) -> dict[str, Any]:
    return {"note_id": key, **{name: value for name, value in note.items() if name != "account"}}


def _short(key: int, note: Row) -> dict[str, Any]:
    whole = _whole(key, note)
    content = " ".join(whole.pop("content")[: 4 * PREVIEW_CHARS].split())
    whole["preview"] = content if len(content) <= PREVIEW_CHARS else content[:PREVIEW_CHARS] + "…"
    return whole
