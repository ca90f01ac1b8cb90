"""Access to rows: only the members of their project see and change them."""

from __future__ import annotations

from pi_gym.apps.accounts import find_account, holder, profile
from pi_gym.apps.desk import Desk
from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError


def need_project(desk: Desk, project_id: int) -> Row:
    """A project that the account works in; ToolError as `Desk.need`."""
    return _project(desk, project_id, "projects", project_id)


def need_section(desk: Desk, section_id: int) -> tuple[Row, Row]:
    """A section and its project; ToolError as `need_project`."""
    row = desk.need("sections", section_id)
    return row, _project(desk, row["project"], "sections", section_id)


def need_task(desk: Desk, task_id: int) -> tuple[Row, Row]:
    """A task and its project; ToolError as `need_project`."""
    row = desk.need("tasks", task_id)
    return row, _project(desk, row["project"], "tasks", task_id)


def need_sub_task(desk: Desk, sub_task_id: int) -> tuple[Row, Row, Row]:
    """A sub-task, its task and its project; ToolError as `need_project`."""
    row = desk.need("sub_tasks", sub_task_id)
    task = _task(desk, row["task"], "sub_tasks", sub_task_id)
    return row, task, _project(desk, task["project"], "sub_tasks", sub_task_id)


def need_comment(desk: Desk, comment_id: int) -> tuple[Row, Row, Row]:
    """A comment, its task and its project; ToolError as `need_project`."""
    row = desk.need("task_comments", comment_id)
    task = _task(desk, row["task"], "task_comments", comment_id)
    return row, task, _project(desk, task["project"], "task_comments", comment_id)


def check_writable(project: Row) -> None:
    """See to it that a project is not archived.

    Raises:
        ToolError: it is; the message says what to do.
    """
    if project["is_archived"]:
        raise ToolError(
            f"The project {project['name']!r} is archived, so nothing in it can be added or changed. Its owner brings"
            " it back with todoist__update_project and is_archived=false."
        )


def check_owner(desk: Desk, project: Row, doing: str) -> None:
    """See to it that the account owns a project.

    Args:
        desk: the app.
        project: one that the account works in.
        doing: what only the owner can do, for the message ("delete it").

    Raises:
        ToolError: it is a collaborator; the message names the owner.
    """
    if project["owner"] != desk.account_id:
        raise ToolError(
            f"The project {project['name']!r} belongs to {email_of(desk, project['owner'])}; only the owner can"
            f" {doing}. Collaborators can add, change, complete, assign and delete its tasks and sections, and comment."
        )


def member(desk: Desk, project: Row, email: str) -> int:
    """The id of the member of a project who has an e-mail address.

    Raises:
        ToolError: nobody in the project has it; the message lists those who are.
    """
    found = find_account(desk, email)
    if found is None or found[0] not in project["members"]:
        listed = ", ".join(email_of(desk, one) for one in project["members"])
        raise ToolError(
            f"{email[:80]!r} does not work in the project {project['name']!r}. Its collaborators are: {listed}."
        )
    return found[0]


def email_of(desk: Desk, account: int) -> str:
    """The e-mail address of an account; empty where it is gone."""
    email: str = holder(desk, account)["email"]
    return email


def email_or_none(desk: Desk, account: int | None) -> str | None:
    """The e-mail address of an account, None for nobody."""
    return None if account is None else email_of(desk, account)


def collaborators(desk: Desk, project: Row) -> list[dict[str, str]]:
    """The members of a project as an agent sees them, the owner first."""
    return [
        {**profile(holder(desk, one)), "role": "owner" if one == project["owner"] else "collaborator"}
        for one in project["members"]
    ]


def _project(desk: Desk, project_id: int, table: str, key: int) -> Row:
    """The project of a row, for its members; for others, the row is not there.

    Nor is it where the project is gone: a task may put rows into what an earlier session deleted.
    """
    project = desk.table("projects").get(project_id)
    if project is None or desk.account_id not in project["members"]:
        raise desk.absent(table, key)
    return project


def _task(desk: Desk, task_id: int, table: str, key: int) -> Row:
    """The task of a row; where there is none, neither is the row."""
    task = desk.table("tasks").get(task_id)
    if task is None:
        raise desk.absent(table, key)
    return task
