"""The app Messages: its tables, its screens, and how conversations are shown."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pi_gym.apps.attachments import TABLE as ATTACHMENTS
from pi_gym.apps.attachments import attachment_table
from pi_gym.apps.columns import Column, TableSpec
from pi_gym.phone.declare import PhoneApp, Screen
from pi_gym.phone.phone_desk import PhoneDesk
from pi_gym.phone.showing import page
from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError

TITLE_CHARS = 200
APP = PhoneApp(
    "Messages",
    "the messages",
    "Conversations of the owner with one person or with a group. One of two has no title of its own; a group has one.",
    {
        "people": TableSpec(
            {
                "name": Column(str, "the full name", max_chars=TITLE_CHARS),
                "phone": Column(str, "the phone number", "", max_chars=60),
                "is_user": Column(bool, "whether it is the phone's owner", False),
            },
            noun="person",
            find="lookup_user_id",
        ),
        "conversations": TableSpec(
            {
                "title": Column(str, "a group's title; empty for a conversation of two", "", max_chars=TITLE_CHARS),
                "participants": Column(list[int], "the ids of its people, the owner among them", refers="people"),
                "created_at": Column(str, "when it was begun, ISO 8601; empty: with its first message", ""),
            },
            noun="conversation",
            find="list_recent_conversations",
        ),
        "messages": TableSpec(
            {
                "conversation": Column(int, "the conversation's id", refers="conversations"),
                "sender": Column(int, "the id of who wrote it", refers="people"),
                "content": Column(str, "the text", ""),
                "timestamp": Column(str, "when it was sent, ISO 8601"),
            },
            noun="message",
            find="read_conversation",
        ),
        ATTACHMENTS: attachment_table("message", "messages"),
    },
    [Screen("ConversationList"), Screen("ConversationOpened", {"conversation_id": None})],
)
PEOPLE, CONVERSATIONS, MESSAGES = "people", "conversations", "messages"
LIST, OPENED = APP.screens


def own_id(desk: PhoneDesk) -> int:
    """The id of the phone's owner."""
    mine = desk.having(PEOPLE, "is_user", True)
    if not mine:
        raise ToolError("The owner is not among the people of the messages.")
    return mine[0][0]


def is_group(row: Row) -> bool:
    """Whether a conversation is a group's."""
    return bool(row["title"]) or len(row["participants"]) != 2


def title_of(desk: PhoneDesk, row: Row) -> str:
    """The title under which a conversation is shown: its own, or the names of the others."""
    people = (desk.need(PEOPLE, one) for one in row["participants"])
    return row["title"] or ", ".join(one["name"] for one in people if not one["is_user"])


def messages_of(desk: PhoneDesk, conversation: int, first: str = "", last: str = "9999") -> list[tuple[int, Row]]:
    """The messages of a conversation between two times as (id, row), the newest first."""
    rows = desk.having(MESSAGES, "conversation", conversation)
    return newest_first(pair for pair in rows if first <= pair[1]["timestamp"] <= last)


def newest_first(rows: Iterable[tuple[int, Row]]) -> list[tuple[int, Row]]:
    """Messages as (id, row), the newest first."""
    return sorted(rows, key=lambda pair: (pair[1]["timestamp"], pair[0]), reverse=True)


def last_updated(desk: PhoneDesk, key: int, row: Row) -> str:
    """The time of a conversation's last message, or of its beginning."""
    times: list[str] = [one["timestamp"] for _, one in desk.having(MESSAGES, "conversation", key)]
    return max(times, default=row["created_at"])


def recent(desk: PhoneDesk, rows: list[tuple[int, Row]]) -> list[tuple[int, Row]]:
    """Conversations as (id, row), the one with the newest message first."""
    return sorted(rows, key=lambda pair: (last_updated(desk, *pair), pair[0]), reverse=True)


def message(desk: PhoneDesk, key: int, row: Row) -> dict[str, Any]:
    """A message whole, with the names of the files that it carries."""
    shown = {
        "message_id": key,
        "sender_id": row["sender"],
        "sender": desk.need(PEOPLE, row["sender"])["name"],
        "timestamp": row["timestamp"],
        "content": row["content"],
    }
    files = [one["file_name"] for _, one in desk.having(ATTACHMENTS, "record", key)]
    return {**shown, "attachments": files} if files else shown


def heading(desk: PhoneDesk, key: int, row: Row) -> dict[str, Any]:
    """A conversation without its messages."""
    return {
        "conversation_id": key,
        "title": title_of(desk, row),
        "participants": [{"user_id": one, "name": desk.need(PEOPLE, one)["name"]} for one in row["participants"]],
        "last_updated": last_updated(desk, key, row),
    }


def conversation(
    desk: PhoneDesk, key: int, offset: int, limit: int, first: str = "", last: str = "9999"
) -> dict[str, Any]:
    """A conversation with a page of its messages between two times, the newest first."""
    head = heading(desk, key, desk.need(CONVERSATIONS, key))
    found = messages_of(desk, key, first, last)
    return head | page(found, offset, limit, "messages", lambda one, row: message(desk, one, row))


def conversation_list(
    desk: PhoneDesk, rows: list[tuple[int, Row]], offset: int, limit: int, offset_messages: int, limit_messages: int
) -> dict[str, Any]:
    """A page of conversations, the latest first, each with a page of its messages."""

    def entry(key: int, _: Row) -> dict[str, Any]:
        return conversation(desk, key, offset_messages, limit_messages)

    return page(recent(desk, rows), offset, limit, "conversations", entry)
