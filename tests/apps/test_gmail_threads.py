"""Gmail: lists of threads, what an account makes of them, and drafts."""

from __future__ import annotations

from typing import Any

import pytest
from support.apps import app_context, done, refused
from test_gmail import IDA, LIV, NOW, PER, ids, opened

from pi_gym.tools import ToolContext


def listed(context: ToolContext, side: str = "inbox", **arguments: Any) -> list[int]:
    found = done(context, f"gmail__show_{side}_threads", page_limit=20, **arguments)
    assert found["total"] == len(found["email_threads"])
    return [thread["email_thread_id"] for thread in found["email_threads"]]


def state(context: ToolContext, thread: int) -> dict[str, Any]:
    shown = done(context, "gmail__show_thread", email_thread_id=thread)
    return {name: shown[name] for name in ("read", "starred", "archived", "spam", "label")}


def test_the_inbox_has_what_came_in_newest_first_and_the_outbox_what_went_out() -> None:
    context = opened()
    assert listed(context) == [4, 1]
    assert listed(context, "outbox") == [6, 4, 1]
    assert listed(opened(LIV, context)) == [6, 3, 1]
    assert listed(opened(PER, context)) == [5]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"archived": True}, [2]),
        ({"archived": False}, [4, 1]),
        ({"spam": True}, [5]),
        ({"starred": True}, [1]),
        ({"starred": False}, [4]),
        ({"read": False}, [4]),
        ({"read": True, "archived": True}, [2]),
        ({"label": "FAIR"}, [1]),
        ({"label": "flour"}, [2]),
        ({"label": "no such"}, []),
        ({"attachment": True, "archived": True}, [2]),
        ({"attachment": False}, [4, 1]),
        ({"from_email": "mill.example"}, [2]),
        ({"from_email": "Orders@Mill.example"}, [2]),
        ({"from_email": "mill.example", "spam": True}, [5]),
        ({"to_email": "liv@"}, [1]),
        ({"min_created_at": "2026-02-03"}, [4, 2]),
        ({"max_created_at": "2026-02-03"}, [2, 1]),
        ({"min_created_at": "2026-02-03", "max_created_at": "2026-02-03T06:59"}, []),
        ({"query": "rye"}, [2, 1]),
        ({"query": "delivery monday"}, [2]),
        ({"query": "rye", "archived": False}, [1]),
        ({"query": "rye", "attachment": True}, [2]),
        ({"query": "rye", "attachment": False}, [1]),
        ({"query": "rye", "from_email": "per"}, [1]),
        ({"query": "spelt", "spam": True}, [5]),
        ({"sort_by": "+updated_at"}, [1, 4]),
        ({"sort_by": "-created_at"}, [4, 1]),
    ],
)
def test_filters_narrow_the_inbox(arguments: dict[str, Any], expected: list[int]) -> None:
    assert listed(opened(), **arguments) == expected


def test_a_filter_has_to_fit_one_mail() -> None:
    context = opened()
    assert listed(context, "outbox", query="forty") == [1]
    assert listed(context, "outbox", to_email="per@notes.example") == [1]
    assert listed(context, "outbox", query="forty", min_created_at="2026-02-03") == []
    assert listed(context, "inbox", query="oven") == []


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"page_index": -1}, "counts pages from 0"),
        ({"page_limit": 21}, "between 1 and 20"),
        ({"sort_by": "+subject"}, "one of: created_at, updated_at"),
        ({"min_created_at": "soon"}, "min_created_at must be a date"),
        ({"min_created_at": "2026-02-03", "max_created_at": "2026-02-02"}, "lies behind"),
    ],
)
@pytest.mark.parametrize("side", ["inbox", "outbox"])
def test_wrong_bounds_pages_and_orders_are_explained(side: str, arguments: dict[str, Any], says: str) -> None:
    assert says in refused(opened(), f"gmail__show_{side}_threads", **arguments)


