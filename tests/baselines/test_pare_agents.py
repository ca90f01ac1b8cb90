"""The agents of the phone family: what each of them earns beside the reference."""

from __future__ import annotations

from functools import cache

import pytest
from support.pare_play import variants_of

import pi_gym
from pi_gym.errors import BadArgument, UnknownName
from pi_gym.installed import agent_names
from pi_gym.pare.scenario_set import installed_scenarios
from pi_gym.rollout.agents import agents_of, make_agent
from pi_gym.runs.summary import RunSummary

WORLDS = 3
PARE_ONLY = {"blind-executor", "fixed-proposal", "propose-again", "propose-and-idle", "propose-everything"}


@cache
def played(agent: str, **options: bool) -> RunSummary:
    """The same worlds with any agent."""
    summary = pi_gym.collect("Pare-v0", agent, variants=range(WORLDS), env_kwargs={"strict": True, **options})
    assert summary.first_error == ""
    return summary


def earned(agent: str, **options: bool) -> dict[tuple[str, int], float]:
    """The return of each session, by task and world."""
    return {(one.task_id, one.variant): one.scores["return"] or 0.0 for one in played(agent, **options).trajectories}


def wanted(agent: str) -> list[float]:
    """The scores where help is wanted."""
    return [one.scores["score"] or 0.0 for one in played(agent).trajectories if one.labels["wanted"]]


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


def test_a_family_has_its_own_agents_and_those_that_play_any() -> None:
    assert set(agents_of("pare")) == {"random", "reference", "silent"} | PARE_ONLY
    assert set(agents_of("pibench")) == set(agent_names()) - PARE_ONLY


@pytest.mark.parametrize(
    ("env_id", "agent"), [("Pare-v0", "asking"), ("Pare-v0", "memory"), ("PiBench-Mini-v0", "propose-again")]
)
def test_an_agent_of_another_family_is_refused_before_anything_is_played(env_id: str, agent: str) -> None:
    with pytest.raises(UnknownName, match=rf"'{agent}' plays sessions of .*: .*reference, silent"):
        pi_gym.collect(env_id, agent)


def test_silence_proposes_nothing() -> None:
    records = played("silent").trajectories
    assert all(one.labels["proposals"] == 0 for one in records)
    assert all(one.scores["success"] == (not one.labels["wanted"]) for one in records)


def test_to_offer_everything_or_what_is_right_elsewhere_earns_less_than_nothing() -> None:
    for agent in ("propose-everything", "fixed-proposal"):
        assert mean(wanted(agent)) < 0.0
        assert (played(agent).mean("proposals") or 0.0) > 0.5


def test_what_was_proposed_elsewhere_is_proposed_once_in_its_turn() -> None:
    variant = variants_of("stranded-friend", wanted=True, count=1)[0]
    agent = make_agent("fixed-proposal", {"turn": 2})
    (record,) = pi_gym.collect("Pare-v0", agent, tasks=["stranded-friend"], variants=[variant]).trajectories
    (event,) = (one for one in record.events if one.kind == "reply")
    solution = installed_scenarios().instantiate("stranded-friend", variant).solution
    assert event.turn == 2
    assert solution is not None
    assert event.data["text"] != solution.propose


@pytest.mark.parametrize("turn", [0, True, "5"])
def test_a_turn_that_is_none_is_refused(turn: object) -> None:
    with pytest.raises(BadArgument, match="turn: expected an integer of 1 or more"):
        type(make_agent("fixed-proposal"))(turn=turn)  # type: ignore[call-arg]


def test_to_propose_and_do_nothing_is_less_than_the_reference_in_every_world() -> None:
    best, idle = earned("reference"), earned("propose-and-idle")
    for record in played("propose-and-idle").trajectories:
        world = (record.task_id, record.variant)
        assert idle[world] == (1.0 if record.labels["wanted"] else best[world])
        assert record.labels["writes"] == 0
        assert (record.labels["accepted"] > 1) == record.labels["wanted"]


def test_a_second_acceptance_pays_in_the_papers_letter_alone() -> None:
    assert earned("propose-again") == earned("reference")
    paid = earned("propose-again", paper_reward=True)
    for record in played("propose-again").trajectories:
        assert record.labels["accepted"] == 2 * record.labels["wanted"]
        assert paid[record.task_id, record.variant] == 3.0 if record.labels["wanted"] else 1.0


def test_to_act_without_consent_changes_nothing() -> None:
    for record in played("blind-executor").trajectories:
        refused = [one for one in record.events if one.kind == "refused" and "needs consent" in one.data["text"]]
        assert len(refused) == record.labels["writes"] > 0
        assert record.scores["success"] == (not record.labels["wanted"])
