"""Operations on what an account made of a thread: read, starred, archived, its label."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pi_gym.apps.desk import Desk
from pi_gym.apps.gmail.app import APP
from pi_gym.apps.gmail.mailbox import LABEL, STATES, UNREAD_LABEL, Mailbox, ThreadView, change_state, need_thread
from pi_gym.apps.pages import page
from pi_gym.apps.texts import is_blank
from pi_gym.tools.declare import ToolError


@APP.operation("write")
def mark_thread_read(desk: Desk, email_thread_id: int) -> Any:
    """Mark a thread as read.

    Args:
        email_thread_id: the thread's id.
    """
    return _mark(desk, need_thread(desk, email_thread_id), "read", True, "read")


@APP.operation("write")
def mark_thread_unread(desk: Desk, email_thread_id: int) -> Any:
    """Mark a thread as unread.

    Args:
        email_thread_id: the thread's id.
    """
    return _mark(desk, need_thread(desk, email_thread_id), "read", False, "unread")


@APP.operation("write")
def mark_thread_starred(desk: Desk, email_thread_id: int) -> Any:
    """Give a thread a star.

    Args:
        email_thread_id: the thread's id.
    """
    return _mark(desk, need_thread(desk, email_thread_id), "starred", True, "starred")


@APP.operation("write")
def mark_thread_archived(desk: Desk, email_thread_id: int) -> Any:
    """Take a thread out of the inbox; it can still be found. A new mail in it brings it back.

    Args:
        email_thread_id: the thread's id.
    """
    return _mark(desk, need_thread(desk, email_thread_id), "archived", True, "archived")


@APP.operation("write")
def label_thread(desk: Desk, email_thread_id: int, label: str) -> Any:
    """Give a thread a label, an existing or a new one. A thread has one label at most: the new one replaces the old.

    Args:
        email_thread_id: the thread's id.
        label: the label, at most 40 characters; search_labels lists those in use.
    """
    view, wanted = need_thread(desk, email_thread_id), " ".join(label.split())
    if is_blank(wanted):
        raise ToolError("The label is empty; give one, or take a thread's label away by gmail__unlabel_thread.")
    known = wanted
    if not any(row["account"] == desk.account_id for _, row in desk.having(STATES, "label", wanted)):
        # "Travel" and "travel" are one label, written as it is known.
        folded = wanted.casefold()
        same = (name for name in _labels(Mailbox(desk).sizes()) if name.casefold() == folded)
        known = next(same, wanted)
    if view.label == known:
        return {"message": f"The thread had the label {known} already.", "email_thread_id": view.thread}
    change_state(desk, view.thread, label=known)
    instead = f" instead of {view.label}" if view.label else ""
    return {"message": f"The thread has the label {known} now{instead}.", "email_thread_id": view.thread}


@APP.operation("write")
def unlabel_thread(desk: Desk, email_thread_id: int) -> Any:
    """Take away the label of a thread.

    Args:
        email_thread_id: the thread's id.
    """
    view = need_thread(desk, email_thread_id)
    if not view.label:
        raise ToolError(f"The thread {email_thread_id} has no label; gmail__label_thread gives one.")
    change_state(desk, view.thread, label="")
    return {"message": f"The label {view.label} was taken away.", "email_thread_id": view.thread}


@APP.operation("read")
def search_labels(desk: Desk, query: str = "", page_index: int = 0, page_limit: int = 5) -> Any:
    """Search the labels that your threads have, in alphabetical order, with how many threads have each.

    Args:
        query: a part of the label's name; empty for all labels.
        page_index: which page, from 0.
        page_limit: labels a page, 1 to 20.
    """
    wanted, sizes = query.strip().casefold(), Mailbox(desk).sizes()
    found: list[tuple[int, Any]] = [
        (at, {"label": name, "threads": sizes[LABEL + name], "unread": sizes[UNREAD_LABEL + name]})
        for at, name in enumerate(name for name in _labels(sizes) if wanted in name.casefold())
    ]
    nothing = "No label matches; gmail__search_labels without a query lists all, gmail__label_thread makes new ones."
    return page(found, page_index, page_limit, "labels", lambda _, row: row, nothing)


def _labels(sizes: Mapping[str, int]) -> list[str]:
    """The labels in use, in alphabetical order."""
    return sorted(name.removeprefix(LABEL) for name, count in sizes.items() if count and name.startswith(LABEL))


def _mark(desk: Desk, view: ThreadView, column: str, value: bool, word: str) -> dict[str, Any]:
    if getattr(view, column) == value:
        return {"message": f"The thread was {word} already.", "email_thread_id": view.thread}
    change_state(desk, view.thread, **{column: value})
    return {"message": f"The thread is {word} now.", "email_thread_id": view.thread}
