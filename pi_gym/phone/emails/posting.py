"""Mails that go out, come in, move and are deleted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pi_gym.apps.attachments import TABLE, attach, files_of, files_on
from pi_gym.apps.columns import MAX_TEXT_CHARS
from pi_gym.apps.mail_forms import addresses, answer_to, forwarded, forwarded_head
from pi_gym.apps.texts import is_blank
from pi_gym.phone.emails.app import EMAILS
from pi_gym.phone.phone_desk import PhoneDesk
from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError

CUT = "… [cut]"
FIND = "Contacts__search_contacts"


def checked_addresses(given: Sequence[str] | None) -> list[str]:
    """Addresses as they are kept, each once; ToolError where one is none."""
    return addresses(given or (), FIND)


def sent(
    desk: PhoneDesk,
    recipients: Sequence[str] | None,
    subject: str,
    content: str,
    cc: Sequence[str] | None,
    files: Sequence[dict[str, Any]],
    parent_id: int | None = None,
) -> dict[str, Any]:
    """The result of sending a mail, which then lies in SENT.

    Args:
        desk: the app.
        recipients: addresses that it goes to.
        subject: its subject.
        content: its text.
        cc: addresses that get a copy.
        files: rows of attachments, without their record.
        parent_id: the mail that it answers.

    Raises:
        ToolError: nobody would get it, or there is nothing in it.
    """
    to, copies = checked_addresses(recipients), checked_addresses(cc)
    if not to:
        raise ToolError(f"There is nobody to send it to; give at least one address. {FIND} finds them.")
    if is_blank(subject) and is_blank(content) and not files:
        raise ToolError("The mail is empty; give a subject or a text.")
    number = kept(desk, "SENT", to, copies, subject, content, files, parent_id)
    return {"message": f"Sent to {', '.join(dict.fromkeys([*to, *copies]))}.", "email_id": number}


def kept(
    desk: PhoneDesk,
    folder: str,
    recipients: list[str],
    cc: list[str],
    subject: str,
    content: str,
    files: Sequence[dict[str, Any]],
    parent_id: int | None,
) -> int:
    """A new mail of the owner's in a folder, with its files; its id. See `sent`."""
    number = desk.insert(
        EMAILS,
        folder=folder,
        sender=desk.owner.email,
        recipients=recipients,
        cc=cc,
        subject=" ".join(subject.split()),
        content=content,
        parent_id=parent_id,
        timestamp=desk.now,
        is_read=True,
    )
    attach(desk, number, files)
    return number


def answered(desk: PhoneDesk, email_id: int, row: Row, content: str, paths: Sequence[str] | None) -> dict[str, Any]:
    """The result of answering a mail; ToolError where the answer would be empty."""
    if is_blank(content) and not paths:
        raise ToolError("The answer is empty; give its text as content.")
    files = files_of(desk, paths or ())
    return sent(desk, those_to_answer(desk, row), answer_to(row["subject"]), content, None, files, email_id)


def those_to_answer(desk: PhoneDesk, row: Row) -> list[str]:
    """The addresses of an answer: the sender; of the owner's own mail, those it went to."""
    to: list[str] = row["recipients"] if row["sender"] == desk.owner.email else [row["sender"]]
    return to


def passed_on(desk: PhoneDesk, email_id: int, row: Row, recipients: Sequence[str] | None) -> dict[str, Any]:
    """The result of forwarding a mail with its files; a text that would become too long is cut."""
    text = forwarded_head(row["sender"], row["timestamp"], row["subject"], row["recipients"]) + row["content"]
    if len(text) > MAX_TEXT_CHARS:
        text = text[: MAX_TEXT_CHARS - len(CUT)] + CUT
    return sent(desk, recipients, forwarded(row["subject"]), text, None, files_on(desk, TABLE, email_id))


def moved(desk: PhoneDesk, email_id: int, row: Row, folder: str) -> str:
    """The result of moving a mail; ToolError where it lies in that folder already."""
    if row["folder"] == folder:
        raise ToolError(f"The e-mail {email_id} lies in {folder} already.")
    desk.update(EMAILS, email_id, folder=folder)
    return f"E-mail {email_id} moved to {folder}."


def deleted(desk: PhoneDesk, email_id: int, row: Row) -> str:
    """The result of deleting a mail: it goes to TRASH, and from there for good."""
    if row["folder"] != "TRASH":
        return moved(desk, email_id, row, "TRASH")
    for key, _ in desk.having(TABLE, "record", email_id):
        desk.delete(TABLE, key)
    desk.delete(EMAILS, email_id)
    return f"E-mail {email_id} deleted for good."
