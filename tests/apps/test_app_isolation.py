"""Copy-on-write: what forks share, what a pickle holds, what an extra session costs."""

from __future__ import annotations

import gc
import pickle
import tracemalloc

from support.apps import app_context, call_tool, done, signed_in

from pi_gym import load_pack
from pi_gym.packs.app_seeds import SeedRows
from pi_gym.state import World
from pi_gym.tools import ToolContext

NORA = {"username": "nora.lindqvist@halden-it.example", "password": "tidal-marsh-42"}


def researcher_context() -> ToolContext:
    """A context over the Researcher's seed world, signed in."""
    context = app_context("simple_note", pack=load_pack("researcher"))
    done(context, "simple_note__login", **NORA)
    return context


def test_a_thousand_forks_that_write_leave_the_parent_and_each_other_alone() -> None:
    parent = signed_in()
    done(parent, "simple_note__create_note", title="parent")
    before = parent.world.state_hash()
    forks = [ToolContext(parent.world.fork(), ids=parent.ids) for _ in range(1_000)]
    for number, fork in enumerate(forks):
        done(fork, "simple_note__create_note", title=f"fork {number}")
        done(fork, "simple_note__update_note", note_id=1, content=f"changed {number}")
        if number % 2:
            done(fork, "simple_note__delete_note", note_id=4)
    assert parent.world.state_hash() == before
    for number, fork in enumerate(forks):
        assert done(fork, "simple_note__show_note", note_id=100_002)["title"] == f"fork {number}"
        assert done(fork, "simple_note__show_note", note_id=1)["content"] == f"changed {number}"
        assert call_tool(fork, "simple_note__show_note", note_id=4).ok == (number % 2 == 0)
    assert len({fork.world.state_hash() for fork in forks}) == 1_000


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


def test_a_pickle_holds_changes_and_a_reference_to_the_seeds() -> None:
    context = researcher_context()
    done(context, "simple_note__create_note", title="one")
    data = pickle.dumps(context.world)
    assert len(data) < 2_500, len(data)
    copy: World = pickle.loads(data)
    assert copy.state_hash() == context.world.state_hash()
    base = copy.apps["simple_note"].table("notes").base
    assert isinstance(base, SeedRows)
    assert base is context.world.apps["simple_note"].table("notes").base


def test_a_session_that_lived_in_the_app_is_small() -> None:
    context = researcher_context()
    done(context, "simple_note__search_notes", query="recipes")
    worlds = []
    gc.collect()
    tracemalloc.start()
    for number in range(200):
        fork = ToolContext(context.world.fork(), ids=context.ids)
        for note in range(5):
            done(fork, "simple_note__create_note", title=f"note {number} {note}", content="text " * 20)
        done(fork, "simple_note__search_notes", query="recipes cardamom", page_limit=20)
        done(fork, "simple_note__delete_note", note_id=1)
        worlds.append(fork.world)
    gc.collect()
    size, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size / len(worlds) < 20_000, size / len(worlds)


def test_searching_the_seed_world_copies_nothing() -> None:
    context = researcher_context()
    apps = context.world.apps

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
    assert context.world.apps is apps
    # The seed world has more than 100 kB as objects; a search makes its scores and one page of results.
    assert peak < 20_000, peak
    assert kept < 40_000, kept
