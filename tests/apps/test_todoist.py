"""Todoist: signing in, projects, sections, people; each operation and each error that it documents."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.apps import app_context, done, refused
from support.todoist import BO, IDA, rows, todoist

from pi_gym.tools import ToolContext
from pi_gym.tools.registry import MAX_RESULT_CHARS

NEEDS_SIGN_IN: dict[str, dict[str, Any]] = {
    "logout": {},
    "show_projects": {},
    "show_project": {"project_id": 1},
    "create_project": {"name": "x"},
    "show_tasks": {"project_id": 1},
    "create_task": {"project_id": 1, "title": "x"},
    "post_task_comment": {"task_id": 1, "content": "x"},
    "search_labels": {},
    "search_users": {},
    "show_notifications": {},
    "delete_notifications": {},
}


def names(context: ToolContext, **arguments: Any) -> list[str]:
    return [one["name"] for one in done(context, "todoist__show_projects", **arguments)["projects"]]


def sections(context: ToolContext, project_id: int = 1) -> list[str]:
    return [one["name"] for one in done(context, "todoist__show_sections", project_id=project_id)["sections"]]


@pytest.mark.parametrize("operation", NEEDS_SIGN_IN)
def test_nothing_is_open_before_one_signs_in(operation: str) -> None:
    text = refused(app_context("todoist"), f"todoist__{operation}", **NEEDS_SIGN_IN[operation])
    assert "Sign in first: todoist__login(username, password)" in text


def test_login_opens_and_logout_closes() -> None:
    context = app_context("todoist")
    assert "Wrong password" in refused(context, "todoist__login", username=IDA["username"], password="x")
    assert "no account" in refused(context, "todoist__login", username="x@y.example", password="x")
    assert "Ida Note" in done(context, "todoist__login", **IDA)["message"]
    assert "Signed out" in done(context, "todoist__logout")["message"]
    assert "Sign in first" in refused(context, "todoist__show_projects")


def test_only_projects_that_one_works_in_are_there() -> None:
    assert names(todoist()) == ["Bakery", "Garden", "Fair 2025", "Mill"]
    assert names(todoist(BO)) == ["Per's surprise", "Mill"]


@pytest.mark.parametrize(
    ("operation", "arguments", "says"),
    [
        ("show_project", {"project_id": 3}, "no project with the id 3. todoist__show_projects finds ids"),
        ("show_sections", {"project_id": 3}, "no project with the id 3"),
        ("show_tasks", {"project_id": 3}, "no project with the id 3"),
        ("create_task", {"project_id": 3, "title": "x"}, "no project with the id 3"),
        ("create_section", {"project_id": 3, "name": "x"}, "no project with the id 3"),
        ("update_project", {"project_id": 3, "is_favorite": True}, "no project with the id 3"),
        ("delete_project", {"project_id": 3}, "no project with the id 3"),
        ("update_section", {"section_id": 3, "name": "x"}, "no section with the id 3. todoist__show_sections finds"),
        ("delete_section", {"section_id": 3}, "no section with the id 3"),
        ("show_task", {"task_id": 6}, "no task with the id 6. todoist__show_tasks finds ids"),
        ("update_task", {"task_id": 6, "title": "x"}, "no task with the id 6"),
        ("delete_task", {"task_id": 6}, "no task with the id 6"),
        ("assign_or_unassign_task", {"task_id": 6}, "no task with the id 6"),
        ("show_sub_tasks", {"task_id": 6}, "no task with the id 6"),
        ("create_sub_task", {"task_id": 6, "title": "x"}, "no task with the id 6"),
        ("update_sub_task", {"sub_task_id": 5, "title": "x"}, "no sub-task with the id 5. todoist__show_sub_tasks"),
        ("delete_sub_task", {"sub_task_id": 5}, "no sub-task with the id 5"),
        ("post_task_comment", {"task_id": 6, "content": "x"}, "no task with the id 6"),
        ("show_task_comments", {"task_id": 6}, "no task with the id 6"),
        ("show_task_comment", {"task_comment_id": 3}, "no comment with the id 3. todoist__show_task_comments finds"),
        ("update_task_comment", {"task_comment_id": 3, "content": "x"}, "no comment with the id 3"),
        ("delete_task_comment", {"task_comment_id": 3}, "no comment with the id 3"),
        ("add_label_to_task", {"task_id": 6, "label_id": 1}, "no task with the id 6"),
        ("remove_label_from_task", {"task_id": 6, "label_id": 1}, "no task with the id 6"),
        ("add_label_to_task", {"task_id": 1, "label_id": 3}, "no label with the id 3. todoist__search_labels finds"),
        ("delete_label", {"label_id": 3}, "no label with the id 3"),
        ("search_labels", {"task_id": 6}, "no task with the id 6"),
        ("mark_notification", {"notification_id": 3}, "no notification with the id 3. todoist__show_notifications"),
    ],
)
def test_what_others_have_is_not_there_and_neither_is_what_nobody_has(
    operation: str, arguments: dict[str, Any], says: str
) -> None:
    context = todoist()
    assert says in refused(context, f"todoist__{operation}", **arguments)
    wanted = next(name for name in arguments if name.endswith("_id") and str(arguments[name]) in says)
    absent = {**arguments, wanted: 77}
    assert says.replace(f"id {arguments[wanted]}", "id 77") in refused(context, f"todoist__{operation}", **absent)


def test_a_new_project_is_ones_own() -> None:
    context = todoist(clock="2026-04-01T09:00:05")
    made = done(context, "todoist__create_project", name=" Cakes ", color="yellow", description="A", is_favorite=True)
    shown = done(context, "todoist__show_project", project_id=made["project_id"])
    assert shown == {
        "project_id": 100_001, "name": "Cakes", "color": "yellow", "is_favorite": True, "is_archived": False,
        "is_shared": False, "owner_email": "ida@notes.example", "created_at": "2026-04-01T09:00:05",
        "description": "A", "sections": [], "open_tasks": 0, "completed_tasks": 0,
        "collaborators": [
            {"first_name": "Ida", "last_name": "Note", "email": "ida@notes.example", "role": "owner"}
        ],
    }  # fmt: skip
    assert "name of the project is empty" in refused(context, "todoist__create_project", name=" ")
    assert "at most 200" in refused(context, "todoist__create_project", name="x" * 201)
    assert "expected one of" in refused(context, "todoist__create_project", name="x", color="pink")


def test_a_project_is_shown_with_its_people_sections_and_counts() -> None:
    shown = done(todoist(), "todoist__show_project", project_id=1)
    assert [(one["email"], one["role"]) for one in shown["collaborators"]] == [
        ("ida@notes.example", "owner"),
        ("per@notes.example", "collaborator"),
    ]
    assert [one["name"] for one in shown["sections"]] == ["Morning", "Evening", "Someday"]
    assert (shown["open_tasks"], shown["completed_tasks"], shown["is_shared"]) == (4, 1, True)
    assert not {"members", "favorite_of", "owner"} & set(shown)


def test_projects_are_searched_filtered_sorted_and_paged() -> None:
    context = todoist()
    assert names(context, query="bakery") == ["Bakery", "Garden"]
    assert names(context, color="green") == ["Garden"]
    assert names(context, is_favorite=True) == ["Bakery"]
    assert names(context, is_archived=False) == ["Bakery", "Garden", "Mill"]
    assert names(context, is_archived=True) == ["Fair 2025"]
    assert names(context, sort_by="-name", page_limit=2) == ["Mill", "Garden"]
    assert names(context, page_limit=3, page_index=1) == ["Mill"]
    empty = done(context, "todoist__show_projects", query="surprise")
    assert empty["total"] == 0
    assert "fewer or other words" in empty["message"]
    assert "one of: name, created_at" in refused(context, "todoist__show_projects", sort_by="+color")
    assert "between 1 and 20" in refused(context, "todoist__show_projects", page_limit=0)


def test_a_project_changes_as_told_and_no_more() -> None:
    context = todoist()
    done(context, "todoist__update_project", project_id=2, name="Beds", color="yellow", is_favorite=True)
    shown = done(context, "todoist__show_project", project_id=2)
    assert (shown["name"], shown["color"], shown["is_favorite"]) == ("Beds", "yellow", True)
    assert shown["description"] == "Beds behind the bakery."
    assert "Nothing to change" in refused(context, "todoist__update_project", project_id=2)
    assert "empty" in refused(context, "todoist__update_project", project_id=2, name="")


def test_a_collaborator_has_favorites_of_its_own_and_leaves_the_rest_to_the_owner() -> None:
    context = todoist()
    done(context, "todoist__update_project", project_id=5, is_favorite=True)
    assert done(context, "todoist__show_project", project_id=5)["is_favorite"]
    assert rows(context, "projects")[5]["favorite_of"] == [1]
    text = refused(context, "todoist__update_project", project_id=5, is_archived=True)
    assert "belongs to per@notes.example; only the owner can change its is_archived" in text
    text = refused(context, "todoist__delete_project", project_id=5)
    assert "only the owner can delete it. Collaborators can add" in text
    done(context, "todoist__create_task", project_id=5, title="Sharpen the stone")
    done(context, "todoist__update_task", task_id=8, is_completed=True)


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("create_task", {"project_id": 4, "title": "x"}),
        ("create_section", {"project_id": 4, "name": "x"}),
        ("update_section", {"section_id": 4, "name": "x"}),
        ("delete_section", {"section_id": 4}),
        ("update_task", {"task_id": 7, "is_completed": True}),
        ("delete_task", {"task_id": 7}),
        ("assign_or_unassign_task", {"task_id": 7, "assignee_email": "per@notes.example"}),
        ("create_sub_task", {"task_id": 7, "title": "x"}),
        ("update_sub_task", {"sub_task_id": 6, "is_completed": True}),
        ("delete_sub_task", {"sub_task_id": 6}),
        ("post_task_comment", {"task_id": 7, "content": "x"}),
        ("update_task_comment", {"task_comment_id": 4, "content": "x"}),
        ("delete_task_comment", {"task_comment_id": 4}),
        ("add_label_to_task", {"task_id": 7, "label_id": 1}),
        ("remove_label_from_task", {"task_id": 7, "label_id": 2}),
    ],
)
def test_an_archived_project_can_be_read_but_nothing_in_it_changed(operation: str, arguments: dict[str, Any]) -> None:
    context = todoist()
    text = refused(context, f"todoist__{operation}", **arguments)
    assert "'Fair 2025' is archived" in text
    assert "is_archived=false" in text
    assert done(context, "todoist__show_tasks", project_id=4)["total"] == 1
    done(context, "todoist__update_project", project_id=4, is_archived=False)
    done(context, f"todoist__{operation}", **arguments)


def test_a_deleted_project_takes_all_that_it_holds_along() -> None:
    context = todoist()
    assert "with 5 tasks" in done(context, "todoist__delete_project", project_id=1)["message"]
    assert {row["project"] for row in rows(context, "sections").values()} == {3, 4}
    assert set(rows(context, "tasks")) == {6, 7, 8}
    assert set(rows(context, "sub_tasks")) == {5, 6}
    assert set(rows(context, "task_comments")) == {3, 4}
    assert set(rows(context, "task_labels")) == {5}
    assert rows(context, "attachments") == {}
    assert set(rows(context, "labels")) == {1, 2, 3}
    assert [row["task"] for row in rows(context, "notifications").values()] == [None] * 4


def test_sections_are_put_where_told() -> None:
    context = todoist()
    assert done(context, "todoist__create_section", project_id=1, name="Noon", order_index=1)["order_index"] == 1
    assert done(context, "todoist__create_section", project_id=1, name="Last")["order_index"] == 4
    assert done(context, "todoist__create_section", project_id=1, name="Later", order_index=99)["order_index"] == 5
    assert sections(context) == ["Morning", "Noon", "Evening", "Someday", "Last", "Later"]
    assert "no place" in refused(context, "todoist__create_section", project_id=1, name="x", order_index=-2)
    assert "empty" in refused(context, "todoist__create_section", project_id=1, name="")


def test_sections_move_and_change_names() -> None:
    context = todoist()
    done(context, "todoist__update_section", section_id=5, order_index=0, name="One day")
    assert sections(context) == ["One day", "Morning", "Evening"]
    done(context, "todoist__update_section", section_id=5, order_index=-1)
    assert sections(context) == ["Morning", "Evening", "One day"]
    assert "Nothing to change" in refused(context, "todoist__update_section", section_id=5)
    assert "no place" in refused(context, "todoist__update_section", section_id=5, order_index=-5)


def test_sections_are_shown_with_open_tasks() -> None:
    context = todoist()
    shown = done(context, "todoist__show_sections", project_id=1)
    assert [one["open_tasks"] for one in shown["sections"]] == [2, 1, 0]
    assert (shown["total"], shown["open_tasks_without_section"]) == (3, 1)
    assert "create_section" in done(context, "todoist__show_sections", project_id=2)["message"]


def test_a_deleted_section_takes_its_tasks_along_and_closes_the_gap() -> None:
    context = todoist()
    assert "with 3 tasks" in done(context, "todoist__delete_section", section_id=1)["message"]
    assert sections(context) == ["Evening", "Someday"]
    assert [row["order_index"] for row in rows(context, "sections").values() if row["project"] == 1] == [0, 1]
    assert not {1, 2, 3} & set(rows(context, "tasks"))


def test_a_project_has_a_bounded_number_of_sections_and_shows_them_all() -> None:
    context = todoist()
    for number in range(30):
        done(context, "todoist__create_section", project_id=2, name=f"{number}".ljust(200, "ø"))
    assert "at most 30" in refused(context, "todoist__create_section", project_id=2, name="x")
    done(context, "todoist__update_project", project_id=2, description="ø" * 2_000)
    assert "at most 2000" in refused(context, "todoist__update_project", project_id=2, description="ø" * 2_001)
    for operation in ("show_project", "show_sections"):
        shown = done(context, f"todoist__{operation}", project_id=2)
        assert len(shown["sections"]) == 30
        assert len(json.dumps(shown, ensure_ascii=False)) < MAX_RESULT_CHARS


def test_people_are_found_by_name_and_address() -> None:
    context = todoist()
    assert done(context, "todoist__search_users", query="third")["users"] == [
        {"first_name": "Bo", "last_name": "Third", "email": "bo@notes.example"}
    ]
    assert done(context, "todoist__search_users", query="per@notes.example")["users"][0]["first_name"] == "Per"
    assert done(context, "todoist__search_users", page_limit=2)["total"] == 3
    assert "Nobody matches" in done(context, "todoist__search_users", query="zoe")["message"]
