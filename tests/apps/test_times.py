"""Dates and times that agents write."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_gym.apps.times import between, day, moment
from pi_gym.tools import ToolError

moments = st.datetimes(min_value=datetime(1970, 1, 1), max_value=datetime(2100, 1, 1))
NAMES = ("min_created_at", "max_created_at")


@given(st.dates())
def test_a_date_comes_back_in_its_normal_form(found: date) -> None:
    assert day(f" {found.isoformat()} ", "due_date") == found.isoformat()
    assert day(found.strftime("%Y%m%d").zfill(8), "due_date") == found.isoformat()


@given(moments)
def test_a_time_comes_back_with_seconds_whatever_stands_between_date_and_time(found: datetime) -> None:
    whole = found.isoformat(timespec="seconds")
    assert moment(whole, "at") == moment(whole.replace("T", " "), "at") == whole
    assert moment(found.isoformat(), "at") == whole


def test_a_date_alone_is_its_first_second_or_its_last() -> None:
    for written in ("2026-03-09", "20260309", " 2026-03-09 "):
        assert moment(written, "at") == "2026-03-09T00:00:00"
        assert moment(written, "at", end_of_day=True) == "2026-03-09T23:59:59"


@pytest.mark.parametrize("written", ["2026-03-09T14", "20260309T14", "2026W11T14", "2026-03-09 14:00"])
def test_a_time_of_the_day_stays_however_short_it_is_written(written: str) -> None:
    assert moment(written, "at", end_of_day=True)[10:] == "T14:00:00"


RUBBISH = [
    "tomorrow", "2026-02-30", "2026-13-01", "09.03.2026", "03/09/2026", "", " ", "2026-03-09T25:00", "2026-03-09x14:05",
    "2026-03-09\ud80014:05", "\0", "2026-03-09T14:05T", "x" * 5_000, "2026-03-09T", "14:05",
]  # fmt: skip


@pytest.mark.parametrize("written", RUBBISH, ids=lambda text: repr(text)[:20])
def test_rubbish_is_refused_with_the_parameter_and_an_example(written: str) -> None:
    with pytest.raises(ToolError, match=r"^at must be a date like 2026-03-09 or a time like .{,200}$"):
        moment(written, "at")
    with pytest.raises(ToolError, match=r"^due_date must be a date like 2026-03-09, not .{,200}$"):
        day(written, "due_date")


def test_a_time_is_no_date() -> None:
    with pytest.raises(ToolError, match="must be a date"):
        day("2026-03-09T14:05", "due_date")


@pytest.mark.parametrize("zone", ["Z", "+00:00", "-05:30"])
def test_a_time_zone_is_refused_because_the_clock_has_none(zone: str) -> None:
    with pytest.raises(ToolError, match="without a zone"):
        moment(f"2026-03-09T14:05:00{zone}", "at")


@given(st.text(max_size=30) | st.text("0123456789-:T Z+.W,", max_size=22))
def test_any_text_is_a_time_or_refused(text: str) -> None:
    try:
        found = moment(text, "at")
    except ToolError:
        return
    assert datetime.fromisoformat(found).isoformat(timespec="seconds") == found


@given(moments, moments, moments)
def test_bounds_compare_as_texts_with_the_clock(one: datetime, other: datetime, clock: datetime) -> None:
    low, high = sorted((one.replace(microsecond=0), other.replace(microsecond=0)))
    first, last = between(low.isoformat(), high.isoformat(), NAMES)
    now = clock.replace(microsecond=0)
    assert (first <= now.isoformat() <= last) == (low <= now <= high)


@given(moments)
def test_empty_bounds_bound_nothing_and_a_day_is_whole(clock: datetime) -> None:
    now = clock.replace(microsecond=0).isoformat()
    first, last = between("", " ", NAMES)
    assert first <= now <= last
    first, last = between(now[:10], now[:10], NAMES)
    assert first <= now <= last
    after = (clock + timedelta(days=1)).replace(microsecond=0).isoformat()
    assert not first <= after <= last


def test_bounds_the_wrong_way_round_are_refused_with_both_names() -> None:
    with pytest.raises(ToolError, match=r"min_created_at \(2026-03-10\) lies behind max_created_at \(2026-03-09\)"):
        between("2026-03-10", "2026-03-09", NAMES)
