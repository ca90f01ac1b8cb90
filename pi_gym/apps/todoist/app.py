"""The app Todoist: its tables, and whose projects are open."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pi_gym.apps.attachments import TABLE, attachment_table
from pi_gym.apps.columns import ACCOUNTS, Column, TableSpec
from pi_gym.apps.declare import App

Color: TypeAlias = Literal["charcoal", "red", "blue", "green", "orange", "yellow"]
Priority: TypeAlias = Literal["high", "medium", "low"]
DurationUnit: TypeAlias = Literal["minutes", "hours", "days"]
Kind: TypeAlias = Literal["assigned", "comment", "completed", "due"]

MAX_NAME_CHARS = 200
_MADE = Column(str, "when it was made, ISO 8601", "2026-01-01T09:00:00")
_ORDER = Column(int, "its place among its siblings, from 0 without gaps", 0)
_DUE = Column(str | None, "when it is due: a date, or a time in ISO 8601 with seconds", None)
_COMPLETED = Column(bool, "whether it is done", False)
_COMPLETED_AT = Column(str | None, "when it was done, ISO 8601", None)
_PRIORITY = Column(Priority, "how urgent it is", "low")

_PROJECTS = {
    "name": Column(str, "its name", max_chars=MAX_NAME_CHARS),
    "color": Column(Color, "its color", "charcoal"),
    "description": Column(str, "what it is about", "", max_chars=2_000),
    "owner": Column(int, "the id of the account that made it", 1, ACCOUNTS),
    "members": Column(list[int], "the ids of the accounts that work in it, the owner's first", [1], ACCOUNTS),
    "favorite_of": Column(list[int], "the ids of the accounts that have it as a favorite", [], ACCOUNTS),
    "is_archived": Column(bool, "whether it is archived", False),
    "created_at": _MADE,
}
_SECTIONS = {
    "project": Column(int, "the id of its project", refers="projects"),
    "name": Column(str, "its name", max_chars=MAX_NAME_CHARS),
    "order_index": _ORDER,
    "created_at": _MADE,
}
_TASKS = {
    "project": Column(int, "the id of its project", refers="projects"),
    "section": Column(int | None, "the id of its section", None, "sections"),
    "title": Column(str, "its title", max_chars=MAX_NAME_CHARS),
    "description": Column(str, "more about it", ""),
    "due_date": _DUE,
    "duration": Column(float | None, "how long it takes", None),
    "duration_unit": Column(DurationUnit | None, "the unit of its duration", None),
    "priority": _PRIORITY,
    "order_index": Column(int, "its place among the tasks of its section, or among those without one, from 0", 0),
    "is_completed": _COMPLETED,
    "completed_at": _COMPLETED_AT,
    "creator": Column(int, "the id of the account that made it", 1, ACCOUNTS),
    "assignee": Column(int | None, "the id of the account that is to do it", None, ACCOUNTS),
    "assigner": Column(int | None, "the id of the account that assigned it", None, ACCOUNTS),
    "created_at": _MADE,
}
_SUB_TASKS = {
    "task": Column(int, "the id of its task", refers="tasks"),
    "title": Column(str, "its title", max_chars=MAX_NAME_CHARS),
    "description": Column(str, "more about it", "", max_chars=2_000),
    "due_date": _DUE,
    "priority": _PRIORITY,
    "order_index": _ORDER,
    "is_completed": _COMPLETED,
    "completed_at": _COMPLETED_AT,
    "created_at": _MADE,
}
_LABELS = {
    "account": Column(int, "the id of the account that it belongs to", 1, ACCOUNTS),
    "name": Column(str, "its name, once in an account", max_chars=60),
    "color": Column(Color, "its color", "charcoal"),
    "created_at": _MADE,
}
_COMMENTS = {
    "task": Column(int, "the id of its task", refers="tasks"),
    "author": Column(int, "the id of the account that wrote it", 1, ACCOUNTS),
    "content": Column(str, "its text", max_chars=5_000),
    "created_at": _MADE,
    "updated_at": Column(str | None, "when its author last changed it, ISO 8601", None),
}
_NOTIFICATIONS = {
    "account": Column(int, "the id of the account that it is for", 1, ACCOUNTS),
    "kind": Column(Kind, "what happened to the task"),
    "message": Column(str, "what it says"),
    "task": Column(int | None, "the id of the task that it is about, while that exists", None, "tasks"),
    "is_read": Column(bool, "whether it was read", False),
    "created_at": _MADE,
}

APP = App(
    "todoist",
    "Todoist",
    "Projects with sections, tasks, sub-tasks, comments and labels. A project may be shared: its collaborators add,"
    " complete and assign tasks and comment on them; its owner alone renames, archives and deletes it. Labels and"
    " favorites are each account's own. An archived project can be read, and nothing in it can be changed.\n\n"
    "For `app_changes`: adding in between, moving and deleting also change the `order_index` of the rows behind;"
    " assigning to others, completing their tasks and commenting in shared projects make `notifications` for them.",
    {
        "projects": TableSpec(_PROJECTS, noun="project", find="show_projects"),
        "sections": TableSpec(_SECTIONS, noun="section", find="show_sections"),
        "tasks": TableSpec(_TASKS, noun="task", find="show_tasks"),
        "sub_tasks": TableSpec(_SUB_TASKS, noun="sub-task", find="show_sub_tasks"),
        "labels": TableSpec(_LABELS, noun="label", find="search_labels", owner="account"),
        "task_labels": TableSpec(
            {
                "task": Column(int, "the id of the task", refers="tasks"),
                "label": Column(int, "the id of a label that it has", refers="labels"),
            },
            noun="label of a task",
        ),
        "task_comments": TableSpec(_COMMENTS, noun="comment", find="show_task_comments"),
        "notifications": TableSpec(_NOTIFICATIONS, noun="notification", find="show_notifications", owner="account"),
        TABLE: attachment_table("comment", "task_comments"),
    },
    logout="",
)
