"""Playing Pare sessions in tests."""

from __future__ import annotations

from itertools import islice
from typing import Any

from pi_gym.pare.model_solution import Solver
from pi_gym.pare.pare_settings import PareConfig
from pi_gym.pare.scenario_set import installed_scenarios
from pi_gym.pare.session import PareSession
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


def variants_of(task_id: str, *, wanted: bool, count: int, habit: str = "") -> list[int]:
    """The first worlds of a scenario in which help is wanted, or none is, and the person has a habit, or none."""
    scenarios = installed_scenarios()
    source = scenarios.source(task_id)
    numbers = (
        number
        for number in range(300)
        if source.wants_help(number) == wanted and scenarios.instantiate(task_id, number).habit == habit
    )
    found = list(islice(numbers, count))
    assert len(found) == count, f"{task_id}: 300 variants have {len(found)} such worlds"
    return found


def variant_of(task_id: str, *, wanted: bool) -> int:
    """The first of these worlds."""
    return variants_of(task_id, wanted=wanted, count=1)[0]
