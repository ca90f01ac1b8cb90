"""Conversations: of two and of groups, found by their messages, changed by the owner, an agent and others."""

from __future__ import annotations

from typing import Any

import pytest
from support.phone_hand import StrictPhone


@pytest.fixture
def phone() -> StrictPhone:
    return StrictPhone("Messages")


@pytest.fixture
def other() -> StrictPhone:
    return StrictPhone("Messages")


def ids(told: dict[str, Any], of: str = "conversations", key: str = "conversation_id") -> list[int]:
    return [one[key] for one in told[of]]


@pytest.mark.parametrize("conversation", [1, 2])
def test_owner_and_agent_write_alike_to_one_and_to_a_group(
    phone: StrictPhone, other: StrictPhone, conversation: int
) -> None:
    phone.user("open_conversation", conversation_id=conversation)
    phone.user("send_message", content="I come.", attachment_path="plans/route.md")
    given = {"content": "I come.", "attachment_path": "plans/route.md"}
    if conversation == 1:
        other.agent("send_message", user_id=2, **given)
    else:
        other.agent("send_message_to_group_conversation", conversation_id=2, **given)
    assert phone.state == other.state
    (newest,) = phone.user("read_messages", limit=1)["messages"]
    assert (newest["sender"], newest["content"], newest["attachments"]) == ("Mara Lind", "I come.", ["route.md"])


def test_a_first_message_begins_a_conversation_of_two(phone: StrictPhone) -> None:
    first = phone.agent("send_message", user_id=4, content="Hello.")["conversation_id"]
    assert phone.agent("send_message", user_id=4, content="Are you there?")["conversation_id"] == first
    assert phone.agent("get_existing_conversation_ids", user_ids=[4]) == {"conversation_ids": [first]}
    assert phone.agent("read_conversation", conversation_id=first)["title"] == "Ole Berg"


@pytest.mark.parametrize(
    ("name", "given", "reason"),
    [
        ("send_message", {"user_id": 2}, "message is empty"),
        ("send_message", {"user_id": 1, "content": "Hm."}, "owner's own id"),
        ("send_message", {"user_id": 9, "content": "Hm."}, "no person with the id 9"),
        ("send_message", {"user_id": 2, "attachment_path": "plans/none.md"}, "There is no file"),
        ("create_group_conversation", {"user_ids": [1, 2, 2]}, "user_ids has 1"),
        ("create_group_conversation", {"user_ids": [2, 3], "title": " "}, "title is empty"),
        ("add_participant_to_conversation", {"conversation_id": 1, "user_id": 3}, "is one of two people"),
        ("add_participant_to_conversation", {"conversation_id": 2, "user_id": 3}, "belongs to the conversation"),
        ("remove_participant_from_conversation", {"conversation_id": 2, "user_id": 4}, "does not belong"),
        ("change_conversation_title", {"conversation_id": 1, "title": "Jonas"}, "is one of two people"),
        ("change_conversation_title", {"conversation_id": 2, "title": ""}, "title is empty"),
        ("download_attachment", {"conversation_id": 1, "message_id": 3}, "not in the conversation"),
        ("download_attachment", {"conversation_id": 1, "message_id": 1}, "The message 1 carries no files"),
        ("get_user_id", {"user_name": "Jonas"}, "lookup_user_id"),
        ("lookup_user_id", {"user_name": ""}, "user_name is empty"),
        ("search", {"query": " - "}, "query is empty"),
        ("regex_search", {"query": "(boat"}, "cannot be read"),
        ("read_conversation", {"conversation_id": 1, "min_date": "today"}, "min_date must be"),
        (
            "read_conversation",
            {"conversation_id": 1, "min_date": "2026-05-04", "max_date": "2026-05-03"},
            "lies behind",
        ),
        ("list_recent_conversations", {"limit_recent_messages_per_conversation": 0}, "limit must be"),
    ],
)
def test_an_impossible_thing_is_refused_with_its_reason(
    phone: StrictPhone, name: str, given: dict[str, Any], reason: str
) -> None:
    assert reason in phone.refused("assistant", name, **given)


def test_people_are_known_by_name_and_number(phone: StrictPhone) -> None:
    assert phone.agent("get_user_id", user_name="jonas  ek") == {"user_id": 2}
    assert phone.agent("get_user_name_from_id", user_id=3) == {"name": "Ada Wirth"}
    assert [one["user_id"] for one in phone.agent("lookup_user_id", user_name="wirth")] == [3]
    assert phone.agent("lookup_user_id", user_name="nobody") == []


def test_the_conversation_with_the_newest_message_stands_first(phone: StrictPhone) -> None:
    assert ids(phone.user("list_recent_conversations")) == [1, 2]
    phone.event("create_and_add_message", conversation_id=2, sender_id=3, content="It is repaired.")
    told = phone.agent("list_recent_conversations", limit=1, limit_recent_messages_per_conversation=1)
    assert (ids(told), told["total"]) == ([2], 2)
    assert [one["content"] for one in told["conversations"][0]["messages"]] == ["It is repaired."]
    assert ids(phone.agent("list_conversations_by_participant", user_id=2)) == [2, 1]
    assert ids(phone.agent("list_conversations_by_participant", user_id=4)) == []


