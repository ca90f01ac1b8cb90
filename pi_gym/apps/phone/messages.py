"""Operations on text messages."""

from __future__ import annotations

from operator import itemgetter
from typing import Any, Literal

from pi_gym.apps.accounts import full_name
from pi_gym.apps.desk import Desk
from pi_gym.apps.pages import ordered, page
from pi_gym.apps.phone.app import APP
from pi_gym.apps.phone.numbers import contact_name, contact_with, has_account, number, own_number
from pi_gym.apps.row_search import search
from pi_gym.apps.texts import is_blank
from pi_gym.apps.times import between
from pi_gym.caches import BoundedCache
from pi_gym.state.tables import Row, Table
from pi_gym.tools.declare import ToolError

SEARCHED = {"message": 1}
SORTED = ("sent_at",)
LISTED_CACHE = 64
# Holding the table keeps its identity from being given to others while its list is in the cache.
_listed: BoundedCache[tuple[int, str, str], tuple[Table, list[tuple[int, Row]]]] = BoundedCache(LISTED_CACHE)


@APP.operation("write")
def send_text_message(desk: Desk, phone_number: str, message: str) -> Any:
    """Send a text message. It cannot be taken back.

    Args:
        phone_number: the receiver's number: one of a contact, or of anybody who has a phone account. search_contacts
            finds numbers by name.
        message: the text, 1 to 500 characters.
    """
    receiver, sender = number(phone_number), own_number(desk)
    if is_blank(message):
        raise ToolError("The message is empty; give the text to send.")
    if receiver == sender:
        raise ToolError(f"{receiver} is your own number; give the receiver's.")
    contact = contact_with(desk, receiver)
    if contact is None and not has_account(desk, receiver):
        raise ToolError(
            f"Nobody has the number {receiver}: it is none of your contacts and of no phone account."
            " phone__search_contacts finds numbers by name."
        )
    key = desk.insert("messages", sender=sender, receiver=receiver, message=message, sent_at=desk.now)
    to = contact_name(contact[1]) if contact else receiver
    return {"message": f"Text message sent to {to}.", "text_message_id": key}


@APP.operation("read")
def show_text_message(desk: Desk, text_message_id: int) -> Any:
    """Show one text message that you sent or received.

    Args:
        text_message_id: the text message's id.
    """
    row = desk.table("messages").get(text_message_id)
    if row is None or own_number(desk) not in (row["sender"], row["receiver"]):
        raise ToolError(
            f"There is no text message with the id {text_message_id}. phone__search_text_messages and"
            " phone__show_text_message_window find ids."
        )
    return _Shown(desk)(text_message_id, row)


@APP.operation("read")
def show_text_message_window(
    desk: Desk,
    phone_number: str,
    min_datetime: str = "",
    max_datetime: str = "",
    pagination_order: Literal["ascending", "descending"] = "descending",
    page_index: int = 0,
    page_limit: int = 5,
) -> Any:
    """Show the text messages between you and one number, in the order of time, in a window of time.

    Args:
        phone_number: the other side's number; search_contacts finds it by name.
        min_datetime: only messages from then on: a time like 2026-03-09T14:05 or a date; empty for no bound.
        max_datetime: only messages until then; a date alone counts to its end; empty for no bound.
        pagination_order: "descending" for the newest first, "ascending" for the oldest first.
        page_index: which page, from 0.
        page_limit: text messages a page, 1 to 20.
    """
    other = number(phone_number)
    first, last = between(min_datetime, max_datetime, ("min_datetime", "max_datetime"))
    found = [pair for pair in _newest_first(desk, other) if first <= pair[1]["sent_at"] <= last]
    if pagination_order == "ascending":
        found.reverse()
    nothing = (
        f"No text messages with {other} in this window. Give a wider one, or check the number with"
        " phone__search_contacts: people can have an older entry with an old number."
    )
    return page(found, page_index, page_limit, "text_messages", _Shown(desk), nothing)


