"""Operations on contacts."""

from __future__ import annotations

from typing import Any

from pi_gym.apps.desk import Desk
from pi_gym.apps.pages import page
from pi_gym.apps.phone.app import APP
from pi_gym.apps.phone.numbers import contact_name, contact_with, number, own_number
from pi_gym.apps.row_search import search
from pi_gym.apps.texts import is_blank
from pi_gym.apps.times import day
from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError

SEARCHED = {"first_name": 8, "last_name": 8, "relationships": 4, "email": 2, "home_address": 1, "work_address": 1}
MAX_RELATIONSHIPS, MAX_WORD_CHARS = 10, 200


@APP.operation("read")
def search_contacts(
    desk: Desk, query: str = "", relationship: str = "", page_index: int = 0, page_limit: int = 5
) -> Any:
    """Search your contacts, or list them all.

    Contacts are found by words of names, relationships, e-mail and addresses, best match first, or by the digits of a
    phone number; without a query they stand in the order of their names. The same person may have an older entry
    beside the current one: compare the details.

    Args:
        query: words, or digits of a phone number; empty for all contacts.
        relationship: only contacts with this relationship, such as "friend"; empty for all.
        page_index: which page, from 0.
        page_limit: contacts a page, 1 to 20.
    """
    mine, wanted = desk.account_id, relationship.strip().casefold()

    def keep(row: Row) -> bool:
        return row["account"] == mine and (not wanted or wanted in (one.casefold() for one in row["relationships"]))

    digits = _digits_only(query)
    if digits:
        found = [(key, row) for key, row in desk.own("contacts") if digits in row["phone_number"] and keep(row)]
    elif query.strip():
        found = search(desk.table("contacts"), query, SEARCHED, keep)
    else:
        found = [(key, row) for key, row in desk.own("contacts") if keep(row)]
        found.sort(key=lambda pair: (contact_name(pair[1]).casefold(), pair[0]))
    nothing = (
        "No contacts match. Try fewer or other words, or phone__search_contacts without query and relationship for all."
    )
    if wanted and not found:
        known = sorted({one for _, row in desk.own("contacts") for one in row["relationships"]})
        if wanted not in (one.casefold() for one in known):
            nothing = f"No contact has the relationship {relationship[:60]!r}; there are: {', '.join(known[:60])}."
    return page(found, page_index, page_limit, "contacts", _show, nothing)


@APP.operation("write")
def add_contact(
    desk: Desk,
    first_name: str,
    phone_number: str,
    last_name: str = "",
    email: str | None = None,
    relationships: list[str] | None = None,
    birthday: str | None = None,
    home_address: str | None = None,
    work_address: str | None = None,
) -> Any:
    """Add somebody to your contacts. No other contact may have the number; update_contact changes one.

    Args:
        first_name: the first name; it must not be empty.
        phone_number: the number; only its 3 to 15 digits are kept.
        last_name: the last name.
        email: the e-mail address.
        relationships: what they are to you, such as ["friend", "climbing"]; at most 10.
        birthday: the date of birth, like 1994-05-09.
        home_address: where they live.
        work_address: where they work.
    """
    given = {
        "first_name": first_name,
        "last_name": last_name,
        "phone_number": phone_number,
        "email": email or "",
        "relationships": relationships or [],
        "birthday": birthday or "",
        "home_address": home_address or "",
        "work_address": work_address or "",
    }
    key = desk.insert("contacts", account=desk.account_id, **_checked(desk, given))
    return {"message": "Contact added.", "contact_id": key}


@APP.operation("write")
def update_contact(
    desk: Desk,
    contact_id: int,
    first_name: str | None = None,
    last_name: str | None = None,
    phone_number: str | None = None,
    email: str | None = None,
    relationships: list[str] | None = None,
    birthday: str | None = None,
    home_address: str | None = None,
    work_address: str | None = None,
) -> Any:
    """Change a contact. What is left out, or null, stays as it is; an empty text removes what was there.

    Args:
        contact_id: the contact's id.
        first_name: the new first name; it must not be empty.
        last_name: the new last name.
        phone_number: the new number; no other contact may have it.
        email: the new e-mail address.
        relationships: the new relationships, which replace the old ones; an empty list removes them.
        birthday: the new date of birth, like 1994-05-09.
        home_address: the new home address.
        work_address: the new work address.
    """
    desk.need("contacts", contact_id)
    given = {
        "first_name": first_name,
        "last_name": last_name,
        "phone_number": phone_number,
        "email": email,
        "relationships": relationships,
        "birthday": birthday,
        "home_address": home_address,
        "work_address": work_address,
    }
    changes = {name: value for name, value in given.items() if value is not None}
    if not changes:
        raise ToolError(f"Nothing to change; give one of: {', '.join(given)}.")
    desk.update("contacts", contact_id, **_checked(desk, changes, contact_id))
    return {"message": f"Contact updated: {', '.join(changes)}.", "contact_id": contact_id}


def _checked(desk: Desk, given: dict[str, Any], contact: int | None = None) -> dict[str, Any]:
    """Columns of a contact from what the agent gave."""
    row = dict(given)
    for name, value in given.items():
        if isinstance(value, str):
            row[name] = value.strip()
    if "first_name" in row and is_blank(row["first_name"]):
        raise ToolError("first_name is empty; give the name by which you find the contact.")
    if row.get("birthday"):
        row["birthday"] = day(row["birthday"], "birthday")
    if row.get("email") and not _is_address(row["email"]):
        raise ToolError(f"{row['email'][:80]!r} is no e-mail address; write it like ida@bakery.example.")
    if "relationships" in row:
        row["relationships"] = _relationships(row["relationships"])
    if "phone_number" in row:
        row["phone_number"] = _free_number(desk, row["phone_number"], contact)
    return row


def _free_number(desk: Desk, text: str, contact: int | None) -> str:
    digits = number(text)
    if digits == own_number(desk):
        raise ToolError(f"{digits} is your own number; a contact needs another.")
    taken = contact_with(desk, digits)
    if taken is not None and taken[0] != contact:
        raise ToolError(
            f"{contact_name(taken[1])} (contact_id {taken[0]}) has the number {digits} already; update that contact"
            " instead, or give another number."
        )
    return digits


def _relationships(given: list[str]) -> list[str]:
    """The relationships without blanks around them, each once."""
    cleaned = list(dict.fromkeys(one.strip() for one in given if not is_blank(one)))
    if len(cleaned) > MAX_RELATIONSHIPS or any(len(one) > MAX_WORD_CHARS for one in cleaned):
        raise ToolError(f"At most {MAX_RELATIONSHIPS} relationships of {MAX_WORD_CHARS} characters are possible.")
    return cleaned


def _is_address(text: str) -> bool:
    local, at, domain = text.partition("@")
    return bool(local and at and domain) and not any(letter.isspace() for letter in text) and "@" not in domain


def _digits_only(query: str) -> str:
    """The digits of a query that is a number or a part of one, else nothing."""
    digits = "".join(letter for letter in query if letter in "0123456789")
    return digits if digits and not query.strip(" +-()/.0123456789") else ""


def _show(key: int, contact: Row) -> dict[str, Any]:
    return {"contact_id": key, **{name: value for name, value in contact.items() if name != "account"}}
