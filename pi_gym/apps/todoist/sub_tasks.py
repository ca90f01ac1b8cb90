"""Operations on sub-tasks."""

from __future__ import annotations

from typing import Any

from pi_gym.apps.desk import Desk
from pi_gym.apps.todoist.access import check_writable, need_sub_task, need_task
from pi_gym.apps.todoist.app import APP, Priority
from pi_gym.apps.todoist.due import due
from pi_gym.apps.todoist.order import close_gap, make_room, move, sub_tasks_of
from pi_gym.apps.todoist.texts import named, shortened
from pi_gym.tools.declare import ToolError

MAX_SUB_TASKS = 40
# What the descriptions of one list may have together, so that the list stays one result.
_DESCRIPTIONS_CHARS = 4_000


@APP.operation("write")
def create_sub_task(
    desk: Desk,
    task_id: int,
    title: str,
    description: str = "",
    due_date: str | None = None,
    priority: Priority = "low",
    order_index: int = -1,
) -> Any:
    """Add a sub-task to an open task.

    Args:
        task_id: the task's id; it must not be completed.
        title: its title; it must not be empty.
        description: more about it.
        due_date: when it is due, a date like 2026-03-09 or a time like 2026-03-09T14:05; null for no date.
        priority: how urgent it is.
        order_index: its place among the task's sub-tasks, from 0; those behind it move by one. -1, or a place beyond
            the end, for the end.
    """
    task, project = need_task(desk, task_id)
    check_writable(project)
    if task["is_completed"]:
        raise ToolError(
            f"The task {task['title']!r} is completed; open it again first, with todoist__update_task and"
            " is_completed=false."
        )
    siblings = sub_tasks_of(desk, task_id)
    if len(siblings) >= MAX_SUB_TASKS:
        raise ToolError(
            f"A task can have at most {MAX_SUB_TASKS} sub-tasks; make a task of its own with todoist__create_task."
        )
    columns = {
        "title": named(title, "title of the sub-task"),
        "description": description,
        "due_date": due(due_date or ""),
    }
    at = make_room(desk, "sub_tasks", siblings, order_index)
    key = desk.insert("sub_tasks", task=task_id, priority=priority, order_index=at, created_at=desk.now, **columns)
    return {"message": "Sub-task created.", "sub_task_id": key, "order_index": at}


@APP.operation("read")
def show_sub_tasks(desk: Desk, task_id: int) -> Any:
    """Show all sub-tasks of a task, in order.

    Args:
        task_id: the task's id.
    """
    need_task(desk, task_id)
    found = sub_tasks_of(desk, task_id)
    chars = _DESCRIPTIONS_CHARS // max(len(found), 2)
    rows = [
        {
            "sub_task_id": key,
            **{name: value for name, value in row.items() if name not in ("task", "description")},
            "description": shortened(row["description"], chars),
        }
        for key, row in found
    ]
    result: dict[str, Any] = {"sub_tasks": rows, "total": len(rows)}
    if not rows:
        result["message"] = "The task has no sub-tasks; todoist__create_sub_task adds one."
    return result


@APP.operation("write")
def update_sub_task(
    desk: Desk,
    sub_task_id: int,
    title: str | None = None,
    description: str | None = None,
    due_date: str | None = None,
    priority: Priority | None = None,
    is_completed: bool | None = None,
    order_index: int | None = None,
) -> Any:
    """Change a sub-task, complete it or open it again. What is left out, or null, stays as it is.

    Opening a sub-task of a completed task opens the task too. Completing the last one leaves the task open.

    Args:
        sub_task_id: the sub-task's id, from show_sub_tasks.
        title: the new title.
        description: the new description, which replaces the old one.
        due_date: the new due date, a date like 2026-03-09 or a time like 2026-03-09T14:05; an empty text removes it.
        priority: how urgent it is.
        is_completed: true completes it, false opens it again.
        order_index: the new place among the task's sub-tasks, from 0; -1, or a place beyond the end, for the end.
    """
    row, task, project = need_sub_task(desk, sub_task_id)
    check_writable(project)
    changes: dict[str, Any] = {
        **({} if title is None else {"title": named(title, "title of the sub-task")}),
        **({} if description is None else {"description": description}),
        **({} if due_date is None else {"due_date": due(due_date)}),
        **({} if priority is None else {"priority": priority}),
    }
    told = [*changes, *(["is_completed"] if is_completed is not None else [])]
    told += ["order_index"] if order_index is not None else []
    if not told:
        raise ToolError("Nothing to change; give title, description, due_date, priority, is_completed or order_index.")
    message = f"Sub-task updated: {', '.join(told)}."
    if is_completed is not None and is_completed != row["is_completed"]:
        changes |= {"is_completed": is_completed, "completed_at": desk.now if is_completed else None}
        if task["is_completed"]:
            desk.update("tasks", row["task"], is_completed=False, completed_at=None)
            message += f" Its task {task['title']!r} is open again too."
    if changes:
        desk.update("sub_tasks", sub_task_id, **changes)
    if order_index is not None:
        move(desk, "sub_tasks", sub_tasks_of(desk, row["task"]), sub_task_id, order_index)
    return {"message": message, "sub_task_id": sub_task_id}


@APP.operation("write")
def delete_sub_task(desk: Desk, sub_task_id: int) -> Any:
    """Delete a sub-task for good; those behind it move up.

    Args:
        sub_task_id: the sub-task's id, from show_sub_tasks.
    """
    row, _, project = need_sub_task(desk, sub_task_id)
    check_writable(project)
    desk.delete("sub_tasks", sub_task_id)
    close_gap(desk, "sub_tasks", sub_tasks_of(desk, row["task"]), row["order_index"])
    return {"message": f"Sub-task {row['title']!r} deleted.", "sub_task_id": sub_task_id}