@APP.operation("read")
def search_text_messages(
    desk: Desk,
    query: str = "",
    phone_number: str | None = None,
    only_latest_per_contact: bool = False,
    page_index: int = 0,
    page_limit: int = 5,
    sort_by: str | None = None,
) -> Any:
    """Search the text messages that you sent and received, or list them all.

    Messages are found by words of their text, best match first; without a query, the newest first. Names are not
    searched: give the phone_number for one person's messages.

    Args:
        query: words to look for; empty for all messages.
        phone_number: only messages from and to this number; null for all.
        only_latest_per_contact: of the messages found, only the newest with each number.
        page_index: which page, from 0.
        page_limit: text messages a page, 1 to 20.
        sort_by: "+sent_at" for the oldest first, "-sent_at" for the newest first; null for the best match first.
    """
    mine = own_number(desk)
    other = number(phone_number) if phone_number is not None and phone_number.strip() else ""

    def keep(row: Row) -> bool:
        ends = (row["sender"], row["receiver"])
        return mine in ends and (not other or other in ends)

    if query.strip():
        found = search(desk.table("messages"), query, SEARCHED, keep)
    else:
        found = _newest_first(desk, other)
    if only_latest_per_contact:
        found = _latest(found, mine)
    nothing = (
        "No text messages match. Try fewer or other words; names are not searched, so give the phone_number that"
        " phone__search_contacts finds for a person's messages."
    )
    return page(ordered(found, sort_by or None, SORTED), page_index, page_limit, "text_messages", _Shown(desk), nothing)


def _newest_first(desk: Desk, other: str) -> list[tuple[int, Row]]:
    """The messages between the signed-in account and a number, or all of the account for ""; not to be changed.

    They are put in order once for each state of the table, since lists are looked at page by page.
    """
    table, mine = desk.table("messages"), own_number(desk)
    return _listed.get((id(table), mine, other), lambda: (table, _by_time(_between(desk, mine, other))[::-1]))[1]


def _between(desk: Desk, mine: str, other: str) -> list[tuple[int, Row]]:
    if not other:  # none is from and to the same number
        return desk.having("messages", "sender", mine) + desk.having("messages", "receiver", mine)
    if other == mine:
        return []
    # They are looked up by the other side, who has far fewer.
    received = [pair for pair in desk.having("messages", "sender", other) if pair[1]["receiver"] == mine]
    return received + [pair for pair in desk.having("messages", "receiver", other) if pair[1]["sender"] == mine]


def _by_time(found: list[tuple[int, Row]]) -> list[tuple[int, Row]]:
    """Messages by time, then by id. Seeds have their ids in the order of time, so that there is little to sort."""
    found.sort(key=itemgetter(0))
    found.sort(key=_sent_at)
    return found


def _sent_at(pair: tuple[int, Row]) -> str:
    sent_at: str = pair[1]["sent_at"]
    return sent_at


def _latest(found: list[tuple[int, Row]], mine: str) -> list[tuple[int, Row]]:
    """The newest message with each number; they keep their order."""
    newest: dict[str, int] = {}
    for key, row in _by_time([*found]):
        newest[row["receiver"] if row["sender"] == mine else row["sender"]] = key
    kept = set(newest.values())
    return [pair for pair in found if pair[0] in kept]


class _Shown:
    """A function that shows messages: numbers with the names that they have in the account's contacts."""

    __slots__ = ("_desk", "_mine", "_names")

    def __init__(self, desk: Desk) -> None:
        self._desk, self._mine = desk, own_number(desk)
        self._names: dict[str, str | None] = {self._mine: full_name(desk.account)}

    def __call__(self, key: int, row: Row) -> dict[str, Any]:
        return {
            "text_message_id": key,
            "sender": self._side(row["sender"]),
            "receiver": self._side(row["receiver"]),
            "message": row["message"],
            "sent_at": row["sent_at"],
        }

    def _side(self, digits: str) -> dict[str, str | None]:
        if digits not in self._names:
            contact = contact_with(self._desk, digits)
            self._names[digits] = contact_name(contact[1]) if contact else None
        return {"name": self._names[digits], "phone_number": digits}
