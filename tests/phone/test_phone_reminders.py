"""The reminders: due times, repetitions, drafts."""

from __future__ import annotations

from typing import Any

import pytest
from support.phone_hand import Phone

from pi_gym.phone.reminders.due import due_reminders, next_due

DRAFT = {"title": "Tea", "due_datetime": "2026-05-06 14:00:00", "description": "Ginger"}


@pytest.fixture
def phone() -> Phone:
    return Phone("Reminders")


def ids(told: dict[str, Any]) -> list[int]:
    return [reminder["reminder_id"] for reminder in told["reminders"]]


def test_lists_are_in_the_order_of_due_times(phone: Phone) -> None:
    assert ids(phone.agent("get_all_reminders")) == ids(phone.user("list_all_reminders")) == [2, 1, 3]
    assert ids(phone.agent("get_due_reminders")) == ids(phone.user("list_due_reminders")) == [2, 1]
    assert ids(phone.user("list_upcoming_reminders")) == [3]


def test_a_reminder_of_the_past_may_be_added(phone: Phone) -> None:
    number = phone.agent("add_reminder", **{**DRAFT, "due_datetime": "2026-05-01 10:00"})["reminder_id"]
    assert number in ids(phone.agent("get_due_reminders"))


def test_impossible_ones_are_refused(phone: Phone) -> None:
    assert "title is empty" in phone.agent("add_reminder", **{**DRAFT, "title": " "})
    assert "must be a date" in phone.agent("add_reminder", **{**DRAFT, "due_datetime": "soon"})
    assert "without a zone" in phone.agent("add_reminder", **{**DRAFT, "due_datetime": "2026-05-06T14:00:00Z"})
    assert "not after 0" in phone.agent("add_reminder", **DRAFT, repetition_unit="day", repetition_value=0)
    assert "month" in phone.agent("add_reminder", **DRAFT, repetition_unit="year")
    assert "get_all_reminders finds ids" in phone.agent("delete_reminder", reminder_id=99)


@pytest.mark.parametrize(
    ("agent", "steps"),
    [
        (
            ("add_reminder", {**DRAFT, "repetition_unit": "week", "repetition_value": 2}),
            [
                ("create_new", {}),
                ("set_title", {"title": "Tea"}),
                ("set_description", {"description": "Ginger"}),
                ("set_due_datetime", {"due_datetime": "2026-05-06T14:00"}),
                ("set_repetition", {"unit": "week", "value": 2}),
                ("save", {}),
            ],
        ),
        (
            ("update_reminder", {**DRAFT, "reminder_id": 2, "repetition_unit": None, "repetition_value": None}),
            [
                ("open_reminder", {"reminder_id": 2}),
                ("edit", {}),
                ("set_title", {"title": "Tea"}),
                ("set_description", {"description": "Ginger"}),
                ("set_due_datetime", {"due_datetime": "2026-05-06"}),
                ("set_due_datetime", {"due_datetime": "2026-05-06 14:00:00"}),
                ("set_repetition", {"unit": None}),
                ("save", {}),
            ],
        ),
        (("delete_reminder", {"reminder_id": 1}), [("open_reminder", {"reminder_id": 1}), ("delete", {})]),
    ],
)
def test_owner_and_agent_leave_the_same(
    agent: tuple[str, dict[str, Any]], steps: list[tuple[str, dict[str, Any]]]
) -> None:
    one, other = Phone("Reminders"), Phone("Reminders")
    one.agent(agent[0], **agent[1])
    for name, given in steps:
        assert isinstance(other.user(name, **given), dict), name
    assert one.state == other.state != Phone("Reminders").state


def test_saving_shows_the_reminder_and_the_list_lies_under_it(phone: Phone) -> None:
    phone.user("create_new")
    assert "title is empty" in phone.user("save")
    phone.user("set_title", title="Tea")
    assert "must be a date" in phone.user("save")
    phone.user("set_due_datetime", due_datetime="2026-05-06 14:00:00")
    phone.user("save")
    assert [place.screen for place in phone.navigation.stacks["Reminders"]] == ["ReminderList", "ReminderDetail"]
    phone.user("edit")
    phone.user("cancel")
    assert phone.screen == "ReminderDetail"
    phone.user("delete")
    assert phone.screen == "ReminderList"


def test_all_can_be_deleted_at_once(phone: Phone) -> None:
    assert phone.agent("delete_all_reminders")["deleted"] == 3
    assert phone.agent("get_all_reminders")["total"] == 0


