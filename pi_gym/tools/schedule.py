"""The schedule of a job: once at a time, every so many seconds, or by a cron expression.

All times are those of the session's clock, which is the user's local time and carries no zone. A cron expression may
be meant in a zone of its own; it is then translated, where the clock's zone is known, and else taken as the user's.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from cronsim import CronSim, CronSimError

from pi_gym.errors import UnknownName
from pi_gym.state.zones import load_zone

MIN_EVERY_SECONDS = 60
MAX_EVERY_SECONDS = 366 * 24 * 3600
MAX_EXPRESSION_CHARS = 100
_FIELDS = "minute, hour, day of month, month, day of week"
_TRIES = 200


class BadSchedule(ValueError):
    """A schedule cannot be kept; the message says what was expected."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """The schedule of a job: exactly one of `every_seconds`, `cron_expr` and `at` is set.

    Args:
        every_seconds: the time between two runs.
        cron_expr: five fields.
        tz: the zone that `cron_expr` is meant in, or None.
        at: ISO time of the only run.
    """

    every_seconds: int | None = None
    cron_expr: str | None = None
    tz: str | None = None
    at: str | None = None

    @property
    def repeats(self) -> bool:
        """Whether it runs more than once."""
        return self.at is None

    def first(self, now: datetime, zone: str) -> datetime:
        """The first run.

        Args:
            now: the clock.
            zone: the clock's zone, or "".

        Raises:
            BadSchedule: it is no schedule, or there is no such run.
        """
        given = [name for name in ("every_seconds", "cron_expr", "at") if getattr(self, name) is not None]
        if len(given) != 1:
            got = f"got {' and '.join(given)}" if given else "got none of them"
            raise BadSchedule(f"say when: exactly one of every_seconds, cron_expr and at; {got}")
        if self.tz is not None:
            if self.cron_expr is None:
                raise BadSchedule(f"tz belongs to cron_expr, not to {given[0]}, which follows the user's clock")
            try:
                load_zone(self.tz)
            except UnknownName as error:
                raise BadSchedule(str(error)) from None
        if self.at is not None:
            return _moment(self.at, now, zone)
        if self.every_seconds is not None and not MIN_EVERY_SECONDS <= self.every_seconds <= MAX_EVERY_SECONDS:
            raise BadSchedule(
                f"every_seconds must be between {MIN_EVERY_SECONDS} and {MAX_EVERY_SECONDS}, not {self.every_seconds}"
            )
        found = self.following(now, now, zone)
        if found is None:
            raise BadSchedule(f"{given[0]} {getattr(self, given[0])!r} names a time that never comes")
        return found

    def following(self, run: datetime, now: datetime, zone: str) -> datetime | None:
        """The first run after `now`; None where there is none.

        Args:
            run: a run that is over, or the moment from which intervals are counted.
            now: the clock.
            zone: the clock's zone, or "".
        """
        try:
            if self.every_seconds is not None:
                passed = int((now - run).total_seconds()) // self.every_seconds
                return run + timedelta(seconds=(passed + 1) * self.every_seconds)
            return None if self.cron_expr is None else _cron(self.cron_expr, self.tz, now, zone)
        except OverflowError:
            return None  # beyond the calendar's last year


def _moment(at: str, now: datetime, zone: str) -> datetime:
    try:
        found = datetime.fromisoformat(at)
    except ValueError:
        raise BadSchedule(f"at: expected an ISO time such as {now:%Y-%m-%dT%H:%M}, got {at[:40]!r}") from None
    if found.tzinfo is not None:
        if not zone:
            raise BadSchedule("at is the user's local time, so it takes no offset; leave it out")
        try:
            found = found.astimezone(load_zone(zone)).replace(tzinfo=None)
        except OverflowError:
            raise BadSchedule(f"at: {at[:40]!r} is out of range") from None
    found = found.replace(microsecond=0)
    if found <= now:
        raise BadSchedule(f"at must lie in the future; it is {now:%Y-%m-%dT%H:%M:%S} now")
    return found


def _cron(expression: str, tz: str | None, now: datetime, zone: str) -> datetime | None:
    if len(expression) > MAX_EXPRESSION_CHARS or len(expression.split()) != 5:
        raise BadSchedule(f"cron_expr: expected five fields ({_FIELDS}), got {expression[:40]!r}")
    try:
        if tz is None:
            return next(CronSim(expression, now), None)
        there, here = load_zone(tz), load_zone(zone or tz)
        runs = CronSim(expression, now.replace(tzinfo=here).astimezone(there))
        for _ in range(_TRIES):
            found = next(runs).astimezone(here).replace(tzinfo=None)
            # When clocks are put back, a later run may show an earlier time.
            if found > now:
                return found
    except StopIteration:
        pass
    except CronSimError as error:
        reason = str(error).removeprefix("Bad ")
        raise BadSchedule(f"cron_expr {expression!r}: the {reason} is wrong; expected {_FIELDS}") from None
    return None
