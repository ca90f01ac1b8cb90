"""Addresses that agents send mail to, checked."""

from __future__ import annotations

from collections.abc import Iterable

from pi_gym.apps.accounts import find_account, full_name
from pi_gym.apps.desk import Desk
from pi_gym.apps.gmail.app import is_address
from pi_gym.errors import closest
from pi_gym.tools.declare import ToolError

MAX_RECIPIENTS = 50


def addresses(given: Iterable[str]) -> list[str]:
    """Addresses as they are kept, each once, in order; they need no mailbox yet.

    Raises:
        ToolError: one is no address, or there are too many.
    """
    found = list(dict.fromkeys(map(bare, given)))
    for one in found:
        if not is_address(one):
            raise ToolError(f"{one[:80]!r} is no e-mail address; gmail__search_users finds addresses by name.")
    if len(found) > MAX_RECIPIENTS:
        raise ToolError(f"At most {MAX_RECIPIENTS} addresses are possible, not {len(found)}.")
    return found


def bare(text: str) -> str:
    """An address as it is kept and compared, without the name that mails show in front of it.

    >>> bare("Liv Berg <Liv@notes.example>")
    'liv@notes.example'
    """
    cleaned = text.strip().casefold()
    return cleaned[cleaned.rindex("<") + 1 : -1].strip() if cleaned.endswith(">") and "<" in cleaned else cleaned


def recipients(desk: Desk, given: Iterable[str]) -> list[str]:
    """Addresses that a mail can be sent to.

    Raises:
        ToolError: there are none, too many, or one has no mailbox.
    """
    found = addresses(given)
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
