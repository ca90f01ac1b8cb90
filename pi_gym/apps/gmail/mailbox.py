"""The threads of a mailbox, as their account sees them.

Which mails an account has follows from the mails alone; `thread_states` adds what it made of their threads. The views
over the shared rows are made once per process and account; those of threads that the session changed are made anew. So
a list costs what it shows and what the session changed.
"""

from __future__ import annotations

from bisect import insort
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from operator import itemgetter
from typing import Literal, TypeAlias

from pi_gym.apps.columns import ACCOUNTS
from pi_gym.apps.desk import Desk
from pi_gym.caches import BoundedCache
from pi_gym.state.tables import Row, Table
from pi_gym.tools.declare import ToolError

Side: TypeAlias = Literal["inbox", "outbox", "all"]
SIDES: tuple[Side, ...] = ("inbox", "outbox", "all")
Mail: TypeAlias = tuple[int, Row]
State: TypeAlias = tuple[float, Row | None]
"""A row of `thread_states` behind its id."""
EMAILS, STATES = "emails", "thread_states"
LABEL, UNREAD_LABEL = "label ", "unread label "
BASE_CACHE = 64
NO_STATE: State = (inf, None)


@dataclass(frozen=True, slots=True)
class ThreadView:
    """A thread as one account sees it.

    Args:
        thread: its id.
        mails: those that the account wrote or was sent, as (id, row), oldest first; never empty.
        created_at: the time of the first one, ISO 8601; `updated_at` that of the last one.
        received_at: when the last one came in; empty where none did.
        sent_at: when the account sent the last one; empty where it sent none.
        people: the addresses of all who wrote or were sent one, a line each, to look through in one go.
        category: that of the last mail that came in; empty where none did.
        read, starred, archived, spam, label: what the account made of the thread.
    """

    thread: int
    mails: tuple[Mail, ...]
    created_at: str
    updated_at: str
    received_at: str
    sent_at: str
    people: str
    category: str
    read: bool
    starred: bool
    archived: bool
    spam: bool
    label: str

    @property
    def subject(self) -> str:
        """The subject of its first mail."""
        first: str = self.mails[0][1]["subject"]
        return first

    @property
    def sizes(self) -> tuple[str, ...]:
        """The names of the mailbox's counts that it adds one to."""
        place = "spam" if self.spam else "archived" if self.archived else "inbox" if self.received_at else "only_sent"
        found = ["threads", place]
        found += ["outbox"] if self.sent_at and not self.spam else []
        found += ["starred"] if self.starred and not self.spam else []
        if place == "inbox":
            found += [f"category {self.category}", *([] if self.read else ["unread"])]
        if self.label:
            found += [LABEL + self.label, *([] if self.read else [UNREAD_LABEL + self.label])]
        return tuple(found)

    def last_at(self, side: Side) -> str:
        """The time of the last mail of a side; empty where it has none."""
        return self.updated_at if side == "all" else self.received_at if side == "inbox" else self.sent_at


def sees(mail: Row, address: str) -> bool:
    """Whether a mail was written by an address or sent to it."""
    return mail["sender"] == address or address in mail["recipients"]


def on_side(mail: Row, side: Side, address: str) -> bool:
    """Whether a mail lies in the inbox (was sent to the address) or outbox (was written by it), or in either."""
    if side == "all":
        return sees(mail, address)
    return address in mail["recipients"] if side == "inbox" else bool(mail["sender"] == address)


class _FreshViews:
    """Views of the threads that a session changed.

    Args:
        emails, states: the tables; holding them keeps their identity from being given to others while this is in the
            cache.
        views: by thread; None of those that are gone.

    Attributes:
        sides: those sides of the mailbox that somebody has looked at.
    """

    __slots__ = ("held", "sides", "views")

    def __init__(self, emails: Table, states: Table, views: Mapping[int, ThreadView | None]) -> None:
        self.held, self.views = (emails, states), views
        self.sides: dict[Side, Sequence[ThreadView]] = {}


