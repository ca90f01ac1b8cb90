"""Phone numbers as agents write them, and whose they are."""

from __future__ import annotations

from pi_gym.apps.columns import ACCOUNTS
from pi_gym.apps.desk import Desk
from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError

MIN_DIGITS, MAX_DIGITS = 3, 15
DIGITS = "0123456789"


def number(text: str) -> str:
    """The digits of a phone number.

    Raises:
        ToolError: it has too few or too many digits, or letters.
    """
    found = "".join(letter for letter in text if letter in DIGITS)
    # Digits of other scripts must not be dropped silently: what is left would be somebody else's number.
    if not MIN_DIGITS <= len(found) <= MAX_DIGITS or any(letter.isalnum() and letter not in DIGITS for letter in text):
        raise ToolError(
            f"{text[:60]!r} is no phone number; write its {MIN_DIGITS} to {MAX_DIGITS} digits, like 555 010 2030."
            " phone__search_contacts finds numbers by name."
        )
    return found


def own_number(desk: Desk) -> str:
    """The digits of the number of the account that is signed in."""
    return "".join(letter for letter in desk.account["phone_number"] if letter in DIGITS)


def contact_with(desk: Desk, digits: str) -> tuple[int, Row] | None:
    """The contact of the signed-in account that has a number, as (id, row), or None."""
    mine = desk.account_id
    return next((pair for pair in desk.having("contacts", "phone_number", digits) if pair[1]["account"] == mine), None)


def has_account(desk: Desk, digits: str) -> bool:
    """Whether somebody's phone has the number."""
    return bool(desk.having(ACCOUNTS, "phone_number", digits))


def contact_name(contact: Row) -> str:
    """First and last name, as far as they are known."""
    return f"{contact['first_name']} {contact['last_name']}".strip()
