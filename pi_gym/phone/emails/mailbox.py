"""The owner's actions in the mailbox and on the mail that is open."""

from __future__ import annotations

from typing import Any

from pi_gym.apps.attachments import download
from pi_gym.apps.mail_forms import answer_to
from pi_gym.apps.times import between
from pi_gym.phone.declare import USER
from pi_gym.phone.emails.app import (
    APP,
    COMPOSE,
    DETAIL,
    EMAILS,
    EMPTY_DRAFT,
    MAILBOX,
    MailFolder,
    mail_line,
    mails_found,
    mails_in,
    need_in,
    whole_mail,
)
from pi_gym.phone.emails.posting import answered, deleted, moved, passed_on, those_to_answer
from pi_gym.phone.navigation import BACK
from pi_gym.phone.phone_desk import PhoneDesk
from pi_gym.phone.showing import at_index, page
from pi_gym.state.tables import Row


@APP.operation("read", USER, on=MAILBOX, name="list_emails")
def list_shown_emails(desk: PhoneDesk, offset: int = 0, limit: int = 10) -> Any:
    """List the mails of the folder, the newest first.

    Args:
        offset: how many to skip.
        limit: the most to list, 1 to 100.
    """
    found = mails_in(desk, desk.shown["folder"])
    return page(found, offset, limit, EMAILS, lambda key, row: mail_line(desk, key, row))


@APP.operation("read", USER, on=MAILBOX, name="search_emails")
def search_shown_emails(
    desk: PhoneDesk, query: str, min_date: str | None = None, max_date: str | None = None, limit: int = 10
) -> Any:
    """Search the mails of the folder by words of subjects, texts and addresses, best first.

    Args:
        query: words to look for.
        min_date: only mails from this date or time on.
        max_date: only mails up to this date or time; a date alone counts to its end.
        limit: the most to list, 1 to 100.
    """
    first, last = between(min_date or "", max_date or "", ("min_date", "max_date"))
    found = [pair for pair in mails_found(desk, query, desk.shown["folder"]) if first <= pair[1]["timestamp"] <= last]
    return page(found, 0, limit, EMAILS, lambda key, row: mail_line(desk, key, row))


@APP.operation("write", USER, on=MAILBOX, goto=DETAIL)
def open_email_by_id(desk: PhoneDesk, email_id: int) -> Any:
    """Open a mail of the folder; it counts as read then.

    Args:
        email_id: the mail's id.
    """
    need_in(desk, email_id, desk.shown["folder"])
    return _opened(desk, email_id)


@APP.operation("write", USER, on=MAILBOX, goto=DETAIL)
def open_email_by_index(desk: PhoneDesk, index: int) -> Any:
    """Open a mail of the folder by its place in the list; it counts as read then.

    Args:
        index: its place, 0 for the newest.
    """
    number, _ = at_index(mails_in(desk, desk.shown["folder"]), index, "e-mails")
    return _opened(desk, number)


def _opened(desk: PhoneDesk, email_id: int) -> dict[str, Any]:
    row = desk.update(EMAILS, email_id, is_read=True)
    desk.show(DETAIL, email_id=email_id)
    return whole_mail(desk, email_id, row)


@APP.operation("read", USER, on=MAILBOX, goto=MAILBOX)
def switch_folder(desk: PhoneDesk, folder_name: MailFolder) -> Any:
    """Look at another folder.

    Args:
        folder_name: the folder.
    """
    desk.show(MAILBOX, folder=folder_name)
    return page(mails_in(desk, folder_name), 0, 10, EMAILS, lambda key, row: mail_line(desk, key, row))


@APP.operation("read", USER, on=MAILBOX, goto=COMPOSE)
def start_compose(desk: PhoneDesk) -> Any:
    """Write a new mail."""
    desk.show(COMPOSE, **EMPTY_DRAFT)
    return "An empty draft."


@APP.operation("read", USER, on=DETAIL)
def refresh(desk: PhoneDesk) -> Any:
    """Show the mail that is open as it is now."""
    return whole_mail(desk, *_open_mail(desk))


@APP.operation("read", USER, on=DETAIL, goto=COMPOSE)
def start_compose_reply(desk: PhoneDesk) -> Any:
    """Write an answer to the mail that is open, as a draft."""
    number, row = _open_mail(desk)
    answer = {"recipients": those_to_answer(desk, row), "subject": answer_to(row["subject"]), "parent_id": number}
    draft = {**EMPTY_DRAFT, **answer}
    desk.show(COMPOSE, **draft)
    return draft


@APP.operation("write", USER, on=DETAIL)
def reply(desk: PhoneDesk, content: str = "", attachment_paths: list[str] | None = None) -> Any:
    """Answer the mail that is open.

    Args:
        content: the answer's text.
        attachment_paths: workspace files to attach, as they are now.
    """
    return answered(desk, *_open_mail(desk), content, attachment_paths)


@APP.operation("write", USER, on=DETAIL)
def forward(desk: PhoneDesk, recipients: list[str]) -> Any:
    """Forward the mail that is open with its text and its files.

    Args:
        recipients: the addresses that it goes to.
    """
    return passed_on(desk, *_open_mail(desk), recipients)


@APP.operation("write", USER, on=DETAIL, name="download_attachments")
def download_open_attachments(desk: PhoneDesk, path_to_save: str) -> Any:
    """Save the text files of the mail that is open.

    Args:
        path_to_save: the directory for them; it is made where it does not exist.
    """
    number, _ = _open_mail(desk)
    return download(desk, f"The e-mail {number}", number, path_to_save)


@APP.operation("write", USER, on=DETAIL, goto=BACK)
def move(desk: PhoneDesk, destination_folder: MailFolder) -> Any:
    """Move the mail that is open to another folder, and go back.

    Args:
        destination_folder: the folder that it goes to.
    """
    told = moved(desk, *_open_mail(desk), destination_folder)
    desk.leave()
    return told


@APP.operation("write", USER, on=DETAIL, goto=BACK)
def delete(desk: PhoneDesk) -> Any:
    """Delete the mail that is open, and go back; from TRASH it is gone for good."""
    told = deleted(desk, *_open_mail(desk))
    desk.leave()
    return told


def _open_mail(desk: PhoneDesk) -> tuple[int, Row]:
    number: int = desk.shown["email_id"]
    return number, desk.need(EMAILS, number)
