"""Operations on mails: show, send, reply, forward."""

from __future__ import annotations

from typing import Any

from pi_gym.apps.attachments import TABLE, files_of, files_on
from pi_gym.apps.desk import Desk
from pi_gym.apps.gmail.addresses import FIND, recipients
from pi_gym.apps.gmail.app import APP
from pi_gym.apps.gmail.drafts import NO_TEXTS, begin_draft
from pi_gym.apps.gmail.mailbox import need_email, need_thread
from pi_gym.apps.gmail.posting import quoted, send, those_to_answer
from pi_gym.apps.gmail.shown import shown_mail, with_files
from pi_gym.apps.mail_forms import addresses, answer_to, forwarded
from pi_gym.apps.texts import is_blank
from pi_gym.tools.declare import ToolError


@APP.operation("read")
def show_email(desk: Desk, email_id: int) -> Any:
    """Show a mail whole, with the texts of its attached files. Its thread stays unread where it was.

    Args:
        email_id: the mail's id; lists of threads and show_thread have it.
    """
    row = need_email(desk, email_id)
    return with_files(
        desk, TABLE, email_id, {"email_thread_id": row["thread"], **shown_mail(desk, email_id, row, row["recipients"])}
    )


@APP.operation("write")
def send_email(
    desk: Desk,
    email_addresses: list[str],
    subject: str = "",
    body: str = "",
    attachment_file_paths: list[str] = NO_TEXTS,
    file_system_access_token: str | None = None,
) -> Any:
    """Send a new mail at once; it begins a thread.

    Args:
        email_addresses: whom it goes to, at least one; each needs a mailbox, search_users finds them.
        subject: its subject.
        body: its text, at most 10,000 characters.
        attachment_file_paths: workspace files to attach as they are now, like ~/notes/a.md.
        file_system_access_token: not needed; accepted and ignored.
    """
    return send(desk, recipients(desk, email_addresses), subject, body, files_of(desk, attachment_file_paths))


@APP.operation("write")
def reply_to_email(
    desk: Desk,
    email_thread_id: int,
    email_id: int,
    email_addresses: list[str] | None = None,
    attachment_file_paths: list[str] = NO_TEXTS,
    body: str = "",
    file_system_access_token: str | None = None,
) -> Any:
    """Answer a mail, at once and in its thread. The subject is the mail's, with Re: in front.

    Args:
        email_thread_id: the thread's id.
        email_id: the mail of the thread that is answered.
        email_addresses: whom the answer goes to; null for the mail's sender and recipients except yourself.
        attachment_file_paths: workspace files to attach as they are now, like ~/notes/a.md.
        body: its text, at most 10,000 characters; nothing is quoted.
        file_system_access_token: not needed; accepted and ignored.
    """
    view = need_thread(desk, email_thread_id)
    mail = need_email(desk, email_id)
    if mail["thread"] != view.thread:
        raise ToolError(f"The e-mail {email_id} is in the thread {mail['thread']}, not in {email_thread_id}.")
    if is_blank(body) and not attachment_file_paths:
        raise ToolError("The answer is empty; give a body.")
    to = recipients(desk, email_addresses or those_to_answer(desk, mail))
    return send(
        desk, to, answer_to(mail["subject"]), body, files_of(desk, attachment_file_paths), view.thread, email_id
    )


@APP.operation("write")
def forward_email_thread(
    desk: Desk, email_thread_id: int, email_addresses: list[str], draft_not_send: bool = False
) -> Any:
    """Forward the mails of a thread that you see, oldest first, and their attached files, as one new mail.

    It begins a thread of its own; its subject has Fwd: in front. Where the thread is too long for one mail, long mails
    are cut. To add words of your own, make a draft of it and change its body by update_draft.

    Args:
        email_thread_id: the thread's id.
        email_addresses: whom it goes to; each needs a mailbox. For a draft, it may be empty.
        draft_not_send: make a draft instead of sending it at once.
    """
    view = need_thread(desk, email_thread_id)
    subject, body = forwarded(view.subject), quoted(desk, view.mails)
    files = [file for key, _ in view.mails for file in files_on(desk, TABLE, key)]
    if draft_not_send:
        to = addresses(email_addresses, FIND)
        draft = begin_draft(desk, files, recipients=to, subject=subject, body=body)
        return {"message": "Draft made; gmail__send_email_from_draft sends it.", "draft_id": draft}
    return send(desk, recipients(desk, email_addresses), subject, body, files)
