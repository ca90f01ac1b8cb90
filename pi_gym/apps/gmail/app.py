"""The app Gmail: its tables, and whose mailbox is open."""

from __future__ import annotations

from typing import Any, Literal

from pi_gym.apps.accounts import find_account, profile, search_accounts, sign_in
from pi_gym.apps.attachments import TABLE, attachment_table
from pi_gym.apps.columns import ACCOUNTS, Column, TableSpec
from pi_gym.apps.declare import App
from pi_gym.apps.desk import Desk
from pi_gym.apps.mail_forms import MAX_SUBJECT_CHARS, is_address
from pi_gym.apps.pages import page
from pi_gym.apps.texts import is_blank
from pi_gym.tools.declare import ToolError

CATEGORIES = ("primary", "social", "promotions", "updates", "forums")
DRAFT_FILES = "draft_attachments"
MIN_PASSWORD_CHARS, MAX_PASSWORD_CHARS = 8, 200
MAX_NAME_CHARS = 60

APP = App(
    "gmail",
    "Gmail",
    "E-mail in threads. A mail lies in the outbox of its sender and in the inbox of everybody it was sent to, once, for"
    " all of them: nothing is copied. What an account made of a thread (read, starred, archived, spam, its label) is"
    " its own. Of a thread, an account sees the mails that it wrote or was sent. Every recipient needs a mailbox.\n\n"
    "A task that brings a mail adds one row of `emails`, and one of `thread_states` only where the thread shall not be"
    " new and unread. In a seed world made by `pi-gym make-world`, the id of the person's row for a thread is the"
    " thread's number.",
    {
        "emails": TableSpec(
            {
                "thread": Column(int, "the thread that it belongs to; a number that no other mail has begins a thread"),
                "sender": Column(str, "the address of who wrote it"),
                "recipients": Column(list[str], "the addresses that it was sent to, each once"),
                "subject": Column(str, "its subject", "", max_chars=MAX_SUBJECT_CHARS),
                "body": Column(str, "its text", ""),
                "response_to": Column(int | None, "the mail of the thread that it answers", None, "emails"),
                "category": Column(Literal[CATEGORIES], "what the service takes it for", "primary"),
                "created_at": Column(str, "when it was sent, ISO 8601", "2026-01-01T09:00:00"),
            },
            noun="e-mail",
            find="show_thread",
        ),
        "thread_states": TableSpec(
            {
                "account": Column(int, "the id of the account whose view of the thread this is", 1, ACCOUNTS),
                "thread": Column(int, "the thread; one without a row is in the inbox, unread if mails came in"),
                "read": Column(bool, "whether it was read", False),
                "starred": Column(bool, "whether it has a star", False),
                "archived": Column(bool, "whether it was taken out of the inbox", False),
                "spam": Column(bool, "whether it lies among spam", False),
                "label": Column(str, "its label; empty for none", "", max_chars=40),
            },
            noun="thread",
            owner="account",
        ),
        "drafts": TableSpec(
            {
                "account": Column(int, "the id of the account that writes it", 1, ACCOUNTS),
                "recipients": Column(list[str], "the addresses that it will be sent to", []),
                "subject": Column(str, "its subject", "", max_chars=MAX_SUBJECT_CHARS),
                "body": Column(str, "its text", ""),
                "thread": Column(int | None, "the thread that it will belong to; null for a new one", None),
                "response_to": Column(int | None, "the mail that it answers", None, "emails"),
                "scheduled_send_at": Column(str | None, "when it shall be sent, ISO 8601", None),
                "created_at": Column(str, "when it was begun, ISO 8601", "2026-01-01T09:00:00"),
                "updated_at": Column(str, "when it was last changed, ISO 8601", "2026-01-01T09:00:00"),
            },
            noun="draft",
            find="show_drafts",
            owner="account",
        ),
        TABLE: attachment_table("e-mail", "emails"),
        DRAFT_FILES: attachment_table("draft", "drafts"),
    },
    logout="",
)


@APP.operation("write", open=False)
def signup(desk: Desk, first_name: str, last_name: str, email: str, password: str) -> Any:
    """Open a new mailbox and sign in to it; whoever was signed in before is signed out.

    Args:
        first_name: the holder's first name.
        last_name: the holder's last name.
        email: the address of the new mailbox; nobody may have it yet.
        password: the new password, 8 characters or more.
    """
    address = email.strip().casefold()
    names = {"first_name": first_name.strip(), "last_name": last_name.strip()}
    for name, value in names.items():
        if is_blank(value):
            raise ToolError(f"{name} is empty; give the holder's name.")
        if len(value) > MAX_NAME_CHARS or not value.isprintable() or set(value) & set('<>@"'):
            # It stands in front of the address of every mail, where it must not look like another address.
            raise ToolError(f"{name} must be a name of at most {MAX_NAME_CHARS} characters, without < > @ and quotes.")
    if not is_address(address):
        raise ToolError(f"{email[:80]!r} is no e-mail address; write one like name@place.example.")
    if find_account(desk, address) is not None:
        raise ToolError(f"There is a mailbox {address[:80]} already; gmail__login opens it, or choose another address.")
    if len(password) < MIN_PASSWORD_CHARS:
        raise ToolError(f"The password is too short; it needs {MIN_PASSWORD_CHARS} characters or more.")
    if len(password) > MAX_PASSWORD_CHARS:
        raise ToolError(f"The password is too long; at most {MAX_PASSWORD_CHARS} characters are possible.")
    desk.insert(ACCOUNTS, **names, email=address, password=password)
    return sign_in(desk, address, password)


@APP.operation("read")
def search_users(desk: Desk, query: str = "", page_index: int = 0, page_limit: int = 5) -> Any:
    """Search everybody who has a mailbox, by name or address; best match first. Mails can be sent to these only.

    Args:
        query: a name, an address or parts of them; empty for all users.
        page_index: which page, from 0.
        page_limit: users a page, 1 to 20.
    """
    found = search_accounts(desk, query)
    nothing = "Nobody matches. Try the last name alone, or gmail__search_users without a query for all users."
    return page(found, page_index, page_limit, "users", lambda _, account: profile(account), nothing)
