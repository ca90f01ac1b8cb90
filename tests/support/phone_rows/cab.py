"""Rides on the phone of the tests: one under way, two of the past."""

from __future__ import annotations

from typing import Any

_WAY = {"start_location": "Mill Lane 9", "end_location": "Station", "price": 6.0, "duration": 12, "distance_km": 6.0}
_ARGUMENTS = {"start_location": "Station", "end_location": "Harbour Street 4"}
ROWS: dict[str, dict[int, dict[str, Any]]] = {
    "rides": {
        1: {**_WAY, "status": "COMPLETED", "time_stamp": "2026-05-01T08:00:00"},
        2: {**_WAY, "status": "CANCELLED", "time_stamp": "2026-05-02T08:00:00"},
        3: {**_WAY, "status": "BOOKED", "time_stamp": "2026-05-04T08:55:00"},
    },
    "distances": {
        1: {"start": "Station", "end": "Airport", "km": 11.3},
        2: {"start": "Station", "end": "Sea", "km": 70.0},
    },
}
ARGUMENTS: dict[str, list[dict[str, Any]]] = {
    "Cab__list_rides": [_ARGUMENTS],
    "Cab__get_quotation": [{**_ARGUMENTS, "service_type": "Van"}, {"service_type": "Van"}],
    "Cab__get_ride": [{"idx": 0}],
    "Cab__order_ride": [{**_ARGUMENTS, "service_type": "Default"}, {}],
    "Cab__update_ride_status": [{"status": "DELAYED", "message": "Heavy traffic."}],
}
