"""The operations on the mail that an agent has."""

from __future__ import annotations

from typing import Any

from pi_gym.apps.attachments import download, files_of
from pi_gym.phone.emails.app import APP, EMAILS, MailFolder, mail_line, mails_found, mails_in, need_in, whole_mail
from pi_gym.phone.emails.posting import answered, deleted, moved, passed_on, sent
from pi_gym.phone.phone_desk import PhoneDesk
from pi_gym.phone.showing import MAX_PAGE, at_index, page


@APP.operation("read")
def list_emails(desk: PhoneDesk, folder_name: MailFolder = "INBOX", offset: int = 0, limit: int = 10) -> Any:
    """List the mails of a folder, the newest first.

    Args:
        folder_name: the folder.
        offset: how many to skip.
        limit: the most to list, 1 to 100.
    """
    return page(mails_in(desk, folder_name), offset, limit, EMAILS, lambda key, row: mail_line(desk, key, row))


@APP.operation("read")
def get_email_by_id(desk: PhoneDesk, email_id: int, folder_name: MailFolder = "INBOX") -> Any:
    """Show a mail whole, with the texts of its files. It does not count as read by that.

    Args:
        email_id: the mail's id.
        folder_name: the folder in which it lies.
    """
    return whole_mail(desk, email_id, need_in(desk, email_id, folder_name))


@APP.operation("read")
def get_email_by_index(desk: PhoneDesk, idx: int, folder_name: MailFolder = "INBOX") -> Any:
    """Show a mail whole by its place in the list of a folder.

    Args:
        idx: its place, 0 for the newest.
        folder_name: the folder.
    """
    return whole_mail(desk, *at_index(mails_in(desk, folder_name), idx, "e-mails"))


@APP.operation("read")
def search_emails(desk: PhoneDesk, query: str, folder_name: MailFolder = "INBOX") -> Any:
    """Search the mails of a folder by words of subjects, texts and addresses, best first.

    Args:
        query: words to look for.
        folder_name: the folder.
    """
    found = mails_found(desk, query, folder_name)
    return page(found, 0, MAX_PAGE, EMAILS, lambda key, row: mail_line(desk, key, row))


@APP.operation("write")
def send_email(
    desk: PhoneDesk,
    recipients: list[str] | None = None,
    subject: str = "",
    content: str = "",
    cc: list[str] | None = None,
    attachment_paths: list[str] | None = None,
) -> Any:
    """Send a mail from the owner's address.

    Args:
        recipients: the addresses that it goes to; at least one.
        subject: its subject.
        content: its text.
        cc: the addresses that get a copy.
        attachment_paths: workspace files to attach, as they are now.
    """
    return sent(desk, recipients, subject, content, cc, files_of(desk, attachment_paths or ()))


@APP.operation("write")
def reply_to_email(
    desk: PhoneDesk,
    email_id: int,
    folder_name: MailFolder = "INBOX",
    content: str = "",
    attachment_paths: list[str] | None = None,
) -> Any:
    """Answer a mail: to its sender, or, where the owner wrote it, to those it went to.

    Args:
        email_id: the mail's id.
        folder_name: the folder in which it lies.
        content: the answer's text.
        attachment_paths: workspace files to attach, as they are now.
    """
    return answered(desk, email_id, need_in(desk, email_id, folder_name), content, attachment_paths)


@APP.operation("write")
def forward_email(
    desk: PhoneDesk, email_id: int, recipients: list[str] | None = None, folder_name: MailFolder = "INBOX"
) -> Any:
    """Forward a mail with its text and its files.

    Args:
        email_id: the mail's id.
        recipients: the addresses that it goes to; at least one.
        folder_name: the folder in which it lies.
    """
    return passed_on(desk, email_id, need_in(desk, email_id, folder_name), recipients)


@APP.operation("write")
def download_attachments(
    desk: PhoneDesk, email_id: int, folder_name: MailFolder = "INBOX", path_to_save: str = "Downloads/"
) -> Any:
    """Save the text files that a mail carries into the workspace.

    Args:
        email_id: the mail's id.
        folder_name: the folder in which it lies.
        path_to_save: the directory for them; it is made where it does not exist.
    """
    need_in(desk, email_id, folder_name)
    return download(desk, f"The e-mail {email_id}", email_id, path_to_save)


@APP.operation("write")
def move_email(
    desk: PhoneDesk, email_id: int, source_folder_name: MailFolder = "INBOX", dest_folder_name: MailFolder = "DRAFT"
) -> Any:
    """Move a mail to another folder.

    Args:
        email_id: the mail's id.
        source_folder_name: the folder in which it lies.
        dest_folder_name: the folder that it goes to.
    """
    return moved(desk, email_id, need_in(desk, email_id, source_folder_name), dest_folder_name)


@APP.operation("write")
def delete_email(desk: PhoneDesk, email_id: int, folder_name: MailFolder = "INBOX") -> Any:
    """Delete a mail: it goes to TRASH; what lies there is deleted for good.

    Args:
        email_id: the mail's id.
        folder_name: the folder in which it lies.
    """
    return deleted(desk, email_id, need_in(desk, email_id, folder_name))
