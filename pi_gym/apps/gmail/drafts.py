"""Operations on drafts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pi_gym.apps.attachments import files_of, files_on
from pi_gym.apps.desk import Desk
from pi_gym.apps.gmail.addresses import FIND, recipients
from pi_gym.apps.gmail.app import APP, DRAFT_FILES
from pi_gym.apps.gmail.mailbox import need_email, need_thread
from pi_gym.apps.gmail.posting import File, put_files, send, those_to_answer
from pi_gym.apps.gmail.shown import preview, shown_draft, some_recipients, with_files
from pi_gym.apps.gmail.threads import EITHER
from pi_gym.apps.mail_forms import addresses, answer_to, bare
from pi_gym.apps.pages import ordered, page
from pi_gym.apps.row_search import search
from pi_gym.apps.times import between, moment
from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError

NO_TEXTS: list[str] = []
SEARCHED = {"subject": 8, "recipients": 2, "body": 1}
SORTED = ("created_at", "updated_at", "subject")


@APP.operation("write")
def create_draft(
    desk: Desk,
    recipient_email_addresses: list[str] = NO_TEXTS,
    subject: str | None = None,
    body: str = "",
    belongs_to_email_thread_id: int | None = None,
    response_to_email_id: int | None = None,
    attachment_file_paths: list[str] = NO_TEXTS,
    scheduled_send_at: str | None = None,
    file_system_access_token: str | None = None,
) -> Any:
    """Write a draft; nobody but you sees it until send_email_from_draft sends it.

    A draft that answers a mail belongs to its thread, and takes from it what is left out: the subject with Re: in
    front, and as recipients its sender and recipients except yourself.

    Args:
        recipient_email_addresses: whom it will go to; may stay empty for now.
        subject: its subject.
        body: its text, at most 10,000 characters.
        belongs_to_email_thread_id: the thread that it will go to; null for a new one, or that of the answered mail.
        response_to_email_id: the mail that it answers.
        attachment_file_paths: workspace files to attach as they are now, like ~/notes/a.md.
        scheduled_send_at: when it is meant to go out, ISO 8601, in the future; it stays a draft until it is sent.
        file_system_access_token: not needed; accepted and ignored.
    """
    to = addresses(recipient_email_addresses, FIND)
    if response_to_email_id is not None:
        mail = need_email(desk, response_to_email_id)
        to = to or those_to_answer(desk, mail)
        subject = answer_to(mail["subject"]) if subject is None else subject
    draft = begin_draft(
        desk,
        files_of(desk, attachment_file_paths),
        recipients=to,
        subject=subject or "",
        body=body,
        thread=_thread(desk, belongs_to_email_thread_id, response_to_email_id),
        response_to=response_to_email_id,
        scheduled_send_at=_schedule(desk, scheduled_send_at),
    )
    return {"message": "Draft made; gmail__send_email_from_draft sends it.", "draft_id": draft}


@APP.operation("read")
def show_draft(desk: Desk, draft_id: int) -> Any:
    """Show a draft whole, with the texts of its attached files.

    Args:
        draft_id: the draft's id.
    """
    return with_files(desk, DRAFT_FILES, draft_id, shown_draft(desk, draft_id, desk.need("drafts", draft_id)))


@APP.operation("read")
def show_drafts(
    desk: Desk,
    query: str = "",
    page_index: int = 0,
    page_limit: int = 5,
    recipient_email: str = "",
    attachment: bool = EITHER,
    scheduled: bool = EITHER,
    belongs_to_email_thread_id: int | None = None,
    response_to_email_id: int | None = None,
    min_created_at: str = "",
    max_created_at: str = "",
    sort_by: str | None = None,
) -> Any:
    """List or search your drafts: the last changed first, or, with a query, the best match.

    Args:
        query: words of subject, text and recipients; empty for all.
        page_index: which page, from 0.
        page_limit: drafts a page, 1 to 20.
        recipient_email: only drafts to this address, or one that it is a part of.
        attachment: only with (true) or without (false) attached files; left out: both.
        scheduled: only with (true) or without (false) a time to be sent at; left out: both.
        belongs_to_email_thread_id: only drafts that will go to this thread.
        response_to_email_id: only drafts that answer this mail.
        min_created_at: only drafts begun from this date or time on, ISO 8601.
        max_created_at: only drafts begun up to this date or time, ISO 8601; a date alone counts to its end.
        sort_by: + or - (ascending or descending) and created_at, updated_at or subject; null for the order above.
    """
    first, last = between(min_created_at, max_created_at, ("min_created_at", "max_created_at"))
    mine, wanted = desk.account_id, bare(recipient_email)
    # As in the signature, None stands for a filter that was left out.
    is_scheduled: bool | None = scheduled
    has_files: bool | None = attachment

    def keep(row: Row) -> bool:
        return (
            row["account"] == mine
            and first <= row["created_at"] <= last
            and (not wanted or any(wanted in one for one in row["recipients"]))
            and (is_scheduled is None or (row["scheduled_send_at"] is not None) == is_scheduled)
            and belongs_to_email_thread_id in (None, row["thread"])
            and response_to_email_id in (None, row["response_to"])
        )

    found = [
        (key, row)
        for key, row in search(desk.table("drafts"), query, SEARCHED, keep)
        if has_files is None or bool(desk.having(DRAFT_FILES, "record", key)) == has_files
    ]
    found = ordered(found, sort_by or (None if query.strip() else "-updated_at"), SORTED)

    def show(key: int, row: Row) -> dict[str, Any]:
        shown = shown_draft(desk, key, row)
        return {**shown, "to": some_recipients(row), "body": preview(row["body"])}

    nothing = "No drafts match. Try fewer filters, or gmail__create_draft."
    return page(found, page_index, page_limit, "drafts", show, nothing)


@APP.operation("write")
def update_draft(
    desk: Desk,
    draft_id: int,
    email_addresses: list[str] = NO_TEXTS,
    subject: str | None = None,
    body: str | None = None,
    belongs_to_email_thread_id: int | None = None,
    response_to_email_id: int | None = None,
    scheduled_send_at: str | None = None,
) -> Any:
    """Change a draft. What is left out, empty for the addresses, or null for the others, stays as it is.

    Args:
        draft_id: the draft's id.
        email_addresses: whom it will go to, instead of those before.
        subject: the new subject.
        body: the new text, which replaces the whole old one.
        belongs_to_email_thread_id: the thread that it will go to.
        response_to_email_id: the mail that it answers; it then goes to its thread.
        scheduled_send_at: when it is meant to go out, ISO 8601, in the future; an empty text takes the time away.
    """
    draft = desk.need("drafts", draft_id)
    changes: dict[str, Any] = {}
    if email_addresses:
        changes["recipients"] = addresses(email_addresses, FIND)
    changes |= {name: text for name, text in (("subject", subject), ("body", body)) if text is not None}
    if belongs_to_email_thread_id is not None or response_to_email_id is not None:
        answered = draft["response_to"] if response_to_email_id is None else response_to_email_id
        changes |= {"thread": _thread(desk, belongs_to_email_thread_id, answered), "response_to": answered}
    if scheduled_send_at is not None:
        changes["scheduled_send_at"] = _schedule(desk, scheduled_send_at)
    if not changes:
        raise ToolError(
            "Nothing to change; give email_addresses, subject, body, belongs_to_email_thread_id, response_to_email_id"
            " or scheduled_send_at."
        )
    desk.update("drafts", draft_id, **changes, updated_at=desk.now)
    return {"message": f"Draft changed: {', '.join(changes)}.", "draft_id": draft_id}


@APP.operation("write")
def send_email_from_draft(desk: Desk, draft_id: int, file_system_access_token: str | None = None) -> Any:
    """Send a draft at once, whatever time it was scheduled for; the draft is gone then.

    Args:
        draft_id: the draft's id.
        file_system_access_token: not needed; accepted and ignored.
    """
    draft = desk.need("drafts", draft_id)
    to, thread = recipients(desk, draft["recipients"]), draft["thread"]
    subject = draft["subject"]
    if thread is not None and not subject:
        subject = answer_to(need_thread(desk, thread).subject)
    sent = send(desk, to, subject, draft["body"], files_on(desk, DRAFT_FILES, draft_id), thread, draft["response_to"])
    for key, _ in desk.having(DRAFT_FILES, "record", draft_id):
        desk.delete(DRAFT_FILES, key)
    desk.delete("drafts", draft_id)
    return sent


def begin_draft(desk: Desk, files: Sequence[File], **columns: Any) -> int:
    """Put a new draft of the account with its files; gives its id."""
    draft = desk.insert("drafts", account=desk.account_id, **columns, created_at=desk.now, updated_at=desk.now)
    put_files(desk, DRAFT_FILES, draft, files)
    return draft


def _thread(desk: Desk, thread: int | None, answered: int | None) -> int | None:
    """The thread that a draft goes to; ToolError where it is unseen, or the answered mail is not in it."""
    if thread is not None:
        need_thread(desk, thread)
    if answered is None:
        return thread
    found: int = need_email(desk, answered)["thread"]
    if thread not in (None, found):
        raise ToolError(f"The e-mail {answered} is in the thread {found}, not in {thread}.")
    return found


def _schedule(desk: Desk, text: str | None) -> str | None:
    if not text or not text.strip():
        return None
    at = moment(text, "scheduled_send_at")
    if at <= desk.now:
        raise ToolError(f"scheduled_send_at ({at}) must lie in the future; it is {desk.now} now.")
    return at
