"""Rides: one at a time, priced by the kilometre, with a history of those that ended."""

from __future__ import annotations

import pytest
from support.phone_hand import StrictPhone

WAY = {"start_location": "Station", "end_location": "Airport"}


@pytest.fixture
def phone() -> StrictPhone:
    return StrictPhone("Cab")


@pytest.fixture
def idle() -> StrictPhone:
    """The phone with no ride under way."""
    phone = StrictPhone("Cab")
    phone.agent("user_cancel_ride")
    return phone


def test_a_price_is_the_way_times_the_rate(phone: StrictPhone) -> None:
    told = phone.agent("list_rides", **WAY)["rides"]
    assert [(one["service_type"], one["price"], one["delay"], one["seats"]) for one in told] == [
        ("Default", 11.3, 5, 4),
        ("Premium", 22.6, 3, 4),
        ("Van", 16.95, 7, 6),
    ]


def test_two_places_are_always_as_far_in_both_directions(phone: StrictPhone) -> None:
    there = phone.agent("get_quotation", start_location="Quay", end_location="Mill", service_type="Van")
    back = phone.agent("get_quotation", start_location=" mill ", end_location="QUAY", service_type="Van")
    assert there["distance_km"] == back["distance_km"]
    assert 5 <= there["distance_km"] <= 20
    airport = phone.agent("get_quotation", start_location="airport", end_location="station", service_type="Van")
    assert airport["distance_km"] == 11.3


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"start_location": " "}, "start_location is empty"),
        ({"end_location": "station"}, "begin and end at 'Station'"),
        ({"end_location": "Sea"}, "70 km; cabs go 25 km at most"),
        ({"ride_time": "2026-05-04 08:59:59"}, "has passed"),
        ({"ride_time": "soon"}, "ride_time must be"),
        ({"ride_time": "2026-05-05T10:00:00+02:00"}, "without a zone"),
    ],
)
def test_an_impossible_way_is_refused_with_its_reason(idle: StrictPhone, given: dict[str, str], reason: str) -> None:
    assert reason in idle.refused("user", "list_rides", **{**WAY, **given})
    assert reason in idle.refused("assistant", "order_ride", **{**WAY, **given}, service_type="Van")


def test_owner_and_agent_order_alike_and_the_time_is_kept(idle: StrictPhone) -> None:
    other = StrictPhone("Cab")
    other.agent("user_cancel_ride")
    idle.user("list_rides", **WAY, ride_time="2026-05-05 10:00:00")
    idle.user("get_quotation", service_type="Premium")
    told = idle.user("order_ride")
    assert idle.screen == "CabRideDetail"
    assert told["ride_time"] == "2026-05-05T10:00:00"
    other.agent("order_ride", **WAY, service_type="Premium", ride_time="2026-05-05T10:00")
    assert idle.state == other.state


def test_a_second_ride_waits_for_the_end_of_the_first(phone: StrictPhone) -> None:
    assert "under way" in phone.refused("assistant", "order_ride", **WAY, service_type="Van")
    phone.user("list_rides", **WAY)
    phone.user("get_quotation", service_type="Van")
    assert "under way" in phone.refused("user", "order_ride")
    phone.event("end_ride")
    assert phone.user("order_ride")["status"] == "BOOKED"


def test_cancelling_leads_home_and_into_the_history(phone: StrictPhone) -> None:
    other = StrictPhone("Cab")
    phone.user("open_current_ride")
    phone.user("cancel_ride")
    other.agent("user_cancel_ride")
    assert phone.screen == "CabHome"
    assert phone.state == other.state
    assert [one["ride_id"] for one in phone.agent("get_ride_history")["rides"]] == [3, 2, 1]
    assert phone.agent("get_ride", idx=0)["status"] == "CANCELLED"
    assert "No ride is under way" in phone.refused("user", "open_current_ride")
    assert "No ride is under way" in phone.refused("assistant", "user_cancel_ride")


def test_the_history_pages_and_counts(phone: StrictPhone) -> None:
    told = phone.user("get_ride_history", offset=1, limit=1)
    assert ([one["ride_id"] for one in told["rides"]], told["total"]) == ([1], 2)
    assert phone.agent("get_ride_history_length") == {"total": 2}
    assert "there is none at 2" in phone.refused("assistant", "get_ride", idx=2)


def test_a_delay_moves_the_status_and_is_remembered(phone: StrictPhone) -> None:
    notice = phone.event("update_ride_status", status="DELAYED", message="Heavy traffic.")
    assert notice.short == "Your ride to Station is delayed"
    assert "message: Heavy traffic." in notice.whole.splitlines()
    told = phone.agent("get_current_ride_status")
    assert (told["status"], told["delay_history"]) == ("DELAYED", ["2026-05-04T09:00:00: Heavy traffic."])
    assert "message" not in phone.event("update_ride_status", status="IN_PROGRESS").whole


def test_the_driver_cancels_and_rides_end(phone: StrictPhone) -> None:
    phone.user("open_current_ride")
    notice = phone.event("cancel_ride", message="Flat tyre.")
    assert notice.short == "Your ride to Station was cancelled by the driver"
    assert "Flat tyre." in notice.whole
    assert phone.rows("rides")[3]["status"] == "CANCELLED"
    assert "only a ride under way" in phone.refused("user", "cancel_ride")
    for name, given in (("end_ride", {}), ("cancel_ride", {}), ("update_ride_status", {"status": "DELAYED"})):
        assert "No ride is under way" in phone.refused("event", name, **given)
