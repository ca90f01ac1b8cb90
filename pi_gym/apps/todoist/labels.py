"""Labels: each account has its own, and sees its own on shared tasks too."""

from __future__ import annotations

from typing import Any

from pi_gym.apps.desk import Desk
from pi_gym.apps.pages import page
from pi_gym.apps.row_search import search
from pi_gym.apps.todoist.access import check_writable, need_task
from pi_gym.apps.todoist.app import APP, Color
from pi_gym.apps.todoist.removal import remove_label
from pi_gym.apps.todoist.texts import named
from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError

SEARCHED = {"name": 1}
MAX_LABELS_OF_TASK = 20
# The parameter's type has no null; left out, it filters nothing.
ANY_COLOR: Any = None


def labels_of(desk: Desk, task_id: int) -> list[tuple[int, Row]]:
    """The labels that the account has put on a task, as (id, row), in that order."""
    labels = desk.table("labels")
    found = [(link["label"], labels.get(link["label"])) for _, link in desk.having("task_labels", "task", task_id)]
    return [(key, row) for key, row in found if row is not None and row["account"] == desk.account_id]


@APP.operation("write")
def create_label(desk: Desk, name: str, color: Color = "charcoal") -> Any:
    """Make a new label of your own. add_label_to_task puts it on tasks.

    Args:
        name: its name; none of your labels may have it yet, whatever the case.
        color: its color.
    """
    name = named(name, "name of the label")
    folded = name.casefold()
    for key, row in desk.own("labels"):
        if row["name"].casefold() == folded:
            raise ToolError(f"There is a label {row['name']!r} already; its label_id is {key}.")
    key = desk.insert("labels", account=desk.account_id, name=name, color=color, created_at=desk.now)
    return {"message": "Label created.", "label_id": key}


@APP.operation("read")
def search_labels(
    desk: Desk,
    query: str = "",
    task_id: int | None = None,
    color: Color = ANY_COLOR,
    task_attached: bool = True,
    page_index: int = 0,
    page_limit: int = 5,
) -> Any:
    """Search your labels by words of their names, or list them all, each with the number of tasks that have it.

    Args:
        query: words to look for; empty for all labels.
        task_id: only labels that this task has, or, with task_attached=false, lacks; null for all.
        color: only labels of this color; leave it out for all.
        task_attached: with task_id, whether the task has the labels; without task_id it is not looked at.
        page_index: which page, from 0.
        page_limit: labels a page, 1 to 20.
    """
    mine, attached = desk.account_id, None
    if task_id is not None:
        need_task(desk, task_id)
        attached = {key for key, _ in labels_of(desk, task_id)}
    found = [
        (key, row)
        for key, row in search(desk.table("labels"), query, SEARCHED, lambda row: row["account"] == mine)
        if (color is None or row["color"] == color) and (attached is None or (key in attached) == task_attached)
    ]

    def show(key: int, row: Row) -> dict[str, Any]:
        tasks = len(desk.having("task_labels", "label", key))
        return {"label_id": key, "name": row["name"], "color": row["color"], "tasks": tasks}

    nothing = (
        "No labels match. todoist__search_labels without query, task_id and color lists all; todoist__create_label"
        " makes one."
    )
    return page(found, page_index, page_limit, "labels", show, nothing)


@APP.operation("write")
def delete_label(desk: Desk, label_id: int) -> Any:
    """Delete one of your labels for good; it is taken off all tasks that have it, which stay.

    Args:
        label_id: the label's id.
    """
    label = desk.need("labels", label_id)
    tasks = remove_label(desk, label_id)
    return {"message": f"Label {label['name']!r} deleted and taken off {tasks} tasks.", "label_id": label_id}


@APP.operation("write")
def add_label_to_task(desk: Desk, task_id: int, label_id: int) -> Any:
    """Put one of your labels on a task.

    Args:
        task_id: the task's id.
        label_id: the label's id, from search_labels.
    """
    task, project = need_task(desk, task_id)
    check_writable(project)
    label = desk.need("labels", label_id)
    links = desk.having("task_labels", "task", task_id)
    if any(link["label"] == label_id for _, link in links):
        raise ToolError(f"The task {task['title']!r} has the label {label['name']!r} already.")
    if len(links) >= MAX_LABELS_OF_TASK:
        raise ToolError(
            f"A task can have at most {MAX_LABELS_OF_TASK} labels; todoist__remove_label_from_task takes one off."
        )
    desk.insert("task_labels", task=task_id, label=label_id)
    return {"message": f"Label {label['name']!r} added.", "task_id": task_id, "label_id": label_id}


@APP.operation("write")
def remove_label_from_task(desk: Desk, task_id: int, label_id: int) -> Any:
    """Take one of your labels off a task; the label itself stays.

    Args:
        task_id: the task's id.
        label_id: the label's id; show_task lists those of a task.
    """
    task, project = need_task(desk, task_id)
    check_writable(project)
    label = desk.need("labels", label_id)
    for key, link in desk.having("task_labels", "task", task_id):
        if link["label"] == label_id:
            desk.delete("task_labels", key)
            return {"message": f"Label {label['name']!r} removed.", "task_id": task_id, "label_id": label_id}
    has = ", ".join(f"{row['name']} ({key})" for key, row in labels_of(desk, task_id)) or "none"
    raise ToolError(f"The task {task['title']!r} does not have the label {label['name']!r}; its labels: {has}.")
