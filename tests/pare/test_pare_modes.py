"""The table of modes: what each action of the agent does in each, what it pays, and what comes next."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest
from support.pare_play import WAIT, accepted, call, opened, variant_of

from pi_gym.pare.pare_settings import PareConfig
from pi_gym.pare.scenario import PlanStep
from pi_gym.pare.scenario_set import installed_scenarios
from pi_gym.pare.session import PareSession
from pi_gym.types import ToolCall

RIDE = "stranded-friend"
WANTED = variant_of(RIDE, wanted=True)
READ = call("Calendar__read_today_calendar_events")
WRITE = call("Notes__create_note", title="x", content="y")
WAIT_FOR = call("System__wait_for_notification", timeout=600)
OTHER = "Shall I book a cab to Central Station?"


def proposal(session: PareSession) -> str:
    solution = session.scenario.solution
    assert solution is not None
    return solution.propose


def observing(**settings: object) -> PareSession:
    """A session in which the evidence is there and nothing was proposed."""
    session = opened(RIDE, WANTED, **settings)
    while not session.happened.at:
        session.apply(WAIT)
    return session


def gathering() -> PareSession:
    """The same with a person who opens an app and looks at it before they answer."""
    scenario = installed_scenarios().instantiate(RIDE, WANTED)
    assert scenario.help is not None
    look = (PlanStep(ToolCall("Apartment__list_apartments")),)
    scenario = replace(scenario, help=replace(scenario.help, look=look))
    session = PareSession(scenario, config=PareConfig(strict=True))
    while not session.happened.at:
        session.apply(WAIT)
    return session


def waiting() -> PareSession:
    """The session in which a right proposal is out and the person is still looking."""
    session = gathering()
    session.apply(proposal(session))
    return session


def executing() -> PareSession:
    """The session in which the proposal was accepted."""
    return accepted(opened(RIDE, WANTED))


@dataclass(frozen=True)
class Row:
    """A row of the table: the mode, the action, and what it comes to."""

    begin: Callable[[], PareSession]
    action: str
    reward: float
    mode: str
    ends_turn: bool
    refused: bool = False
    changes: bool = False


ROWS = {
    "observe: a read tool gives its result": Row(observing, READ, 0, "observe", ends_turn=False),
    "observe: a write tool is refused": Row(observing, WRITE, 0, "observe", ends_turn=False, refused=True),
    "observe: wait ends the turn": Row(observing, WAIT, 0, "observe", ends_turn=True),
    "observe: an empty reply is a wait": Row(observing, " ", 0, "observe", ends_turn=True),
    "observe: waiting for news ends the turn": Row(observing, WAIT_FOR, 0, "observe", ends_turn=True),
    "observe: a reply is a proposal": Row(gathering, "propose", 0, "waiting", ends_turn=True),
    "waiting: the person accepts": Row(observing, "propose", 1, "execute", ends_turn=True),
    "waiting: the person rejects": Row(observing, OTHER, -1, "observe", ends_turn=True),
    "waiting: the person looks": Row(waiting, WAIT, 0, "waiting", ends_turn=True),
    "waiting: a read tool": Row(waiting, READ, 0, "waiting", ends_turn=False),
    "waiting: a write tool is refused": Row(waiting, WRITE, 0, "waiting", ends_turn=False, refused=True),
    "waiting: waiting for news": Row(waiting, WAIT_FOR, 0, "waiting", ends_turn=True),
    "waiting: a reply replaces it": Row(waiting, "propose", -1, "waiting", ends_turn=True),
    "execute: a read tool": Row(executing, READ, 0, "execute", ends_turn=False),
    "execute: a write tool is done": Row(executing, WRITE, 0, "execute", ends_turn=False, changes=True),
    "execute: a reply is the report": Row(executing, "It did not work.", 0, "observe", ends_turn=True),
    "execute: wait ends it without one": Row(executing, WAIT, 0, "observe", ends_turn=True),
}


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_an_action_does_what_the_table_says(row: Row) -> None:
    session = row.begin()
    turn, notes = session.turn, session.world.apps["Notes"].state_hash()
    session.apply(proposal(session) if row.action == "propose" else row.action)
    step = session.step
    assert step is not None
    assert step.reward == row.reward
    assert session.standing.mode == row.mode
    assert (session.turn > turn) == row.ends_turn
    assert step.invalid == row.refused
    assert (session.world.apps["Notes"].state_hash() != notes) == row.changes
    assert not session.ended


@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_waiting_for_news_ends_with_an_event_of_the_scenario_or_of_noise_or_its_time(rate: float) -> None:
    session = observing(noise=rate, max_turns=50)
    while session.happened.at.keys() < {event.name for event in session.scenario.events}:
        session.apply(WAIT)
    begun, seen = session.clock, session.happened.noise
    session.apply(call("System__wait_for_notification", timeout=5_000))
    passed = (session.clock - begun).total_seconds()
    if rate:
        assert session.happened.noise > seen
        assert passed <= 2 * 60 / rate + 5
    else:
        assert passed == 5_005


def test_an_acceptance_after_a_look_is_paid_and_counted_as_gathered() -> None:
    session = waiting()
    while session.standing.mode == "waiting":
        session.apply(WAIT)
    assert session.standing.earned["accepted"] == 1.0
    assert session.standing.counts() | {"gathered": 1, "gathered_accepted": 1} == session.standing.counts()


def test_a_report_is_said_and_a_wait_says_nothing() -> None:
    for action, said in (("It did not work.", ["report"]), (WAIT, [])):
        session = executing()
        before = len(session.log)
        session.apply(action)
        assert [event.data["how"] for event in list(session.log)[before:] if event.kind == "reply"] == said


def test_the_goal_ends_it_with_success_once_nothing_is_pending() -> None:
    session = executing()
    solution = session.scenario.solution
    assert solution is not None
    for one in solution.calls:
        session.apply(one.to_text())
        assert not session.ended
    session.apply(solution.report)
    assert session.step is not None
    assert (session.terminated, session.step.reward) == (True, 1.0)
