"""The calendar: times, the agenda, drafts, and what others put into it."""

from __future__ import annotations

from typing import Any

import pytest
from support.phone_hand import Phone


@pytest.fixture
def phone() -> Phone:
    return Phone("Calendar")


def ids(told: dict[str, Any]) -> list[int]:
    return [event["event_id"] for event in told["events"]]


def test_what_reaches_into_a_day_is_listed_on_it_in_order(phone: Phone) -> None:
    assert ids(phone.agent("read_today_calendar_events")) == [2, 1]
    assert ids(phone.user("list_events")) == [2, 1]
    between = {"start_datetime": "2026-05-04 07:00:00", "end_datetime": "2026-05-09T10:00"}
    assert ids(phone.agent("get_calendar_events_from_to", **between)) == [1, 3]
    page = phone.agent("get_calendar_events_from_to", **between, offset=1, limit=1)
    assert (ids(page), page["total"]) == ([3], 2)


@pytest.mark.parametrize("written", ["2026-05-06 14:00:00", "2026-05-06T14:00:00", "2026-05-06T14:00"])
def test_times_are_kept_in_one_form(phone: Phone, written: str) -> None:
    number = phone.agent("add_calendar_event", title="Tea", start_datetime=written)["event_id"]
    event = phone.agent("get_calendar_event", event_id=number)
    assert (event["start_datetime"], event["end_datetime"]) == ("2026-05-06T14:00:00", "2026-05-06T15:00:00")


def test_an_event_of_which_nothing_is_said_is_now(phone: Phone) -> None:
    number = phone.agent("add_calendar_event")["event_id"]
    event = phone.agent("get_calendar_event", event_id=number)
    assert (event["title"], event["start_datetime"]) == ("Event", phone.clock)


def test_impossible_times_are_refused(phone: Phone) -> None:
    assert "must lie after" in phone.agent(
        "add_calendar_event", start_datetime="2026-05-06 14:00", end_datetime="2026-05-06 13:00"
    )
    assert "must lie after" in phone.agent("edit_calendar_event", event_id=1, start_datetime="2026-05-04 18:00:00")
    assert "without a zone" in phone.agent("add_calendar_event", start_datetime="2026-05-06T14:00:00Z")
    assert "must be a date" in phone.agent("add_calendar_event", start_datetime="tomorrow")
    assert "the end of time" in phone.agent("add_calendar_event", start_datetime="9999-12-31 23:30:00")
    assert "lies behind" in phone.agent(
        "get_calendar_events_from_to", start_datetime="2026-05-06", end_datetime="2026-05-05"
    )


def test_an_edit_changes_what_is_given_and_nothing_else(phone: Phone) -> None:
    before = phone.rows("events")[1]
    assert phone.agent("edit_calendar_event", event_id=1, location="Hafenstr. 9")["changed"] == ["location"]
    assert phone.rows("events")[1] == {**before, "location": "Hafenstr. 9"}
    assert "changes nothing" in phone.agent("edit_calendar_event", event_id=1)
    assert "search_events finds ids" in phone.agent("edit_calendar_event", event_id=99, title="Tea")


def test_tags_and_words_find_events(phone: Phone) -> None:
    assert phone.agent("get_all_tags") == {"tags": ["flat", "travel"]}
    assert ids(phone.agent("get_calendar_events_by_tag", tag="travel")) == [2, 3]
    assert "there are: flat, travel" in phone.agent("get_calendar_events_by_tag", tag="work")
    assert ids(phone.agent("search_events", query="ticket")) == [2]
    assert "query is empty" in phone.agent("search_events", query="")


def test_the_agenda_turns_to_another_day_and_back(phone: Phone) -> None:
    assert ids(phone.user("set_day", date="2026-05-09")) == [3]
    assert ids(phone.user("filter_by_attendee", attendee="Ada Wirth")) == []
    assert ids(phone.user("list_events")) == []
    again = Phone("Calendar")
    assert ids(again.user("filter_by_tag", tag="flat")) == [1]
    assert again.user("open_event_by_index", index=0)["event_id"] == 1
    assert "Nobody comes" in phone.user("filter_by_attendee", attendee="Ole")


