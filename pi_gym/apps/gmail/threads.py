"""Operations that list and show threads."""

from __future__ import annotations

from collections.abc import Callable
from inspect import cleandoc, getdoc
from typing import Any, cast

from pi_gym.apps.desk import Desk
from pi_gym.apps.gmail.app import APP, CATEGORIES
from pi_gym.apps.gmail.filters import Filters, matching
from pi_gym.apps.gmail.mailbox import Mailbox, Side, ThreadView, need_thread
from pi_gym.apps.gmail.shown import listed_thread, shorten, shown_mail, some_recipients
from pi_gym.apps.pages import ordered, page
from pi_gym.apps.row_search import words_of
from pi_gym.tools.declare import Operation

EITHER: bool = cast(bool, None)
"""The default of filters that are true, false, or left out."""
SORTED = ("created_at", "updated_at")
SHOWN_MAILS = 30
NOTHING = (
    "No threads match. Try fewer or other words and filters; archived=true, spam=true and the other of"
    " gmail__show_inbox_threads and gmail__show_outbox_threads list the rest."
)


def _listing(side: Side, archived: str, own: str = "") -> Callable[[Callable[[], None]], Operation]:
    """Declare the operation that lists one side of the mailbox: its name and first words are the function's.

    Args:
        side: which threads.
        archived: which threads `archived` means where it is not true.
        own: what is said of `from_email` besides.
    """

    def declare(named: Callable[[], None]) -> Operation:
        def listing(
            desk: Desk,
            query: str = "",
            page_index: int = 0,
            page_limit: int = 5,
            label: str = "",
            starred: bool = EITHER,
            archived: bool = EITHER,
            spam: bool = False,
            read: bool = EITHER,
            attachment: bool = EITHER,
            from_email: str = "",
            to_email: str = "",
            min_created_at: str = "",
            max_created_at: str = "",
            sort_by: str | None = None,
        ) -> Any:
            """{about}

            Args:
                query: words of subject, text and addresses; empty for all.
                page_index: which page, from 0.
                page_limit: threads a page, 1 to 20.
                label: only threads with this label; search_labels lists them.
                starred: only threads with (true) or without (false) a star; left out: both.
                archived: only archived threads (true) or only {archived}
                spam: threads that lie among spam (true), or all others (false).
                read: only read (true) or unread (false) threads; left out: both.
                attachment: only with (true) or without (false) attached files; left out: both.
                from_email: only mails from this address, or one that it is a part of{own}.
                to_email: only mails to this address, or one that it is a part of.
                min_created_at: only mails from this date or time on, ISO 8601.
                max_created_at: only mails up to this date or time, ISO 8601; a date alone counts to its end.
                sort_by: + or - (ascending or descending) and created_at or updated_at, the times of a thread's first
                    and last mail; null for the order above.
            """
            texts, times = (from_email, to_email), (min_created_at, max_created_at)
            filters = Filters.given(query, label, starred, archived, spam, read, attachment, *texts, *times)
            views = matching(desk, Mailbox(desk), side, filters)
            return _page(desk, views, side, page_index, page_limit, sort_by, NOTHING)

        assert listing.__doc__
        listing.__doc__ = cleandoc(listing.__doc__).format(about=getdoc(named), archived=archived, own=own)
        listing.__name__ = listing.__qualname__ = named.__name__
        return APP.operation("read")(listing)

    return declare


@_listing(
    "inbox",
    "those in the inbox (false); left out: both where query, label, from_email, to_email or a time is given, else those"
    " in the inbox.",
)
def show_inbox_threads() -> None:
    """List or search the threads in which mails came in.

    With query, from_email, to_email, attachment or a time, a thread is found where one mail that came in meets all of
    these. Without a query, the newest mail comes first; with one, the best match, of equally good ones the newest.
    Listing reads nothing: see mark_thread_read. Each thread comes with its last mail that came in; show_thread gives
    all of them.
    """


