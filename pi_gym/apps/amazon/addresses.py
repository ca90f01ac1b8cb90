"""Operations on the addresses that orders go to."""

from __future__ import annotations

from typing import Any

from pi_gym.apps.amazon.app import APP
from pi_gym.apps.desk import Desk
from pi_gym.apps.texts import is_blank
from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError

MAX_ZIP_CODE = 99_999_999


@APP.operation("read")
def show_addresses(desk: Desk) -> Any:
    """Show the addresses to which the account can have orders sent."""
    addresses = desk.own("addresses")
    shown: dict[str, Any] = {
        "addresses": [
            {"address_id": key, **{name: value for name, value in row.items() if name != "account"}}
            for key, row in addresses
        ]
    }
    return shown if addresses else {**shown, "message": "There are no addresses yet; amazon__add_address adds one."}


@APP.operation("write")
def add_address(
    desk: Desk, name: str, street_address: str, city: str, country: str, zip_code: int, state: str = ""
) -> Any:
    """Add an address for orders.

    Args:
        name: what to call it, like Home.
        street_address: street, number, floor.
        city: the city or town.
        country: the country.
        zip_code: postal code, digits only.
        state: state or region, where addresses there have one.
    """
    given = {"name": name, "street_address": street_address, "city": city, "state": state, "country": country}
    cleaned = {column: " ".join(text.split()) for column, text in given.items()}
    empty = [column for column, text in cleaned.items() if is_blank(text) and column != "state"]
    if empty:
        raise ToolError(f"An address needs a {' and a '.join(empty)}.")
    if not 0 < zip_code <= MAX_ZIP_CODE:
        raise ToolError(f"zip_code must be a postal code of at most eight digits, not {zip_code}.")
    row = {**cleaned, "zip_code": zip_code}
    for key, known in desk.own("addresses"):
        if all(_same(known[column], value) for column, value in row.items() if column != "name"):
            raise ToolError(f"You have this address already, as {known['name']!r} (address_id {key}).")
    key = desk.insert("addresses", account=desk.account_id, **row)
    return {"message": f"Address added: {in_one_line(row)}.", "address_id": key}


def in_one_line(address: Row) -> str:
    """An address as orders and messages have it."""
    place = f"{address['zip_code']} {address['city']}"
    parts = (address["street_address"], place, address["state"], address["country"])
    return ", ".join(part for part in parts if part)


def _same(one: Any, other: Any) -> bool:
    """Whether two values of an address say the same, in whatever case."""
    return str(one).casefold() == str(other).casefold()
