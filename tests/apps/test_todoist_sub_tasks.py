"""Todoist: sub-tasks; each operation and each error that it documents."""

from __future__ import annotations

import json

from support.apps import done, refused
from support.todoist import check, rows, todoist

from pi_gym.tools import ToolContext
from pi_gym.tools.registry import MAX_RESULT_CHARS


def subs(context: ToolContext, task_id: int = 1) -> list[tuple[int, bool]]:
    shown = done(context, "todoist__show_sub_tasks", task_id=task_id)["sub_tasks"]
    return [(one["sub_task_id"], one["is_completed"]) for one in shown]


def test_sub_tasks_are_made_in_place_and_shown_whole() -> None:
    context = todoist(clock="2026-01-01T06:00:00")
    made = done(
        context, "todoist__create_sub_task", task_id=1, title="Matches", description="Long ones.",
        due_date="2026-01-02", priority="medium", order_index=1,
    )  # fmt: skip
    assert (made["sub_task_id"], made["order_index"]) == (100_001, 1)
    assert [key for key, _ in subs(context)] == [1, 100_001, 2, 3]
    assert done(context, "todoist__show_sub_tasks", task_id=1)["sub_tasks"][1] == {
        "sub_task_id": 100_001, "title": "Matches", "description": "Long ones.", "due_date": "2026-01-02",
        "priority": "medium", "order_index": 1, "is_completed": False, "completed_at": None,
        "created_at": "2026-01-01T06:00:00",
    }  # fmt: skip
    assert "create_sub_task" in done(context, "todoist__show_sub_tasks", task_id=5)["message"]


def test_what_is_wrong_with_a_sub_task_is_explained() -> None:
    context = todoist()
    text = refused(context, "todoist__create_sub_task", task_id=3, title="x")
    assert "is completed; open it again first, with todoist__update_task" in text
    assert "empty" in refused(context, "todoist__create_sub_task", task_id=1, title="")
    assert "must be a date" in refused(context, "todoist__create_sub_task", task_id=1, title="x", due_date="x")
    assert "no place" in refused(context, "todoist__create_sub_task", task_id=1, title="x", order_index=-3)
    assert "at most 2000" in refused(context, "todoist__create_sub_task", task_id=1, title="x", description="x" * 2001)
    assert "Nothing to change" in refused(context, "todoist__update_sub_task", sub_task_id=2)


def test_a_task_has_a_bounded_number_of_sub_tasks_and_shows_them_all() -> None:
    context = todoist()
    for number in range(37):
        done(context, "todoist__create_sub_task", task_id=1, title=str(number), description="ø" * 2_000)
    assert "at most 40" in refused(context, "todoist__create_sub_task", task_id=1, title="x")
    shown = done(context, "todoist__show_sub_tasks", task_id=1)
    assert len(shown["sub_tasks"]) == shown["total"] == 40
    assert len(json.dumps(shown, ensure_ascii=False)) < MAX_RESULT_CHARS


def test_sub_tasks_change_move_and_go() -> None:
    context = todoist(clock="2026-01-01T06:00:00")
    done(context, "todoist__update_sub_task", sub_task_id=3, title="Wait long", order_index=0, due_date="2026-01-05")
    assert [key for key, _ in subs(context)] == [3, 1, 2]
    done(context, "todoist__update_sub_task", sub_task_id=3, is_completed=True, due_date="")
    assert rows(context, "sub_tasks")[3]["completed_at"] == "2026-01-01T06:00:00"
    assert rows(context, "sub_tasks")[3]["due_date"] is None
    done(context, "todoist__update_sub_task", sub_task_id=2, is_completed=True)
    assert not rows(context, "tasks")[1]["is_completed"], "the last one leaves the task open"
    done(context, "todoist__delete_sub_task", sub_task_id=1)
    assert subs(context) == [(3, True), (2, True)]
    check(context.world.apps["todoist"])


def test_opening_a_sub_task_opens_its_completed_task() -> None:
    context = todoist()
    made = done(context, "todoist__update_sub_task", sub_task_id=4, is_completed=False)
    assert "'Order rye' is open again too" in made["message"]
    assert not rows(context, "tasks")[3]["is_completed"]
    check(context.world.apps["todoist"])
