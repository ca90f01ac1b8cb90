"""Gmail over rows that a task adds or changes: the lists follow from the mails alone."""

from __future__ import annotations

from typing import Any

from support.apps import app_context, done
from test_gmail import IDA, LIV, PER, opened

from pi_gym.apps import load_app
from pi_gym.tools import ToolContext


def staged(changed: dict[int, dict[str, Any]], table: str = "emails") -> ToolContext:
    """A context in which a task has put rows, as it would: whole new ones, or columns of those that are there."""
    context = app_context("gmail", clock="2026-04-01T09:00:05")
    database = context.world.apps["gmail"]
    rows = database.table(table)
    for key, columns in changed.items():
        known = rows.get(key) is not None
        rows = (
            rows.update(key, **columns)
            if known
            else rows.insert(key, load_app("gmail").tables[table].complete(columns))
        )
    context.world.put_app("gmail", database.put(table, rows))
    return opened(IDA, context)


def inbox(context: ToolContext, **filters: Any) -> list[int]:
    found = done(context, "gmail__show_inbox_threads", page_limit=20, **filters)["email_threads"]
    return [thread["email_thread_id"] for thread in found]


NEW = {
    "thread": 900, "sender": PER["username"], "recipients": [IDA["username"]], "subject": "Key",
    "body": "Under the flour sack.", "created_at": "2026-03-31T08:00:00",
}  # fmt: skip


def test_a_new_mail_needs_no_more_than_its_own_row() -> None:
    context = staged({901: NEW})
    assert inbox(context) == [900, 4, 1]
    assert inbox(context, read=False) == [900, 4]
    assert inbox(context, query="key under flour")[0] == 900
    assert done(context, "gmail__show_category_sizes")["unread"] == 2
    done(context, "gmail__mark_thread_read", email_thread_id=900)
    assert inbox(context, read=False) == [4]


def test_a_new_mail_of_a_thread_is_its_last_one() -> None:
    context = staged({901: {**NEW, "thread": 1, "response_to": 12}})
    thread = done(context, "gmail__show_inbox_threads")["email_threads"][0]
    assert (thread["email_thread_id"], thread["emails"]) == (1, 3)
    assert thread["last_email"]["preview"] == "Under the flour sack."


def test_a_changed_mail_is_shown_once_and_as_it_is_now() -> None:
    context = staged({11: {"body": "Fifty loaves?"}})
    mails = done(context, "gmail__show_thread", email_thread_id=1)["emails"]
    assert [mail["body"] for mail in mails] == ["Fifty loaves?", "Forty. The oven can do it."]
    assert next(t for t in done(context, "gmail__show_inbox_threads")["email_threads"] if t["email_thread_id"] == 1)[
        "emails"
    ] == 2  # fmt: skip


def test_a_mail_that_goes_to_others_leaves_the_inbox() -> None:
    context = staged({14: {"recipients": [LIV["username"]]}})
    assert inbox(context, archived=True) == []
    assert done(context, "gmail__show_category_sizes")["threads"] == 4
    assert 2 in inbox(opened(LIV, context))


def test_a_changed_state_counts() -> None:
    context = staged({2: {"archived": False, "label": "bills"}}, "thread_states")
    assert inbox(context) == [4, 2, 1]
    labels = done(context, "gmail__search_labels")["labels"]
    assert [one["label"] for one in labels] == ["bills", "fair"]


def test_all_files_of_a_thread_are_forwarded() -> None:
    context = opened()
    for name in ("a.txt", "b.txt"):
        context.workspace.write(name, name.encode())
        given = {"email_thread_id": 4, "email_id": 16, "body": name, "attachment_file_paths": [name]}
        done(context, "gmail__reply_to_email", **given)
    sent = done(context, "gmail__forward_email_thread", email_thread_id=4, email_addresses=[LIV["username"]])
    files = done(context, "gmail__show_email", email_id=sent["email_id"])["attachments"]
    assert [(file["file_name"], file["text"]) for file in files] == [("a.txt", "a.txt"), ("b.txt", "b.txt")]


def test_of_two_states_of_one_thread_the_first_counts_everywhere() -> None:
    context = staged({900: {"account": 1, "thread": 1, "label": "second"}}, "thread_states")
    first = done(context, "gmail__show_thread", email_thread_id=1)["label"]
    listed = done(context, "gmail__show_inbox_threads", page_limit=20)["email_threads"]
    assert first != "second"
    assert {thread["email_thread_id"]: thread["label"] for thread in listed}[1] == first
