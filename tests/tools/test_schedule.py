"""The schedules of jobs: one-off times, intervals, cron expressions, zones; what is no schedule."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_gym.errors import UnknownName
from pi_gym.state.zones import load_zone, zone_names
from pi_gym.tools.schedule import MAX_EVERY_SECONDS, MIN_EVERY_SECONDS, BadSchedule, Schedule

NOW = datetime(2026, 3, 9, 14, 5, 30)  # a Monday


def first(zone: str = "", now: datetime = NOW, **given: object) -> str:
    return Schedule(**given).first(now, zone).isoformat()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "when"),
    [
        ({"at": "2026-03-09T15:00"}, "2026-03-09T15:00:00"),
        ({"at": "2026-03-10"}, "2026-03-10T00:00:00"),
        ({"at": "2026-03-09T14:05:31.5"}, "2026-03-09T14:05:31"),
        ({"every_seconds": 3600}, "2026-03-09T15:05:30"),
        ({"cron_expr": "0 9 * * 1-5"}, "2026-03-10T09:00:00"),
        ({"cron_expr": "6 14 * * *"}, "2026-03-09T14:06:00"),
        ({"cron_expr": "5 14 * * *"}, "2026-03-10T14:05:00"),
        ({"cron_expr": "0 0 L 2 *"}, "2027-02-28T00:00:00"),
    ],
)
def test_the_first_run_is_the_next_such_time(given: dict[str, object], when: str) -> None:
    assert first(**given) == when


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({}, "got none of them"),
        ({"at": "2026-03-10", "every_seconds": 60}, "got every_seconds and at"),
        ({"at": "2026-03-09T14:05:30"}, "must lie in the future; it is 2026-03-09T14:05:30"),
        ({"at": "soon"}, "expected an ISO time such as 2026-03-09T14:05"),
        ({"at": "2026-03-10T09:00+01:00"}, "takes no offset"),
        ({"every_seconds": MIN_EVERY_SECONDS - 1}, "between 60 and"),
        ({"every_seconds": MAX_EVERY_SECONDS + 1}, "between 60 and"),
        ({"every_seconds": 60, "tz": "UTC"}, "tz belongs to cron_expr"),
        ({"cron_expr": "0 9 * *"}, "five fields"),
        ({"cron_expr": "0 0 9 * * 1"}, "five fields"),
        ({"cron_expr": "@daily"}, "five fields"),
        ({"cron_expr": "0 24 * * *"}, "the hour is wrong"),
        ({"cron_expr": "0 0 30 2 *"}, "the day-of-month is wrong"),
        ({"cron_expr": "0 0 */31 2 MON#5"}, "never comes"),
        ({"cron_expr": "0,1," * 40 + "0 * * * *"}, "five fields"),
        ({"cron_expr": "0 9 * * *", "tz": "Europe/Berln"}, "'Europe/Berlin'"),
        ({"cron_expr": "0 9 * * *", "tz": "../../etc/passwd"}, "Unknown time zone"),
        ({"cron_expr": "0 9 * * *", "tz": ""}, "Unknown time zone"),
    ],
)
def test_what_is_no_schedule_is_refused_with_the_reason(given: dict[str, object], says: str) -> None:
    with pytest.raises(BadSchedule) as caught:
        first(**given)
    assert says in str(caught.value)


def test_an_expression_in_another_zone_is_translated_to_the_clock_where_its_zone_is_known() -> None:
    nine = {"cron_expr": "0 9 * * *", "tz": "Asia/Tokyo"}
    assert first(zone="Europe/Berlin", **nine) == "2026-03-10T01:00:00"
    assert first(zone="", **nine) == "2026-03-10T09:00:00"
    assert first(zone="Asia/Tokyo", **nine) == "2026-03-10T09:00:00"
    assert first(zone="Europe/Berlin", at="2026-03-10T09:00+09:00") == "2026-03-10T01:00:00"


def test_a_time_that_the_clock_leaves_out_is_kept_as_the_next_that_there_is() -> None:
    evening = datetime(2026, 3, 28, 20)
    assert first(now=evening, cron_expr="30 2 * * *", tz="Europe/Berlin") == "2026-03-29T03:00:00"


def test_runs_go_on_where_clocks_are_put_back() -> None:
    schedule = Schedule(cron_expr="*/30 * * * *", tz="Europe/Berlin")
    moment = datetime(2026, 10, 25, 1, 40)
    for _ in range(6):
        later = schedule.following(moment, moment, "Europe/Berlin")
        assert later is not None
        assert moment < later <= moment + timedelta(hours=2)
        moment = later


def test_intervals_keep_their_beat_however_late_they_are_looked_at() -> None:
    hourly = Schedule(every_seconds=3600)
    assert hourly.following(NOW, NOW + timedelta(minutes=1), "") == NOW + timedelta(hours=1)
    assert hourly.following(NOW, NOW + timedelta(hours=5, minutes=1), "") == NOW + timedelta(hours=6)
    assert hourly.following(NOW, NOW + timedelta(hours=5), "") == NOW + timedelta(hours=6)


def test_what_runs_once_has_no_following_run() -> None:
    assert Schedule(at="2026-03-10").following(NOW, NOW, "") is None


def test_there_is_no_run_beyond_the_calendar() -> None:
    last = datetime(9999, 12, 31, 23, 59, 30)
    assert Schedule(every_seconds=60).following(last, last, "") is None
    assert Schedule(cron_expr="0 0 * * *", tz="Asia/Tokyo").following(last, last, "Europe/Berlin") is None


def test_zones_are_known_by_their_exact_names_only() -> None:
    assert load_zone("Europe/Berlin").key == "Europe/Berlin"
    assert {"UTC", "America/New_York"} <= set(zone_names())
    for name in ("europe/berlin", "localtime", "Europe", "posix/UTC", "UTC\0"):
        with pytest.raises(UnknownName):
            load_zone(name)


moments = st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1)).map(lambda found: found.replace(microsecond=0))
zones = st.sampled_from(["", "UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata"])
fields = st.sampled_from(["*", "*/7", "0", "1-5", "2,4", "L", "61", "MON", "JAN", "x", "-1", "3#2", "*/0", "٣"])
expressions = st.one_of(st.lists(fields, min_size=5, max_size=5).map(" ".join), st.text(max_size=20))


@given(expressions, zones, zones, moments)
def test_any_expression_gives_a_later_time_or_is_refused(expression: str, tz: str, zone: str, now: datetime) -> None:
    schedule = Schedule(cron_expr=expression, tz=tz or None)
    try:
        found = schedule.first(now, zone)
    except BadSchedule:
        return
    assert found > now
    assert found.tzinfo is None
    assert found.second == 0


@given(st.text(max_size=30), zones, moments)
def test_any_time_is_in_the_future_or_refused(at: str, zone: str, now: datetime) -> None:
    try:
        found = Schedule(at=at).first(now, zone)
    except BadSchedule:
        return
    assert found > now
    assert found.tzinfo is None