@pytest.mark.parametrize(
    ("agent", "steps"),
    [
        (
            (
                "add_calendar_event",
                {
                    "title": "Tea",
                    "start_datetime": "2026-05-06 14:00:00",
                    "end_datetime": "2026-05-06 15:30:00",
                    "tag": "home",
                    "attendees": ["Ada Wirth"],
                },
            ),
            [
                ("start_create_event", {}),
                ("set_title", {"title": "Tea"}),
                ("set_time_range", {"start_datetime": "2026-05-06T14:00", "end_datetime": "2026-05-06T15:30"}),
                ("set_tag", {"tag": "home"}),
                ("set_attendees", {"attendees": ["Ada Wirth", "Jonas Ek"]}),
                ("remove_attendee", {"attendee": "Jonas Ek"}),
                ("save", {}),
            ],
        ),
        (
            ("edit_calendar_event", {"event_id": 1, "location": "Hafenstr. 9", "description": "Ring."}),
            [
                ("open_event_by_id", {"event_id": 1}),
                ("edit_event", {}),
                ("set_location", {"location": "Hafenstr. 9"}),
                ("set_description", {"description": "Ring."}),
                ("save", {}),
            ],
        ),
        (("delete_calendar_event", {"event_id": 1}), [("open_event_by_id", {"event_id": 1}), ("delete", {})]),
    ],
)
def test_owner_and_agent_leave_the_same(
    agent: tuple[str, dict[str, Any]], steps: list[tuple[str, dict[str, Any]]]
) -> None:
    one, other = Phone("Calendar"), Phone("Calendar")
    one.agent(agent[0], **agent[1])
    for name, given in steps:
        assert isinstance(other.user(name, **given), dict), name
    assert one.state == other.state != Phone("Calendar").state


def test_a_draft_changes_nothing_until_it_is_saved(phone: Phone) -> None:
    before = phone.state
    phone.user("open_event_by_id", event_id=1)
    phone.user("edit_event")
    assert "title is empty" in phone.user("set_title", title=" ")
    assert "must lie after" in phone.user("set_time_range", start_datetime="2026-05-06", end_datetime="2026-05-05")
    assert "attendees are: Ada Wirth, Mara Lind" in phone.user("remove_attendee", attendee="Ole")
    assert phone.user("add_attendee", attendee=" Ole ")["attendees"] == ["Ada Wirth", "Mara Lind", "Ole"]
    phone.user("discard")
    assert (phone.state, phone.screen) == (before, "EventDetail")
    assert phone.user("list_attendees") == {"attendees": ["Ada Wirth", "Mara Lind"]}


def test_an_invitation_is_short_for_the_owner_and_whole_for_the_agent(phone: Phone) -> None:
    number = phone.event(
        "add_calendar_event_by_attendee",
        who_add="Jonas Ek",
        title="Paddling",
        start_datetime="2026-05-07 18:00:00",
        location="Bootshaus",
        attendees=["Mara Lind"],
    )["event_id"]
    (notice,) = phone.notices
    assert notice.short == "Jonas Ek added an event: Paddling, 2026-05-07T18:00:00"
    assert notice.whole.splitlines() == [
        notice.short,
        f"event id: {number}",
        "ends: 2026-05-07T19:00:00",
        "location: Bootshaus",
        "attendees: Mara Lind, Jonas Ek",
    ]
    assert "who_add is empty" in phone.event("add_calendar_event_by_attendee", who_add="")


def test_only_who_comes_takes_an_event_out(phone: Phone) -> None:
    assert "attendees are: Jonas Ek" in phone.event(
        "delete_calendar_event_by_attendee", event_id=3, who_delete="Ada Wirth"
    )
    assert "no event with the id 99" in phone.event(
        "delete_calendar_event_by_attendee", event_id=99, who_delete="Ada Wirth"
    )
    phone.event("delete_calendar_event_by_attendee", event_id=3, who_delete="Jonas Ek")
    assert 3 not in phone.rows("events")
    assert [notice.short for notice in phone.notices] == ["Jonas Ek deleted an event: Boat trip, 2026-05-09T10:00:00"]


def test_the_owner_can_do_it_in_their_name(phone: Phone) -> None:
    other = Phone("Calendar")
    phone.event("add_calendar_event_by_attendee", who_add="Ole")
    phone.event("delete_calendar_event_by_attendee", event_id=1, who_delete="Ada Wirth")
    other.user("add_calendar_event_by_attendee", who_add="Ole")
    other.user("open_event_by_id", event_id=1)
    other.user("delete_by_attendee", who_delete="Ada Wirth")
    assert (other.state, other.screen) == (phone.state, "AgendaView")
