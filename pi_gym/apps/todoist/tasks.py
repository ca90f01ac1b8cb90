"""Operations on tasks."""

from __future__ import annotations

from typing import Any

from pi_gym.apps.desk import Desk
from pi_gym.apps.todoist.access import check_writable, email_of, email_or_none, member, need_project, need_task
from pi_gym.apps.todoist.app import APP, DurationUnit, Priority
from pi_gym.apps.todoist.due import due, lasting
from pi_gym.apps.todoist.labels import labels_of
from pi_gym.apps.todoist.notifications import notify
from pi_gym.apps.todoist.order import close_gap, make_room, move, sub_tasks_of, tasks_beside
from pi_gym.apps.todoist.removal import remove_task
from pi_gym.apps.todoist.texts import named
from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError


@APP.operation("write")
def create_task(
    desk: Desk,
    project_id: int,
    title: str,
    section_id: int | None = None,
    description: str = "",
    due_date: str | None = None,
    duration: float | None = None,
    duration_unit: DurationUnit | None = None,
    order_index: int = -1,
    priority: Priority = "low",
) -> Any:
    """Add a task to a project. It is assigned to nobody; assign_or_unassign_task assigns it.

    Args:
        project_id: the project's id; the project must not be archived.
        title: its title; it must not be empty.
        section_id: a section of the project; null for none. The task stays there.
        description: more about it.
        due_date: when it is due, a date like 2026-03-09 or a time like 2026-03-09T14:05; null for no date.
        duration: how long it takes, above 0; it needs duration_unit.
        duration_unit: the unit of the duration.
        order_index: its place among the tasks of the section, completed ones too, from 0; those behind it move by one.
            -1, or a place beyond the end, for the end.
        priority: how urgent it is.
    """
    check_writable(need_project(desk, project_id))
    if section_id is not None:
        check_section(desk, project_id, section_id)
    columns: dict[str, Any] = {
        "title": named(title, "title of the task"),
        "due_date": due(due_date or ""),
        **lasting(duration, duration_unit),
    }
    at = make_room(desk, "tasks", tasks_beside(desk, project_id, section_id), order_index)
    key = desk.insert(
        "tasks",
        project=project_id,
        section=section_id,
        description=description,
        priority=priority,
        order_index=at,
        creator=desk.account_id,
        created_at=desk.now,
        **columns,
    )
    return {"message": "Task created.", "task_id": key, "order_index": at}


@APP.operation("read")
def show_task(desk: Desk, task_id: int) -> Any:
    """Show a task whole, with its labels and the number of its sub-tasks and comments.

    Args:
        task_id: the task's id.
    """
    task, project = need_task(desk, task_id)
    sub_tasks = desk.having("sub_tasks", "task", task_id)
    section = None if task["section"] is None else desk.table("sections").get(task["section"])
    return {
        "task_id": task_id,
        "project_id": task["project"],
        "project_name": project["name"],
        "section_id": task["section"],
        "section_name": None if section is None else section["name"],
        **{name: task[name] for name in _PLAIN},
        "creator_email": email_of(desk, task["creator"]),
        "assignee_email": email_or_none(desk, task["assignee"]),
        "assigner_email": email_or_none(desk, task["assigner"]),
        "labels": [{"label_id": key, "name": row["name"]} for key, row in labels_of(desk, task_id)],
        "sub_tasks": len(sub_tasks),
        "open_sub_tasks": sum(1 for _, row in sub_tasks if not row["is_completed"]),
        "comments": len(desk.having("task_comments", "task", task_id)),
    }


_PLAIN = (
    "title", "description", "due_date", "duration", "duration_unit", "priority", "order_index", "is_completed",
    "completed_at", "created_at",
)  # fmt: skip


