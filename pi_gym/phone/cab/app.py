"""The app Cab: its tables, its screens, its services, and how rides are priced and ordered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from pi_gym.apps.columns import Column, TableSpec
from pi_gym.apps.times import moment
from pi_gym.phone.declare import PhoneApp, Screen
from pi_gym.phone.phone_desk import PhoneDesk
from pi_gym.seeding import Stream
from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError

ServiceType: TypeAlias = Literal["Default", "Premium", "Van"]


@dataclass(frozen=True, slots=True)
class CabService:
    """One type of cab.

    Args:
        seats: the passengers that it takes.
        rate: the price of a kilometre.
        delay: minutes until it comes.
    """

    seats: int
    rate: float
    delay: int


SERVICES: Mapping[str, CabService] = {
    "Default": CabService(4, 1.0, 5),
    "Premium": CabService(4, 2.0, 3),
    "Van": CabService(6, 1.5, 7),
}
MAX_KM = 25.0
#: Between places whose distance nobody has said.
UNKNOWN_KM = (5.0, 20.0)
MINUTES_PER_KM = 2
UNDER_WAY = ("BOOKED", "DELAYED", "ARRIVED_AT_PICKUP", "IN_PROGRESS")
APP = PhoneApp(
    "Cab",
    "the cabs",
    "Rides by cab: three services with a price a kilometre, one ride at a time, and the rides of the past.",
    {
        "rides": TableSpec(
            {
                "status": Column(str, f"{', '.join(UNDER_WAY)}, COMPLETED or CANCELLED", "BOOKED", max_chars=30),
                "service_type": Column(str, "Default, Premium or Van", "Default", max_chars=30),
                "start_location": Column(str, "where it begins", max_chars=300),
                "end_location": Column(str, "where it ends", max_chars=300),
                "price": Column(float, "the price, two decimals"),
                "duration": Column(int, "how many minutes it takes"),
                "time_stamp": Column(str, "when it was ordered, ISO 8601"),
                "ride_time": Column(str | None, "when it shall begin, ISO 8601; null: as soon as it can", None),
                "distance_km": Column(float, "how many kilometres it goes"),
                "delay": Column(int, "minutes until a cab of its service comes", 0),
                "delay_history": Column(list[str], "for each delay that was told of: when, and why", []),
            },
            noun="ride",
            find="get_ride_history",
        ),
        "distances": TableSpec(
            {
                "start": Column(str, "a place", max_chars=300),
                "end": Column(str, "another one; the way back is as far", max_chars=300),
                "km": Column(float, "kilometres between them"),
            },
            noun="distance",
        ),
    },
    [
        Screen("CabHome"),
        Screen("CabServiceOptions", {"start_location": None, "end_location": None, "ride_time": None}),
        Screen(
            "CabQuotationDetail",
            {"start_location": None, "end_location": None, "service_type": None, "ride_time": None},
        ),
        Screen("CabRideDetail", {"ride_id": None}),
    ],
)
RIDES, DISTANCES = "rides", "distances"
HOME, OPTIONS, QUOTATION, RIDE = APP.screens


def trip(desk: PhoneDesk, start_location: str, end_location: str, ride_time: str | None) -> dict[str, Any]:
    """A way that a cab may take, as screens remember it.

    Raises:
        ToolError: a place is missing, both are one, it is too far, or the time has passed.
    """
    start, end = " ".join(start_location.split()), " ".join(end_location.split())
    if not start or not end:
        raise ToolError(
            f"{'end' if start else 'start'}_location is empty; give the places where the ride begins and ends."
        )
    if start.casefold() == end.casefold():
        raise ToolError(f"The ride would begin and end at {start!r}; give two places.")
    km = distance(desk, start, end)
    if km > MAX_KM:
        raise ToolError(f"From {start!r} to {end!r} it is {km:g} km; cabs go {MAX_KM:g} km at most.")
    when = moment(ride_time, "ride_time") if ride_time and ride_time.strip() else None
    if when is not None and when < desk.now:
        raise ToolError(f"ride_time ({when}) has passed; it is {desk.now}.")
    return {"start_location": start, "end_location": end, "ride_time": when}


def distance(desk: PhoneDesk, start: str, end: str) -> float:
    """The kilometres between two places: as the table has them, else the same at any time."""
    low, high = sorted((start.casefold(), end.casefold()))
    for _, row in desk.table(DISTANCES).rows():
        if sorted((row["start"].casefold(), row["end"].casefold())) == [low, high]:
            km: float = row["km"]
            return km
    return round(Stream("cab", low, high).uniform(*UNKNOWN_KM), 1)


def quotation(desk: PhoneDesk, way: Mapping[str, Any], service_type: str) -> dict[str, Any]:
    """The columns of a ride as one service offers it.

    Args:
        desk: the app.
        way: as `trip` gives it.
        service_type: the service.
    """
    km, service = distance(desk, way["start_location"], way["end_location"]), SERVICES[service_type]
    return {
        "service_type": service_type,
        **way,
        "distance_km": km,
        "price": round(km * service.rate, 2),
        "duration": round(km * MINUTES_PER_KM),
        "delay": service.delay,
    }


def quotations(desk: PhoneDesk, way: Mapping[str, Any]) -> dict[str, Any]:
    """All services on a way."""
    return {"rides": [{**quotation(desk, way, name), "seats": one.seats} for name, one in SERVICES.items()]}


def ride(key: int, row: Row) -> dict[str, Any]:
    """A ride whole."""
    return {"ride_id": key, **row}


def current(desk: PhoneDesk) -> tuple[int, Row]:
    """The ride under way; ToolError where there is none."""
    for pair in desk.table(RIDES).rows():
        if pair[1]["status"] in UNDER_WAY:
            return pair
    raise ToolError("No ride is under way; order_ride orders one.")


def past_rides(desk: PhoneDesk) -> list[tuple[int, Row]]:
    """The completed and cancelled rides as (id, row), the one that was ordered last first."""
    rows = [pair for pair in desk.table(RIDES).rows() if pair[1]["status"] not in UNDER_WAY]
    return sorted(rows, key=lambda pair: (pair[1]["time_stamp"], pair[0]), reverse=True)


def ordered(desk: PhoneDesk, way: Mapping[str, Any], service_type: str) -> dict[str, Any]:
    """A ride that was ordered just now; ToolError while another one is under way."""
    for key, row in desk.table(RIDES).rows():
        if row["status"] in UNDER_WAY:
            raise ToolError(
                f"The ride {key} to {row['end_location']!r} is under way ({row['status']}); another one can be ordered"
                " once it has ended or was cancelled."
            )
    key = desk.insert(RIDES, time_stamp=desk.now, **quotation(desk, way, service_type))
    return ride(key, desk.need(RIDES, key))


def cancelled(desk: PhoneDesk, key: int) -> str:
    """The end of a ride before its end; ToolError where it is over."""
    row = desk.need(RIDES, key)
    if row["status"] not in UNDER_WAY:
        raise ToolError(f"The ride {key} is {row['status']}; only a ride under way can be cancelled.")
    desk.update(RIDES, key, status="CANCELLED")
    return f"Ride {key} to {row['end_location']} cancelled."
