"""Notes on the phone of the tests."""

from __future__ import annotations

from typing import Any

FILES = {"plans/route.md": "North bank, then the ferry.\n"}
ROWS: dict[str, dict[int, dict[str, Any]]] = {
    "notes": {
        1: {
            "title": "Trip",
            "content": "Ask about the ferry.",
            "created_at": "2026-05-01T10:00:00",
            "updated_at": "2026-05-01T10:00:00",
        },
        2: {
            "title": "Talk",
            "content": "Three slides.",
            "folder": "Work",
            "created_at": "2026-05-02T10:00:00",
            "updated_at": "2026-05-02T10:00:00",
        },
        3: {
            "title": "Pears",
            "content": "With cheese.",
            "folder": "Recipes",
            "created_at": "2026-05-03T10:00:00",
            "updated_at": "2026-05-03T10:00:00",
        },
    },
    "folders": {1: {"name": "Recipes"}},
    "attachments": {1: {"record": 1, "file_name": "map.md", "bytes": 6, "text": "A map."}},
}
ARGUMENTS: dict[str, list[dict[str, Any]]] = {
    "Notes__get_note_by_id": [{"note_id": 1}],
    "Notes__list_notes": [{"folder": "Work"}, {}],
    "Notes__search_notes": [{"query": "ferry"}],
    "Notes__search": [{"keyword": "ferry"}],
    "Notes__search_notes_in_folder": [{"query": "ferry", "folder_name": "Inbox"}],
    "Notes__list_attachments": [{"note_id": 1}, {}],
    "Notes__new_folder": [{"folder_name": "Garden"}],
    "Notes__delete_folder": [{"folder_name": "Recipes"}, {"folder_name": "Inbox"}],
    "Notes__rename_folder": [{"folder": "Recipes", "new_folder": "Kitchen"}],
    "Notes__create_note": [{"title": "Tools"}, {}],
    "Notes__update_note": [{"note_id": 1, "content": "Ferry at nine."}, {"note_id": 1}],
    "Notes__delete_note": [{"note_id": 1}],
    "Notes__move_note": [{"note_id": 1}, {"note_id": 2}],
    "Notes__duplicate_note": [{"folder_name": "Work", "note_id": 1}],
    "Notes__add_attachment_to_note": [{"note_id": 2, "attachment_path": "plans/route.md"}],
    "Notes__remove_attachment": [{"note_id": 1, "attachment": "map.md"}, {"attachment": "map.md"}],
    "Notes__open": [{"note_id": 1}, {"folder": "Work"}],
    "Notes__add_attachment": [{"attachment_path": "plans/route.md"}],
    "Notes__move": [{"dest_folder_name": "Personal"}],
    "Notes__update": [{"title": "Trip", "content": "Ferry at nine."}],
}