def test_messages_page_from_the_newest_between_two_dates(phone: StrictPhone) -> None:
    told = phone.agent("read_conversation", conversation_id=1, offset=1, limit=5)
    assert (ids(told, "messages", "message_id"), told["total"]) == ([1], 2)
    told = phone.agent("read_conversation", conversation_id=1, max_date="2026-05-03 18:00:00")
    assert ids(told, "messages", "message_id") == [1]


def test_searches_look_at_messages_titles_and_names(phone: StrictPhone) -> None:
    for told in (phone.agent("search", query="leaks"), phone.user("search_conversations", query="leaks")):
        assert ids(told) == [2]
        assert ids(told["conversations"][0], "matches", "message_id") == [3]
    assert ids(phone.agent("search", query="rowing")) == [2]
    assert ids(phone.agent("search", query="ek")) == [1, 2]
    assert ids(phone.agent("search", query="ek", min_date="2026-05-03")) == [1]
    assert ids(phone.user("search_conversations", query="ek", limit=1)) == [1]
    assert ids(phone.agent("regex_search", query="^THE b.*s\\.$")) == [2]
    assert ids(phone.agent("regex_search", query="leaks|seven", min_date="2026-05-03")) == [1]


def test_a_file_of_a_message_is_written_into_the_workspace(phone: StrictPhone) -> None:
    told = phone.agent("download_attachment", conversation_id=2, message_id=3)
    assert told["paths"] == ["Downloads/leak.md"]
    assert phone.world.workspace.text("Downloads/leak.md") == "Bow, left."
    phone.world.workspace.write("Downloads/leak.md", b"Mine.")
    told = phone.agent("download_attachment", conversation_id=2, message_id=3)
    assert told["paths"] == ["Downloads/leak-2.md"]


def test_an_incoming_message_is_shown_short_and_whole(phone: StrictPhone) -> None:
    text = "The boat is repaired, come at seven."
    notice = phone.event("create_and_add_message", conversation_id=2, sender_id=3, content=text)
    assert notice.short == "Ada Wirth in Rowing: The boat is repaired…"
    assert text in notice.whole
    assert "conversation 2" in notice.whole
    assert phone.event("create_and_add_message", conversation_id=1, sender_id=2, content="Hi").short == "Jonas Ek: Hi"
    assert phone.rows("messages")[500_001]["timestamp"] == "2026-05-04T09:00:00"


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"sender_id": 1}, "somebody else"),
        ({"sender_id": 4}, "does not belong"),
        ({"sender_id": 3, "content": ""}, "message is empty"),
        ({"sender_id": 3, "conversation_id": 9}, "no conversation with the id 9"),
    ],
)
def test_an_impossible_message_does_not_come_in(phone: StrictPhone, given: dict[str, Any], reason: str) -> None:
    whole = {"conversation_id": 2, "content": "Hm.", **given}
    assert reason in phone.refused("event", "create_and_add_message", **whole)
    assert phone.notices == []


@pytest.mark.parametrize(
    ("name", "given", "short", "whole"),
    [
        ("create_group_conversation", {"user_ids": [2, 4]}, "You are in a new group: Jonas Ek, Ole Berg", "Mara Lind"),
        ("add_participant_to_conversation", {"conversation_id": 2, "user_id": 4}, "Ole Berg joined Rowing", "user 4"),
        (
            "remove_participant_from_conversation",
            {"conversation_id": 2, "user_id": 3},
            "Ada Wirth left Rowing",
            "Jonas",
        ),
        ("change_conversation_title", {"conversation_id": 2, "title": "Boats"}, "Rowing is now called Boats", "group"),
    ],
)
def test_others_change_groups_as_an_agent_does_and_it_is_shown(
    phone: StrictPhone, other: StrictPhone, name: str, given: dict[str, Any], short: str, whole: str
) -> None:
    notice = phone.event(name, **given)
    assert notice.short == short
    assert whole in notice.whole
    other.agent(name, **given)
    assert other.notices == []
    assert phone.state == other.state


def test_a_group_of_two_stays_a_group(phone: StrictPhone) -> None:
    phone.agent("remove_participant_from_conversation", conversation_id=2, user_id=3)
    assert phone.agent("send_message", user_id=2, content="Hi.")["conversation_id"] == 1
    phone.agent("add_participant_to_conversation", conversation_id=2, user_id=4)


def test_who_is_out_of_a_group_neither_writes_nor_gets_messages(phone: StrictPhone) -> None:
    phone.user("open_conversation", conversation_id=2)
    phone.event("remove_participant_from_conversation", conversation_id=2, user_id=1)
    assert "Mara Lind does not belong" in phone.refused("user", "send_message", content="Hm.")
    given = {"conversation_id": 2, "sender_id": 3, "content": "Hm."}
    assert "does not belong" in phone.refused("event", "create_and_add_message", **given)
