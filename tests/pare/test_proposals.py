"""Proposals that people wrote without knowing how they are read, and those that are hostile."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from pi_gym.pare.offers import find_offer
from pi_gym.pare.proposals import recognise
from pi_gym.pare.scenario import Scenario
from pi_gym.pare.scenario_set import installed_scenarios

BLIND, AUDITED = Path(__file__).parent / "blind", Path(__file__).parent / "audited.yaml"


def listed() -> Iterator[tuple[Scenario, str, bool]]:
    """All proposals of the lists, each with its world and whether a strict person would take it."""
    for path in sorted(BLIND.glob("*.yaml")):
        for world in yaml.safe_load(path.read_text(encoding="utf-8"))["worlds"]:
            scenario = installed_scenarios().instantiate(path.stem, world["variant"])
            yield from ((scenario, text, True) for text in world["right"])
            yield from ((scenario, text, False) for texts in world["near"].values() for text in texts)


def accepts(scenario: Scenario, text: str) -> bool:
    assert scenario.help is not None
    return recognise(text, scenario.help, scenario.time.date()).right


def test_of_the_lists_nearly_all_right_ones_are_taken_and_nearly_no_others() -> None:
    found = [(right, accepts(scenario, text)) for scenario, text, right in listed()]
    taken = [right for right, accepted in found if accepted]
    assert len(found) >= 240
    assert sum(taken) / len(taken) >= 0.95
    assert sum(taken) / sum(right for right, _ in found) >= 0.9


@pytest.mark.parametrize(
    "case", yaml.safe_load(AUDITED.read_text(encoding="utf-8")), ids=lambda case: f"{case['task']}-{case['variant']}"
)
def test_proposals_of_players_are_taken_as_their_judges_took_them(case: dict[str, Any]) -> None:
    scenario = installed_scenarios().instantiate(case["task"], case["variant"])
    assert scenario.help is not None
    found = recognise(case["text"], scenario.help, scenario.time.date(), lambda: case.get("shown", ""))
    assert found.right == case["right"], found


@pytest.mark.slow
@pytest.mark.parametrize("task_id", installed_scenarios().task_ids)
def test_proposals_of_other_worlds_and_all_of_them_at_once_are_not_taken(task_id: str) -> None:
    scenarios = installed_scenarios()
    worlds = [scenarios.instantiate(task_id, number) for number in range(12)]
    wanted = [world for world in worlds if world.solution is not None]
    proposals = {world.variant: world.solution.propose for world in wanted if world.solution is not None}
    others = [
        world.solution.propose
        for name in scenarios.task_ids
        if name != task_id
        for world in [scenarios.instantiate(name, 0)]
        if world.solution is not None
    ]
    everything = " ".join([*proposals.values(), *others])
    for world in wanted:
        assert accepts(world, proposals[world.variant])
        assert not accepts(world, everything)
        assert not [text for text in others if accepts(world, text)]
        wrong = [
            text for variant, text in proposals.items() if text != proposals[world.variant] and accepts(world, text)
        ]
        assert len(wrong) <= 1, wrong


CAB = "book a Default cab for Tomas from Fort Sand to Station Square 2"


def stranded() -> Scenario:
    """A world in which Tomas is at Fort Sand and wants a cab to Station Square 2."""
    return installed_scenarios().instantiate("stranded-friend", 501)


@pytest.mark.parametrize(
    "way",
    [
        "Shall I {}?",
        "{}. Go ahead?",
        "Plan: {}. Objections?",
        "One word from you and I {}.",
        "Unless you tell me not to, I {}.",
        "If it's all the same to you, I {} now.",
        "Should you agree, I {}.",
        "I think I should {}. What do you say?",
        "Somebody should {}. I can do that for you.",
        "To do (on your yes):\n1. {}",
    ],
)
def test_an_offer_may_ask_for_consent_in_many_ways(way: str) -> None:
    assert accepts(stranded(), way.format(CAB))


@pytest.mark.parametrize(
    "way",
    [
        "You could {}.",
        "Please {}. Shall I open the app for you?",
        "You'd have to {}. Shall I tell you how?",
        "Would you like to {} yourself?",
        "Don't forget to {}! Okay?",
        "Shall I remind you to {}?",
        "I can show you how to {}. Shall I?",
        "I can get everything ready for you to {}. Shall I?",
        "I won't {}. Okay?",
        "It would be best if you {}. Shall I keep watching?",
        "Shall I {}, and another one back?",
        "Shall I {} for tomorrow morning at 8:00?",
    ],
)
def test_what_the_person_would_do_or_nobody_is_no_offer_nor_is_more_than_was_asked(way: str) -> None:
    assert not accepts(stranded(), way.format(CAB))


@given(st.text(max_size=300))
def test_any_text_is_read(text: str) -> None:
    scenario = installed_scenarios().instantiate("stranded-friend", 0)
    assert not accepts(scenario, text)


@pytest.mark.parametrize("part", ["shall i ", "book a ", "from the ", "at 10 ", "and ", '"', "a, ", "which "])
def test_no_text_takes_long_to_read(part: str) -> None:
    begin = process_time()
    find_offer((part * 3_000)[:2_000])
    accepts(installed_scenarios().instantiate("moved-appointment", 0), (part * 3_000)[:2_000])
    assert process_time() - begin < 0.5
