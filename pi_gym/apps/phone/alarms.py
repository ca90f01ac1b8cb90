"""Operations on alarms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pi_gym.apps.desk import Desk
from pi_gym.apps.phone.app import APP, WEEKDAYS, Weekday
from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError

MAX_SNOOZE_MINUTES = 60
LISTED = 20


@APP.operation("write")
def create_alarm(
    desk: Desk,
    time: str,
    repeat_days: list[Weekday] | None = None,
    label: str | None = None,
    enabled: bool = True,
    snooze_minutes: int = 5,
    vibration: bool = True,
) -> Any:
    """Set a new alarm.

    Args:
        time: when it rings, 24 hours, like 06:45.
        repeat_days: on which days of the week; null or an empty list for an alarm that rings once.
        label: what it says when it rings.
        enabled: whether it is on.
        snooze_minutes: how long it waits after snoozing, 0 to 60; 0 for no snoozing.
        vibration: whether the phone vibrates too.
    """
    key = desk.insert(
        "alarms",
        account=desk.account_id,
        time=_time(time),
        repeat_days=_days(repeat_days or []),
        label=(label or "").strip(),
        enabled=enabled,
        snooze_minutes=_snooze(snooze_minutes),
        vibration=vibration,
    )
    return {"message": "Alarm set.", "alarm_id": key}


@APP.operation("read")
def show_alarm(desk: Desk, alarm_id: int) -> Any:
    """Show an alarm. With an id that does not exist, such as 0, the error lists your alarms with their ids.

    Args:
        alarm_id: the alarm's id.
    """
    return _show(alarm_id, _need(desk, alarm_id))


@APP.operation("write")
def update_alarm(
    desk: Desk,
    alarm_id: int,
    time: str | None = None,
    repeat_days: list[Weekday] | None = None,
    label: str | None = None,
    enabled: bool | None = None,
    snooze_minutes: int | None = None,
    vibration: bool | None = None,
) -> Any:
    """Change an alarm, or turn it on or off. What is left out, or null, stays as it is.

    Args:
        alarm_id: the alarm's id; show_alarm with an id that does not exist lists your alarms.
        time: the new time, 24 hours, like 06:45.
        repeat_days: the new days, which replace the old ones; an empty list for an alarm that rings once.
        label: the new label; an empty text removes it.
        enabled: whether it is on.
        snooze_minutes: how long it waits after snoozing, 0 to 60; 0 for no snoozing.
        vibration: whether the phone vibrates too.
    """
    _need(desk, alarm_id)
    given = {
        "time": None if time is None else _time(time),
        "repeat_days": None if repeat_days is None else _days(repeat_days),
        "label": None if label is None else label.strip(),
        "enabled": enabled,
        "snooze_minutes": None if snooze_minutes is None else _snooze(snooze_minutes),
        "vibration": vibration,
    }
    changes = {name: value for name, value in given.items() if value is not None}
    if not changes:
        raise ToolError(f"Nothing to change; give one of: {', '.join(given)}.")
    alarm = desk.update("alarms", alarm_id, **changes)
    return {"message": f"Alarm updated: {', '.join(changes)}.", **_show(alarm_id, alarm)}


def _need(desk: Desk, key: int) -> Row:
    """One of the account's alarms; no operation lists them, so the error does."""
    row = desk.table("alarms").get(key)
    if row is not None and row["account"] == desk.account_id:
        return row
    own = sorted(desk.own("alarms"), key=lambda pair: (pair[1]["time"], pair[0]))
    listed = "; ".join(
        f"{number} at {alarm['time']}{' ' + repr(alarm['label'][:40]) if alarm['label'] else ''}"
        for number, alarm in own[:LISTED]
    )
    more = f"; and {len(own) - LISTED} more" if len(own) > LISTED else ""
    yours = f"Your alarms by alarm_id: {listed}{more}." if own else "You have no alarms; phone__create_alarm sets one."
    raise ToolError(f"There is no alarm with the id {key}. {yours}")


def _time(text: str) -> str:
    hours, colon, minutes = text.strip().partition(":")
    digits = all(part.isascii() and part.isdigit() and len(part) <= 2 for part in (hours, minutes))
    if not colon or not digits or len(minutes) != 2 or int(hours) > 23 or int(minutes) > 59:
        raise ToolError(f"time must be hours and minutes, 00:00 to 23:59, like 06:45, not {text[:60]!r}.")
    return f"{int(hours):02d}:{minutes}"


def _days(days: Sequence[Weekday]) -> list[Weekday]:
    """The days in the order of the week, each once."""
    return [day for day in WEEKDAYS if day in days]


def _snooze(minutes: int) -> int:
    if not 0 <= minutes <= MAX_SNOOZE_MINUTES:
        raise ToolError(f"snooze_minutes must be between 0 and {MAX_SNOOZE_MINUTES}, not {minutes}.")
    return minutes


def _show(key: int, alarm: Row) -> dict[str, Any]:
    return {"alarm_id": key, **{name: value for name, value in alarm.items() if name != "account"}}
