"""The general tools: names and parameters are those that the benchmark uses; 187 tools with those of the apps."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from pi_gym.apps import all_tools, app_names, load_app
from pi_gym.tools import EVERY
from pi_gym.tools.parameters import REQUIRED

ROOT = Path(__file__).parents[2]
# Starred ones are needed. Optional ones may be added; these never change or vanish.
LISTED = {
    "read_file": "path*",
    "write_file": "path* content*",
    "edit_file": "path* old_text* new_text*",
    "list_dir": "path",
    "glob": "pattern* path max_results entry_type",
    "grep": "pattern* path glob case_insensitive fixed_strings output_mode context_before context_after max_results",
    "notebook_edit": "path* cell_index* new_source cell_type edit_mode",
    "exec": "command* working_dir",
    "message": "content* channel chat_id media",
    "ask_user": "question* options",
    "spawn": "task* label",
    "cron": "action* message every_seconds cron_expr tz at job_id",
    "web_search": "query* count",
    "web_fetch": "url* extractMode maxChars",
}


def test_there_are_187_tools() -> None:
    assert set(EVERY.names) == set(LISTED)
    operations = [operation.name for app in app_names() for operation in load_app(app).operations]
    assert len(set(operations)) == len(operations) == 173
    assert len(all_tools().names) == len(operations) + len(LISTED) == 187


@pytest.mark.parametrize("name", LISTED)
def test_a_general_tool_has_the_listed_parameters(name: str) -> None:
    parameters = EVERY.get(name).parameters
    found = {one.name for one in parameters}
    assert {listed.strip("*") for listed in LISTED[name].split()} <= found
    needed = {one.name for one in parameters if one.default is REQUIRED}
    assert needed == {listed.strip("*") for listed in LISTED[name].split() if listed.endswith("*")}
    assert all(len(one.description) > 8 for one in parameters)
    assert EVERY.get(name).schema()["function"]["description"].endswith(".")


def test_the_page_of_the_tools_is_written_from_the_declarations() -> None:
    written = (ROOT / "docs" / "tools.md").read_text(encoding="utf-8")
    made = runpy.run_path(str(ROOT / "scripts" / "write_tool_pages.py"))["tools_page"](written)
    assert written == made, "run: python scripts/write_tool_pages.py"
    assert all(f"### {name}\n" in written for name in LISTED)
