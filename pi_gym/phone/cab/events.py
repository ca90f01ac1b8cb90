"""The events of the ride under way: its driver cancels, it ends, it is late or comes."""

from __future__ import annotations

from typing import Any, Literal

from pi_gym.phone.cab.app import APP, RIDES, cancelled, current
from pi_gym.phone.declare import EVENT
from pi_gym.phone.phone_desk import PhoneDesk
from pi_gym.phone.showing import in_lines, named
from pi_gym.state.tables import Row

_STATUS = {
    "DELAYED": "is delayed",
    "ARRIVED_AT_PICKUP": "waits at the pick-up place",
    "IN_PROGRESS": "has begun",
}


@APP.operation("write", EVENT)
def cancel_ride(desk: PhoneDesk, who_cancel: Literal["driver", "user"] = "driver", message: str | None = None) -> Any:
    """Cancel the ride under way.

    Args:
        who_cancel: who does.
        message: what is said of it.
    """
    key, row = current(desk)
    told = cancelled(desk, key)
    by = "by the driver" if who_cancel == "driver" else "by request"
    _notify(desk, key, row, f"was cancelled {by}", message)
    return told


@APP.operation("write", EVENT)
def end_ride(desk: PhoneDesk) -> Any:
    """Complete the ride under way."""
    key, row = current(desk)
    desk.update(RIDES, key, status="COMPLETED")
    _notify(desk, key, row, "is completed", None)
    return f"Ride {key} completed."


@APP.operation("write", EVENT)
def update_ride_status(
    desk: PhoneDesk, status: Literal["DELAYED", "ARRIVED_AT_PICKUP", "IN_PROGRESS"], message: str | None = None
) -> Any:
    """Move the ride under way to a status.

    Args:
        status: the status.
        message: what is said of it.
    """
    key, row = current(desk)
    changes: dict[str, Any] = {"status": status}
    if status == "DELAYED":
        changes["delay_history"] = [*row["delay_history"], f"{desk.now}: {message.strip()}" if message else desk.now]
    desk.update(RIDES, key, **changes)
    _notify(desk, key, row, _STATUS[status], message)
    return f"Ride {key} is {status}."


def _notify(desk: PhoneDesk, key: int, row: Row, news: str, message: str | None) -> None:
    facts = named(
        message=message or "",
        service_type=row["service_type"],
        start_location=row["start_location"],
        end_location=row["end_location"],
        ride_time=row["ride_time"] or "",
        price=f"{row['price']:.2f}",
    )
    desk.notify(f"Your ride to {row['end_location']} {news}", in_lines(f"The ride {key} {news}", facts))
