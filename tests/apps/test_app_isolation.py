"""Copy-on-write, in every app: what forks share, what a pickle holds, what an extra session costs."""

from __future__ import annotations

import gc
import json
import pickle
import tracemalloc
from functools import cache
from typing import Any

import pytest
from support.apps import app_context, call_tool, done, signed_in
from support.every_app import AllApps, all_apps, app_in_world, app_of, forked, taken

from pi_gym.apps import SIGNED_IN, app_names
from pi_gym.packs.app_seeds import SeedRows
from pi_gym.state import World
from pi_gym.tools import Operation, ToolContext

FORKS = 1_000
Write = tuple[Operation, dict[str, Any], str]


@cache
def writes(pack: str) -> dict[str, Write]:
    """By app, an operation that writes a text: the operation, its arguments, and which of them the text is."""
    apps, found = all_apps(pack), dict[str, Write]()
    for operation in apps.operations("write"):
        texts = [one.name for one in operation.parameters if one.name in TEXTS and not taken(one.name)]
        for arguments in apps.arguments(operation) if texts and app_of(operation) not in found else []:
            if call_tool(forked(apps.context), operation.name, **{**arguments, texts[0]: "a text"}).ok:
                found[app_of(operation)] = operation, arguments, texts[0]
                break
    return found


TEXTS = ("title", "content", "description", "message", "body", "question", "name", "text")


def write(context: ToolContext, made: Write, text: str) -> None:
    operation, arguments, name = made
    done(context, operation.name, **{**arguments, name: text})


def state(context: ToolContext, app: str) -> str:
    """What there is to compare of an app; the File System's records are the workspace."""
    return context.world.state_hash() if app == "file_system" else context.world.apps[app].state_hash()


@pytest.mark.parametrize("app", app_names())
def test_a_thousand_forks_that_write_leave_the_parent_and_each_other_alone(app: str) -> None:
    parent = forked(app_in_world("researcher", app).context)
    made = writes("researcher")[app]
    before = state(parent, app)
    forks = [forked(parent) for _ in range(FORKS)]
    hashes = []
    for number, fork in enumerate(forks):
        write(fork, made, f"fork {number}")
        hashes.append(state(fork, app))
    assert state(parent, app) == before
    assert [state(fork, app) for fork in forks] == hashes
    assert len({before, *hashes}) == FORKS + 1
    for number in (0, 1, FORKS - 1):
        if app != "file_system":
            diff = forks[number].world.apps[app].diff(parent.world.apps[app])
            assert f"fork {number}" in json.dumps(diff)


def test_reading_through_a_fork_shows_what_it_wrote_itself() -> None:
    parent = signed_in()
    done(parent, "simple_note__create_note", title="parent")
    forks = [forked(parent) for _ in range(20)]
    for number, fork in enumerate(forks):
        done(fork, "simple_note__create_note", title=f"fork {number}")
        done(fork, "simple_note__update_note", note_id=1, content=f"changed {number}")
        if number % 2:
            done(fork, "simple_note__delete_note", note_id=4)
    for number, fork in enumerate(forks):
        assert done(fork, "simple_note__show_note", note_id=100_002)["title"] == f"fork {number}"
        assert done(fork, "simple_note__show_note", note_id=1)["content"] == f"changed {number}"
        assert call_tool(fork, "simple_note__show_note", note_id=4).ok == (number % 2 == 0)


def test_equal_states_have_equal_hashes_however_they_came_about() -> None:
    one, two = signed_in(), signed_in()
    done(one, "simple_note__update_note", note_id=1, pinned=True)
    assert one.world.state_hash() != two.world.state_hash()
    done(two, "simple_note__update_note", note_id=1, content="x")
    done(two, "simple_note__update_note", note_id=1, content="Rye flour, water, salt.", pinned=True)
    assert one.world.state_hash() == two.world.state_hash()


def test_the_diff_is_the_rows_that_differ() -> None:
    context = app_context()
    start = context.world.apps["simple_note"]
    signed_in(context)
    done(context, "simple_note__delete_note", note_id=4)
    diff = context.world.apps["simple_note"].diff(start)
    assert set(diff) == {"notes", "signed_in"}
    assert list(diff["notes"]) == [4]
    assert diff["notes"][4][1] is None


def lived_in(apps: AllApps) -> ToolContext:
    """A session that signed in everywhere and wrote in every app."""
    context = forked(apps.closed)
    for app, account in apps.accounts.items():
        done(context, f"{app}__login", **account)
    for made in writes("researcher").values():
        write(context, made, "written by a session")
    return context


def test_a_pickle_holds_changes_and_references_to_the_seeds() -> None:
    apps = all_apps("researcher")
    context = lived_in(apps)
    data = pickle.dumps(context.world)
    assert len(data) < 3_000 * len(apps.accounts), len(data)
    copy: World = pickle.loads(data)
    assert copy.state_hash() == context.world.state_hash()
    for app in apps.accounts:
        for name in set(copy.apps[app].names) - {SIGNED_IN}:
            base = copy.apps[app].table(name).base
            assert isinstance(base, SeedRows)
            assert base is context.world.apps[app].table(name).base


def test_a_session_that_lived_in_every_app_is_small() -> None:
    apps = all_apps("researcher")
    lived_in(apps)
    gc.collect()
    tracemalloc.start()
    worlds = [lived_in(apps).world for _ in range(50)]
    gc.collect()
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size / len(worlds) < 60_000, size / len(worlds)


def test_searching_the_seed_world_copies_nothing() -> None:
    context = all_apps("researcher").context
    found = context.world.apps

    def search() -> None:
        assert call_tool(context, "simple_note__search_notes", query="harbour recordings", page_limit=1).ok

    search()
    tracemalloc.start()
    for _ in range(100):
        search()
    gc.collect()
    kept, _ = tracemalloc.get_traced_memory()
    tracemalloc.reset_peak()
    search()
    peak = tracemalloc.get_traced_memory()[1] - kept
    tracemalloc.stop()
    assert context.world.apps is found
    # The seed world has more than 100 kB as objects; a search makes one page of results.
    assert peak < 20_000, peak
    assert kept < 40_000, kept
