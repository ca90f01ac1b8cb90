"""Operations on sections."""

from __future__ import annotations

from collections import Counter
from typing import Any

from pi_gym.apps.desk import Desk
from pi_gym.apps.todoist.access import check_writable, need_project, need_section
from pi_gym.apps.todoist.app import APP
from pi_gym.apps.todoist.order import close_gap, make_room, move, sections_of
from pi_gym.apps.todoist.removal import remove_section
from pi_gym.apps.todoist.texts import named
from pi_gym.tools.declare import ToolError

MAX_SECTIONS = 30


@APP.operation("write")
def create_section(desk: Desk, project_id: int, name: str, order_index: int = -1) -> Any:
    """Add a section to a project.

    Args:
        project_id: the project's id.
        name: its name; it must not be empty.
        order_index: its place among the project's sections, from 0; those behind it move by one. -1, or a place beyond
            the end, for the end.
    """
    check_writable(need_project(desk, project_id))
    siblings = sections_of(desk, project_id)
    if len(siblings) >= MAX_SECTIONS:
        raise ToolError(f"A project can have at most {MAX_SECTIONS} sections; use one that is there.")
    name = named(name, "name of the section")
    at = make_room(desk, "sections", siblings, order_index)
    key = desk.insert("sections", project=project_id, name=name, order_index=at, created_at=desk.now)
    return {"message": "Section created.", "section_id": key, "order_index": at}


@APP.operation("read")
def show_sections(desk: Desk, project_id: int) -> Any:
    """Show the sections of a project in order, with the number of open tasks in each.

    Args:
        project_id: the project's id.
    """
    need_project(desk, project_id)
    tasks = desk.having("tasks", "project", project_id)
    counts = Counter(task["section"] for _, task in tasks if not task["is_completed"])
    sections = [
        {
            "section_id": key,
            "name": row["name"],
            "order_index": row["order_index"],
            "open_tasks": counts[key],
            "created_at": row["created_at"],
        }
        for key, row in sections_of(desk, project_id)
    ]
    result: dict[str, Any] = {"sections": sections, "total": len(sections), "open_tasks_without_section": counts[None]}
    if not sections:
        result["message"] = "The project has no sections; todoist__create_section adds one."
    return result


@APP.operation("write")
def update_section(desk: Desk, section_id: int, name: str | None = None, order_index: int | None = None) -> Any:
    """Rename a section or move it. What is left out, or null, stays as it is.

    Args:
        section_id: the section's id.
        name: the new name.
        order_index: the new place among the project's sections, from 0; -1, or a place beyond the end, for the end.
    """
    section, project = need_section(desk, section_id)
    check_writable(project)
    if name is None and order_index is None:
        raise ToolError("Nothing to change; give name or order_index.")
    if name is not None:
        desk.update("sections", section_id, name=named(name, "name of the section"))
    if order_index is not None:
        move(desk, "sections", sections_of(desk, section["project"]), section_id, order_index)
    return {"message": "Section updated.", "section_id": section_id}


@APP.operation("write")
def delete_section(desk: Desk, section_id: int) -> Any:
    """Delete a section for good, with its tasks and all that these hold; the sections behind it move up.

    Args:
        section_id: the section's id.
    """
    section, project = need_section(desk, section_id)
    check_writable(project)
    tasks = remove_section(desk, section_id)
    close_gap(desk, "sections", sections_of(desk, section["project"]), section["order_index"])
    return {"message": f"Section {section['name']!r} deleted, with {tasks} tasks.", "section_id": section_id}
