"""The app Contacts: its table, its screens, and how a contact is shown."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from pi_gym.apps.columns import Column, TableSpec
from pi_gym.apps.row_search import search
from pi_gym.phone.declare import PhoneApp, Screen
from pi_gym.phone.phone_desk import PhoneDesk
from pi_gym.phone.showing import page
from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError

Gender: TypeAlias = Literal["Male", "Female", "Other", "Unknown"]
Status: TypeAlias = Literal["Student", "Employed", "Unemployed", "Retired", "Unknown"]
PAGE = 10
SEARCHED = {"first_name": 8, "last_name": 8, "email": 4, "phone": 4, "job": 2, "city_living": 1, "description": 1}

APP = PhoneApp(
    "Contacts",
    "the contacts",
    "The address book: people with names, numbers, addresses and what one knows of them. One card is the owner's own.",
    {
        "contacts": TableSpec(
            {
                "first_name": Column(str, "the first name", max_chars=200),
                "last_name": Column(str, "the last name", max_chars=200),
                "is_user": Column(bool, "whether it is the card of the phone's owner", False),
                "gender": Column(str, "Male, Female, Other or Unknown", "Unknown", max_chars=20),
                "age": Column(int | None, "the age in years", None),
                "nationality": Column(str, "the nationality", "", max_chars=200),
                "city_living": Column(str, "the city where the person lives", "", max_chars=200),
                "country": Column(str, "the country where the person lives", "", max_chars=200),
                "status": Column(str, "Student, Employed, Unemployed, Retired or Unknown", "Unknown", max_chars=20),
                "job": Column(str, "what the person works as", "", max_chars=200),
                "description": Column(str, "a note on the person", ""),
                "phone": Column(str, "the phone number", "", max_chars=60),
                "email": Column(str, "the e-mail address", "", max_chars=200),
                "address": Column(str, "the postal address", "", max_chars=400),
            },
            noun="contact",
            find="search_contacts",
        )
    },
    [
        Screen("ContactsList"),
        Screen("ContactDetail", {"contact_id": None}),
        Screen("ContactEdit", {"contact_id": None}),
    ],
)
CONTACTS = "contacts"
#: What may be set of a contact.
FIELDS = tuple(name for name in APP.tables[CONTACTS].columns if name != "is_user")


def card(key: int, row: Row) -> dict[str, Any]:
    """A contact whole."""
    return {"contact_id": key, **row}


def listed(desk: PhoneDesk, offset: int) -> dict[str, Any]:
    """A page of the contacts, by name."""
    rows = sorted(desk.table(CONTACTS).rows(), key=lambda pair: (pair[1]["first_name"], pair[1]["last_name"], pair[0]))
    return page(rows, offset, PAGE, "contacts", card)


def found(desk: PhoneDesk, query: str) -> list[dict[str, Any]]:
    """The contacts that have a word of the query, best first."""
    if not query.strip():
        raise ToolError("query is empty; give a name, a number, an address, or a word of the description.")
    return [card(*pair) for pair in search(desk.table(CONTACTS), query, SEARCHED)]


def added(desk: PhoneDesk, given: dict[str, Any]) -> dict[str, Any]:
    """A new contact of what was given; what was left out stays empty."""
    if not given["first_name"].strip():
        raise ToolError("first_name is empty; a contact needs one.")
    columns = {name: value for name, value in given.items() if value is not None}
    return {"message": "Contact added.", "contact_id": desk.insert(CONTACTS, **columns)}


def own_card(desk: PhoneDesk) -> dict[str, Any]:
    """The owner's own card."""
    mine = desk.having(CONTACTS, "is_user", True)
    if not mine:
        raise ToolError("The owner has no card in the contacts.")
    return card(*mine[0])


def edited(desk: PhoneDesk, contact_id: int, updates: dict[str, str]) -> dict[str, Any]:
    """A contact with some of its fields set; a number is given as a text too."""
    desk.need(CONTACTS, contact_id)
    unknown = sorted(set(updates) - set(FIELDS))
    if unknown or not updates:
        came = f"not {unknown[0][:60]!r}" if unknown else "and nothing was given"
        raise ToolError(f"updates sets fields of a contact ({', '.join(FIELDS)}), {came}.")
    values: dict[str, Any] = dict(updates)
    if "age" in values:
        if not values["age"].isdecimal():
            raise ToolError(f"age must be a number of years, not {values['age'][:60]!r}.")
        values["age"] = int(values["age"])
    desk.update(CONTACTS, contact_id, **values)
    return {"message": f"Contact {contact_id} updated.", "updated": sorted(values)}


def removed(desk: PhoneDesk, contact_id: int) -> str:
    """A contact less; the owner's own card stays."""
    if desk.need(CONTACTS, contact_id)["is_user"]:
        raise ToolError("This is the owner's own card; it cannot be deleted.")
    desk.delete(CONTACTS, contact_id)
    return f"Contact {contact_id} deleted."
