from __future__ import annotations

import pytest
from rollout_agents import NoAgent, Slow

from pi_gym.errors import UnknownName
from pi_gym.rollout.agents import AGENTS, Agent, NotAnAgent, agent_source, make_agent


@pytest.mark.parametrize("name", sorted(AGENTS))
def test_every_listed_agent_can_be_made_and_has_its_name(name):
    agent = make_agent(name)
    assert isinstance(agent, Agent)
    assert agent.name == name


def test_an_agent_is_found_by_module_and_class():
    assert type(make_agent("rollout_agents:Slow")) is Slow
    assert agent_source("rollout_agents:Slow") == agent_source(Slow()) == "rollout_agents:Slow"


def test_an_agent_that_is_given_is_taken():
    agent = Slow()
    assert make_agent(agent) is agent


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("referense", "Did you mean 'reference'"),
        ("nowhere:Agent", "no module 'nowhere'"),
        ("rollout_agents:Slwo", "Did you mean 'Slow'"),
        ("rollout_agents:", "Unknown agent"),
        (":Slow", "Unknown agent"),
        ("", "Known: asking, random, reference, silent"),
    ],
)
def test_unknown_agents_are_told_apart_and_the_known_ones_listed(name, told):
    with pytest.raises(UnknownName, match=told):
        make_agent(name)


@pytest.mark.parametrize("thing", ["rollout_agents:NoAgent", "rollout_agents:MARKS", NoAgent(), object()])
def test_what_is_no_agent_is_told_what_it_lacks(thing):
    with pytest.raises(NotAnAgent, match="lacks a method 'reset' and a method 'act'"):
        make_agent(thing)


def test_an_error_inside_an_agents_module_is_not_hidden(tmp_path, monkeypatch):
    (tmp_path / "needy_agent.py").write_text("import a_module_that_is_missing\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="a_module_that_is_missing"):
        make_agent("needy_agent:Agent")
