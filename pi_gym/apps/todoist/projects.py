"""Operations on projects."""

from __future__ import annotations

from typing import Any

from pi_gym.apps.desk import Desk
from pi_gym.apps.pages import ordered, page
from pi_gym.apps.row_search import search
from pi_gym.apps.todoist.access import check_owner, collaborators, email_of, need_project
from pi_gym.apps.todoist.app import APP, Color
from pi_gym.apps.todoist.order import sections_of
from pi_gym.apps.todoist.removal import remove_project
from pi_gym.apps.todoist.texts import named, shortened
from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError

SEARCHED = {"name": 4, "description": 1}
SORTED = ("name", "created_at")
PREVIEW_CHARS = 160


@APP.operation("write")
def create_project(
    desk: Desk, name: str, color: Color = "charcoal", description: str = "", is_favorite: bool = False
) -> Any:
    """Make a new project of your own. It has no sections; create_section adds them.

    Args:
        name: its name; it must not be empty.
        color: its color.
        description: what it is about.
        is_favorite: whether it is one of your favorites.
    """
    mine = desk.account_id
    key = desk.insert(
        "projects",
        name=named(name, "name of the project"),
        color=color,
        description=description,
        owner=mine,
        members=[mine],
        favorite_of=[mine] if is_favorite else [],
        created_at=desk.now,
    )
    return {"message": "Project created.", "project_id": key}


@APP.operation("read")
def show_project(desk: Desk, project_id: int) -> Any:
    """Show a project whole: its collaborators, its sections in order, and how many tasks are open and completed.

    Args:
        project_id: the project's id.
    """
    project = need_project(desk, project_id)
    tasks = desk.having("tasks", "project", project_id)
    completed = sum(1 for _, task in tasks if task["is_completed"])
    return {
        **_shown(desk, project_id, project),
        "description": project["description"],
        "collaborators": collaborators(desk, project),
        "sections": [
            {"section_id": key, "name": section["name"], "order_index": section["order_index"]}
            for key, section in sections_of(desk, project_id)
        ],
        "open_tasks": len(tasks) - completed,
        "completed_tasks": completed,
    }


@APP.operation("read")
def show_projects(
    desk: Desk,
    query: str = "",
    color: Color | None = None,
    is_favorite: bool | None = None,
    is_archived: bool | None = None,
    page_index: int = 0,
    page_limit: int = 5,
    sort_by: str | None = None,
) -> Any:
    """Search the projects that you own or work in, or list them all.

    Projects are found by words of name and description, best match first; without a query, the oldest first.

    Args:
        query: words to look for; empty for all projects.
        color: only projects of this color; null for all.
        is_favorite: only your favorites (true) or the others (false); null for both.
        is_archived: only archived projects (true) or active ones (false); null for both.
        page_index: which page, from 0.
        page_limit: projects a page, 1 to 20.
        sort_by: + or - (ascending or descending) and name or created_at; null for the best match first.
    """
    mine = desk.account_id

    def keep(row: Row) -> bool:
        return (
            mine in row["members"]
            and (color is None or row["color"] == color)
            and (is_favorite is None or (mine in row["favorite_of"]) == is_favorite)
            and (is_archived is None or row["is_archived"] == is_archived)
        )

    found = search(desk.table("projects"), query, SEARCHED, keep)
    found = ordered(found, sort_by or (None if query.strip() else "+created_at"), SORTED)
    nothing = "No projects match. Try fewer or other words, or todoist__show_projects without filters for all projects."

    def show(key: int, row: Row) -> dict[str, Any]:
        return {**_shown(desk, key, row), "description": shortened(row["description"], PREVIEW_CHARS)}

    return page(found, page_index, page_limit, "projects", show, nothing)


@APP.operation("write")
def update_project(
    desk: Desk,
    project_id: int,
    name: str | None = None,
    color: Color | None = None,
    description: str | None = None,
    is_favorite: bool | None = None,
    is_archived: bool | None = None,
) -> Any:
    """Change a project. What is left out, or null, stays as it is. All but is_favorite is for its owner alone.

    Args:
        project_id: the project's id.
        name: the new name.
        color: the new color.
        description: the new description, which replaces the old one.
        is_favorite: whether it is one of your favorites; those of the others stay.
        is_archived: true archives it: it can be read, but nothing in it changed; false brings it back.
    """
    project = need_project(desk, project_id)
    given = {
        "name": None if name is None else named(name, "name of the project"),
        "color": color,
        "description": description,
        "is_archived": is_archived,
    }
    changes: dict[str, Any] = {column: value for column, value in given.items() if value is not None}
    if changes:
        check_owner(desk, project, f"change its {', '.join(changes)}")
    told = list(changes)
    if is_favorite is not None:
        others = [one for one in project["favorite_of"] if one != desk.account_id]
        changes["favorite_of"] = [*others, desk.account_id] if is_favorite else others
        told.append("is_favorite")
    if not changes:
        raise ToolError("Nothing to change; give name, color, description, is_favorite or is_archived.")
    desk.update("projects", project_id, **changes)
    return {"message": f"Project updated: {', '.join(told)}.", "project_id": project_id}


@APP.operation("write")
def delete_project(desk: Desk, project_id: int) -> Any:
    """Delete a project for good, with its sections and tasks and all that these hold. Only its owner can.

    Args:
        project_id: the project's id.
    """
    project = need_project(desk, project_id)
    check_owner(desk, project, "delete it")
    tasks = len(desk.having("tasks", "project", project_id))
    remove_project(desk, project_id)
    return {"message": f"Project {project['name']!r} deleted, with {tasks} tasks.", "project_id": project_id}


def _shown(desk: Desk, key: int, project: Row) -> dict[str, Any]:
    return {
        "project_id": key,
        "name": project["name"],
        "color": project["color"],
        "is_favorite": desk.account_id in project["favorite_of"],
        "is_archived": project["is_archived"],
        "is_shared": len(project["members"]) > 1,
        "owner_email": email_of(desk, project["owner"]),
        "created_at": project["created_at"],
    }
