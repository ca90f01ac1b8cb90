"""The phone: signing in, contacts, alarms and the time; each operation, and each error that it documents."""

from __future__ import annotations

from typing import Any

import pytest
from support.apps import app_context, done, refused

from pi_gym.tools import ToolContext

NEEDS_SIGN_IN: dict[str, dict[str, Any]] = {
    "search_contacts": {},
    "add_contact": {"first_name": "x", "phone_number": "5550100009"},
    "update_contact": {"contact_id": 1, "first_name": "x"},
    "send_text_message": {"phone_number": "5550100002", "message": "x"},
    "show_text_message": {"text_message_id": 1},
    "show_text_message_window": {"phone_number": "5550100002"},
    "search_text_messages": {},
    "create_alarm": {"time": "07:00"},
    "show_alarm": {"alarm_id": 1},
    "update_alarm": {"alarm_id": 1, "time": "07:00"},
}


def phone(**options: Any) -> ToolContext:
    """A context in which Ida has signed in to her phone."""
    context = app_context("phone", **options)
    done(context, "phone__login", username="5550100001", password="oven")
    return context


def contacts(context: ToolContext, **arguments: Any) -> list[int]:
    found = done(context, "phone__search_contacts", page_limit=20, **arguments)
    return [one["contact_id"] for one in found["contacts"]]


@pytest.mark.parametrize("operation", NEEDS_SIGN_IN)
def test_nothing_of_an_account_is_open_before_one_signs_in(operation: str) -> None:
    text = refused(app_context("phone"), f"phone__{operation}", **NEEDS_SIGN_IN[operation])
    assert "Sign in first: phone__login(username, password)" in text


@pytest.mark.parametrize("username", ["5550100001", "555 010 0001", "(555) 010-0001"])
def test_one_signs_in_with_the_number_however_it_is_written(username: str) -> None:
    assert "Ida Note" in done(app_context("phone"), "phone__login", username=username, password="oven")["message"]


def test_login_says_what_is_wrong() -> None:
    context = app_context("phone")
    text = refused(context, "phone__login", username="ida@notes.example", password="oven")
    assert "no account with the phone number" in text
    assert "Wrong password" in refused(context, "phone__login", username="5550100001", password="flour")


def test_the_time_is_the_sessions_and_needs_no_sign_in() -> None:
    context = app_context("phone", clock="2026-03-07T18:05:09")
    assert done(context, "phone__get_current_date_and_time") == {
        "datetime": "2026-03-07T18:05:09",
        "date": "2026-03-07",
        "time": "18:05:09",
        "weekday": "Saturday",
    }


# -- contacts ---------------------------------------------------------------------------------------------------------


def test_contacts_are_listed_by_name_and_only_ones_own() -> None:
    context = phone()
    assert contacts(context) == [1, 3, 2]
    first = done(context, "phone__search_contacts", page_limit=1)
    assert first["total"] == 3
    assert first["contacts"] == [
        {
            "contact_id": 1,
            "first_name": "Per",
            "last_name": "Other",
            "phone_number": "5550100002",
            "email": "per@notes.example",
            "relationships": ["friend", "baker"],
            "birthday": "1990-02-01",
            "home_address": "Mill Lane 4",
            "work_address": "",
        }
    ]


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"query": "per"}, [1, 3]),
        ({"query": "mill"}, [2, 1]),
        ({"query": "supplier"}, [2]),
        ({"query": "0100 300"}, [2]),
        ({"query": "555-010-0102"}, [3]),
        ({"query": "anna"}, []),
        ({"query": "5550100400"}, []),
        ({"relationship": "FRIEND"}, [1, 3]),
        ({"query": "per", "relationship": "baker"}, [1]),
    ],
)
def test_contacts_are_found_by_words_numbers_and_relationships(arguments: dict[str, Any], found: list[int]) -> None:
    assert contacts(phone(), **arguments) == found


def test_an_empty_search_says_what_to_do() -> None:
    context = phone()
    assert "Try fewer or other words" in done(context, "phone__search_contacts", query="zeppelin")["message"]
    text = done(context, "phone__search_contacts", relationship="sister")["message"]
    assert text == "No contact has the relationship 'sister'; there are: baker, friend, supplier."


def test_a_new_contact_is_found_and_can_be_texted() -> None:
    context = phone()
    made = done(
        context,
        "phone__add_contact",
        first_name=" Lise ",
        last_name="Elm",
        phone_number="(555) 010-0777",
        relationships=["cousin", "cousin ", ""],
        birthday="1988-06-30",
    )
    assert made["contact_id"] == 100_001
    found = done(context, "phone__search_contacts", query="lise")["contacts"][0]
    assert (found["first_name"], found["phone_number"], found["relationships"]) == ("Lise", "5550100777", ["cousin"])
    sent = done(context, "phone__send_text_message", phone_number="555 010 0777", message="hello")
    assert sent["message"] == "Text message sent to Lise Elm."


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"phone_number": "555-010-0102"}, "Per Other (contact_id 3) has the number 5550100102 already"),
        ({"phone_number": "5550100001"}, "your own number"),
        ({"phone_number": "12"}, "is no phone number; write its 3 to 15 digits"),
        ({"phone_number": "call me"}, "is no phone number"),
        ({"phone_number": "55501００777"}, "is no phone number"),
        ({"first_name": " "}, "first_name is empty"),
        ({"first_name": "x" * 201}, "first_name of the contact would have 201 characters"),
        ({"birthday": "30 June"}, "birthday must be a date like"),
        ({"email": "lise"}, "is no e-mail address"),
        ({"relationships": list("abcdefghijk")}, "At most 10 relationships"),
    ],
)
def test_a_wrong_contact_is_refused(arguments: dict[str, Any], says: str) -> None:
    context = phone()
    whole = {"first_name": "Lise", "phone_number": "5550100777", **arguments}
    assert says in refused(context, "phone__add_contact", **whole)
    assert says in refused(context, "phone__update_contact", contact_id=1, **arguments)


