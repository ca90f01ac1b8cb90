"""The first and the last change of files and tables, told by how many replies came before."""

from __future__ import annotations

import pickle

from support.packs import protocol
from support.play import call, opened, play, write

from pi_gym.apps import operations
from pi_gym.pibench.replay import replay
from pi_gym.pibench.session import PiSession
from pi_gym.tools import GENERAL


def since(session: PiSession, *places: str) -> tuple[str, ...]:
    """The replies since, as the user sees them at a turn's end and the grader at the session's."""
    whole = session.evidence(session.log).replies_since(places)
    assert session.turn_evidence().replies_since(places) == whole
    return whole


def test_replies_before_the_last_change_of_a_file_do_not_count() -> None:
    session = opened()
    play(session, write("a.txt", "1"), "One.", write("b.txt", "1"), "Two.", write("a.txt", "2"), "Three.", "Four.")
    assert since(session, "a.txt") == ("Three.", "Four.")
    assert since(session, "b.txt") == ("Two.", "Three.", "Four.")
    assert since(session, "never.txt")[0] == "One."


def test_what_was_said_before_another_place_is_changed_for_the_first_time_counts() -> None:
    session = opened()
    play(session, "Which?", write("a.txt", "1"), "A is there.", write("b.txt", "1"), "B too.")
    assert since(session, "a.txt", "b.txt") == ("A is there.", "B too.")
    play(session, write("b.txt", "2"), "B is better.")
    assert since(session, "a.txt", "b.txt") == ("B is better.",)


def test_a_message_before_the_change_within_a_turn_does_not_count() -> None:
    session = opened()
    play(session, call("message", content="Soon.") + write("a.txt", "1") + call("message", content="There."))
    assert session.evidence(session.log).replies_since(["a.txt"]) == ("There.",)


def test_writing_the_same_again_is_no_change_and_moving_is_one_of_both_paths() -> None:
    session = opened()
    play(session, write("a.txt", "1"), "One.", write("a.txt", "1"), "Two.")
    assert since(session, "a.txt") == ("One.", "Two.")
    session.world.workspace.rename("a.txt", "b.txt")  # by nobody's call
    assert since(session, "b.txt") == ("One.", "Two.")


def test_tables_of_apps_have_their_last_change_too() -> None:
    session = opened(registry=operations([*GENERAL.names, "cron"]))
    play(session, "One.", call("cron", action="add", message="x", at="2026-05-05T06:00"), "Two.")
    assert session.evidence(session.log).replies_since([("cron", "jobs")]) == ("Two.",)
    assert session.evidence(session.log).replies_since([("cron", "other")]) == ("One.", "Two.")


def test_forks_pickles_and_replays_know_the_change_spans() -> None:
    session = opened()
    play(session, "One.", write("a.txt", "1"))
    copies = [session.fork(), pickle.loads(pickle.dumps(session)), replay(session.trajectory(), pack=protocol())]
    for one in (session, *copies):
        play(one, "Two.")
        assert since(one, "a.txt") == ("Two.",)
