from __future__ import annotations

import sys

import pytest
import re2
from rollout_agents import NoAgent, Slow
from rollout_cases import run

from pi_gym.errors import UnknownName
from pi_gym.installed import agent_names
from pi_gym.rollout.agents import Agent, BrokenAgent, NotAnAgent, agent_source, make_agent


@pytest.mark.parametrize("name", agent_names())
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
        ("", "Known: asking, blind-executor, fixed-proposal, memory, propose-again"),
    ],
)
def test_unknown_agents_are_told_apart_and_the_known_ones_listed(name, told):
    with pytest.raises(UnknownName, match=told):
        make_agent(name)


@pytest.mark.parametrize("thing", ["rollout_agents:NoAgent", "rollout_agents:MARKS", NoAgent(), object()])
def test_what_is_no_agent_is_told_what_it_lacks(thing):
    with pytest.raises(NotAnAgent, match="lacks a method 'reset' and a method 'act'"):
        make_agent(thing)


@pytest.mark.parametrize("workers", [1, 2])
def test_a_class_is_told_from_an_agent(workers):
    with pytest.raises(NotAnAgent, match=r"rollout_agents:Slow is a class; pass an instance .* 'module:Class'"):
        run(Slow, workers=workers)


@pytest.mark.parametrize(
    ("code", "told", "frames"),
    [
        (
            "import a_module_that_is_missing\n",
            "imported: ModuleNotFoundError: .*'a_module_that_is_missing'",
            1,
        ),
        ("class Agent(\n", r"imported: SyntaxError: .*\(broken_agent\.py, line 1\)", 0),
        ("import sys\nsys.exit(3)\n", "imported: SystemExit: 3", 1),
        ("class Agent:\n    def __init__(self, model): ...\n", "made .* TypeError: .*'model'", 0),
        ("def Agent():\n    return open('/nowhere/weights')\n", "made .* FileNotFoundError: .*/nowhere/weights", 1),
    ],
)
def test_what_fails_in_an_agents_own_code_is_told_with_its_own_frames(tmp_path, monkeypatch, code, told, frames):
    (tmp_path / "broken_agent.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "broken_agent", raising=False)
    with pytest.raises(BrokenAgent) as caught:
        make_agent("broken_agent:Agent")
    first, *rest = str(caught.value).split("\n")
    assert re2.search(told, first)
    places = [line for line in rest if line.startswith("  File ")]
    assert len(places) == frames
    assert all("broken_agent.py" in line for line in places)