def test_a_list_shows_the_last_mail_and_says_how_to_go_on() -> None:
    context = opened()
    found = done(context, "gmail__show_inbox_threads", page_limit=1)
    assert "page_index 1" in found["message"]
    thread = done(context, "gmail__show_inbox_threads", archived=True)["email_threads"][0]
    assert (thread["subject"], thread["emails"], thread["attachments"]) == ("Your delivery of rye", 1, True)
    assert thread["last_email"]["email_id"] == 14
    assert thread["last_email"]["preview"].startswith("Two sacks on Monday.")
    assert "other of" in done(context, "gmail__show_inbox_threads", query="zeppelin")["message"]


def test_showing_leaves_unread_what_was_unread() -> None:
    context = opened()
    done(context, "gmail__show_thread", email_thread_id=4)
    done(context, "gmail__show_email", email_id=16)
    assert listed(context, read=False) == [4]
    shown = done(context, "gmail__show_email", email_id=14)
    assert shown["attachments"] == [{"file_name": "bill.txt", "bytes": 28, "text": "2 sacks of rye: 840.00, paid."}]
    assert "no thread" in refused(context, "gmail__show_thread", email_thread_id=3)


@pytest.mark.parametrize(
    ("mark", "thread", "column", "value"),
    [
        ("read", 4, "read", True),
        ("unread", 1, "read", False),
        ("starred", 4, "starred", True),
        ("archived", 4, "archived", True),
        ("archived", 6, "archived", True),
    ],
)
def test_marks_are_set_once_and_for_one_account_only(mark: str, thread: int, column: str, value: bool) -> None:
    context = opened()
    before = state(context, thread)
    assert "now" in done(context, f"gmail__mark_thread_{mark}", email_thread_id=thread)["message"]
    assert state(context, thread) == {**before, column: value}
    world = context.world.state_hash()
    assert "already" in done(context, f"gmail__mark_thread_{mark}", email_thread_id=thread)["message"]
    assert context.world.state_hash() == world
    assert "no thread" in refused(context, f"gmail__mark_thread_{mark}", email_thread_id=3)
    if thread == 1:
        assert state(opened(PER, context), 1)["read"] is True


def test_a_star_lists_a_thread_among_the_starred() -> None:
    context = opened()
    assert [one["email_thread_id"] for one in done(context, "gmail__show_starred_threads")["email_threads"]] == [1]
    done(context, "gmail__mark_thread_starred", email_thread_id=6)
    found = done(context, "gmail__show_starred_threads", sort_by="+created_at")["email_threads"]
    assert [one["email_thread_id"] for one in found] == [1, 6]
    assert done(context, "gmail__show_starred_threads", query="sunday bake")["total"] == 1
    assert done(context, "gmail__show_starred_threads", query="sunday loaves")["total"] == 0


def test_a_thread_has_one_label_of_ones_own() -> None:
    context = opened()
    assert "instead of fair" in done(context, "gmail__label_thread", email_thread_id=1, label="Market ")["message"]
    done(context, "gmail__label_thread", email_thread_id=6, label="MARKET")
    assert listed(context, "outbox", label="market") == [6, 1]
    assert "already" in done(context, "gmail__label_thread", email_thread_id=6, label="market")["message"]
    assert done(context, "gmail__search_labels")["labels"] == [
        {"label": "Market", "threads": 2, "unread": 0},
        {"label": "flour", "threads": 1, "unread": 0},
    ]
    assert done(context, "gmail__search_labels", query="flo")["total"] == 1
    assert "label_thread makes new ones" in done(context, "gmail__search_labels", query="zzz")["message"]
    assert done(opened(PER, context), "gmail__search_labels")["labels"][0]["label"] == "bakery"


def test_a_label_is_taken_away_once() -> None:
    context = opened()
    assert "fair" in done(context, "gmail__unlabel_thread", email_thread_id=1)["message"]
    assert state(context, 1)["label"] is None
    assert "has no label" in refused(context, "gmail__unlabel_thread", email_thread_id=1)
    assert "no thread" in refused(context, "gmail__unlabel_thread", email_thread_id=3)
    assert "label is empty" in refused(context, "gmail__label_thread", email_thread_id=1, label=" ")
    assert "at most 40" in refused(context, "gmail__label_thread", email_thread_id=1, label="x" * 41)


