"""The events of the listings: new ones, changed rents, and listings that go."""

from __future__ import annotations

from typing import Any

from pi_gym.phone.apartment.app import APARTMENTS, APP, rent
from pi_gym.phone.declare import EVENT
from pi_gym.phone.phone_desk import PhoneDesk
from pi_gym.phone.showing import in_lines, named
from pi_gym.tools.declare import ToolError


@APP.operation("write", EVENT)
def add_new_apartment(
    desk: PhoneDesk,
    name: str,
    location: str,
    zip_code: str,
    price: float,
    number_of_bedrooms: int,
    number_of_bathrooms: int,
    square_footage: int,
    property_type: str = "",
    furnished_status: str = "",
    floor_level: str = "",
    pet_policy: str = "",
    lease_term: str = "",
    amenities: list[str] | None = None,
) -> Any:
    """List a new apartment.

    Args:
        name: the name of the listing.
        location: the street, the district or the town.
        zip_code: the postal code.
        price: the rent of a month.
        number_of_bedrooms: the number of bedrooms.
        number_of_bathrooms: the number of bathrooms.
        square_footage: the size in square feet.
        property_type: the type, such as Studio.
        furnished_status: how it is furnished.
        floor_level: the floor.
        pet_policy: whether pets are allowed.
        lease_term: how long one rents it.
        amenities: the amenities.
    """
    if not name.strip():
        raise ToolError("name is empty; a listing needs one.")
    texts = {
        "location": location,
        "zip_code": zip_code,
        "property_type": property_type,
        "furnished_status": furnished_status,
        "floor_level": floor_level,
        "pet_policy": pet_policy,
        "lease_term": lease_term,
    }
    counts = {"bedrooms": number_of_bedrooms, "bathrooms": number_of_bathrooms, "square_footage": square_footage}
    for column, count in counts.items():
        if count < 0:
            raise ToolError(f"{column} cannot be {count}.")
    amount = rent(price, "price")
    key = desk.insert(APARTMENTS, name=name, price=amount, **counts, **texts, amenities=amenities or [])
    numbers = {column: str(count) for column, count in counts.items()}
    facts = named(price=f"{amount:.2f}", **numbers, **texts, amenities=amenities or [])
    desk.notify(f"New apartment: {name}, {amount:.2f} a month", in_lines(f"New apartment {key}: {name}", facts))
    return {"message": f"Apartment {key} listed.", "apartment_id": key}


@APP.operation("write", EVENT)
def update_apartment(desk: PhoneDesk, apartment_id: int, new_price: float) -> Any:
    """Change the rent of an apartment; the phone shows it where the apartment is saved.

    Args:
        apartment_id: the apartment's id.
        new_price: the rent of a month from now on.
    """
    row, price = desk.need(APARTMENTS, apartment_id), rent(new_price, "new_price")
    desk.update(APARTMENTS, apartment_id, price=price)
    if row["saved"]:
        desk.notify(
            f"New price of {row['name']}: {price:.2f}",
            f"New price of the saved apartment {apartment_id}, {row['name']} ({row['location']}):"
            f" {price:.2f} a month instead of {row['price']:.2f}.",
        )
    return f"Apartment {apartment_id} has a new price."


@APP.operation("write", EVENT)
def delete_apartment(desk: PhoneDesk, apartment_id: int) -> Any:
    """Take an apartment's listing away.

    Args:
        apartment_id: the apartment's id.
    """
    row = desk.need(APARTMENTS, apartment_id)
    desk.delete(APARTMENTS, apartment_id)
    saved = "It was among the saved ones." if row["saved"] else "It was not saved."
    desk.notify(
        f"No longer listed: {row['name']}",
        f"The apartment {apartment_id}, {row['name']} ({row['location']}, {row['price']:.2f} a month), is no longer"
        f" listed. {saved}",
    )
    return f"Apartment {apartment_id} is no longer listed."
