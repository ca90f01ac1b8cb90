"""The tasks of a project as a list: filtered, sorted, short enough for one result."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from pi_gym.apps.desk import Desk
from pi_gym.apps.pages import ordered
from pi_gym.apps.times import between
from pi_gym.apps.todoist.access import email_or_none, member, need_project
from pi_gym.apps.todoist.app import APP, Priority
from pi_gym.apps.todoist.due import is_due_between, is_due_on, is_overdue
from pi_gym.apps.todoist.tasks import check_section
from pi_gym.state.tables import Row

SORTED = ("due_date", "priority", "title", "created_at", "completed_at", "order_index")
MAX_TASKS = 50
MAX_CHARS = 12_000
_URGENCY = {"low": 0, "medium": 1, "high": 2}


@APP.operation("read")
def show_tasks(
    desk: Desk,
    project_id: int,
    section_id: int | None = None,
    assignee_email: str | None = None,
    assigner_email: str | None = None,
    priority: Priority | None = None,
    is_completed: bool | None = None,
    due_today: bool = False,
    label_id: int | None = None,
    overdue: bool = False,
    min_due_date: str = "",
    max_due_date: str = "",
    sort_by: str = "",
) -> Any:
    """Show the tasks of a project that pass all filters, open ones before completed ones, at most 50.

    There are no pages: where total is larger than the number of tasks shown, narrow the filters, or turn the order
    round. show_task gives a task whole.

    Args:
        project_id: the project's id.
        section_id: only tasks of this section; null for all, those without a section too.
        assignee_email: only tasks that are assigned to this collaborator; null for all.
        assigner_email: only tasks that this collaborator assigned; null for all.
        priority: only tasks of this priority; null for all.
        is_completed: only completed tasks (true) or open ones (false); null for both.
        due_today: only tasks that are due today.
        label_id: only tasks with this label of yours; null for all.
        overdue: only open tasks whose due date is over: before today, or earlier today where they have a time.
        min_due_date: only tasks due then or later, a date or a time; empty for no bound. Tasks without a due date
            pass only where no bound is given.
        max_due_date: only tasks due then or earlier, a date (to its end) or a time; empty for no bound.
        sort_by: + or - (ascending or descending) and due_date, priority (+ begins with low), title, created_at,
            completed_at or order_index; tasks without a value come last. Empty for the project's own order: open
            tasks, then completed ones, each without section first, then section by section.
    """
    project = need_project(desk, project_id)
    if section_id is not None:
        check_section(desk, project_id, section_id)
    tests: list[Callable[[int, Row], bool]] = []
    if section_id is not None:
        tests.append(lambda key, row: row["section"] == section_id)
    if assignee_email is not None:
        assignee = member(desk, project, assignee_email)
        tests.append(lambda key, row: row["assignee"] == assignee)
    if assigner_email is not None:
        assigner = member(desk, project, assigner_email)
        tests.append(lambda key, row: row["assigner"] == assigner)
    if priority is not None:
        tests.append(lambda key, row: row["priority"] == priority)
    if is_completed is not None:
        tests.append(lambda key, row: row["is_completed"] == is_completed)
    if due_today:
        tests.append(lambda key, row: is_due_on(row, desk.now[:10]))
    if overdue:
        tests.append(lambda key, row: is_overdue(row, desk.now))
    if label_id is not None:
        desk.need("labels", label_id)
        having = {link["task"] for _, link in desk.having("task_labels", "label", label_id)}
        tests.append(lambda key, row: key in having)
    if min_due_date.strip() or max_due_date.strip():
        first, last = between(min_due_date, max_due_date, ("min_due_date", "max_due_date"))
        tests.append(lambda key, row: is_due_between(row, first, last))
    tasks = desk.having("tasks", "project", project_id)
    found = [(key, row) for key, row in tasks if all(test(key, row) for test in tests)]
    return _listed(desk, _sorted(desk, found, sort_by.strip(), project_id))


def _sorted(desk: Desk, found: Iterable[tuple[int, Row]], sort_by: str, project_id: int) -> list[tuple[int, Row]]:
    if sort_by:
        if sort_by.lstrip("+-") == "priority":
            ranked = [(key, {**row, "priority": _URGENCY[row["priority"]]}) for key, row in found]
            return [(key, _row(desk, key)) for key, _ in ordered(ranked, sort_by, SORTED)]
        return ordered(found, sort_by, SORTED)
    sections = {key: row["order_index"] for key, row in desk.having("sections", "project", project_id)}

    def place(pair: tuple[int, Row]) -> tuple[bool, int, int, int]:
        key, row = pair
        return row["is_completed"], sections.get(row["section"], -1), row["order_index"], key

    return sorted(found, key=place)


def _row(desk: Desk, key: int) -> Row:
    row = desk.table("tasks").get(key)
    assert row is not None
    return row


def _listed(desk: Desk, found: list[tuple[int, Row]]) -> dict[str, Any]:
    labels = {key: row["name"] for key, row in desk.own("labels")}
    emails: dict[int | None, str | None] = {}
    shown = []
    for key, row in found[:MAX_TASKS]:
        assignee = row["assignee"]
        if assignee not in emails:
            emails[assignee] = email_or_none(desk, assignee)
        links = desk.having("task_labels", "task", key)
        named = [labels[link["label"]] for _, link in links if link["label"] in labels]
        shown.append(_short(key, row, emails[assignee], named))
    while len(json.dumps(shown, ensure_ascii=False)) > MAX_CHARS:
        del shown[-5:]
    result: dict[str, Any] = {"tasks": shown, "total": len(found)}
    if not found:
        result["message"] = "No tasks match. Leave filters out; todoist__show_projects finds other projects."
    elif len(shown) < len(found):
        result["message"] = (
            f"The first {len(shown)} of {len(found)} tasks; narrow them by section_id, is_completed, min_due_date and"
            " max_due_date."
        )
    return result


def _short(key: int, row: Row, assignee_email: str | None, labels: list[str]) -> dict[str, Any]:
    """A task in a list; what it does not have is left out."""
    whole = {
        "task_id": key,
        "section_id": row["section"],
        "title": row["title"],
        "due_date": row["due_date"],
        "priority": row["priority"],
        "order_index": row["order_index"],
        "is_completed": row["is_completed"],
        "completed_at": row["completed_at"],
        "assignee_email": assignee_email,
        "labels": labels or None,
    }
    return {name: value for name, value in whole.items() if value is not None}