def test_the_sizes_add_up() -> None:
    sizes = done(opened(), "gmail__show_category_sizes")
    assert sizes == {
        "threads": 5, "inbox": 2, "unread": 1, "archived": 1, "spam": 1, "only_sent": 1, "outbox": 3, "starred": 1,
        "drafts": 1, "scheduled_drafts": 0,
        "categories": {"primary": 2, "social": 0, "promotions": 0, "updates": 0, "forums": 0},
    }  # fmt: skip


def test_a_draft_is_kept_to_oneself_until_it_is_sent() -> None:
    context = opened()
    context.workspace.write("a.txt", b"text")
    made = done(
        context, "gmail__create_draft", recipient_email_addresses=[PER["username"]], subject="Salt", body="Enough?",
        attachment_file_paths=["a.txt"], scheduled_send_at="2026-05-01T08:00",
    )  # fmt: skip
    draft = done(context, "gmail__show_draft", draft_id=made["draft_id"])
    assert (draft["to"], draft["scheduled_send_at"]) == ([PER["username"]], "2026-05-01T08:00:00")
    assert draft["attachments"] == [{"file_name": "a.txt", "bytes": 4, "text": "text"}]
    assert listed(context, "outbox", query="salt") == []
    opened(PER, context)
    assert "no draft" in refused(context, "gmail__show_draft", draft_id=made["draft_id"])
    assert listed(context, query="salt") == []
    opened(IDA, context)
    sent = done(context, "gmail__send_email_from_draft", draft_id=made["draft_id"])
    assert "no draft" in refused(context, "gmail__show_draft", draft_id=made["draft_id"])
    shown = done(opened(PER, context), "gmail__show_email", email_id=sent["email_id"])
    assert (shown["subject"], shown["body"], shown["attachments"][0]["text"]) == ("Salt", "Enough?", "text")
    assert not list(context.world.apps["gmail"].table("draft_attachments").rows())


def test_a_draft_that_answers_takes_what_is_left_out_and_goes_to_the_thread() -> None:
    context = opened()
    draft = done(context, "gmail__create_draft", response_to_email_id=11, body="Yes.")["draft_id"]
    shown = done(context, "gmail__show_draft", draft_id=draft)
    assert shown["to"] == [PER["username"], LIV["username"]]
    assert (shown["subject"], shown["belongs_to_email_thread_id"]) == ("Re: Bread for the fair", 1)
    assert ids(context, 1) == [11, 12]
    sent = done(context, "gmail__send_email_from_draft", draft_id=draft)
    assert ids(context, 1) == [11, 12, sent["email_id"]]
    assert state(opened(PER, context), 1)["read"] is False
    opened(IDA, context)
    given = {"belongs_to_email_thread_id": 1, "recipient_email_addresses": [PER["username"]], "body": "So?"}
    draft = done(context, "gmail__create_draft", **given)["draft_id"]
    sent = done(context, "gmail__send_email_from_draft", draft_id=draft)
    assert done(context, "gmail__show_email", email_id=sent["email_id"])["subject"] == "Re: Bread for the fair"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"recipient_email_addresses": ["nobody"]}, "no e-mail address"),
        ({"belongs_to_email_thread_id": 3}, "no thread"),
        ({"response_to_email_id": 13}, "no e-mail with the email_id 13"),
        ({"belongs_to_email_thread_id": 2, "response_to_email_id": 11}, "in the thread 1, not in 2"),
        ({"scheduled_send_at": NOW}, "must lie in the future"),
        ({"scheduled_send_at": "tomorrow"}, "scheduled_send_at must be a date"),
        ({"attachment_file_paths": ["no.txt"]}, "no.txt"),
    ],
)
def test_drafting_says_what_is_wrong(arguments: dict[str, Any], says: str) -> None:
    assert says in refused(opened(), "gmail__create_draft", **arguments)


