"""Conversations on the phone of the tests: one of two, one of a group."""

from __future__ import annotations

from typing import Any

ROWS: dict[str, dict[int, dict[str, Any]]] = {
    "people": {
        1: {"name": "Mara Lind", "phone": "0151 200 10", "is_user": True},
        2: {"name": "Jonas Ek", "phone": "0151 200 11"},
        3: {"name": "Ada Wirth", "phone": "0151 200 12"},
        4: {"name": "Ole Berg", "phone": "0151 200 13"},
    },
    "conversations": {1: {"participants": [1, 2]}, 2: {"title": "Rowing", "participants": [1, 2, 3]}},
    "messages": {
        1: {"conversation": 1, "sender": 2, "content": "Are you at home?", "timestamp": "2026-05-03T18:00:00"},
        2: {"conversation": 1, "sender": 1, "content": "From seven on.", "timestamp": "2026-05-03T18:05:00"},
        3: {"conversation": 2, "sender": 3, "content": "The boat leaks.", "timestamp": "2026-05-02T09:00:00"},
    },
    "attachments": {1: {"record": 3, "file_name": "leak.md", "bytes": 9, "text": "Bow, left."}},
}
ARGUMENTS: dict[str, list[dict[str, Any]]] = {
    "Messages__get_user_id": [{"user_name": "Jonas Ek"}],
    "Messages__get_user_name_from_id": [{"user_id": 2}],
    "Messages__lookup_user_id": [{"user_name": "jonas"}],
    "Messages__get_existing_conversation_ids": [{"user_ids": [2]}],
    "Messages__list_conversations_by_participant": [{"user_id": 3}],
    "Messages__read_conversation": [{"conversation_id": 1}],
    "Messages__search": [{"query": "boat"}],
    "Messages__regex_search": [{"query": "bo+at"}],
    "Messages__send_message": [{"user_id": 4, "content": "Hello."}, {"content": "Hello."}],
    "Messages__send_message_to_group_conversation": [{"conversation_id": 2, "content": "Hello."}],
    "Messages__create_group_conversation": [{"user_ids": [2, 4]}],
    "Messages__create_and_add_message": [{"conversation_id": 2, "sender_id": 3, "content": "It is repaired now."}],
    "Messages__download_attachment": [{"conversation_id": 2, "message_id": 3}],
    "Messages__add_participant_to_conversation": [{"conversation_id": 2, "user_id": 4}],
    "Messages__remove_participant_from_conversation": [{"conversation_id": 2, "user_id": 3}],
    "Messages__change_conversation_title": [{"conversation_id": 2, "title": "Boats"}],
    "Messages__open_conversation": [{"conversation_id": 1}],
    "Messages__search_conversations": [{"query": "boat"}],
}
