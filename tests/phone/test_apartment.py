"""Listings: found by filters that all apply, saved and given up, shown when their price changes."""

from __future__ import annotations

from typing import Any

import pytest
from support.phone_hand import StrictPhone


@pytest.fixture
def phone() -> StrictPhone:
    return StrictPhone("Apartment")


@pytest.mark.parametrize(
    ("filters", "ids"),
    [
        ({"location": "harbour"}, [1]),
        ({"name": "studio"}, [2]),
        ({"min_price": 700.0}, [1, 2]),
        ({"max_price": 900.0, "location": "harbour"}, []),
        ({"number_of_bedrooms": 2}, [1]),
        ({"number_of_bathrooms": 1, "zip_code": "28195"}, [1]),
        ({"property_type": "loft"}, [1]),
        ({"square_footage": 350}, [1, 2]),
        ({"square_footage": 351}, [1]),
        ({"amenities": ["cellar", "lift"]}, [1]),
        ({"amenities": ["lift", "garden"]}, []),
    ],
)
def test_a_search_finds_what_all_filters_apply_to_for_agent_and_owner(
    phone: StrictPhone, filters: dict[str, Any], ids: list[int]
) -> None:
    phone.user("open_search")
    for told in (phone.agent("search_apartments", **filters), phone.user("search", **filters)):
        assert [one["apartment_id"] for one in told["apartments"]] == ids
        assert told["total"] == len(ids)


def test_saved_ones_are_searched_alone_on_demand(phone: StrictPhone) -> None:
    assert phone.agent("search_apartments", saved_only=True) == phone.agent("list_saved_apartments")


def test_a_search_without_filters_and_an_empty_range_are_refused(phone: StrictPhone) -> None:
    assert "No filter was given" in phone.refused("assistant", "search_apartments")
    assert "is above max_price" in phone.refused("assistant", "search_apartments", min_price=2.0, max_price=1.0)


def test_owner_and_agent_save_alike(phone: StrictPhone) -> None:
    other = StrictPhone("Apartment")
    phone.user("view_apartment", apartment_id=2)
    phone.user("save")
    other.agent("save_apartment", apartment_id=2)
    assert phone.state == other.state
    assert "saved already" in phone.refused("user", "save")


def test_an_apartment_that_is_not_saved_cannot_be_given_up(phone: StrictPhone) -> None:
    assert "not among the saved" in phone.refused("assistant", "remove_saved_apartment", apartment_id=2)
    assert "no apartment with the id 9" in phone.refused("assistant", "save_apartment", apartment_id=9)


def test_a_new_price_is_shown_where_the_apartment_is_saved(phone: StrictPhone) -> None:
    notice = phone.event("update_apartment", apartment_id=1, new_price=1150.0)
    assert notice.short == "New price of Ferry House: 1150.00"
    assert "1150.00 a month instead of 1250.00" in notice.whole
    assert phone.rows("apartments")[1]["price"] == 1150.0
    phone.event("update_apartment", apartment_id=2, new_price=700.0)
    assert phone.rows("apartments")[2]["price"] == 700.0
    assert phone.notices == [notice]


def test_a_new_apartment_is_told_of_without_what_is_absent(phone: StrictPhone) -> None:
    given = {"name": "Quay View", "location": "Quay 1", "zip_code": "28197", "price": 1100.0, "lease_term": "1 year"}
    counts = {"number_of_bedrooms": 1, "number_of_bathrooms": 1, "square_footage": 500}
    notice = phone.event("add_new_apartment", **given, **counts, amenities=["Lift", "Roof"])
    assert notice.short == "New apartment: Quay View, 1100.00 a month"
    assert notice.whole.splitlines()[1:] == [
        "price: 1100.00",
        "bedrooms: 1",
        "bathrooms: 1",
        "square footage: 500",
        "location: Quay 1",
        "zip code: 28197",
        "lease term: 1 year",
        "amenities: Lift, Roof",
    ]
    assert "price" in phone.refused("event", "add_new_apartment", **{**given, "price": -1.0}, **counts)


def test_a_listing_that_goes_is_gone_for_all(phone: StrictPhone) -> None:
    phone.user("view_apartment", apartment_id=1)
    notice = phone.event("delete_apartment", apartment_id=1)
    assert notice.short == "No longer listed: Ferry House"
    assert "among the saved ones" in notice.whole
    assert "no apartment with the id 1" in phone.refused("user", "unsave")
    assert "no apartment with the id 1" in phone.refused("event", "update_apartment", apartment_id=1, new_price=1.0)
