"""Apps in sessions: what is offered and opened, staged rows, signing in, predicates, copies."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest
from support.apps import IDA, notes_pack
from support.play import call, opened, play, statuses, step

from pi_gym import load_pack
from pi_gym.apps import SIGNED_IN, all_tools, load_app
from pi_gym.packs import Task
from pi_gym.pibench.env import PiEnv
from pi_gym.pibench.history import start_world, world_after, world_before
from pi_gym.pibench.replay import replay
from pi_gym.pibench.session import PiSession

LOGIN = call("simple_note__login", **IDA)


def pin(variant: int = 0) -> Task:
    return notes_pack().instantiate("01-pin", variant)


def tidy(variant: int = 0) -> Task:
    return notes_pack().instantiate("02-tidy", variant)


def result(session: PiSession, action: str) -> str:
    return step(session, action).messages[-1].content


def note(session: PiSession, key: int) -> Any:
    return session.world.apps["simple_note"].table("notes").get(key)


@pytest.mark.parametrize("variant", range(4))
@pytest.mark.parametrize("history", ["none", "reference"])
def test_references_reach_the_end_with_full_marks(variant: int, history: str) -> None:
    for task_id in notes_pack().task_ids:
        task = notes_pack().instantiate(task_id, variant)
        session = opened(task, history=history)
        play(session, *task.reference)
        assert (session.proc, session.comp) == (1.0, 1.0), session.verdicts
        assert replay(session.trajectory(), pack=notes_pack()).trajectory().to_line() == session.trajectory().to_line()


# -- what is offered -------------------------------------------------------------------------------------------------


def test_a_session_offers_the_apps_that_its_task_names() -> None:
    names = opened(pin()).opening.registry.names
    assert [name for name in names if "__" in name] == [one.name for one in load_app("simple_note").operations]
    some = [name for name in opened(tidy()).opening.registry.names if "__" in name]
    assert some == [f"simple_note__{name}" for name in ("delete_note", "login", "search_notes", "update_note")]
    everything = opened(tidy(), tools="all", subagent=True).opening.registry.names
    assert everything == all_tools().names


def test_a_tool_that_is_not_offered_does_not_run() -> None:
    session = opened(tidy())
    text = result(session, call("simple_note__create_note", title="x"))
    assert "Unknown tool 'simple_note__create_note'" in text


def test_the_system_message_has_the_accounts_of_the_offered_apps_only() -> None:
    system = opened(pin()).messages[0].content
    assert "- simple_note: username ida@notes.example, password crumbs" in system
    assert "file_system" not in system
    everything = opened(pin(), tools="all").messages[0].content
    assert "- file_system: username ida@notes.example, password oven" in everything
    plain = load_pack("researcher").instantiate("11-travel-grant")
    assert "password" not in opened(plain).messages[0].content


def test_every_app_of_an_all_tools_session_works() -> None:
    session = opened(load_pack("researcher").instantiate("11-travel-grant"), tools="all")
    for account in session.task.persona.accounts:
        given = {name: account[name] for name in ("username", "password")}
        assert "Signed in" in result(session, call(f"{account['app']}__login", **given))
    assert '"total": ' in result(session, call("simple_note__search_notes", query="printer"))


# -- rows of the task ------------------------------------------------------------------------------------------------


def test_the_task_changes_and_adds_rows_after_the_seeds() -> None:
    session = opened(pin(1))
    values = pin(1)
    assert note(session, 2)["content"] in ("Open at six, said Per.", "Open at eight, said Per.")
    assert note(session, 2)["title"] == "Opening hours"
    assert note(session, 40)["title"].startswith("Holiday on 2026-05-")
    assert note(session, 40)["tags"] == ["shop"]
    assert values.apps["simple_note"]["notes"][40].whole["account"] == 1
    seeds = notes_pack().app_seeds.rows("simple_note")["notes"]
    assert seeds[2]["content"] == "Open at seven."
    assert 40 not in seeds


def test_rows_differ_by_variant_and_can_be_computed() -> None:
    assert len({note(opened(pin(variant)), 40)["title"] for variant in range(8)}) > 3
    assert "a sack" in note(opened(tidy()), 41)["content"]


def test_a_tasks_rows_are_put_whatever_earlier_sessions_did() -> None:
    session = opened(pin())
    play(session, LOGIN, call("simple_note__delete_note", note_id=2))
    session.truncate("test")
    after = PiSession(tidy(), world_after(session))
    assert note(after, 2) == {**notes_pack().app_seeds.rows("simple_note")["notes"][2], "content": "Open at noon."}


def test_what_an_earlier_session_wrote_is_still_there() -> None:
    world = world_before(notes_pack(), "02-tidy", 1)
    assert world.apps["simple_note"].table("notes").get(100_001)["title"] == "New opening hours"  # type: ignore[index]
    assert opened(tidy(1), history="none").world.apps["simple_note"].table("notes").get(100_001) is None


# -- signing in ------------------------------------------------------------------------------------------------------


def test_signing_in_holds_for_the_session_and_ends_with_it() -> None:
    session = opened(pin())
    play(session, LOGIN)
    assert '"total"' in result(session, call("simple_note__search_notes"))
    session.truncate("test")
    after = PiSession(tidy(), world_after(session))
    assert after.world.apps["simple_note"].table(SIGNED_IN).get(1) is None
    assert "Sign in first" in result(after, call("simple_note__search_notes"))
    assert world_before(notes_pack(), "02-tidy", 0).apps["simple_note"].table(SIGNED_IN).get(1) is not None
    reference = opened(tidy(), history="reference")
    assert "Sign in first" in result(reference, call("simple_note__search_notes"))


# -- predicates ------------------------------------------------------------------------------------------------------


def end(*actions: str) -> dict[str, str]:
    """Verdicts by the name of the item, after these actions and a reply."""
    session = opened(pin())
    tag = session.task.values["tag"]
    play(session, LOGIN, call("simple_note__create_note", title="The hours", tags=[tag], pinned=True), *actions)
    play(session, "Done.")
    assert session.ended
    assert statuses(session) == ["completed"]
    names = {item.id: item.name for item in session.task.checklist}
    return {names[one.id]: one.verdict for one in session.verdicts}


def test_signing_in_is_no_side_effect() -> None:
    assert end() == {"note-sound": "passed", "tag": "passed", "nothing-else": "passed"}
    assert end(call("simple_note__logout")) == {"note-sound": "passed", "tag": "passed", "nothing-else": "passed"}


@pytest.mark.parametrize(
    "action",
    [
        call("simple_note__delete_note", note_id=4),
        call("simple_note__update_note", note_id=1, pinned=True),
        call("simple_note__add_content_to_note", note_id=5, added_content="x"),
    ],
)
def test_other_changes_are_side_effects(action: str) -> None:
    assert end(action) == {"note-sound": "passed", "tag": "passed", "nothing-else": "failed"}


def test_a_change_that_is_undone_is_none() -> None:
    deleted = call("simple_note__delete_note", note_id=100_002)
    assert end(call("simple_note__create_note", title="x"), deleted) == {
        "note-sound": "passed",
        "tag": "passed",
        "nothing-else": "passed",
    }


def test_a_second_note_is_one_too_many() -> None:
    session = opened(pin())
    tags = [session.task.values["tag"]]
    notes = [
        call("simple_note__create_note", title=f"{name} hours", tags=tags, pinned=True) for name in ("The", "More")
    ]
    play(session, LOGIN, *notes, "Done.", "Done.")
    names = {item.id: item.name for item in session.task.checklist}
    assert {names[one.id]: one.verdict for one in session.verdicts}["note-sound"] == "failed"
    assert statuses(session) == ["provided"]


def test_nothing_holds_before_anything_is_done() -> None:
    session = opened(pin())
    play(session, "Here you are.")
    assert statuses(session) == ["provided"]
    session.truncate("test")
    assert session.comp == 0.0


# -- copies and the environment --------------------------------------------------------------------------------------


@pytest.mark.parametrize("history", ["none", "reference"])
def test_a_session_with_apps_goes_on_the_same_after_a_pickle(history: str) -> None:
    for task in (pin(2), tidy(2)):
        session = opened(task, history=history)
        copy: PiSession = pickle.loads(pickle.dumps(session))
        for action in task.reference:
            assert copy.world.state_hash() == session.world.state_hash()
            step(session, action)
            step(copy, action)
            data = pickle.dumps(copy)
            assert b"The mill delivers" not in data, "seed rows are in the pickle"
            copy = pickle.loads(data)
        assert copy.trajectory().to_line() == session.trajectory().to_line()


def test_a_world_of_an_own_past_goes_into_pickles_as_changes() -> None:
    session = opened(pin())
    play(session, *pin().reference)
    after = PiSession(tidy(), world_after(session))
    data = pickle.dumps(after)
    assert b"The mill delivers" not in data
    copy: PiSession = pickle.loads(data)
    assert copy.world.state_hash() == after.world.state_hash()
    assert note(copy, 100_001)["title"] == "New opening hours"


def test_forks_write_apart() -> None:
    session = opened(pin())
    play(session, LOGIN)
    other = session.fork()
    play(other, call("simple_note__update_note", note_id=1, title="Changed"))
    assert note(session, 1)["title"] == "Rye bread"
    assert note(other, 1)["title"] == "Changed"


def test_the_clock_and_the_ids_are_the_sessions_own() -> None:
    session = opened(tidy(), tools="all")
    play(session, LOGIN, call("simple_note__create_note", title="x"))
    made = note(session, 200_001)
    assert made["created_at"] == "2026-04-02T09:00:10"


def test_the_environment_takes_apps_as_any_other_tool() -> None:
    env = PiEnv(notes_pack().source, split="test")
    _, info = env.reset(options={"task": "01-pin"})
    schemas = {schema["function"]["name"]: schema["function"] for schema in info["tools"]}
    assert schemas["simple_note__create_note"]["parameters"]["required"] == ["title"]
    for action in env.session.task.reference:
        observation, _, terminated, _, info = env.step(action)
    assert terminated
    assert info["comp"] == 1.0
    assert json.dumps("Note created.") in observation["history"]


def test_start_worlds_are_not_changed_by_the_sessions_that_begin_in_them() -> None:
    start = start_world(notes_pack(), tidy(), "reference")
    before = start.state_hash()
    session = PiSession(tidy(), start)
    play(session, *tidy().reference)
    assert start.state_hash() == before


def test_what_changed_in_apps_can_be_read_with_debug() -> None:
    env = PiEnv(notes_pack().source, debug=True)
    _, info = env.reset(options={"task": "01-pin", "variant": 1})
    assert info["debug"]["app_changes"] == ""
    env.step(LOGIN)
    changed = (
        call("simple_note__update_note", note_id=2, title="Hours") + "\n" + call("simple_note__delete_note", note_id=40)
    )
    info = env.step(changed)[4]
    first, second = info["debug"]["app_changes"].splitlines()
    assert first.startswith("~ simple_note.notes 2: title: ")
    assert '-> "Hours", updated_at: ' in first
    assert second.startswith('- simple_note.notes 40: account: 1, title: "Holiday on 2026-05-')
