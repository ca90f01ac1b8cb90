"""The opening of a session: what it begins with, shared by all that begin alike."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from pi_gym.caches import BoundedCache
from pi_gym.pare.agent_tools import all_agent_tools
from pi_gym.pare.pare_settings import PareConfig
from pi_gym.pare.scenario import Scenario
from pi_gym.session.transcript import render_message, with_actions
from pi_gym.templates import render_prompt
from pi_gym.tools import Registry
from pi_gym.types import Message

OPENING_CACHE = 512


@dataclass(frozen=True, eq=False)
class PareOpening:
    """The beginning of a session.

    Args:
        scenario: the scenario in its world.
        registry: what the agent may call.
        system: the system message.
        history: the transcript of it.
    """

    scenario: Scenario
    registry: Registry
    system: Message
    history: str


_openings: BoundedCache[tuple[int, int, int, int], PareOpening] = BoundedCache(OPENING_CACHE)


def opening_of(scenario: Scenario, config: PareConfig) -> PareOpening:
    """The opening of a scenario under these settings; made once, as long as the cache holds it."""
    key = (id(scenario), config.observe_calls, config.execute_calls, config.max_turns)
    return _openings.get(key, lambda: _make(scenario, config))


def _make(scenario: Scenario, config: PareConfig) -> PareOpening:
    registry = all_agent_tools()
    text = render_prompt("pare_system.md", owner=scenario.owner, now=spoken(scenario.time), config=config)
    system = Message("system", text.rstrip() + "\n")
    history = render_message(Message("system", with_actions(system.content, registry)))
    return PareOpening(scenario, registry, system, history)


def spoken(moment: datetime) -> str:
    """A moment as messages write it.

    >>> spoken(datetime(2026, 5, 4, 9, 0))
    'Monday, 2026-05-04, 09:00:00'
    """
    return moment.strftime("%A, %Y-%m-%d, %H:%M:%S")