class _Views:
    """The threads of one account in the shared rows."""

    __slots__ = ("held", "sides", "sizes", "states", "views")

    def __init__(self, emails: Mapping[int, Row], states: Mapping[int, Row], account: int, address: str) -> None:
        # Holding the rows keeps their identity from being given to others while the views are in the cache.
        self.held = (emails, states)
        mails: dict[int, list[Mail]] = {}
        for key, row in emails.items():
            if sees(row, address):
                mails.setdefault(row["thread"], []).append((key, row))
        self.states = _first_states(states, account)
        self.views = {
            thread: _view(thread, found, address, self.states.get(thread, NO_STATE)[1])
            for thread, found in mails.items()
        }
        self.sides = {side: _oldest_first(self.views.values(), side) for side in SIDES}
        self.sizes = Counter(one for view in self.views.values() for one in view.sizes)


_bases: BoundedCache[tuple[int, int, int, str], _Views] = BoundedCache(BASE_CACHE)
_fresh_views: BoundedCache[tuple[int, int, int, str], _FreshViews] = BoundedCache(BASE_CACHE)


class Mailbox:
    """All threads of the account that is signed in.

    Args:
        desk: the app.
    """

    __slots__ = ("_base", "_fresh", "address")

    def __init__(self, desk: Desk) -> None:
        emails, states = desk.table(EMAILS), desk.table(STATES)
        account = desk.account_id
        self.address = address_of(desk)
        key = (id(emails.base), id(states.base), account, self.address)
        self._base = _bases.get(key, lambda: _Views(emails.base, states.base, account, self.address))
        # Sessions that opened alike share their tables until they change them.
        self._fresh = _fresh_views.get(
            (id(emails), id(states), account, self.address),
            lambda: _FreshViews(emails, states, self._changed_views(emails, states, account)),
        )

    def _changed_views(self, emails: Table, states: Table, account: int) -> Mapping[int, ThreadView | None]:
        """The views of the threads that the session changed; None of those that are gone."""
        mails, marks = emails.changed_rows(), states.changed_rows()
        threads = [row["thread"] for row in _before_and_after(mails, emails.base)]
        threads += [row["thread"] for row in _before_and_after(marks, states.base) if row["account"] == account]
        known = _first_states(marks, account)
        new: dict[int, list[Mail]] = {}
        for key, mail in mails.items():
            if mail is not None and sees(mail, self.address):
                new.setdefault(mail["thread"], []).append((key, mail))
        fresh: dict[int, ThreadView | None] = {}
        for thread in dict.fromkeys(threads):
            old = self._base.views.get(thread)
            listed = [mail for mail in old.mails if mail[0] not in mails] if old else []
            listed += new.get(thread, [])
            shared = self._base.states.get(thread, NO_STATE)
            first = min(known.get(thread, NO_STATE), NO_STATE if shared[0] in marks else shared, key=itemgetter(0))
            fresh[thread] = _view(thread, listed, self.address, first[1]) if listed else None
        return fresh

    def get(self, thread: int) -> ThreadView | None:
        """The view of a thread, or None where the account has no mail of it."""
        fresh = self._fresh.views
        return fresh[thread] if thread in fresh else self._base.views.get(thread)

    def side(self, side: Side) -> Sequence[ThreadView]:
        """The threads with mails on a side, archived ones and spam too, the newest first."""
        sides = self._fresh.sides
        if side not in sides:
            sides[side] = self._listed(side)
        return sides[side]

    def _listed(self, side: Side) -> Sequence[ThreadView]:
        views, fresh = self._base.sides[side], self._fresh.views
        if fresh:
            views = [view for view in views if view.thread not in fresh]
            for view in fresh.values():
                if view is not None and view.last_at(side):
                    insort(views, view, key=lambda one: (one.last_at(side), one.thread))
        return views[::-1]

    def sizes(self) -> Counter[str]:
        """The mailbox's counts of threads, by name; see `ThreadView.sizes`."""
        counted = self._base.sizes.copy()
        for thread, view in self._fresh.views.items():
            old = self._base.views.get(thread)
            counted.subtract(old.sizes if old else ())
            counted.update(view.sizes if view else ())
        return counted


