"""Todoist: tasks and lists of tasks; each operation and each error that it documents."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.apps import done, refused
from support.todoist import BO, IDA, PER, check, rows, todoist, write_as

from pi_gym.tools import ToolContext
from pi_gym.tools.registry import MAX_RESULT_CHARS


def ids(context: ToolContext, project_id: int = 1, **filters: Any) -> list[int]:
    found = done(context, "todoist__show_tasks", project_id=project_id, **filters)
    assert found["total"] == len(found["tasks"])
    return [one["task_id"] for one in found["tasks"]]


def order(context: ToolContext, section: int | None = 1) -> list[int]:
    found = [
        (row["order_index"], key)
        for key, row in rows(context, "tasks").items()
        if (row["project"], row["section"]) == (1, section)
    ]
    return [key for _, key in sorted(found)]


def test_a_new_task_is_as_told() -> None:
    context = todoist(clock="2026-04-01T09:00:05")
    made = done(
        context, "todoist__create_task", project_id=1, title=" Clean the peel ", section_id=1,
        description="The wooden one.", due_date="2026-04-03 06:30", duration=1.5, duration_unit="hours",
        order_index=0, priority="high",
    )  # fmt: skip
    assert made == {"message": "Task created.", "task_id": 100_001, "order_index": 0}
    assert done(context, "todoist__show_task", task_id=100_001) == {
        "task_id": 100_001, "project_id": 1, "project_name": "Bakery", "section_id": 1, "section_name": "Morning",
        "title": "Clean the peel", "description": "The wooden one.", "due_date": "2026-04-03T06:30:00", "duration": 1.5,
        "duration_unit": "hours", "priority": "high", "order_index": 0, "is_completed": False, "completed_at": None,
        "created_at": "2026-04-01T09:00:05", "creator_email": "ida@notes.example", "assignee_email": None,
        "assigner_email": None, "labels": [], "sub_tasks": 0, "open_sub_tasks": 0, "comments": 0,
    }  # fmt: skip


def test_a_task_is_shown_with_counts_and_with_ones_own_labels_only() -> None:
    context = todoist()
    shown = done(context, "todoist__show_task", task_id=1)
    assert (shown["sub_tasks"], shown["open_sub_tasks"]) == (3, 2)
    shown = done(context, "todoist__show_task", task_id=2)
    assert (shown["comments"], shown["assignee_email"], shown["assigner_email"]) == (
        2, "per@notes.example", "ida@notes.example",
    )  # fmt: skip
    assert shown["labels"] == [{"label_id": 1, "name": "early"}]
    shown = done(write_as(context, PER), "todoist__show_task", task_id=2)
    assert shown["labels"] == [{"label_id": 3, "name": "quiet"}]


def test_tasks_go_where_told_and_shift_the_others() -> None:
    context = todoist()
    made = [
        done(context, "todoist__create_task", project_id=1, section_id=1, title="x", order_index=at)["task_id"]
        for at in (1, -1, 99)
    ]
    assert order(context) == [1, made[0], 2, 3, made[1], made[2]]
    assert order(context, 2) == [4]
    assert order(context, None) == [5]
    done(context, "todoist__update_task", task_id=made[2], order_index=0)
    assert order(context) == [made[2], 1, made[0], 2, 3, made[1]]
    done(context, "todoist__update_task", task_id=1, order_index=-1)
    assert order(context) == [made[2], made[0], 2, 3, made[1], 1]
    done(context, "todoist__delete_task", task_id=2)
    assert order(context) == [made[2], made[0], 3, made[1], 1]
    check(context.world.apps["todoist"])


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"title": "  "}, "title of the task is empty"),
        ({"title": "x" * 201}, "at most 200"),
        ({"section_id": 3}, "has no section with the id 3. todoist__show_sections finds ids"),
        ({"due_date": "tomorrow"}, "due_date must be a date like 2026-03-09"),
        ({"due_date": "2026-02-30"}, "due_date must be a date"),
        ({"due_date": "2026-03-09T25:00"}, "due_date must be a date like 2026-03-09 or a time"),
        ({"due_date": "2026-03-09T10:00+01:00"}, "without a zone"),
        ({"duration": 2.0}, "needs a duration_unit: minutes, hours or days"),
        ({"duration_unit": "days"}, "needs a duration"),
        ({"duration": 0.0, "duration_unit": "days"}, "above 0"),
        ({"duration": -1.0, "duration_unit": "days"}, "above 0"),
        ({"duration": 10_001.0, "duration_unit": "days"}, "at most 10000"),
        ({"duration": 1.0, "duration_unit": "weeks"}, "expected one of"),
        ({"order_index": -2}, "-1 stands for the end"),
        ({"priority": "urgent"}, "expected one of"),
    ],
)
def test_what_is_wrong_with_a_new_task_is_explained(arguments: dict[str, Any], says: str) -> None:
    assert says in refused(todoist(), "todoist__create_task", **{"project_id": 1, "title": "x", **arguments})


def test_a_task_changes_as_told_and_no_more() -> None:
    context = todoist()
    done(context, "todoist__update_task", task_id=1, title="Light the oven", priority="low", due_date="2026-01-02")
    shown = done(context, "todoist__show_task", task_id=1)
    assert (shown["title"], shown["priority"], shown["due_date"]) == ("Light the oven", "low", "2026-01-02")
    assert (shown["description"], shown["duration"], shown["duration_unit"]) == ("By hand.", 30.0, "minutes")
    assert "Nothing to change; give title" in refused(context, "todoist__update_task", task_id=1)
    assert "empty" in refused(context, "todoist__update_task", task_id=1, title=" ")


def test_due_dates_and_durations_are_taken_away_and_completed() -> None:
    context = todoist()
    done(context, "todoist__update_task", task_id=1, duration_unit="hours")
    assert done(context, "todoist__show_task", task_id=1)["duration"] == 30.0
    done(context, "todoist__update_task", task_id=1, duration=2)
    assert done(context, "todoist__show_task", task_id=1)["duration_unit"] == "hours"
    done(context, "todoist__update_task", task_id=1, duration=0, due_date="")
    shown = done(context, "todoist__show_task", task_id=1)
    assert (shown["duration"], shown["duration_unit"], shown["due_date"]) == (None, None, None)
    assert "needs a duration_unit" in refused(context, "todoist__update_task", task_id=1, duration=2)
    assert "needs a duration;" in refused(context, "todoist__update_task", task_id=1, duration_unit="days")


def test_completing_a_task_completes_its_open_sub_tasks_and_reopening_leaves_them() -> None:
    context = todoist(clock="2026-01-01T07:00:00")
    assert "2 open sub-tasks" in done(context, "todoist__update_task", task_id=1, is_completed=True)["message"]
    assert done(context, "todoist__show_task", task_id=1)["completed_at"] == "2026-01-01T07:00:00"
    assert [row["completed_at"] for key, row in rows(context, "sub_tasks").items() if key in (1, 2, 3)] == [
        "2025-12-31T20:00:00", "2026-01-01T07:00:00", "2026-01-01T07:00:00",
    ]  # fmt: skip
    done(context, "todoist__update_task", task_id=1, is_completed=False)
    shown = done(context, "todoist__show_task", task_id=1)
    assert (shown["is_completed"], shown["completed_at"], shown["open_sub_tasks"]) == (False, None, 0)


def test_completing_twice_keeps_the_first_time() -> None:
    context = todoist()
    done(context, "todoist__update_task", task_id=3, is_completed=True)
    assert done(context, "todoist__show_task", task_id=3)["completed_at"] == "2025-12-19T12:00:00"


def test_whoever_made_or_assigned_a_task_is_told_when_another_completes_it() -> None:
    context = todoist()
    before = set(rows(context, "notifications"))
    done(context, "todoist__update_task", task_id=4, is_completed=True)
    told = [row for key, row in rows(context, "notifications").items() if key not in before]
    assert [(row["account"], row["message"]) for row in told] == [(2, "Ida Note completed 'Sweep the floor'.")]
    done(context, "todoist__update_task", task_id=5, is_completed=True)
    assert len(rows(context, "notifications")) == len(before) + 1, "nobody is told of what is one's own"


def test_tasks_are_assigned_to_collaborators_only() -> None:
    context = todoist()
    text = refused(context, "todoist__assign_or_unassign_task", task_id=1, assignee_email="bo@notes.example")
    assert "'bo@notes.example' does not work in the project 'Bakery'" in text
    assert "collaborators are: ida@notes.example, per@notes.example" in text
    assert "does not work" in refused(context, "todoist__assign_or_unassign_task", task_id=1, assignee_email="x")
    before = set(rows(context, "notifications"))
    done(context, "todoist__assign_or_unassign_task", task_id=1, assignee_email="PER@notes.example")
    told = [row for key, row in rows(context, "notifications").items() if key not in before]
    assert [(row["account"], row["kind"], row["task"]) for row in told] == [(2, "assigned", 1)]
    again = done(context, "todoist__assign_or_unassign_task", task_id=1, assignee_email="per@notes.example")
    assert "already" in again["message"]
    done(context, "todoist__assign_or_unassign_task", task_id=1, assignee_email="ida@notes.example")
    assert len(rows(context, "notifications")) == len(before) + 1, "nobody is told of what they do themselves"
    done(context, "todoist__assign_or_unassign_task", task_id=1)
    shown = done(context, "todoist__show_task", task_id=1)
    assert (shown["assignee_email"], shown["assigner_email"]) == (None, None)


def test_a_deleted_task_takes_along_what_hangs_on_it() -> None:
    context = todoist()
    done(context, "todoist__delete_task", task_id=2)
    assert set(rows(context, "task_comments")) == {3, 4}
    assert rows(context, "attachments") == {}
    assert set(rows(context, "task_labels")) == {1, 4, 5}
    assert rows(context, "notifications")[1]["task"] is None
    done(context, "todoist__delete_task", task_id=1)
    assert not {1, 2, 3} & set(rows(context, "sub_tasks"))
    check(context.world.apps["todoist"])


def test_lists_filter_by_every_property() -> None:
    context = todoist(clock="2026-01-01T09:00:00")
    assert ids(context) == [5, 1, 2, 4, 3]
    assert ids(context, section_id=1) == [1, 2, 3]
    assert ids(context, is_completed=False) == [5, 1, 2, 4]
    assert ids(context, is_completed=True) == [3]
    assert ids(context, assignee_email="per@notes.example") == [2]
    assert ids(context, assigner_email="per@notes.example") == [4]
    assert ids(context, priority="low") == [5, 4, 3]
    assert ids(context, label_id=1) == [1, 2]
    assert ids(context, label_id=1, priority="high") == [1]
    assert ids(context, due_today=True) == [1, 2]
    assert ids(context, overdue=True) == [1, 4]
    assert ids(context, min_due_date="2025-12-30", max_due_date="2025-12-31") == [4]
    assert ids(context, min_due_date="2026-01-01T06:00") == [2], "a date alone is due until its last second"
    assert ids(context, max_due_date="2026-01-01T04:00") == [2, 4, 3]


def test_lists_say_what_is_wrong_with_a_filter() -> None:
    context = todoist()
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"section_id": 4}, "no section with the id 4"),
        ({"label_id": 3}, "no label with the id 3"),
        ({"assignee_email": "bo@notes.example"}, "collaborators are"),
        ({"assigner_email": "bo@notes.example"}, "collaborators are"),
        ({"min_due_date": "soon"}, "min_due_date must be"),
        ({"min_due_date": "2026-02-02", "max_due_date": "2026-02-01"}, "lies behind"),
        ({"sort_by": "+assignee"}, "one of: due_date, priority"),
    ]
    for arguments, says in wrong:
        assert says in refused(context, "todoist__show_tasks", project_id=1, **arguments)
    empty = done(context, "todoist__show_tasks", project_id=2)
    assert (empty["tasks"], empty["total"]) == ([], 0)
    assert "No tasks match" in empty["message"]


def test_lists_are_sorted_as_told() -> None:
    context = todoist()
    assert ids(context, sort_by="+due_date") == [3, 4, 2, 1, 5]
    assert ids(context, sort_by="-due_date") == [1, 2, 4, 3, 5]
    assert ids(context, sort_by="-priority") == [1, 2, 3, 4, 5]
    assert ids(context, sort_by="+priority") == [3, 4, 5, 2, 1]
    assert ids(context, sort_by="title") == [3, 5, 2, 1, 4]


def test_a_list_leaves_out_what_a_task_does_not_have() -> None:
    shown = done(todoist(), "todoist__show_tasks", project_id=1)["tasks"]
    assert shown[0] == {
        "task_id": 5, "title": "Paint the sign", "priority": "low", "order_index": 0, "is_completed": False,
    }  # fmt: skip
    assert shown[2]["assignee_email"] == "per@notes.example"
    assert shown[2]["labels"] == ["early"]


def test_a_long_list_is_cut_and_says_how_to_see_the_rest() -> None:
    context = todoist()
    for number in range(60):
        done(context, "todoist__create_task", project_id=2, title=f"{number} " + "ø" * 150)
    found = done(context, "todoist__show_tasks", project_id=2)
    assert found["total"] == 60
    assert len(json.dumps(found, ensure_ascii=False)) < MAX_RESULT_CHARS
    assert f"The first {len(found['tasks'])} of 60 tasks; narrow" in found["message"]
    short = done(context, "todoist__show_tasks", project_id=2, sort_by="-created_at")
    assert len(short["tasks"]) == len(found["tasks"])


@settings(max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(-1, 8)), max_size=8))
def test_moving_is_taking_out_and_putting_in(moves: list[tuple[int, int]]) -> None:
    context = todoist()
    expected = [1, 2, 3]
    expected += [
        done(context, "todoist__create_task", project_id=1, section_id=1, title="x")["task_id"] for _ in range(3)
    ]
    for which, to in moves:
        key = expected.pop(which)
        expected.insert(len(expected) if to == -1 else to, key)
        done(context, "todoist__update_task", task_id=key, order_index=to)
        assert order(context) == expected


def test_two_accounts_see_one_and_the_same_shared_task() -> None:
    context = todoist(PER)
    done(context, "todoist__update_task", task_id=8, description="With lard.")
    assert done(write_as(context, IDA), "todoist__show_task", task_id=8)["description"] == "With lard."
    assert done(write_as(context, BO), "todoist__show_task", task_id=8)["description"] == "With lard."


def put(context: ToolContext, table: str, changed: dict[int, dict[str, Any]]) -> None:
    """Put rows as a task of the benchmark does, whatever is there."""
    database = context.world.apps["todoist"]
    for key, columns in changed.items():
        current = database.table(table)
        there = current.get(key) is not None
        database = database.put(table, current.update(key, **columns) if there else current.insert(key, columns))
    context.world.put_app("todoist", database)


def test_what_hangs_on_a_deleted_project_or_task_is_not_there() -> None:
    context = todoist()
    kept = {name: rows(context, name) for name in ("tasks", "sub_tasks", "task_comments", "sections")}
    lost = {
        "tasks": next(key for key, row in kept["tasks"].items() if row["project"] == 1),
        "sections": next(key for key, row in kept["sections"].items() if row["project"] == 1),
    }
    lost["sub_tasks"] = next(k for k, r in kept["sub_tasks"].items() if kept["tasks"][r["task"]]["project"] == 1)
    lost["task_comments"] = next(
        k for k, r in kept["task_comments"].items() if kept["tasks"][r["task"]]["project"] == 1
    )
    done(context, "todoist__delete_project", project_id=1)
    put(context, "sub_tasks", {lost["sub_tasks"]: dict(kept["sub_tasks"][lost["sub_tasks"]])})
    put(context, "task_comments", {lost["task_comments"]: dict(kept["task_comments"][lost["task_comments"]])})
    gone = "There is no"
    assert gone in refused(context, "todoist__delete_sub_task", sub_task_id=lost["sub_tasks"])
    assert gone in refused(context, "todoist__show_task_comment", task_comment_id=lost["task_comments"])
    put(context, "tasks", {lost["tasks"]: dict(kept["tasks"][lost["tasks"]])})
    put(context, "sections", {lost["sections"]: dict(kept["sections"][lost["sections"]])})
    assert gone in refused(context, "todoist__show_task", task_id=lost["tasks"])
    assert gone in refused(context, "todoist__delete_section", section_id=lost["sections"])


@pytest.mark.parametrize("places", [(0, 0, 0), (0, 7, 9), (4, 2, 2)])
def test_new_tasks_find_their_place_among_any(places: tuple[int, ...]) -> None:
    context = todoist()
    section = done(context, "todoist__create_section", project_id=1, name="Any")["section_id"]
    made = [
        done(context, "todoist__create_task", project_id=1, section_id=section, title=title)["task_id"]
        for title in "abc"
    ]
    put(context, "tasks", {key: {"order_index": place} for key, place in zip(made, places, strict=True)})
    before = order(context, section)
    last = done(context, "todoist__create_task", project_id=1, section_id=section, title="d")["task_id"]
    assert order(context, section) == [*before, last]
    second = done(context, "todoist__create_task", project_id=1, section_id=section, title="e", order_index=1)
    assert order(context, section) == [before[0], second["task_id"], *before[1:], last]
