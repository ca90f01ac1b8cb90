"""The operations on the contacts: an agent's, and the owner's by screen."""

from __future__ import annotations

from typing import Any

from pi_gym.phone.contacts.app import (
    APP,
    CONTACTS,
    Gender,
    Status,
    added,
    card,
    edited,
    found,
    listed,
    own_card,
    removed,
)
from pi_gym.phone.declare import USER
from pi_gym.phone.navigation import BACK
from pi_gym.phone.phone_desk import PhoneDesk

LIST, DETAIL, EDIT = "ContactsList", "ContactDetail", "ContactEdit"


@APP.operation("read", USER, on=LIST, name="list_contacts")
@APP.operation("read")
def get_contacts(desk: PhoneDesk, offset: int = 0) -> Any:
    """List contacts by name, ten at a time.

    Args:
        offset: how many to skip.
    """
    return listed(desk, offset)


@APP.operation("read")
def get_contact(desk: PhoneDesk, contact_id: int) -> Any:
    """Show a contact whole.

    Args:
        contact_id: the contact's id.
    """
    return card(contact_id, desk.need(CONTACTS, contact_id))


@APP.operation("read", USER, on=LIST, name="view_current_user")
@APP.operation("read")
def get_current_user_details(desk: PhoneDesk) -> Any:
    """Show the owner's own card."""
    return own_card(desk)


@APP.operation("read", USER, on=LIST)
@APP.operation("read")
def search_contacts(desk: PhoneDesk, query: str) -> Any:
    """Search the contacts by words of names, numbers, addresses, jobs and descriptions, best first.

    Args:
        query: words to look for.
    """
    return found(desk, query)


@APP.operation("write", USER, on=LIST, name="create_contact")
@APP.operation("write")
def add_new_contact(
    desk: PhoneDesk,
    first_name: str,
    last_name: str,
    gender: Gender | None = None,
    age: int | None = None,
    nationality: str | None = None,
    city_living: str | None = None,
    country: str | None = None,
    status: Status | None = None,
    job: str | None = None,
    description: str | None = None,
    phone: str | None = None,
    email: str | None = None,
    address: str | None = None,
) -> Any:
    """Add a contact.

    Args:
        first_name: the first name.
        last_name: the last name.
        gender: the gender.
        age: the age in years.
        nationality: the nationality.
        city_living: the city where the person lives.
        country: the country where the person lives.
        status: whether the person studies or works.
        job: what the person works as.
        description: a note on the person.
        phone: the phone number.
        email: the e-mail address.
        address: the postal address.
    """
    given = {name: value for name, value in locals().items() if name != "desk"}
    return added(desk, given)


@APP.operation("write")
def edit_contact(desk: PhoneDesk, contact_id: int, updates: dict[str, str]) -> Any:
    """Set fields of a contact.

    Args:
        contact_id: the contact's id.
        updates: the new values by field, for example {"phone": "0151 2345"}.
    """
    return edited(desk, contact_id, updates)


@APP.operation("write")
def delete_contact(desk: PhoneDesk, contact_id: int) -> Any:
    """Delete a contact.

    Args:
        contact_id: the contact's id.
    """
    return removed(desk, contact_id)


@APP.operation("read", USER, on=LIST, goto=DETAIL)
def open_contact(desk: PhoneDesk, contact_id: int) -> Any:
    """Open a contact.

    Args:
        contact_id: the contact's id.
    """
    row = desk.need(CONTACTS, contact_id)
    desk.show(DETAIL, contact_id=contact_id)
    return card(contact_id, row)


@APP.operation("read", USER, on=(DETAIL, EDIT))
def view_contact(desk: PhoneDesk) -> Any:
    """Show the contact that is open."""
    number = desk.shown["contact_id"]
    return card(number, desk.need(CONTACTS, number))


@APP.operation("read", USER, on=DETAIL, goto=EDIT)
def start_edit_contact(desk: PhoneDesk) -> Any:
    """Edit the contact that is open."""
    number = desk.shown["contact_id"]
    row = desk.need(CONTACTS, number)
    desk.show(EDIT, contact_id=number)
    return card(number, row)


@APP.operation("write", USER, on=DETAIL, goto=BACK, name="delete_contact")
def delete_open_contact(desk: PhoneDesk) -> Any:
    """Delete the contact that is open."""
    told = removed(desk, desk.shown["contact_id"])
    desk.leave()
    return told


@APP.operation("write", USER, on=EDIT, goto=BACK)
def update_contact(desk: PhoneDesk, updates: dict[str, str]) -> Any:
    """Set fields of the contact that is open, and go back to it.

    Args:
        updates: the new values by field.
    """
    told = edited(desk, desk.shown["contact_id"], updates)
    desk.leave()
    return told
