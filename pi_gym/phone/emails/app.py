"""The app Emails: its tables, its screens, the folders, and how mails are found and shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from pi_gym.apps.attachments import TABLE, attached, attachment_table
from pi_gym.apps.columns import Column, TableSpec
from pi_gym.apps.mail_forms import MAX_SUBJECT_CHARS
from pi_gym.apps.row_search import search
from pi_gym.phone.declare import PhoneApp, Screen
from pi_gym.phone.phone_desk import PhoneDesk
from pi_gym.phone.showing import beginning
from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError

MailFolder: TypeAlias = Literal["INBOX", "SENT", "DRAFT", "TRASH"]
#: A draft on the screen, before anything was written in it; "attachments" are workspace files.
EMPTY_DRAFT: Mapping[str, Any] = {
    "recipients": [],
    "cc": [],
    "subject": "",
    "content": "",
    "attachments": [],
    "parent_id": None,
}
EMAILS = "emails"
SEARCHED = {"subject": 8, "sender": 4, "recipients": 2, "cc": 2, "content": 1}

APP = PhoneApp(
    "Emails",
    "the mail",
    "The owner's mailbox with the folders INBOX, SENT, DRAFT and TRASH. Deleting moves a mail to TRASH, and deletes for"
    " good what lies there. A mail counts as read once its owner opened it; an agent's looking leaves no trace.",
    {
        EMAILS: TableSpec(
            {
                "folder": Column(MailFolder, "where it lies: INBOX, SENT, DRAFT or TRASH", "INBOX"),
                "sender": Column(str, "the address of who wrote it", max_chars=254),
                "recipients": Column(list[str], "the addresses that it goes to"),
                "cc": Column(list[str], "the addresses that get a copy", []),
                "subject": Column(str, "its subject", "", max_chars=MAX_SUBJECT_CHARS),
                "content": Column(str, "its text", ""),
                "parent_id": Column(int | None, "the id of the mail that it answers, which may be gone", None),
                "timestamp": Column(str, "when it was sent, or saved, ISO 8601 with seconds"),
                "is_read": Column(bool, "whether the owner has opened it", False),
            },
            noun="e-mail",
            find="search_emails",
        ),
        TABLE: attachment_table("e-mail", EMAILS),
    },
    [
        Screen("MailboxView", {"folder": "INBOX"}),
        Screen("EmailDetail", {"email_id": None}),
        Screen("ComposeEmail", EMPTY_DRAFT),
    ],
)
MAILBOX, DETAIL, COMPOSE = "MailboxView", "EmailDetail", "ComposeEmail"


def need_in(desk: PhoneDesk, email_id: int, folder: str) -> Row:
    """A mail of a folder; ToolError where it is gone or lies in another one."""
    row = desk.need(EMAILS, email_id)
    if row["folder"] != folder:
        raise ToolError(f"The e-mail {email_id} lies in {row['folder']}, not in {folder}.")
    return row


def mails_in(desk: PhoneDesk, folder: str) -> list[tuple[int, Row]]:
    """The mails of a folder, the newest first."""
    return sorted(desk.having(EMAILS, "folder", folder), key=lambda pair: (pair[1]["timestamp"], pair[0]), reverse=True)


def mails_found(desk: PhoneDesk, query: str, folder: str) -> list[tuple[int, Row]]:
    """The mails of a folder that have a word of the query, best first."""
    if not query.strip():
        raise ToolError("query is empty; give words of a subject, a text or an address.")
    return search(desk.table(EMAILS), query, SEARCHED, where={"folder": folder})


def whole_mail(desk: PhoneDesk, email_id: int, row: Row) -> dict[str, Any]:
    """A mail whole, with the texts of its files."""
    return {"email_id": email_id, **row, "attachments": attached(desk, email_id)}


def mail_line(desk: PhoneDesk, email_id: int, row: Row) -> dict[str, Any]:
    """A mail as a list shows it."""
    shown = ("sender", "recipients", "subject", "timestamp", "is_read")
    return {
        "email_id": email_id,
        **{name: row[name] for name in shown},
        "beginning": beginning(row["content"]),
        "attachments": [file["file_name"] for _, file in desk.having(TABLE, "record", email_id)],
    }
