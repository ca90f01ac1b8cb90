"""The phone's text messages: each operation, and each error that it documents."""

from __future__ import annotations

from typing import Any

import pytest
from support.apps import app_context, done, refused

from pi_gym.tools import ToolContext


def phone(number: str = "5550100001", password: str = "oven", **options: Any) -> ToolContext:
    context = app_context("phone", **options)
    done(context, "phone__login", username=number, password=password)
    return context


def ids(context: ToolContext, operation: str = "search_text_messages", **arguments: Any) -> list[int]:
    found = done(context, f"phone__{operation}", **{"page_limit": 20, **arguments})
    return [one["text_message_id"] for one in found["text_messages"]]


def window(context: ToolContext, **arguments: Any) -> list[int]:
    return ids(context, "show_text_message_window", phone_number="5550100002", **arguments)


def test_a_message_lies_with_both_sides() -> None:
    context = phone(clock="2026-04-01T09:00:05")
    sent = done(context, "phone__send_text_message", phone_number="555-010-0002", message="Oven at six?")
    assert sent == {"message": "Text message sent to Per Other.", "text_message_id": 100_001}
    shown = {
        "text_message_id": 100_001,
        "sender": {"name": "Ida Note", "phone_number": "5550100001"},
        "receiver": {"name": "Per Other", "phone_number": "5550100002"},
        "message": "Oven at six?",
        "sent_at": "2026-04-01T09:00:05",
    }
    assert done(context, "phone__show_text_message", text_message_id=100_001) == shown
    done(context, "phone__login", username="5550100002", password="flour")
    assert done(context, "phone__show_text_message", text_message_id=100_001) == shown
    assert ids(context)[0] == 100_001


def test_messages_go_to_contacts_without_an_account_and_to_accounts_without_a_contact() -> None:
    context = phone()
    mill = done(context, "phone__send_text_message", phone_number="5550100300", message="More rye.")
    assert mill["message"] == "Text message sent to The Mill."
    tove = done(context, "phone__send_text_message", phone_number="5550100003", message="Loaves?")
    shown = done(context, "phone__show_text_message", text_message_id=tove["text_message_id"])
    assert shown["receiver"] == {"name": None, "phone_number": "5550100003"}


@pytest.mark.parametrize(
    ("number", "message", "says"),
    [
        ("5550199999", "x", "Nobody has the number 5550199999"),
        ("5550100400", "x", "none of your contacts and of no phone account"),
        ("per", "x", "is no phone number"),
        ("5550100001", "x", "your own number"),
        ("5550100002", " \n", "message is empty"),
        ("5550100002", "x" * 501, "would have 501 characters; at most 500"),
    ],
)
def test_what_cannot_be_sent_is_refused(number: str, message: str, says: str) -> None:
    assert says in refused(phone(), "phone__send_text_message", phone_number=number, message=message)


@pytest.mark.parametrize("text_message_id", [6, 99, 0])
def test_messages_of_others_are_not_there(text_message_id: int) -> None:
    text = refused(phone(), "phone__show_text_message", text_message_id=text_message_id)
    assert f"no text message with the id {text_message_id}" in text
    assert "search_text_messages" in text
    context = phone()
    assert 6 not in ids(context)
    assert ids(context, query="party") == []


def test_search_finds_words_and_ranks_by_how_many() -> None:
    context = phone()
    assert ids(context, query="oven flour") == [5, 1, 3]
    assert ids(context, query="oven", phone_number="5550100300") == []
    assert ids(context, query="flour", phone_number="555 0100 300") == [3]
    assert "Try fewer or other words" in done(context, "phone__search_text_messages", query="zeppelin")["message"]


def test_without_a_query_the_newest_come_first() -> None:
    context = phone()
    assert ids(context) == [7, 5, 4, 3, 2, 1]
    assert ids(context, sort_by="+sent_at") == [1, 2, 3, 4, 5, 7]
    assert ids(context, phone_number="5550100002") == [5, 2, 1]
    assert ids(context, page_limit=2, page_index=1) == [4, 3]
    assert "one of: sent_at" in refused(context, "phone__search_text_messages", sort_by="+message")


def test_only_the_latest_with_each_number() -> None:
    context = phone()
    assert ids(context, only_latest_per_contact=True) == [7, 5, 4]
    assert ids(context, only_latest_per_contact=True, query="oven") == [5]
    assert ids(context, only_latest_per_contact=True, phone_number="5550100300") == [4]
    done(context, "phone__send_text_message", phone_number="5550100300", message="Thanks.")
    assert ids(context, only_latest_per_contact=True) == [7, 5, 4]  # the clock of the test lies before the seeds
    assert ids(context, only_latest_per_contact=True, query="thanks") == [100_001]


def test_a_window_is_one_conversation_in_order() -> None:
    context = phone()
    assert window(context) == [5, 2, 1]
    assert window(context, pagination_order="ascending") == [1, 2, 5]
    assert window(context, min_datetime="2026-01-05T08:02:10", max_datetime="2026-01-06") == [2]
    assert window(context, max_datetime="2026-01-05") == [2, 1]
    assert window(context, min_datetime="2026-01-07") == [5]
    assert window(context, page_limit=1, page_index=1) == [2]


def test_a_wrong_window_is_explained() -> None:
    context = phone()
    for arguments, says in [
        ({"min_datetime": "yesterday"}, "min_datetime must be a date like"),
        ({"min_datetime": "2026-02-01", "max_datetime": "2026-01-01"}, "lies behind"),
        ({"page_limit": 21}, "between 1 and 20"),
    ]:
        assert says in refused(context, "phone__show_text_message_window", phone_number="5550100002", **arguments)
    assert "no phone number" in refused(context, "phone__show_text_message_window", phone_number="the mill")
    empty = done(context, "phone__show_text_message_window", phone_number="5550100102")
    assert (empty["text_messages"], empty["total"]) == ([], 0)
    assert "older entry with an old number" in empty["message"]
    assert done(context, "phone__show_text_message_window", phone_number="5550100001")["total"] == 0


def test_a_page_of_the_longest_messages_can_be_shown() -> None:
    context = phone()
    for _ in range(20):
        done(context, "phone__send_text_message", phone_number="5550100002", message="y" * 500)
    found = done(context, "phone__search_text_messages", query="y" * 500, page_limit=20)
    assert len(str(found)) < 16_000
    assert len(found["text_messages"]) == 20