@APP.operation("write")
def update_task(
    desk: Desk,
    task_id: int,
    title: str | None = None,
    description: str | None = None,
    due_date: str | None = None,
    duration: float | None = None,
    duration_unit: DurationUnit | None = None,
    is_completed: bool | None = None,
    order_index: int | None = None,
    priority: Priority | None = None,
) -> Any:
    """Change a task, complete it or open it again. What is left out, or null, stays as it is.

    Completing a task completes its open sub-tasks, and tells whoever made or assigned it. Opening it again leaves its
    sub-tasks completed.

    Args:
        task_id: the task's id.
        title: the new title.
        description: the new description, which replaces the old one.
        due_date: the new due date, a date like 2026-03-09 or a time like 2026-03-09T14:05; an empty text removes it.
        duration: how long it takes, above 0; 0 removes it. It needs duration_unit where the task has none.
        duration_unit: the unit of the duration.
        is_completed: true completes it, false opens it again.
        order_index: the new place among the tasks of its section, completed ones too, from 0; -1, or a place beyond
            the end, for the end.
        priority: how urgent it is.
    """
    task, project = need_task(desk, task_id)
    check_writable(project)
    changes = {
        **({} if title is None else {"title": named(title, "title of the task")}),
        **({} if description is None else {"description": description}),
        **({} if due_date is None else {"due_date": due(due_date)}),
        **lasting(duration, duration_unit, task),
        **({} if priority is None else {"priority": priority}),
    }
    told = [*changes, *(["is_completed"] if is_completed is not None else [])]
    told += ["order_index"] if order_index is not None else []
    if not told:
        raise ToolError(
            "Nothing to change; give title, description, due_date, duration, duration_unit, is_completed, order_index"
            " or priority."
        )
    if changes:
        task = desk.update("tasks", task_id, **changes)
    if order_index is not None:
        beside = tasks_beside(desk, task["project"], task["section"])
        move(desk, "tasks", beside, task_id, order_index)
    message = f"Task updated: {', '.join(told)}."
    if is_completed is not None and is_completed != task["is_completed"]:
        message += _complete(desk, task_id, task, project) if is_completed else _reopen(desk, task_id)
    return {"message": message, "task_id": task_id}


@APP.operation("write")
def delete_task(desk: Desk, task_id: int) -> Any:
    """Delete a task for good, with its sub-tasks and comments; the tasks behind it move up.

    Args:
        task_id: the task's id.
    """
    task, project = need_task(desk, task_id)
    check_writable(project)
    remove_task(desk, task_id)
    close_gap(desk, "tasks", tasks_beside(desk, task["project"], task["section"]), task["order_index"])
    return {"message": f"Task {task['title']!r} deleted.", "task_id": task_id}


@APP.operation("write")
def assign_or_unassign_task(desk: Desk, task_id: int, assignee_email: str | None = None) -> Any:
    """Assign a task to a collaborator of its project, who is told; or take the assignment away.

    Args:
        task_id: the task's id.
        assignee_email: the e-mail address of one of the project's collaborators, which show_project lists; your own to
            take the task yourself; null to assign it to nobody.
    """
    task, project = need_task(desk, task_id)
    check_writable(project)
    if assignee_email is None:
        desk.update("tasks", task_id, assignee=None, assigner=None)
        return {"message": "The task is assigned to nobody now.", "task_id": task_id}
    assignee = member(desk, project, assignee_email)
    email = email_of(desk, assignee)
    if task["assignee"] == assignee:
        return {"message": f"The task is assigned to {email} already.", "task_id": task_id}
    desk.update("tasks", task_id, assignee=assignee, assigner=desk.account_id)
    notify(desk, [assignee], "assigned", task_id, task)
    return {"message": f"Task assigned to {email}.", "task_id": task_id}


def check_section(desk: Desk, project_id: int, section_id: int) -> None:
    """See to it that a section belongs to a project.

    Raises:
        ToolError: it does not; the message says where the project's sections are found.
    """
    section = desk.table("sections").get(section_id)
    if section is None or section["project"] != project_id:
        raise ToolError(
            f"The project {project_id} has no section with the id {section_id}. todoist__show_sections finds ids."
        )


def _complete(desk: Desk, task_id: int, task: Row, project: Row) -> str:
    desk.update("tasks", task_id, is_completed=True, completed_at=desk.now)
    still_open = [key for key, row in sub_tasks_of(desk, task_id) if not row["is_completed"]]
    for key in still_open:
        desk.update("sub_tasks", key, is_completed=True, completed_at=desk.now)
    concerned = [one for one in (task["creator"], task["assigner"]) if one in project["members"]]
    notify(desk, concerned, "completed", task_id, task)
    return f" Completed with it: {len(still_open)} open sub-tasks." if still_open else ""


def _reopen(desk: Desk, task_id: int) -> str:
    desk.update("tasks", task_id, is_completed=False, completed_at=None)
    return " It is open again."
