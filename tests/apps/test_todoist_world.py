"""Nora's seed world of Todoist: coherent in itself and with what all apps know, and worth searching."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import re2
import yaml
from support.apps import app_context, done
from support.todoist import check

from pi_gym import load_pack
from pi_gym.state import Database
from pi_gym.state.tables import Row
from pi_gym.tools import ToolContext

SEEDS = Path(__file__).parents[2] / "envs" / "researcher" / "world"
FIRST_SESSION = "2026-03-02T09:00:00"


def read(name: str) -> Any:
    return yaml.safe_load((SEEDS / f"{name}.yaml").read_text("utf-8"))


def tables() -> dict[str, dict[int, Row]]:
    return load_pack("researcher").app_seeds.rows("todoist")


def database() -> Database:
    return load_pack("researcher").app_seeds.database("todoist")


@cache
def nora() -> ToolContext:
    """Nora at the beginning of the first session; nothing may be written."""
    context = app_context("todoist", pack=load_pack("researcher"), clock=FIRST_SESSION)
    account = next(one for one in load_pack("researcher").persona.accounts if one.app == "todoist")
    done(context, "todoist__login", username=account.username, password=account.password)
    return context


def projects(**arguments: Any) -> dict[str, int]:
    shown = [
        done(nora(), "todoist__show_projects", page_limit=20, page_index=page, **arguments)["projects"]
        for page in range(2)
    ]
    found = [one for page in shown for one in page]
    return {one["name"]: one["project_id"] for one in found}


def listed(project: str, **arguments: Any) -> list[str]:
    found = done(nora(), "todoist__show_tasks", project_id=projects()[project], **arguments)
    return [one["title"] for one in found["tasks"]]


def mine() -> dict[int, Row]:
    own = {key for key, row in tables()["projects"].items() if 1 in row["members"]}
    return {key: row for key, row in tables()["tasks"].items() if row["project"] in own}


def texts() -> list[str]:
    columns = {"projects": ["name", "description"], "sections": ["name"], "tasks": ["title", "description"],
               "sub_tasks": ["title"], "task_comments": ["content"], "labels": ["name"]}  # fmt: skip
    return [row[column] for name, wanted in columns.items() for row in tables()[name].values() for column in wanted]


def test_nothing_dangles_and_siblings_count_from_zero() -> None:
    check(database())


def test_there_are_two_years_of_projects_tasks_and_talk() -> None:
    assert 14 <= len(projects()) <= 20
    assert len(projects(is_archived=True)) == 4
    tasks = mine()
    open_ones = [row for row in tasks.values() if not row["is_completed"]]
    assert len(tasks) >= 420
    assert 60 <= len(open_ones) <= 90
    assert len([row for row in tables()["task_comments"].values() if row["task"] in tasks]) >= 220
    assert 14 <= len([row for row in tables()["labels"].values() if row["account"] == 1]) <= 18
    assert len(tables()["sub_tasks"]) >= 80
    assert min(row["due_date"] for row in tasks.values() if row["due_date"]) < "2024-04"
    assert "2026-06" < max(row["due_date"] for row in tasks.values() if row["due_date"]) < "2026-08"
    assert all(len(list(row)) and row["title"] for row in tasks.values())
    assert {"high", "medium", "low"} == {row["priority"] for row in open_ones}


def test_no_title_stands_twice_in_a_project() -> None:
    titles = Counter((row["project"], row["title"]) for row in tables()["tasks"].values())
    assert titles.most_common(1)[0][1] == 1


def test_most_tasks_are_written_by_hand() -> None:
    by_hand = {
        task["title"]
        for project in read("todoist")["projects"]
        for group in [project, *project["sections"]]
        for task in group.get("tasks", [])
    }
    assert len([row for row in mine().values() if row["title"] in by_hand]) >= 160


def test_what_is_done_was_done_between_then_and_the_first_session() -> None:
    for row in tables()["tasks"].values():
        made = tables()["projects"][row["project"]]["created_at"]
        assert "2024-03-04" <= made[:10] <= row["created_at"][:10] <= "2026-02-27"
        assert row["completed_at"] is None or row["created_at"] < row["completed_at"] < "2026-02-28"
        assert row["section"] is None or tables()["sections"][row["section"]]["created_at"] <= row["created_at"]
    for row in tables()["sub_tasks"].values():
        task = tables()["tasks"][row["task"]]
        assert row["completed_at"] is None or task["created_at"] < row["completed_at"]
        assert row["completed_at"] is None or not task["completed_at"] or row["completed_at"] <= task["completed_at"]
    for row in tables()["task_comments"].values():
        assert tables()["tasks"][row["task"]]["created_at"] < row["created_at"] < "2026-02-28"


def test_archived_projects_hold_nothing_open() -> None:
    for key, project in tables()["projects"].items():
        if project["is_archived"]:
            assert all(row["is_completed"] for row in tables()["tasks"].values() if row["project"] == key)


def test_notifications_tell_of_tasks_that_their_account_works_on() -> None:
    own = [row for row in tables()["notifications"].values() if row["account"] == 1]
    assert len(own) == 60
    assert 5 <= sum(not row["is_read"] for row in own) <= 20
    assert {row["kind"] for row in own} == {"assigned", "comment", "completed", "due"}
    for row in tables()["notifications"].values():
        task = tables()["tasks"][row["task"]]
        assert row["account"] in tables()["projects"][task["project"]]["members"]
        assert repr(task["title"]) in row["message"]
        assert row["created_at"] >= task["created_at"]


def test_the_people_are_those_of_all_apps() -> None:
    people = {one["email"]: one for one in read("people").values()}
    for account in tables()["accounts"].values():
        assert people[account["email"]]["last_name"] == account["last_name"]
    assert tables()["accounts"][1]["email"] == load_pack("researcher").persona.facts["email"]


@pytest.mark.parametrize(
    ("project", "title", "event"),
    [
        ("TideASR", "Free space on the group disk", "cluster-quota"),
        ("TideASR", "Impulse responses at five doors", "door-recordings"),
        ("Veltra", "Agreement signed?", "veltra-agreement"),
        ("Old: Ethics", "Hand in the application", "ethics"),
        ("Move Elias", "Carry", "elias-move"),
        ("Home", "Dentist, new practice at Havnegata 12", "dentist"),
    ],
)
def test_tasks_were_done_on_the_day_of_the_event(project: str, title: str, event: str) -> None:
    day = next(one["date"] for one in read("life")["events"] if one["key"] == event)
    key = projects()[project]
    row = next(row for row in mine().values() if (row["project"], row["title"]) == (key, title))
    assert str(row["completed_at"])[:10] == day


def test_what_was_ordered_was_ordered_on_the_day_of_the_order() -> None:
    days = {order["date"] for order in read("life")["orders"]}
    bought = {
        "Order new wind shields", "Order rechargeable cells for the recorder", "Buy a pan that is not from 1998",
        "Gloves for Mum, head torch for Elias", "Tape: five rolls", "Travel adapter", "Desk lamp for dark mornings",
        "Chalk bag for Sofie, olive oil for Maren",
    }  # fmt: skip
    found = {row["title"]: str(row["completed_at"])[:10] for row in mine().values() if row["title"] in bought}
    assert set(found) == bought
    assert set(found.values()) <= days


def test_projects_of_others_are_not_there() -> None:
    hidden = {row["name"] for row in tables()["projects"].values() if 1 not in row["members"]}
    assert len(hidden) >= 5
    assert not hidden & set(projects())
    assert "party" not in " ".join(projects(query="defence party"))


def test_in_projects_of_others_nora_only_collaborates() -> None:
    for name in ("Workshop real rooms", "Move Elias"):
        shown = done(nora(), "todoist__show_project", project_id=projects()[name])
        assert shown["owner_email"] != "nora.lindqvist@halden-it.example"
        assert "nora.lindqvist@halden-it.example" in [one["email"] for one in shown["collaborators"]]


def test_lists_find_what_they_should() -> None:
    overdue = listed("Jonas thesis", overdue=True)
    assert overdue == ["First results on a page"]
    assert listed("Foyer demo", assignee_email="nora.lindqvist@halden-it.example") == [
        "Two sockets near the stairs: ask the caretaker", "Sign: what it does and that nothing is stored",
    ]  # fmt: skip
    assert (
        listed("TideASR", is_completed=False, priority="high", sort_by="+due_date")[0]
        == "Baseline table for the group page"
    )
    assert listed("Veltra", min_due_date="2026-03-13", max_due_date="2026-03-13") == ["Quarterly report, spring"]
    assert next(iter(projects(query="thesis jonas"))) == "Jonas thesis"


def test_no_spelling_is_given_away() -> None:
    # Words whose spelling differs between the two sides of the Atlantic.
    word = re2.compile(
        r"(?i)\b(\w+i[sz](e|es|ed|ers?|ing|ation)|colou?rs?|favou?r\w*|cent(re|er)s?|grey|gray|metres?|meters|analy[sz]e\w*"
        r"|catalog(ue)?s?|licen[cs]e\w*|practi[sc]es?|t[iy]res?|travell?ing|labell?ed|program(me)?s?|cheques?)\b"
    )
    same = "noise noises otherwise exercise exercises surprise promised practice prize rises size sizes"
    found = {hit[0].lower() for text in texts() for hit in word.findall(text)}
    assert not found - set(same.split())


def test_texts_hold_no_times_of_other_kinds() -> None:
    months = "January|February|March|April|May|June|July|August|September|October|November|December"
    dated = re2.compile(rf"\b(\d{{1,2}} ({months})|({months}) \d{{1,2}})\b")
    assert [text for text in texts() if dated.search(text)] == []
