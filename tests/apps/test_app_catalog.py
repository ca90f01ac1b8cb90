"""Finding apps by their folders, and tools by their names."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from pi_gym.apps import all_tools, app_names, apps_of, load_app, operations
from pi_gym.errors import UnknownName
from pi_gym.tools import EVERY, GENERAL


def test_every_app_is_a_folder_that_holds_an_app_of_its_name() -> None:
    assert app_names() == tuple(sorted(app_names()))
    for name in app_names():
        app = load_app(name)
        assert app.name == name
        assert all(operation.name.startswith(f"{name}__") for operation in app.operations)
        assert f"{name}__login" in [operation.name for operation in app.operations]


def test_tools_are_chosen_by_name_and_by_app_in_a_stable_order() -> None:
    some = operations(["simple_note__show_note", "grep", "simple_note__login", "read_file", "grep"])
    assert some.names == ("read_file", "grep", "simple_note__login", "simple_note__show_note")
    whole = operations(["simple_note__*", "simple_note__login"])
    assert whole.names == tuple(operation.name for operation in load_app("simple_note").operations)
    assert operations([]).names == ()


def test_all_tools_are_the_general_ones_and_every_apps() -> None:
    names = all_tools().names
    assert names[: len(GENERAL)] == GENERAL.names
    assert set(names) == set(EVERY.names) | {one.name for app in app_names() for one in load_app(app).operations}


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("raed_file", "Did you mean 'read_file'"),
        ("simple_note__serach_notes", "Did you mean 'simple_note__search_notes'"),
        ("simple_notes__login", "Unknown app 'simple_notes'. Did you mean 'simple_note'"),
        ("simple_notes__*", "Unknown app 'simple_notes'"),
        ("simple_note__", "Unknown tool"),
        ("simple_note", "Unknown tool"),
        ("*", "Unknown tool"),
    ],
)
def test_a_wrong_name_is_answered_with_the_closest_ones(name: str, says: str) -> None:
    with pytest.raises(UnknownName) as caught:
        operations(["read_file", name])
    assert says in str(caught.value)


def test_an_unknown_app_lists_those_that_exist() -> None:
    with pytest.raises(UnknownName, match="simple_note"):
        load_app("declare")


def test_apps_are_known_by_their_tools() -> None:
    assert apps_of(["grep", "simple_note__*", "file_system__login", "nothing__x"]) == ["file_system", "simple_note"]


LAZY = """
import json
import gymnasium as gym
parsed, read = [], json.loads
json.loads = lambda text, **given: (parsed.append(len(text)), read(text, **given))[1]
env = gym.make("pi_gym:PiBench-Researcher-v0", history="none", disable_env_checker=True)
env.reset(options={"task": "01-baseline-table"})
# The smallest seed world that anybody would notice has some 9 kB.
assert max(parsed, default=0) < 9_000, parsed
rows = env.unwrapped.session.world.apps
assert not len(list(rows)), list(rows)
env.reset(options={"task": "10-foyer-order"})
assert max(parsed) > 100_000, parsed
"""


def test_a_task_without_apps_reads_no_seed_world_and_opens_no_table() -> None:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("COV")}
    done = subprocess.run([sys.executable, "-c", LAZY], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr


ORDERS = """
import importlib, sys
for module in sys.argv[1:]:
    importlib.import_module(module)
from pi_gym.apps import all_tools
print(" ".join(all_tools().names))
"""


def test_the_order_of_the_tools_does_not_depend_on_what_was_imported_first() -> None:
    orders = [
        subprocess.run([sys.executable, "-c", ORDERS, *first], capture_output=True, text=True, check=True).stdout
        for first in (["pi_gym.apps.simple_note.notes"], ["pi_gym.apps.file_system.files"])
    ]
    assert len(set(orders)) == 1
