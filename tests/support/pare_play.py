"""Playing Pare sessions in tests."""

from __future__ import annotations

from typing import Any

from pi_gym.pare.model_solution import Solver
from pi_gym.pare.scenario_set import installed_scenarios
from pi_gym.pare.session import PareSession
from pi_gym.pare.settings import PareConfig
from pi_gym.types import ToolCall

WAIT = '<tool_call>{"name": "AgentUI__wait", "arguments": {}}</tool_call>'


def call(name: str, **arguments: Any) -> str:
    return ToolCall(name, arguments).to_text()


def opened(task_id: str, variant: int = 0, **settings: Any) -> PareSession:
    """A session in which an error of ours is raised."""
    return PareSession(installed_scenarios().instantiate(task_id, variant), config=PareConfig(strict=True, **settings))


def solved(session: PareSession) -> PareSession:
    """The session after the model solution."""
    solver = Solver(session.scenario)
    while not session.ended:
        session.apply(solver.next_action(session))
    return session


def accepted(session: PareSession) -> PareSession:
    """The session at the moment in which the solution's proposal has been accepted."""
    solver = Solver(session.scenario)
    while session.standing.mode != "execute":
        session.apply(solver.next_action(session))
    return session


def variant_of(task_id: str, *, wanted: bool) -> int:
    """The first world of a scenario in which help is wanted, or none is."""
    scenarios = installed_scenarios()
    return next(number for number in range(50) if (scenarios.instantiate(task_id, number).help is not None) == wanted)
