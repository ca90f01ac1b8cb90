"""The general tools: names and parameters are those that the benchmark uses."""

from __future__ import annotations

import pytest

from pi_gym.apps import all_tools, app_names, load_app
from pi_gym.tools import EVERY
from pi_gym.tools.parameters import REQUIRED

# Starred ones are needed. Tools and optional parameters may be added; these never change or vanish.
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


def test_all_tools_are_the_general_ones_and_those_of_the_apps() -> None:
    assert set(EVERY.names) >= set(LISTED)
    operations = [operation.name for app in app_names() for operation in load_app(app).operations]
    assert sorted(all_tools().names) == sorted([*EVERY.names, *operations])


@pytest.mark.parametrize("name", LISTED)
def test_a_general_tool_has_the_listed_parameters(name: str) -> None:
    parameters = EVERY.get(name).parameters
    found = {one.name for one in parameters}
    assert {listed.strip("*") for listed in LISTED[name].split()} <= found
    needed = {one.name for one in parameters if one.default is REQUIRED}
    assert needed == {listed.strip("*") for listed in LISTED[name].split() if listed.endswith("*")}
    assert all(len(one.description) > 8 for one in parameters)
    assert EVERY.get(name).schema()["function"]["description"].endswith(".")
