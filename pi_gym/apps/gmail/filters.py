"""The filters that choose the threads of a list, by mails and threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pi_gym.apps.attachments import TABLE as FILES
from pi_gym.apps.desk import Desk
from pi_gym.apps.gmail.mailbox import EMAILS, Mailbox, Side, ThreadView, on_side
from pi_gym.apps.mail_forms import bare
from pi_gym.apps.row_search import search
from pi_gym.apps.times import between
from pi_gym.state.tables import Row

SEARCHED = {"subject": 8, "sender": 4, "recipients": 2, "body": 1}


@dataclass(frozen=True, slots=True)
class Filters:
    """The filters of a list of threads; None stands for a filter that was left out.

    Args:
        query: words to look for.
        label: the label that threads have, casefolded; empty for any.
        starred, archived, spam, read: what threads are.
        attachment: whether mails carry files.
        sender, recipient: parts of addresses, casefolded; empty for any.
        first, last: the times between which mails were sent, ISO 8601.
        timed: whether a time was given.
    """

    query: str
    label: str
    starred: bool | None
    archived: bool | None
    spam: bool
    read: bool | None
    attachment: bool | None
    sender: str
    recipient: str
    first: str
    last: str
    timed: bool

    @classmethod
    def given(
        cls, query: str, label: str, starred: bool | None, archived: bool | None, spam: bool, read: bool | None,
        attachment: bool | None, from_email: str, to_email: str, min_created_at: str, max_created_at: str,
    ) -> Filters:  # fmt: skip
        """The filters as an agent wrote them; ToolError where a time is none."""
        first, last = between(min_created_at, max_created_at, ("min_created_at", "max_created_at"))
        return cls(
            query.strip(),
            label.strip().casefold(),
            starred,
            archived,
            spam,
            read,
            attachment,
            bare(from_email),
            bare(to_email),
            first,
            last,
            bool(min_created_at.strip() or max_created_at.strip()),
        )

    @property
    def on_mails(self) -> bool:
        """Whether single mails have to be looked at."""
        return bool(self.query or self.sender or self.recipient or self.timed or self.attachment is not None)

    def thread_test(self, side: Side) -> Callable[[ThreadView], bool]:
        """A test of threads: whether one fits the filters, and could have a mail that does."""
        label, starred, archived, spam, read = self.label, self.starred, self.archived, self.spam, self.read
        sender, recipient, timed, first, last = self.sender, self.recipient, self.timed, self.first, self.last
        narrowed = self.query or label or sender or recipient or timed
        if archived is None and side == "inbox" and not narrowed:
            archived = False

        def keeps(view: ThreadView) -> bool:
            return (
                view.spam == spam
                and (archived is None or view.archived == archived)
                and (starred is None or view.starred == starred)
                and (read is None or view.read == read)
                and (not label or view.label.casefold() == label)
                and (not sender or sender in view.people)
                and (not recipient or recipient in view.people)
                and (not timed or (first <= view.updated_at and view.created_at <= last))
            )

        return keeps

    def mail_test(self, desk: Desk, side: Side, address: str) -> Callable[[int, Row], bool]:
        """A test of mails, by id and row: whether one fits the filters, but for words."""
        sender, recipient, first, last = self.sender, self.recipient, self.first, self.last
        wanted, timed = self.attachment, self.timed
        carrying = {row["record"] for _, row in desk.table(FILES).rows()} if wanted is not None else set()

        def keeps(key: int, row: Row) -> bool:
            return (
                (not timed or first <= row["created_at"] <= last)
                and (not sender or sender in row["sender"])
                and (not recipient or any(recipient in one for one in row["recipients"]))
                and (wanted is None or (key in carrying) == wanted)
                and on_side(row, side, address)
            )

        return keeps


def matching(desk: Desk, mailbox: Mailbox, side: Side, filters: Filters) -> list[ThreadView]:
    """The threads of a side of which one mail of that side matches: the newest first, or the best match."""
    keeps, keeps_mail = filters.thread_test(side), filters.mail_test(desk, side, mailbox.address)
    if filters.query:
        return list(_found(desk, mailbox, filters.query, keeps, keeps_mail))
    views = [view for view in mailbox.side(side) if keeps(view)]
    if not filters.on_mails:
        return views
    return [view for view in views if any(keeps_mail(key, row) for key, row in view.mails)]


def _found(
    desk: Desk,
    mailbox: Mailbox,
    query: str,
    keeps: Callable[[ThreadView], bool],
    keeps_mail: Callable[[int, Row], bool],
) -> Iterator[ThreadView]:
    """The threads that have the words, by their best mail that is kept."""
    settled: set[int] = set()
    for key, row in search(desk.table(EMAILS), query, SEARCHED, newest=True):
        thread = row["thread"]
        if thread not in settled and keeps_mail(key, row):
            settled.add(thread)
            view = mailbox.get(thread)
            if view is not None and keeps(view):
                yield view
