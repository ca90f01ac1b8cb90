"""The app Apartment: its table, its screens, and how listings are found and saved."""

from __future__ import annotations

from typing import Any

from pi_gym.apps.columns import Column, TableSpec
from pi_gym.apps.money import cents, units
from pi_gym.apps.row_search import search, words_of
from pi_gym.phone.declare import PhoneApp, Screen
from pi_gym.phone.phone_desk import PhoneDesk
from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError

APP = PhoneApp(
    "Apartment",
    "the apartment listings",
    "Listings of apartments for rent, with prices, rooms and terms; one saves those that one likes.",
    {
        "apartments": TableSpec(
            {
                "name": Column(str, "the name of the listing", max_chars=200),
                "location": Column(str, "the street, the district or the town", max_chars=200),
                "zip_code": Column(str, "the postal code", "", max_chars=20),
                "price": Column(float, "the rent of a month"),
                "bedrooms": Column(int, "the number of bedrooms", 1),
                "bathrooms": Column(int, "the number of bathrooms", 1),
                "property_type": Column(str, "the type, such as Studio or Loft", "", max_chars=100),
                "square_footage": Column(int, "the size in square feet", 0),
                "furnished_status": Column(str, "how it is furnished", "", max_chars=100),
                "floor_level": Column(str, "the floor", "", max_chars=100),
                "pet_policy": Column(str, "whether pets are allowed", "", max_chars=100),
                "lease_term": Column(str, "how long one rents it", "", max_chars=100),
                "amenities": Column(list[str], "the amenities", []),
                "saved": Column(bool, "whether the owner of the phone has saved it", False),
            },
            noun="apartment",
            find="search_apartments",
        )
    },
    [
        Screen("ApartmentHome"),
        Screen("ApartmentSearch"),
        Screen("ApartmentFavorites"),
        Screen("ApartmentDetail", {"apartment_id": None}),
    ],
)
APARTMENTS = "apartments"
HOME, SEARCH, FAVORITES, DETAIL = APP.screens
#: Filters that hold where the column has a word of them, and those that hold where the column is equal.
BY_WORDS = ("name", "location")
BY_VALUE = ("zip_code", "property_type", "furnished_status", "floor_level", "pet_policy", "lease_term")


def listing(key: int, row: Row) -> dict[str, Any]:
    """A listing whole."""
    return {"apartment_id": key, **row}


def listed(rows: list[tuple[int, Row]]) -> dict[str, Any]:
    """Listings as a list shows them."""
    shown = ("name", "location", "price", "bedrooms", "square_footage", "saved")
    return {
        "apartments": [{"apartment_id": key, **{name: row[name] for name in shown}} for key, row in rows],
        "total": len(rows),
    }


def everything(desk: PhoneDesk) -> dict[str, Any]:
    """All listings."""
    return listed(list(desk.table(APARTMENTS).rows()))


def favorites(desk: PhoneDesk) -> dict[str, Any]:
    """The saved listings."""
    return listed(desk.having(APARTMENTS, "saved", True))


def found(desk: PhoneDesk, filters: dict[str, Any]) -> dict[str, Any]:
    """The listings to which every filter applies.

    Args:
        desk: the app.
        filters: as the searches take them; those that are None, empty or False do not count.
    """
    wanted = {name: value for name, value in filters.items() if value not in (None, "", [], False)}
    if not wanted:
        raise ToolError("No filter was given; give one, such as location or max_price. The list has all apartments.")
    low, high = wanted.get("min_price", 0), wanted.get("max_price", float("inf"))
    if low > high:
        raise ToolError(f"min_price ({low:g}) is above max_price ({high:g}); no price can be between them.")
    rows = dict(desk.table(APARTMENTS).rows())
    for name in BY_WORDS:
        if name in wanted:
            if not words_of(wanted[name]):
                raise ToolError(f"{name} has no words to look for: {wanted[name][:60]!r}.")
            hits = search(desk.table(APARTMENTS), wanted[name], {name: 1})
            rows = {key: row for key, row in hits if key in rows}
    return listed([(key, row) for key, row in rows.items() if _fits(row, wanted, low, high)])


def _fits(row: Row, wanted: dict[str, Any], low: float, high: float) -> bool:
    return (
        low <= row["price"] <= high
        and all(_same(row[name], wanted[name]) for name in BY_VALUE if name in wanted)
        and row["bedrooms"] == wanted.get("number_of_bedrooms", row["bedrooms"])
        and row["bathrooms"] == wanted.get("number_of_bathrooms", row["bathrooms"])
        and row["square_footage"] >= wanted.get("square_footage", 0)
        and all(any(_same(one, other) for other in row["amenities"]) for one in wanted.get("amenities", ()))
        and (row["saved"] or not wanted.get("saved_only"))
    )


def _same(one: str, other: str) -> bool:
    return one.strip().casefold() == other.strip().casefold()


def mark(desk: PhoneDesk, apartment_id: int, *, saved: bool) -> str:
    """Save a listing, or take it from the saved ones."""
    row = desk.need(APARTMENTS, apartment_id)
    if row["saved"] == saved:
        raise ToolError(f"The apartment {row['name']!r} is {'saved already' if saved else 'not among the saved ones'}.")
    desk.update(APARTMENTS, apartment_id, saved=saved)
    return f"Apartment {apartment_id} {'saved' if saved else 'is no longer saved'}."


def rent(price: float, name: str) -> float:
    """A rent that somebody gave; ToolError where it is none."""
    return units(cents(price, name, least=1))
