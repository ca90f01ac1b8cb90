"""Notifications: what others did to tasks that concern the account."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pi_gym.apps.accounts import full_name
from pi_gym.apps.desk import Desk
from pi_gym.apps.pages import page
from pi_gym.apps.todoist.app import APP, Kind
from pi_gym.apps.todoist.texts import shortened
from pi_gym.state.tables import Row

QUOTED_CHARS = 200
_DID: dict[Kind, str] = {
    "assigned": "assigned you",
    "comment": "commented on",
    "completed": "completed",
}


def notify(desk: Desk, accounts: Iterable[int], kind: Kind, task_id: int, task: Row, quoted: str = "") -> None:
    """Tell others what the account that is signed in did to a task; the account itself is never told.

    Args:
        desk: the app.
        accounts: whom to tell.
        kind: what was done.
        task_id: the task's id.
        task: its row.
        quoted: a text to quote the beginning of.
    """
    message = told(full_name(desk.account), kind, task["title"], quoted)
    for account in sorted(set(accounts) - {desk.account_id}):
        desk.insert("notifications", account=account, kind=kind, message=message, task=task_id, created_at=desk.now)


def told(who: str, kind: Kind, title: str, quoted: str = "") -> str:
    """The text of a notification that somebody did something to a task.

    >>> told("Per Other", "assigned", "Sweep the floor")
    "Per Other assigned you 'Sweep the floor'."
    """
    return f"{who} {_DID[kind]} {title!r}" + (f": {shortened(quoted, QUOTED_CHARS)}" if quoted else ".")


@APP.operation("read")
def show_notifications(desk: Desk, page_index: int = 0, page_limit: int = 5, read: bool | None = None) -> Any:
    """Show your notifications, newest first: tasks assigned to you, comments, completions, due dates.

    Each has its task_id, null where the task has been deleted since.

    Args:
        page_index: which page, from 0.
        page_limit: notifications a page, 1 to 20.
        read: only those that are read (true) or unread (false); null for both.
    """
    found = sorted(_own(desk, read), key=lambda pair: (pair[1]["created_at"], pair[0]), reverse=True)
    return page(found, page_index, page_limit, "notifications", _shown, "There are no such notifications.")


@APP.operation("read")
def show_notifications_count(desk: Desk, read: bool | None = None) -> Any:
    """Count your notifications.

    Args:
        read: only those that are read (true) or unread (false); null for both.
    """
    return {"count": len(_own(desk, read))}


@APP.operation("write")
def mark_notification(desk: Desk, notification_id: int, read: bool = True) -> Any:
    """Mark one of your notifications as read or unread.

    Args:
        notification_id: the notification's id, from show_notifications.
        read: true for read, false for unread.
    """
    desk.need("notifications", notification_id)
    desk.update("notifications", notification_id, is_read=read)
    return {"message": f"Notification marked as {'read' if read else 'unread'}.", "notification_id": notification_id}


@APP.operation("write")
def delete_notifications(desk: Desk) -> Any:
    """Delete all of your notifications, read and unread, for good; the tasks stay."""
    found = desk.own("notifications")
    for key, _ in found:
        desk.delete("notifications", key)
    return {"message": f"Notifications deleted: {len(found)}."}


def _own(desk: Desk, read: bool | None) -> list[tuple[int, Row]]:
    return [pair for pair in desk.own("notifications") if read is None or pair[1]["is_read"] == read]


def _shown(key: int, row: Row) -> dict[str, Any]:
    return {
        "notification_id": key,
        "kind": row["kind"],
        "message": row["message"],
        "task_id": row["task"],
        "read": row["is_read"],
        "created_at": row["created_at"],
    }