def test_those_due_are_those_not_told_of(phone: Phone) -> None:
    table = phone.world.apps["Reminders"].table("reminders")
    assert due_reminders(table, "2026-05-04T09:00:00") == [("2026-05-04T08:30:00", 1)]
    assert [number for _, number in due_reminders(table, "2026-12-31T00:00:00")] == [1, 3]


def test_one_that_falls_due_is_told_of_once(phone: Phone) -> None:
    phone.event("fall_due", reminder_id=1)
    (notice,) = phone.notices
    assert notice.short == "Reminder: Call the landlady"
    assert notice.whole.splitlines() == [
        "Reminder: Call the landlady",
        "reminder id: 1",
        "due: 2026-05-04T08:30:00",
        "description: About the lease.",
    ]
    assert phone.rows("reminders")[1]["time_notified"] == phone.clock
    assert due_reminders(phone.world.apps["Reminders"].table("reminders"), phone.clock) == []
    assert "it is 2026-05-04T09:00:00 now" in phone.event("fall_due", reminder_id=3)
    assert "no reminder with the id 99" in phone.event("fall_due", reminder_id=99)


def test_one_that_moves_is_told_of_again(phone: Phone) -> None:
    phone.event("fall_due", reminder_id=1)
    phone.agent(
        "update_reminder",
        reminder_id=1,
        title="Call",
        description="",
        due_datetime="2026-05-04 10:00:00",
        repetition_unit=None,
        repetition_value=None,
    )
    phone.clock = "2026-05-04T10:00:00"
    assert due_reminders(phone.world.apps["Reminders"].table("reminders"), phone.clock) == [(phone.clock, 1)]


def test_one_that_repeats_is_due_again_and_told_of_each_time() -> None:
    phone = Phone("Reminders")
    number = phone.agent("add_reminder", **DRAFT, repetition_unit="day")["reminder_id"]
    for day in (6, 7, 8):
        phone.clock = f"2026-05-0{day}T14:00:00"
        assert (phone.clock, number) in due_reminders(phone.world.apps["Reminders"].table("reminders"), phone.clock)
        phone.event("fall_due", reminder_id=number)
    assert "next due: 2026-05-09T14:00:00" in phone.notices[-1].whole
    assert len(phone.notices) == 3


def test_the_31st_comes_back_after_shorter_months() -> None:
    phone = Phone("Reminders", clock="2026-01-31T09:00:00")
    dates = []
    for _ in range(4):
        phone.event("fall_due", reminder_id=2)
        phone.clock = phone.rows("reminders")[2]["due_datetime"]
        dates.append(phone.clock[:10])
    assert dates == ["2026-02-28", "2026-03-31", "2026-04-30", "2026-05-31"]


def test_one_that_moves_repeats_from_there() -> None:
    phone = Phone("Reminders", clock="2026-01-31T09:00:00")
    phone.event("fall_due", reminder_id=2)
    for name, given in (
        ("open_reminder", {"reminder_id": 2}),
        ("edit", {}),
        ("set_due_datetime", {"due_datetime": "2026-02-15 08:00:00"}),
        ("save", {}),
    ):
        phone.user(name, **given)
    phone.clock = "2026-02-15T08:00:00"
    phone.event("fall_due", reminder_id=2)
    assert phone.rows("reminders")[2]["due_datetime"] == "2026-03-15T08:00:00"


@pytest.mark.parametrize(
    ("unit", "value", "now", "expected"),
    [
        ("second", 30, "2026-01-31T09:00:00", "2026-01-31T09:00:30"),
        ("minute", 5, "2026-01-31T09:07:00", "2026-01-31T09:10:00"),
        ("hour", 1, "2026-01-31T10:00:00", "2026-01-31T11:00:00"),
        ("week", 2, "2026-01-31T09:00:00", "2026-02-14T09:00:00"),
        ("month", 1, "2026-02-28T08:59:59", "2026-02-28T09:00:00"),
        ("month", 1, "2026-02-28T09:00:00", "2026-03-31T09:00:00"),
        ("month", 12, "2027-06-01T00:00:00", "2028-01-31T09:00:00"),
        ("month", 5, "2026-12-01T00:00:00", "2027-04-30T09:00:00"),
    ],
)
def test_the_next_due_time_lies_after_now(unit: str, value: int, now: str, expected: str) -> None:
    row = {
        "due_datetime": "2026-01-31T09:00:00",
        "repeats_from": "",
        "repetition_unit": unit,
        "repetition_value": value,
    }
    assert next_due(row, now) == expected