@_listing("outbox", "the others (false); left out: both.", ": here, your own")
def show_outbox_threads() -> None:
    """List or search the threads in which you sent mails, archived ones too.

    With query, from_email, to_email, attachment or a time, a thread is found where one mail that you sent meets all of
    these. Without a query, the newest mail comes first; with one, the best match, of equally good ones the newest.
    Each thread comes with the last mail that you sent; show_thread gives all of them.
    """


@APP.operation("read")
def show_starred_threads(
    desk: Desk, query: str = "", page_index: int = 0, page_limit: int = 5, sort_by: str | None = None
) -> Any:
    """List the threads that have a star, sent and received, archived ones too, the newest last mail first.

    Args:
        query: only threads of which one mail has all of these words in its subject, text or addresses.
        page_index: which page, from 0.
        page_limit: threads a page, 1 to 20.
        sort_by: + or - (ascending or descending) and created_at or updated_at, the times of a thread's first and last
            mail; null for the order above.
    """
    wanted = set(words_of(query[:1_000]))
    views = [
        view
        for view in Mailbox(desk).side("all")
        if view.starred and not view.spam and (not wanted or any(wanted <= _words(row) for _, row in view.mails))
    ]
    nothing = "No threads with a star match; gmail__mark_thread_starred gives one."
    return _page(desk, views, "all", page_index, page_limit, sort_by, nothing)


@APP.operation("read")
def show_thread(desk: Desk, email_thread_id: int) -> Any:
    """Show the mails of a thread that you wrote or were sent, oldest first. It stays unread where it was.

    Long texts are cut; show_email gives a mail whole, with the texts of its attached files. Of a very long thread, the
    newest mails are shown, and the ids of the earlier ones.

    Args:
        email_thread_id: the thread's id.
    """
    view = need_thread(desk, email_thread_id)
    shown, earlier = view.mails[-SHOWN_MAILS:], view.mails[:-SHOWN_MAILS]
    mails = [shown_mail(desk, key, row, some_recipients(row)) for key, row in shown]
    shorten(mails)
    result = {
        "email_thread_id": view.thread,
        "subject": view.subject,
        "read": view.read,
        "starred": view.starred,
        "archived": view.archived,
        "spam": view.spam,
        "label": view.label or None,
        "emails": mails,
    }
    return {**result, "earlier_email_ids": [key for key, _ in earlier[-200:]]} if earlier else result


@APP.operation("read")
def show_category_sizes(desk: Desk) -> Any:
    """Count the threads of your mailbox and your drafts.

    Every thread is in the inbox, archived, among spam, or only sent. Of those in the inbox, so many are unread, and
    each has one category. The outbox counts threads in which you sent a mail, wherever they are.
    """
    sizes = Mailbox(desk).sizes()
    drafts = desk.own("drafts")
    named = ("threads", "inbox", "unread", "archived", "spam", "only_sent", "outbox", "starred")
    return {
        **{name: sizes[name] for name in named},
        "drafts": len(drafts),
        "scheduled_drafts": sum(row["scheduled_send_at"] is not None for _, row in drafts),
        "categories": {name: sizes[f"category {name}"] for name in CATEGORIES},
    }


def _page(
    desk: Desk, views: list[ThreadView], side: Side, page_index: int, page_limit: int, sort_by: str | None,
    nothing: str,
) -> dict[str, Any]:  # fmt: skip
    pairs: list[tuple[int, Any]] = list(enumerate(views))
    if sort_by:
        times = ((at, {"created_at": view.created_at, "updated_at": view.updated_at}) for at, view in pairs)
        pairs = ordered(times, sort_by, SORTED)
    return page(
        pairs, page_index, page_limit, "email_threads", lambda at, _: listed_thread(desk, views[at], side), nothing
    )


def _words(row: Any) -> set[str]:
    return set(words_of(" ".join([row["subject"], row["body"], row["sender"], *row["recipients"]])))