def test_the_number_of_somebody_elses_contact_is_free() -> None:
    done(phone(), "phone__add_contact", first_name="Anna", phone_number="5550100400")


def test_update_changes_what_is_given_and_no_more() -> None:
    context = phone()
    done(context, "phone__update_contact", contact_id=1, home_address="Quay 2", birthday="", phone_number="5550100002")
    found = done(context, "phone__search_contacts", query="quay")["contacts"][0]
    assert (found["home_address"], found["birthday"]) == ("Quay 2", "")
    assert (found["first_name"], found["relationships"]) == ("Per", ["friend", "baker"])
    assert "Nothing to change; give one of: first_name" in refused(context, "phone__update_contact", contact_id=1)


@pytest.mark.parametrize("contact_id", [4, 99])
def test_contacts_of_others_are_not_there(contact_id: int) -> None:
    text = refused(phone(), "phone__update_contact", contact_id=contact_id, first_name="x")
    assert f"no contact with the id {contact_id}. phone__search_contacts finds ids." in text


# -- alarms -----------------------------------------------------------------------------------------------------------


def test_an_alarm_is_set_as_told() -> None:
    context = phone()
    made = done(
        context, "phone__create_alarm", time="6:05", repeat_days=["sunday", "monday", "sunday"], label=" Rye ",
        snooze_minutes=60, vibration=False,
    )  # fmt: skip
    assert done(context, "phone__show_alarm", alarm_id=made["alarm_id"]) == {
        "alarm_id": 100_001,
        "time": "06:05",
        "repeat_days": ["monday", "sunday"],
        "label": "Rye",
        "enabled": True,
        "snooze_minutes": 60,
        "vibration": False,
    }


def test_an_alarm_without_days_rings_once() -> None:
    context = phone()
    made = done(context, "phone__create_alarm", time="23:59")
    assert done(context, "phone__show_alarm", alarm_id=made["alarm_id"])["repeat_days"] == []


@pytest.mark.parametrize("operation", ["create_alarm", "update_alarm"])
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"time": "24:00"}, "time must be hours and minutes, 00:00 to 23:59"),
        ({"time": "7"}, "time must be"),
        ({"time": "07:5"}, "time must be"),
        ({"time": "07:60"}, "time must be"),
        ({"time": "½:00"}, "time must be"),
        ({"time": "07:00", "snooze_minutes": 61}, "between 0 and 60"),
        ({"time": "07:00", "snooze_minutes": -1}, "between 0 and 60"),
        ({"time": "07:00", "label": "x" * 201}, "at most 200"),
        ({"time": "07:00", "repeat_days": ["someday"]}, "repeat_days"),
    ],
)
def test_wrong_alarms_are_refused(operation: str, arguments: dict[str, Any], says: str) -> None:
    extra = {"alarm_id": 1} if operation == "update_alarm" else {}
    assert says in refused(phone(), f"phone__{operation}", **extra, **arguments)


def test_update_turns_an_alarm_off_and_leaves_the_rest() -> None:
    context = phone()
    changed = done(context, "phone__update_alarm", alarm_id=1, enabled=False, repeat_days=[])
    assert changed["message"] == "Alarm updated: repeat_days, enabled."
    shown = done(context, "phone__show_alarm", alarm_id=1)
    assert (shown["enabled"], shown["repeat_days"], shown["time"], shown["label"]) == (False, [], "03:40", "Dough")
    assert "Nothing to change" in refused(context, "phone__update_alarm", alarm_id=1)


@pytest.mark.parametrize("operation", ["show_alarm", "update_alarm"])
@pytest.mark.parametrize("alarm_id", [0, 3])
def test_an_alarm_that_is_not_there_lists_those_that_are(operation: str, alarm_id: int) -> None:
    text = refused(phone(), f"phone__{operation}", alarm_id=alarm_id)
    assert f"no alarm with the id {alarm_id}. Your alarms by alarm_id: 1 at 03:40 'Dough'; 2 at 15:00." in text
    assert "Sleep" not in text


def test_without_alarms_the_error_says_so() -> None:
    context = app_context("phone")
    done(context, "phone__login", username="5550100003", password="salt")
    assert "You have no alarms" in refused(context, "phone__show_alarm", alarm_id=1)
