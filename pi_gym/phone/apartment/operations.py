"""The operations on the listings: an agent's, and the owner's by screen."""

from __future__ import annotations

from typing import Any

from pi_gym.phone.apartment.app import (
    APARTMENTS,
    APP,
    DETAIL,
    FAVORITES,
    HOME,
    SEARCH,
    everything,
    favorites,
    found,
    listing,
    mark,
)
from pi_gym.phone.declare import USER
from pi_gym.phone.phone_desk import PhoneDesk


@APP.operation("read", USER, on=HOME, name="list_apartments")
@APP.operation("read")
def list_all_apartments(desk: PhoneDesk) -> Any:
    """List all apartments."""
    return everything(desk)


@APP.operation("read")
def get_apartment_details(desk: PhoneDesk, apartment_id: int) -> Any:
    """Show an apartment whole.

    Args:
        apartment_id: the apartment's id.
    """
    return listing(apartment_id, desk.need(APARTMENTS, apartment_id))


@APP.operation("read")
def list_saved_apartments(desk: PhoneDesk) -> Any:
    """List the saved apartments."""
    return favorites(desk)


@APP.operation("read")
def search_apartments(
    desk: PhoneDesk,
    name: str | None = None,
    location: str | None = None,
    zip_code: str | None = None,
    min_price: float | None = None,
    max_price: float | None = None,
    number_of_bedrooms: int | None = None,
    number_of_bathrooms: int | None = None,
    property_type: str | None = None,
    square_footage: int | None = None,
    furnished_status: str | None = None,
    floor_level: str | None = None,
    pet_policy: str | None = None,
    lease_term: str | None = None,
    amenities: list[str] | None = None,
    saved_only: bool = False,
) -> Any:
    """Search the apartments; those are found to which all the given filters apply.

    Args:
        name: words of the listing's name.
        location: words of the location.
        zip_code: the postal code.
        min_price: the least rent of a month.
        max_price: the highest rent of a month.
        number_of_bedrooms: the number of bedrooms.
        number_of_bathrooms: the number of bathrooms.
        property_type: the type, such as Studio.
        square_footage: the least size in square feet.
        furnished_status: how it is furnished, as listings say it.
        floor_level: the floor, as listings say it.
        pet_policy: whether pets are allowed, as listings say it.
        lease_term: how long one rents it, as listings say it.
        amenities: amenities that it must all have.
        saved_only: whether only saved ones are looked at.
    """
    return found(desk, {name: value for name, value in locals().items() if name != "desk"})


@APP.operation("write")
def save_apartment(desk: PhoneDesk, apartment_id: int) -> Any:
    """Save an apartment.

    Args:
        apartment_id: the apartment's id.
    """
    return mark(desk, apartment_id, saved=True)


@APP.operation("write")
def remove_saved_apartment(desk: PhoneDesk, apartment_id: int) -> Any:
    """Take an apartment from the saved ones; the listing stays.

    Args:
        apartment_id: the apartment's id.
    """
    return mark(desk, apartment_id, saved=False)


@APP.operation("read", USER, on=(HOME, SEARCH, FAVORITES), goto=DETAIL)
def view_apartment(desk: PhoneDesk, apartment_id: int) -> Any:
    """Open an apartment.

    Args:
        apartment_id: the apartment's id.
    """
    row = desk.need(APARTMENTS, apartment_id)
    desk.show(DETAIL, apartment_id=apartment_id)
    return listing(apartment_id, row)


@APP.operation("read", USER, on=HOME, goto=FAVORITES)
def open_favorites(desk: PhoneDesk) -> Any:
    """Open the saved apartments."""
    desk.show(FAVORITES)
    return favorites(desk)


@APP.operation("read", USER, on=HOME, goto=SEARCH)
def open_search(desk: PhoneDesk) -> Any:
    """Open the search."""
    desk.show(SEARCH)
    return "The search is open; give filters."


@APP.operation("read", USER, on=SEARCH, name="search")
def search_on_screen(
    desk: PhoneDesk,
    name: str | None = None,
    location: str | None = None,
    zip_code: str | None = None,
    min_price: float | None = None,
    max_price: float | None = None,
    number_of_bedrooms: int | None = None,
    number_of_bathrooms: int | None = None,
    property_type: str | None = None,
    square_footage: int | None = None,
    furnished_status: str | None = None,
    floor_level: str | None = None,
    pet_policy: str | None = None,
    lease_term: str | None = None,
    amenities: list[str] | None = None,
) -> Any:
    """Search the apartments; those are found to which all the given filters apply.

    Args:
        name: words of the listing's name.
        location: words of the location.
        zip_code: the postal code.
        min_price: the least rent of a month.
        max_price: the highest rent of a month.
        number_of_bedrooms: the number of bedrooms.
        number_of_bathrooms: the number of bathrooms.
        property_type: the type, such as Studio.
        square_footage: the least size in square feet.
        furnished_status: how it is furnished, as listings say it.
        floor_level: the floor, as listings say it.
        pet_policy: whether pets are allowed, as listings say it.
        lease_term: how long one rents it, as listings say it.
        amenities: amenities that it must all have.
    """
    return found(desk, {name: value for name, value in locals().items() if name != "desk"})


@APP.operation("write", USER, on=DETAIL)
def save(desk: PhoneDesk) -> Any:
    """Save the apartment that is open."""
    return mark(desk, desk.shown["apartment_id"], saved=True)


@APP.operation("write", USER, on=DETAIL)
def unsave(desk: PhoneDesk) -> Any:
    """Take the apartment that is open from the saved ones."""
    return mark(desk, desk.shown["apartment_id"], saved=False)