def address_of(desk: Desk) -> str:
    """The address of the account that is signed in."""
    address: str = desk.account["email"]
    return address


def find_thread(desk: Desk, thread: int) -> ThreadView | None:
    """The account's view of one thread, or None where it has no mail of it."""
    address, account = address_of(desk), desk.account_id
    mails = [(key, row) for key, row in desk.having(EMAILS, "thread", thread) if sees(row, address)]
    state = next((row for _, row in desk.having(STATES, "thread", thread) if row["account"] == account), None)
    return _view(thread, mails, address, state) if mails else None


def need_thread(desk: Desk, thread: int) -> ThreadView:
    """The account's view of one thread; ToolError where it has no mail of it."""
    found = find_thread(desk, thread)
    if found is None:
        raise ToolError(
            f"There is no thread with the email_thread_id {thread}. gmail__show_inbox_threads and"
            " gmail__show_outbox_threads find ids."
        )
    return found


def need_email(desk: Desk, email: int) -> Row:
    """A mail that the account wrote or was sent; ToolError where there is none."""
    row, address = desk.table(EMAILS).get(email), address_of(desk)
    if row is None or not sees(row, address):
        raise ToolError(f"There is no e-mail with the email_id {email}. gmail__show_thread gives those of a thread.")
    return row


def change_state(desk: Desk, thread: int, **columns: bool | str) -> None:
    """Set what the account made of a thread."""
    account = desk.account_id
    known = next((key for key, row in desk.having(STATES, "thread", thread) if row["account"] == account), None)
    if known is None:
        read = need_thread(desk, thread).read
        desk.insert(STATES, **{"account": account, "thread": thread, "read": read, **columns})
    else:
        desk.update(STATES, known, **columns)


def bring_back(desk: Desk, thread: int, addresses: Sequence[str]) -> None:
    """Make a thread unread and put it into the inbox again for those that a new mail of it came to."""
    accounts = desk.table(ACCOUNTS)
    for key, state in desk.having(STATES, "thread", thread):
        holder = accounts.get(state["account"])
        if holder is not None and holder["email"] in addresses and (state["read"] or state["archived"]):
            desk.update(STATES, key, read=False, archived=False)


def _view(thread: int, mails: Iterable[Mail], address: str, state: Row | None) -> ThreadView:
    listed = tuple(sorted(mails, key=lambda mail: (mail[1]["created_at"], mail[0])))
    received = [row for _, row in listed if address in row["recipients"]]
    sent = [row for _, row in listed if row["sender"] == address]
    return ThreadView(
        thread,
        listed,
        listed[0][1]["created_at"],
        listed[-1][1]["created_at"],
        received[-1]["created_at"] if received else "",
        sent[-1]["created_at"] if sent else "",
        "\n".join(dict.fromkeys(one for _, row in listed for one in (row["sender"], *row["recipients"]))),
        received[-1]["category"] if received else "",
        read=state["read"] if state else not received,
        starred=bool(state and state["starred"]),
        archived=bool(state and state["archived"]),
        spam=bool(state and state["spam"]),
        label=state["label"] if state else "",
    )


def _first_states(rows: Mapping[int, Row | None], account: int) -> dict[int, State]:
    """The states of threads in an account, by thread. Of several rows, which only a task can put, the first counts."""
    found: dict[int, State] = {}
    for key, row in rows.items():
        if row is not None and row["account"] == account:
            found.setdefault(row["thread"], (key, row))
    return found


def _oldest_first(views: Iterable[ThreadView], side: Side) -> list[ThreadView]:
    having = [view for view in views if view.last_at(side)]
    return sorted(having, key=lambda view: (view.last_at(side), view.thread))


def _before_and_after(changed: Mapping[int, Row | None], base: Mapping[int, Row]) -> Iterable[Row]:
    for key, row in changed.items():
        old = base.get(key)
        yield from (one for one in (old, row) if one is not None)