def test_changing_a_draft_changes_what_is_given_and_no_more() -> None:
    context = opened()
    given = {"email_addresses": [LIV["username"]], "body": "Or wheat?", "scheduled_send_at": "2026-04-02"}
    done(context, "gmail__update_draft", draft_id=1, **given)
    draft = done(context, "gmail__show_draft", draft_id=1)
    assert (draft["to"], draft["subject"], draft["body"]) == ([LIV["username"]], "Spelt", "Or wheat?")
    assert (draft["scheduled_send_at"], draft["updated_at"]) == ("2026-04-02T00:00:00", NOW)
    done(context, "gmail__update_draft", draft_id=1, scheduled_send_at="", response_to_email_id=12)
    draft = done(context, "gmail__show_draft", draft_id=1)
    assert (draft["scheduled_send_at"], draft["belongs_to_email_thread_id"]) == (None, 1)
    assert "Nothing to change" in refused(context, "gmail__update_draft", draft_id=1)
    assert "no draft with the id 2" in refused(context, "gmail__update_draft", draft_id=2, body="x")
    assert "in the thread 1, not in 2" in refused(
        context, "gmail__update_draft", draft_id=1, belongs_to_email_thread_id=2
    )
    assert "future" in refused(context, "gmail__update_draft", draft_id=1, scheduled_send_at="2026-03-31")


def test_sending_a_draft_checks_its_recipients() -> None:
    context = opened()
    draft = done(context, "gmail__create_draft", body="x")["draft_id"]
    assert "at least one address" in refused(context, "gmail__send_email_from_draft", draft_id=draft)
    done(context, "gmail__update_draft", draft_id=draft, email_addresses=["x@nowhere.example"])
    assert "no mailbox x@nowhere.example" in refused(context, "gmail__send_email_from_draft", draft_id=draft)
    assert "no draft" in refused(context, "gmail__send_email_from_draft", draft_id=2)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, [100_002, 100_001, 1]),
        ({"query": "spelt"}, [1]),
        ({"recipient_email": "mill"}, [1]),
        ({"scheduled": True}, [100_001]),
        ({"scheduled": False}, [100_002, 1]),
        ({"attachment": True}, [100_002]),
        ({"attachment": False}, [100_001, 1]),
        ({"belongs_to_email_thread_id": 1}, [100_002]),
        ({"response_to_email_id": 12}, [100_002]),
        ({"max_created_at": "2026-02-08"}, [1]),
        ({"min_created_at": "2026-02-09"}, [100_002, 100_001]),
        ({"sort_by": "+subject"}, [100_001, 100_002, 1]),
        ({"query": "zeppelin"}, []),
    ],
)
def test_drafts_are_listed(arguments: dict[str, Any], expected: list[int]) -> None:
    context = opened()
    context.workspace.write("a.txt", b"text")
    done(context, "gmail__create_draft", subject="Later", scheduled_send_at="2026-04-02")
    later = app_context("gmail", clock="2026-04-01T10:00:00")
    context = ToolContext(context.world, ids=context.ids, root=later.root, clock=later.clock)
    done(context, "gmail__create_draft", response_to_email_id=12, attachment_file_paths=["a.txt"])
    found = done(context, "gmail__show_drafts", **arguments)
    assert [draft["draft_id"] for draft in found["drafts"]] == expected
    assert "sort_by cannot be" in refused(context, "gmail__show_drafts", sort_by="body")


def test_addresses_may_be_written_as_mails_show_them() -> None:
    context = opened()
    sent = done(context, "gmail__send_email", email_addresses=["Per Other <PER@notes.example>"], body="Hi.")
    assert context.world.apps["gmail"].table("emails").get(sent["email_id"])["recipients"] == [PER["username"]]
    found = done(context, "gmail__show_outbox_threads", to_email="Per Other <per@notes.example>")["email_threads"]
    assert sent["email_thread_id"] in {thread["email_thread_id"] for thread in found}
