"""Listings on the phone of the tests."""

from __future__ import annotations

from typing import Any

ROWS: dict[str, dict[int, dict[str, Any]]] = {
    "apartments": {
        1: {
            "name": "Ferry House",
            "location": "Harbour Street 4",
            "zip_code": "28195",
            "price": 1250.0,
            "bedrooms": 2,
            "square_footage": 700,
            "property_type": "Loft",
            "amenities": ["Lift", "Cellar"],
            "saved": True,
        },
        2: {"name": "Mill Studio", "location": "Mill Lane 9", "price": 800.0, "square_footage": 350},
    }
}
ARGUMENTS: dict[str, list[dict[str, Any]]] = {
    "Apartment__get_apartment_details": [{"apartment_id": 1}],
    "Apartment__search_apartments": [{"location": "harbour"}],
    "Apartment__search": [{"max_price": 900.0}],
    "Apartment__save_apartment": [{"apartment_id": 2}, {"apartment_id": 1}],
    "Apartment__remove_saved_apartment": [{"apartment_id": 1}, {"apartment_id": 2}],
    "Apartment__view_apartment": [{"apartment_id": 1}],
    "Apartment__add_new_apartment": [
        {
            "name": "Quay View",
            "location": "Quay 1",
            "zip_code": "28197",
            "price": 1100.0,
            "number_of_bedrooms": 1,
            "number_of_bathrooms": 1,
            "square_footage": 500,
        }
    ],
    "Apartment__update_apartment": [{"apartment_id": 1, "new_price": 1150.0}],
    "Apartment__delete_apartment": [{"apartment_id": 2}],
}
