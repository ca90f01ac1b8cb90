"""Sending: a mail comes into the threads of all whom it concerns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pi_gym.apps.accounts import full_name
from pi_gym.apps.attachments import TABLE
from pi_gym.apps.columns import MAX_TEXT_CHARS
from pi_gym.apps.desk import Desk
from pi_gym.apps.gmail.addresses import shown_name
from pi_gym.apps.gmail.mailbox import EMAILS, Mail, address_of, bring_back
from pi_gym.apps.mail_forms import forwarded_head
from pi_gym.apps.texts import is_blank
from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError

File = dict[str, Any]


def send(
    desk: Desk,
    recipients: Sequence[str],
    subject: str,
    body: str,
    files: Sequence[File],
    thread: int | None = None,
    response_to: int | None = None,
) -> dict[str, Any]:
    """Send a mail from the account that is signed in.

    Args:
        desk: the app.
        recipients: addresses that have a mailbox, each once.
        subject: its subject.
        body: its text.
        files: rows of attachments, without their record.
        thread: the thread that it goes to; None for a new one, which gets the mail's id.
        response_to: the mail that it answers.

    Returns:
        A message and the ids, for the agent.

    Raises:
        ToolError: there is neither subject nor text nor file, or a text is too long.
    """
    if is_blank(subject) and is_blank(body) and not files:
        raise ToolError("The mail is empty; give a subject or a body.")
    table = desk.table(EMAILS)
    goes_to = table.free_key(desk.context.ids + 1) if thread is None else thread
    email = desk.insert(
        EMAILS,
        thread=goes_to,
        sender=address_of(desk),
        recipients=list(recipients),
        subject=" ".join(subject.split()),
        body=body,
        response_to=response_to,
        created_at=desk.now,
    )
    put_files(desk, TABLE, email, files)
    if thread is not None:
        bring_back(desk, thread, recipients)
    message = f"Sent from {full_name(desk.account)} to {', '.join(recipients)}."
    return {"message": message, "email_id": email, "email_thread_id": goes_to}


def put_files(desk: Desk, table: str, record: int, files: Sequence[File]) -> None:
    """Let a mail or a draft carry files."""
    for file in files:
        desk.insert(table, record=record, **file)


def those_to_answer(desk: Desk, mail: Row) -> list[str]:
    """The addresses of an answer to a mail: its sender and recipients but oneself; oneself if there is nobody else."""
    own = address_of(desk)
    return [one for one in dict.fromkeys([mail["sender"], *mail["recipients"]]) if one != own] or [own]


def quoted(desk: Desk, mails: Sequence[Mail]) -> str:
    """Mails as the text of a forwarded one, in order; long ones are cut alike where all would be too long."""
    heads = [_head(desk, row) for _, row in mails]
    bodies = [row["body"] for _, row in mails]
    room = MAX_TEXT_CHARS - sum(len(head) + 2 for head in heads)
    note = "… [cut]"
    if sum(map(len, bodies)) > room:
        each = room // len(mails) - len(note)
        if each < 0:
            raise ToolError(
                f"The thread is too long to be forwarded: {len(mails)} mails. Tell its gist by gmail__send_email."
            )
        bodies = [body if len(body) <= each else body[:each] + note for body in bodies]
    return "\n\n".join(head + body for head, body in zip(heads, bodies, strict=True))


def _head(desk: Desk, row: Row) -> str:
    return forwarded_head(shown_name(desk, row["sender"]), row["created_at"], row["subject"], row["recipients"])
