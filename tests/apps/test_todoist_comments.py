"""Todoist: comments with files, labels, and notifications; each operation and each error that it documents."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.apps import done, refused
from support.todoist import BO, IDA, PER, rows, todoist, write_as

from pi_gym.tools import ToolContext
from pi_gym.tools.registry import MAX_RESULT_CHARS


def labels(context: ToolContext, **arguments: Any) -> list[str]:
    return [one["name"] for one in done(context, "todoist__search_labels", **arguments)["labels"]]


def test_a_comment_is_there_with_the_files_as_they_were() -> None:
    context = todoist(clock="2026-01-02T10:00:00")
    context.workspace.write("bills/may.csv", b"item,price\nrye,3.50\n")
    context.workspace.write("oven.bin", b"\xff\x00")
    made = done(
        context, "todoist__post_task_comment", task_id=1, content=" See both. ",
        attachment_file_paths=["~/bills/may.csv", "oven.bin"], file_system_access_token="whatever",
    )  # fmt: skip
    assert (made["task_comment_id"], made["attachments"]) == (100_001, 2)
    context.workspace.write("bills/may.csv", b"changed")
    assert done(context, "todoist__show_task_comment", task_comment_id=100_001) == {
        "task_comment_id": 100_001, "task_id": 1, "author_email": "ida@notes.example",
        "created_at": "2026-01-02T10:00:00", "updated_at": None, "content": "See both.",
        "attachments": [
            {"file_name": "may.csv", "bytes": 20, "text": "item,price\nrye,3.50\n"},
            {"file_name": "oven.bin", "bytes": 2, "text": ""},
        ],
    }  # fmt: skip


def test_a_comment_tells_every_other_collaborator() -> None:
    context = todoist()
    before = set(rows(context, "notifications"))
    done(context, "todoist__post_task_comment", task_id=8, content="Not the lard, please. " * 20)
    told = [row for key, row in rows(context, "notifications").items() if key not in before]
    assert [(row["account"], row["kind"], row["task"], row["is_read"]) for row in told] == [
        (2, "comment", 8, False), (3, "comment", 8, False),
    ]  # fmt: skip
    assert told[0]["message"].startswith("Ida Note commented on 'Grease the wheel': Not the lard, please. Not")
    assert told[0]["message"].endswith("…")
    task = done(context, "todoist__create_task", project_id=2, title="Dig")["task_id"]
    done(context, "todoist__post_task_comment", task_id=task, content="Deep.")
    assert len(rows(context, "notifications")) == len(before) + 2


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"content": " \n"}, "The comment is empty"),
        ({"content": "x" * 5_001}, "at most 5000"),
        ({"content": "x", "attachment_file_paths": ["nothing.txt"]}, "nothing.txt"),
        ({"content": "x", "attachment_file_paths": ["bills"]}, "is a directory"),
        ({"content": "x", "attachment_file_paths": ["/etc/passwd"]}, "/etc/passwd"),
    ],
)
def test_what_is_wrong_with_a_comment_is_explained(arguments: dict[str, Any], says: str) -> None:
    context = todoist()
    context.workspace.write("bills/may.csv", b"1")
    assert says in refused(context, "todoist__post_task_comment", task_id=1, **arguments)


def test_comments_are_listed_oldest_first_in_pages() -> None:
    context = todoist()
    done(context, "todoist__post_task_comment", task_id=2, content="x" * 1_000)
    found = done(context, "todoist__show_task_comments", task_id=2, page_limit=2)
    assert [one["task_comment_id"] for one in found["task_comments"]] == [1, 2]
    assert [one["attachments"] for one in found["task_comments"]] == [[], ["count.txt"]]
    assert (found["total"], found["message"]) == (3, "More: page_index 1.")
    last = done(context, "todoist__show_task_comments", task_id=2, page_limit=2, page_index=1)["task_comments"]
    assert last[0]["content"] == "x" * 300 + "…"
    assert "has no comments" in done(context, "todoist__show_task_comments", task_id=1)["message"]


def test_a_comment_with_many_files_is_still_one_result() -> None:
    context = todoist()
    for number in range(10):
        context.workspace.write(f"{number}.txt", b"line\n" * 3_000)
    files = [f"{number}.txt" for number in range(10)]
    made = done(
        context, "todoist__post_task_comment", task_id=1, content="x" * 5_000, attachment_file_paths=files
    )  # fmt: skip
    shown = done(context, "todoist__show_task_comment", task_comment_id=made["task_comment_id"])
    assert len(shown["attachments"]) == 10
    assert len(json.dumps(shown, ensure_ascii=False)) < MAX_RESULT_CHARS
    assert all(one["text"].endswith("…") for one in shown["attachments"])


def test_only_the_author_changes_and_deletes_a_comment() -> None:
    context = todoist(clock="2026-01-02T10:00:00")
    for operation, extra in (("update_task_comment", {"content": "x"}), ("delete_task_comment", {})):
        text = refused(context, f"todoist__{operation}", task_comment_id=2, **extra)
        assert "by per@notes.example; only its author can" in text
    done(context, "todoist__update_task_comment", task_comment_id=1, content="Forty-two.")
    shown = done(context, "todoist__show_task_comment", task_comment_id=1)
    assert (shown["content"], shown["updated_at"]) == ("Forty-two.", "2026-01-02T10:00:00")
    assert "Nothing to change" in refused(context, "todoist__update_task_comment", task_comment_id=1)
    assert "empty" in refused(context, "todoist__update_task_comment", task_comment_id=1, content="")
    done(write_as(context, PER), "todoist__delete_task_comment", task_comment_id=2)
    assert rows(context, "attachments") == {}
    assert "no comment" in refused(context, "todoist__show_task_comment", task_comment_id=2)


def test_label_names_are_unique_in_an_account_whatever_the_case() -> None:
    context = todoist()
    text = refused(context, "todoist__create_label", name=" EARLY ")
    assert "a label 'early' already; its label_id is 1" in text
    assert "empty" in refused(context, "todoist__create_label", name=" ")
    assert "at most 60" in refused(context, "todoist__create_label", name="x" * 61)
    done(context, "todoist__create_label", name="quiet", color="red")
    assert labels(context) == ["early", "dusty", "quiet"], "Per's label of that name does not count"


def test_labels_are_searched_and_filtered() -> None:
    context = todoist()
    assert labels(context, query="dust") == ["dusty"]
    assert labels(context, query="quiet") == []
    assert labels(context, color="yellow") == ["early"]
    assert labels(context, task_id=1) == ["early"]
    assert labels(context, task_id=1, task_attached=False) == ["dusty"]
    assert labels(context, task_attached=False) == ["early", "dusty"]
    assert labels(context, page_limit=1, page_index=1) == ["dusty"]
    assert done(context, "todoist__search_labels", query="early")["labels"] == [
        {"label_id": 1, "name": "early", "color": "yellow", "tasks": 2}
    ]
    assert "create_label makes one" in done(context, "todoist__search_labels", query="x")["message"]


def test_labels_are_put_on_tasks_and_taken_off() -> None:
    context = todoist()
    done(context, "todoist__add_label_to_task", task_id=5, label_id=2)
    assert labels(context, task_id=5) == ["dusty"]
    assert "already" in refused(context, "todoist__add_label_to_task", task_id=5, label_id=2)
    done(context, "todoist__remove_label_from_task", task_id=5, label_id=2)
    assert labels(context, task_id=5) == []
    text = refused(context, "todoist__remove_label_from_task", task_id=1, label_id=2)
    assert "does not have the label 'dusty'; its labels: early (1)" in text


def test_labels_of_one_account_are_nothing_to_another() -> None:
    context = todoist(BO)
    done(context, "todoist__create_label", name="early")
    assert labels(context) == ["early"]
    assert done(context, "todoist__show_tasks", project_id=5)["tasks"][0].get("labels") is None
    assert "no label" in refused(context, "todoist__add_label_to_task", task_id=8, label_id=1)


def test_a_task_has_a_bounded_number_of_labels() -> None:
    context = todoist()
    for number in range(20):
        key = done(context, "todoist__create_label", name=str(number))["label_id"]
        if number < 19:
            done(context, "todoist__add_label_to_task", task_id=1, label_id=key)
    assert "at most 20" in refused(context, "todoist__add_label_to_task", task_id=1, label_id=key)


def test_a_deleted_label_comes_off_all_tasks() -> None:
    context = todoist()
    assert "taken off 2 tasks" in done(context, "todoist__delete_label", label_id=1)["message"]
    assert set(rows(context, "task_labels")) == {3, 4, 5}
    assert {1, 2} <= set(rows(context, "tasks"))


def test_notifications_are_ones_own_newest_first() -> None:
    context = todoist()
    shown = done(context, "todoist__show_notifications")
    assert [one["notification_id"] for one in shown["notifications"]] == [4, 1, 2]
    assert shown["notifications"][1] == {
        "notification_id": 1, "kind": "comment", "task_id": 2, "read": False, "created_at": "2025-12-11T09:00:00",
        "message": "Per Other commented on 'Shape the loaves': Fifty would be safer.",
    }  # fmt: skip
    assert [
        one["notification_id"] for one in done(context, "todoist__show_notifications", read=True)["notifications"]
    ] == [2]
    assert done(context, "todoist__show_notifications_count") == {"count": 3}
    assert done(context, "todoist__show_notifications_count", read=False) == {"count": 2}


def test_notifications_are_marked_and_deleted() -> None:
    context = todoist()
    done(context, "todoist__mark_notification", notification_id=1)
    assert done(context, "todoist__show_notifications_count", read=False) == {"count": 1}
    done(context, "todoist__mark_notification", notification_id=1, read=False)
    assert done(context, "todoist__show_notifications_count", read=False) == {"count": 2}
    assert "3" in done(context, "todoist__delete_notifications")["message"]
    assert "no such notifications" in done(context, "todoist__show_notifications")["message"]
    assert set(rows(context, "notifications")) == {3}, "those of others stay"


def test_what_one_account_does_reaches_the_other() -> None:
    context = todoist()
    task = done(context, "todoist__create_task", project_id=1, title="Bake for the choir")["task_id"]
    done(context, "todoist__assign_or_unassign_task", task_id=task, assignee_email="per@notes.example")
    done(context, "todoist__post_task_comment", task_id=task, content="Before six.")
    write_as(context, PER)
    shown = done(context, "todoist__show_notifications", read=False)["notifications"]
    assert [one["message"] for one in shown[:2]] == [
        "Ida Note commented on 'Bake for the choir': Before six.",
        "Ida Note assigned you 'Bake for the choir'.",
    ]
    done(context, "todoist__update_task", task_id=task, is_completed=True)
    write_as(context, IDA)
    newest = done(context, "todoist__show_notifications", page_limit=1)["notifications"][0]
    assert (newest["kind"], newest["message"]) == ("completed", "Per Other completed 'Bake for the choir'.")
    assert newest["task_id"] == task
