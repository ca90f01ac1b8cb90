"""Mails, threads and drafts as an agent sees them."""

from __future__ import annotations

import json
from typing import Any

from pi_gym.apps.attachments import TABLE
from pi_gym.apps.desk import Desk
from pi_gym.apps.gmail.addresses import shown_name
from pi_gym.apps.gmail.app import DRAFT_FILES
from pi_gym.apps.gmail.mailbox import Side, ThreadView, address_of, on_side
from pi_gym.state.tables import Row

PREVIEW_CHARS = 100
MANY = 5
THREAD_CHARS = 13_000
RESULT_CHARS = 14_500
"""The most characters of a result, with some room below what the agent is given of any result."""


def listed_thread(desk: Desk, view: ThreadView, side: Side) -> dict[str, Any]:
    """A thread in a list: its newest mail of a side, or of both, stands for it."""
    address = address_of(desk)
    key, row = next(mail for mail in reversed(view.mails) if on_side(mail[1], side, address))
    return {
        "email_thread_id": view.thread,
        "subject": view.subject,
        "emails": len(view.mails),
        "created_at": view.created_at,
        "updated_at": view.updated_at,
        "read": view.read,
        "starred": view.starred,
        "archived": view.archived,
        "spam": view.spam,
        "label": view.label or None,
        "attachments": any(carries_files(desk, one) for one, _ in view.mails),
        "last_email": {
            "email_id": key,
            "from": shown_name(desk, row["sender"]),
            "to": some_recipients(row),
            "created_at": row["created_at"],
            "preview": preview(row["body"]),
        },
    }


def some_recipients(row: Row) -> list[str]:
    """The first addresses that a mail or draft goes to, and how many more there are."""
    to: list[str] = row["recipients"]
    return to if len(to) <= MANY else [*to[: MANY - 1], f"and {len(to) - MANY + 1} more"]


def shown_mail(desk: Desk, key: int, row: Row, to: list[str]) -> dict[str, Any]:
    """A mail without its thread: the body whole, files by name."""
    return {
        "email_id": key,
        "from": shown_name(desk, row["sender"]),
        "to": to,
        "subject": row["subject"],
        "created_at": row["created_at"],
        "response_to_email_id": row["response_to"],
        "attachments": [file["file_name"] for _, file in desk.having(TABLE, "record", key)],
        "body": row["body"],
    }


def shorten(mails: list[dict[str, Any]]) -> None:
    """Cut the bodies of a thread's mails to what fits a result: long ones share what short ones leave."""
    if _length(mails) <= THREAD_CHARS:  # as of most threads
        return
    note = "… [cut; gmail__show_email gives the whole mail]"
    lengths = sorted(_length(mail["body"]) for mail in mails)
    room = THREAD_CHARS - sum(_length({**mail, "body": ""}) for mail in mails)
    each = room // len(mails)
    for count, length in zip(range(len(lengths), 0, -1), lengths, strict=True):
        each = max(0, room // count)
        if length > each:
            break
        room -= length
    for mail in mails:
        mail["body"] = (
            cut(mail["body"], max(0, each - len(note)), note) if _length(mail["body"]) > each else mail["body"]
        )


def with_files(desk: Desk, table: str, key: int, result: dict[str, Any]) -> dict[str, Any]:
    """A result with a record's files: their texts too, cut where all together would be too long."""
    files = [row for _, row in desk.having(table, "record", key)]
    room = RESULT_CHARS - _length(result) - 200 * len(files)
    each = max(0, room // max(1, len(files)))
    result["attachments"] = [
        {
            "file_name": row["file_name"],
            "bytes": row["bytes"],
            "text": cut(row["text"], each, "… [cut]") if row["text"] else "",
        }
        for row in files
    ]
    return result


def shown_draft(desk: Desk, key: int, row: Row) -> dict[str, Any]:
    """A draft without the texts of its files."""
    return {
        "draft_id": key,
        "to": row["recipients"],
        "subject": row["subject"],
        "belongs_to_email_thread_id": row["thread"],
        "response_to_email_id": row["response_to"],
        "scheduled_send_at": row["scheduled_send_at"],
        "created_at": row["created_at"],
        "updated_at": row["updated_at"],
        "attachments": [file["file_name"] for _, file in desk.having(DRAFT_FILES, "record", key)],
        "body": row["body"],
    }


def preview(text: str) -> str:
    """The beginning of a text on one line."""
    line = " ".join(text[: 4 * PREVIEW_CHARS].split())
    return line if len(line) <= PREVIEW_CHARS else line[:PREVIEW_CHARS] + "…"


def cut(text: str, most: int, note: str) -> str:
    """A text of at most so many characters as JSON writes them, and a note where something is missing."""
    if _length(text) - 2 <= most:
        return text
    kept = text[: max(0, most)]
    while kept and _length(kept) - 2 > most:
        kept = kept[: len(kept) * 9 // 10]
    return kept + note


def carries_files(desk: Desk, email: int) -> bool:
    """Whether a mail carries files."""
    return bool(desk.having(TABLE, "record", email))


def _length(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False))
