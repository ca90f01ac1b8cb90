"""Mails that come from outside."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pi_gym.apps.attachments import attach, files_of
from pi_gym.apps.mail_forms import answer_to
from pi_gym.phone.declare import EVENT
from pi_gym.phone.emails.app import APP, EMAILS, MailFolder
from pi_gym.phone.phone_desk import PhoneDesk
from pi_gym.phone.showing import beginning, in_lines, named
from pi_gym.tools.declare import ToolError


@APP.operation("write", EVENT)
def send_email_to_user_with_id(
    desk: PhoneDesk,
    email_id: int,
    sender: str,
    subject: str = "",
    content: str = "",
    attachment_paths: list[str] | None = None,
) -> Any:
    """A mail comes to the owner, under an id that is known before.

    Args:
        email_id: its id.
        sender: the address of who wrote it.
        subject: its subject.
        content: its text.
        attachment_paths: workspace files that it carries.
    """
    desk.insert_as(EMAILS, email_id, **_row(desk, sender, [desk.owner.email], subject, content))
    return _arrived(desk, email_id, attachment_paths or ())


@APP.operation("write", EVENT)
def send_email_to_user_only(desk: PhoneDesk, sender: str, subject: str = "", content: str = "") -> Any:
    """A mail comes to the owner.

    Args:
        sender: the address of who wrote it.
        subject: its subject.
        content: its text.
    """
    return _arrived(desk, desk.insert(EMAILS, **_row(desk, sender, [desk.owner.email], subject, content)))


@APP.operation("write", EVENT)
def reply_to_email_from_user(
    desk: PhoneDesk, sender: str, email_id: int, content: str = "", attachment_paths: list[str] | None = None
) -> Any:
    """Somebody answers a mail that the owner sent.

    Args:
        sender: the address of who answers.
        email_id: the owner's mail.
        content: the answer's text.
        attachment_paths: workspace files that it carries.
    """
    row = desk.need(EMAILS, email_id)
    if row["sender"] != desk.owner.email:
        raise ToolError(f"The e-mail {email_id} is from {row['sender']}, not from the owner.")
    answer = _row(desk, sender, [desk.owner.email], answer_to(row["subject"]), content)
    return _arrived(desk, desk.insert(EMAILS, **answer, parent_id=email_id), attachment_paths or ())


@APP.operation("write", EVENT)
def create_and_add_email(
    desk: PhoneDesk,
    sender: str,
    recipients: list[str] | None = None,
    subject: str = "",
    content: str = "",
    folder_name: MailFolder = "INBOX",
) -> Any:
    """A mail comes into a folder.

    Args:
        sender: the address of who wrote it.
        recipients: the addresses that it goes to; null for the owner's alone.
        subject: its subject.
        content: its text.
        folder_name: the folder.
    """
    row = _row(desk, sender, recipients or [desk.owner.email], subject, content)
    return _arrived(desk, desk.insert(EMAILS, **row, folder=folder_name))


def _row(desk: PhoneDesk, sender: str, recipients: list[str], subject: str, content: str) -> dict[str, Any]:
    columns = {"sender": sender, "recipients": recipients, "subject": subject, "content": content}
    return {**columns, "timestamp": desk.now}


def _arrived(desk: PhoneDesk, email_id: int, paths: Sequence[str] = ()) -> dict[str, Any]:
    """The result of a mail's coming, with its files, which the owner is notified of."""
    files = files_of(desk, paths)
    attach(desk, email_id, [{**file, "path": ""} for file in files])
    row = desk.need(EMAILS, email_id)
    place = "" if row["folder"] == "INBOX" else f" in {row['folder']}"
    head = f"New e-mail{place} from {row['sender']}" + (f": {row['subject']}" if row["subject"].strip() else "")
    others = [one for one in row["recipients"] if one != desk.owner.email]
    facts = named(email_id=str(email_id), also_to=others, files=[file["file_name"] for file in files])
    desk.notify(in_lines(head, beginning(row["content"])), in_lines(head, facts, row["content"]))
    return {"message": "The e-mail has come.", "email_id": email_id}
