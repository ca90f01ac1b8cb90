"""Taking records out with all that hangs on them, so that nothing refers to what is gone."""

from __future__ import annotations

from pi_gym.apps.attachments import TABLE as ATTACHMENTS
from pi_gym.apps.desk import Desk


def remove_project(desk: Desk, project_id: int) -> None:
    """Remove a project with its sections and tasks."""
    for key, _ in desk.having("tasks", "project", project_id):
        remove_task(desk, key)
    for key, _ in desk.having("sections", "project", project_id):
        desk.delete("sections", key)
    desk.delete("projects", project_id)


def remove_section(desk: Desk, section_id: int) -> int:
    """Remove a section with its tasks, and give their number."""
    tasks = desk.having("tasks", "section", section_id)
    for key, _ in tasks:
        remove_task(desk, key)
    desk.delete("sections", section_id)
    return len(tasks)


def remove_task(desk: Desk, task_id: int) -> None:
    """Remove a task with its sub-tasks, comments and labels; notifications about it stay, without the link."""
    for table in ("sub_tasks", "task_labels"):
        for key, _ in desk.having(table, "task", task_id):
            desk.delete(table, key)
    for key, _ in desk.having("task_comments", "task", task_id):
        remove_comment(desk, key)
    for key, _ in desk.having("notifications", "task", task_id):
        desk.update("notifications", key, task=None)
    desk.delete("tasks", task_id)


def remove_comment(desk: Desk, comment_id: int) -> None:
    """Remove a comment with its attachments."""
    for key, _ in desk.having(ATTACHMENTS, "record", comment_id):
        desk.delete(ATTACHMENTS, key)
    desk.delete("task_comments", comment_id)


def remove_label(desk: Desk, label_id: int) -> int:
    """Remove a label from everything that has it, and give the number of these tasks."""
    links = desk.having("task_labels", "label", label_id)
    for key, _ in links:
        desk.delete("task_labels", key)
    desk.delete("labels", label_id)
    return len(links)
