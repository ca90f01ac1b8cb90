"""Addresses that agents send mail to, checked."""

from __future__ import annotations

from collections.abc import Iterable

from pi_gym.apps.accounts import find_account, full_name
from pi_gym.apps.desk import Desk
from pi_gym.apps.mail_forms import addresses
from pi_gym.errors import closest
from pi_gym.tools.declare import ToolError

FIND = "gmail__search_users"


def recipients(desk: Desk, given: Iterable[str]) -> list[str]:
    """Addresses that a mail can be sent to.

    Raises:
        ToolError: there are none, too many, or one has no mailbox.
    """
    found = addresses(given, FIND)
    if not found:
        raise ToolError("There is nobody to send it to; give at least one address. gmail__search_users finds them.")
    checked = []
    for one in found:
        account = find_account(desk, one)
        if account is None:
            raise ToolError(
                f"There is no mailbox {one[:80]}.{_near(desk, one)} gmail__search_users finds addresses by name."
            )
        checked.append(account[1]["email"])
    return checked


def shown_name(desk: Desk, address: str) -> str:
    """An address with the name of its holder in front, as mail headers have it."""
    account = find_account(desk, address)
    return f"{full_name(account[1])} <{address}>" if account else address


def _near(desk: Desk, address: str) -> str:
    """A mailbox whose address is nearly this one, as a question."""
    near = closest(address[:80], [row["email"] for _, row in desk.table("accounts").rows()], 1)
    return f" Did you mean {near[0]}?" if near else ""
