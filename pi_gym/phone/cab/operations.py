"""The operations on rides: an agent's, and the owner's by screen."""

from __future__ import annotations

from typing import Any

from pi_gym.phone.cab.app import (
    APP,
    HOME,
    OPTIONS,
    QUOTATION,
    RIDE,
    ServiceType,
    cancelled,
    current,
    ordered,
    past_rides,
    quotation,
    quotations,
    ride,
    trip,
)
from pi_gym.phone.declare import USER
from pi_gym.phone.navigation import ROOT
from pi_gym.phone.phone_desk import PhoneDesk
from pi_gym.phone.showing import at_index, page


@APP.operation("read", name="get_quotation")
def quote(
    desk: PhoneDesk, start_location: str, end_location: str, service_type: ServiceType, ride_time: str | None = None
) -> Any:
    """Show what a ride by one service would cost.

    Args:
        start_location: where it begins.
        end_location: where it ends.
        service_type: the service.
        ride_time: when it shall begin, "YYYY-MM-DD HH:MM:SS"; as soon as it can where it is left out.
    """
    return quotation(desk, trip(desk, start_location, end_location, ride_time), service_type)


@APP.operation("read", name="list_rides")
def compare_services(desk: PhoneDesk, start_location: str, end_location: str, ride_time: str | None = None) -> Any:
    """Show what a ride would cost by each service.

    Args:
        start_location: where it begins.
        end_location: where it ends.
        ride_time: when it shall begin, "YYYY-MM-DD HH:MM:SS"; as soon as it can where it is left out.
    """
    return quotations(desk, trip(desk, start_location, end_location, ride_time))


@APP.operation("read")
def get_current_ride_status(desk: PhoneDesk) -> Any:
    """Show the ride under way with its status."""
    return ride(*current(desk))


@APP.operation("read")
def get_ride(desk: PhoneDesk, idx: int) -> Any:
    """Show a ride of the history whole.

    Args:
        idx: its place in the history; 0 is the ride that was ordered last.
    """
    return ride(*at_index(past_rides(desk), idx, "past rides"))


@APP.operation("read", USER, on=HOME)
@APP.operation("read")
def get_ride_history(desk: PhoneDesk, offset: int = 0, limit: int = 10) -> Any:
    """List the completed and cancelled rides, the one that was ordered last first.

    Args:
        offset: how many to skip.
        limit: how many to list.
    """
    return page(past_rides(desk), offset, limit, "rides", ride)


@APP.operation("read")
def get_ride_history_length(desk: PhoneDesk) -> Any:
    """Count the completed and cancelled rides."""
    return {"total": len(past_rides(desk))}


@APP.operation("write", name="order_ride")
def order(
    desk: PhoneDesk, start_location: str, end_location: str, service_type: ServiceType, ride_time: str | None = None
) -> Any:
    """Order a ride; one at a time is possible.

    Args:
        start_location: where it begins.
        end_location: where it ends.
        service_type: the service.
        ride_time: when it shall begin, "YYYY-MM-DD HH:MM:SS"; as soon as it can where it is left out.
    """
    return ordered(desk, trip(desk, start_location, end_location, ride_time), service_type)


@APP.operation("write")
def user_cancel_ride(desk: PhoneDesk) -> Any:
    """Cancel the ride under way for the owner."""
    return cancelled(desk, current(desk)[0])


@APP.operation("read", USER, on=HOME, goto=OPTIONS)
def list_rides(desk: PhoneDesk, start_location: str, end_location: str, ride_time: str | None = None) -> Any:
    """Look for a ride; shows what it would cost by each service.

    Args:
        start_location: where it begins.
        end_location: where it ends.
        ride_time: when it shall begin, "YYYY-MM-DD HH:MM:SS"; as soon as it can where it is left out.
    """
    way = trip(desk, start_location, end_location, ride_time)
    desk.show(OPTIONS, **way)
    return quotations(desk, way)


@APP.operation("read", USER, on=HOME, goto=RIDE)
def open_current_ride(desk: PhoneDesk) -> Any:
    """Open the ride under way."""
    key, row = current(desk)
    desk.show(RIDE, ride_id=key)
    return ride(key, row)


@APP.operation("read", USER, on=OPTIONS)
def list_service_types(desk: PhoneDesk) -> Any:
    """List the services with what each would cost."""
    return quotations(desk, desk.shown)


@APP.operation("read", USER, on=OPTIONS, goto=QUOTATION)
def get_quotation(desk: PhoneDesk, service_type: ServiceType) -> Any:
    """Open the offer of one service.

    Args:
        service_type: the service.
    """
    way = dict(desk.shown)
    desk.show(QUOTATION, service_type=service_type, **way)
    return quotation(desk, way, service_type)


@APP.operation("read", USER, on=QUOTATION)
def show_quotation(desk: PhoneDesk) -> Any:
    """Show the offer that is open."""
    way = dict(desk.shown)
    service_type = way.pop("service_type")
    return quotation(desk, way, service_type)


@APP.operation("write", USER, on=QUOTATION, goto=RIDE)
def order_ride(desk: PhoneDesk) -> Any:
    """Order the ride that is offered."""
    way = dict(desk.shown)
    service_type = way.pop("service_type")
    told = ordered(desk, trip(desk, **way), service_type)
    desk.show(RIDE, ride_id=told["ride_id"])
    return told


@APP.operation("write", USER, on=RIDE, goto=ROOT)
def cancel_ride(desk: PhoneDesk) -> Any:
    """Cancel the ride that is open."""
    told = cancelled(desk, desk.shown["ride_id"])
    desk.close()
    return told
