"""Noise: events that have nothing to do with the scenario, drawn for the world and the same each time."""

from __future__ import annotations

from pi_gym.pare.scenario import FIRST_NOISE, PlannedEvent, Scenario
from pi_gym.seeding import Stream


def noise_event(scenario: Scenario, number: int, rate: float) -> tuple[float, PlannedEvent]:
    """One event of noise, with its time in virtual seconds after the opening.

    Each has an interval of its own, so that of any span of time the rate is what was asked for.

    Args:
        scenario: whose world it is.
        number: which one, from 0.
        rate: events a virtual minute, above 0.
    """
    stream = Stream(scenario.pack, scenario.id, scenario.variant, "noise", number)
    at = (number + stream.random()) * 60 / rate
    return at, PlannedEvent("", stream.choice(scenario.noise), at, row=FIRST_NOISE + number)


def call_fails(scenario: Scenario, number: int, probability: float) -> bool:
    """Whether an agent's call fails; `number` counts its calls in the session, from 0."""
    if not probability:
        return False
    return Stream(scenario.pack, scenario.id, scenario.variant, "failure", number).random() < probability
