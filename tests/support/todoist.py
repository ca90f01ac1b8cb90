"""Todoist over the fixture pack: Ida's projects, and what must hold whatever was done to them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from pi_gym.state import Database
from pi_gym.state.tables import Row
from pi_gym.tools import ToolContext

from .apps import app_context, done

IDA = {"username": "ida@notes.example", "password": "oven"}
PER = {"username": "per@notes.example", "password": "flour"}
BO = {"username": "bo@notes.example", "password": "salt"}


def todoist(account: dict[str, str] = IDA, **options: Any) -> ToolContext:
    """A context in which somebody has signed in to Todoist."""
    return write_as(app_context("todoist", **options), account)


def write_as(context: ToolContext, account: dict[str, str]) -> ToolContext:
    """Let somebody else go on."""
    done(context, "todoist__login", **account)
    return context


def rows(context: ToolContext, table: str) -> dict[int, Row]:
    """All rows of a table, whoever may see them."""
    return dict(context.world.apps["todoist"].table(table).rows())


def check(database: Database) -> None:
    """Everything refers to what exists, siblings count from 0, and what is completed is so consistently."""
    tables = {name: dict(database.table(name).rows()) for name in database.names}
    accounts, projects, sections, tasks = (tables[name] for name in ("accounts", "projects", "sections", "tasks"))
    for row in projects.values():
        assert row["owner"] == row["members"][0]
        assert len(set(row["members"])) == len(row["members"])
        assert set(row["members"]) <= set(accounts)
        assert set(row["favorite_of"]) <= set(row["members"])
    for row in sections.values():
        assert row["project"] in projects
    for row in tasks.values():
        members = projects[row["project"]]["members"]
        assert row["section"] is None or sections[row["section"]]["project"] == row["project"]
        assert row["creator"] in accounts
        assert row["assignee"] is None or row["assignee"] in members
        assert (row["assignee"] is None) == (row["assigner"] is None)
        assert (row["duration"] is None) == (row["duration_unit"] is None)
        assert row["is_completed"] == (row["completed_at"] is not None)
    for row in tables["sub_tasks"].values():
        assert row["is_completed"] == (row["completed_at"] is not None)
        assert row["is_completed"] or not tasks[row["task"]]["is_completed"]
    for row in tables["task_comments"].values():
        assert row["author"] in projects[tasks[row["task"]]["project"]]["members"]
    assert all(row["record"] in tables["task_comments"] for row in tables["attachments"].values())
    links = [(row["task"], row["label"]) for row in tables["task_labels"].values()]
    assert len(set(links)) == len(links)
    assert all(task in tasks and label in tables["labels"] for task, label in links)
    names = [(row["account"], row["name"].casefold()) for row in tables["labels"].values()]
    assert len(set(names)) == len(names)
    assert all(row["task"] is None or row["task"] in tasks for row in tables["notifications"].values())
    _check_order(sections.values(), "project")
    _check_order(tasks.values(), "project", "section")
    _check_order(tables["sub_tasks"].values(), "task")


def _check_order(siblings: Iterable[Row], *columns: str) -> None:
    places = defaultdict(list)
    for row in siblings:
        places[tuple(row[column] for column in columns)].append(row["order_index"])
    for key, found in places.items():
        assert sorted(found) == list(range(len(found))), (columns, key, found)
