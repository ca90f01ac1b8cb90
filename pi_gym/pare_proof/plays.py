"""Plays of a scenario, by agents and by plain actions, for checks to look at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pi_gym.pare.agent_tools import WAIT
from pi_gym.pare.env import PareEnv
from pi_gym.pare.model_solution import Solver
from pi_gym.pare.pare_settings import PareConfig
from pi_gym.pare.scenario import Scenario, Solution
from pi_gym.pare.scenario_set import ScenarioSet
from pi_gym.pare.session import PareSession
from pi_gym.rollout.agents import make_agent
from pi_gym.types import ToolCall

#: Turns after which everything that ever happens by itself has happened.
LONG = 60
_WAIT = ToolCall(WAIT).to_text()


@dataclass(frozen=True)
class ScenarioCase:
    """One world of a scenario, to be proved.

    Args:
        scenarios: the set.
        scenario: the scenario in the world.
    """

    scenarios: ScenarioSet
    scenario: Scenario

    @property
    def solution(self) -> Solution | None:
        """The model solution; None where no help is wanted."""
        return self.scenario.solution

    def opened(self, **settings: Any) -> PareSession:
        """A fresh session, in which an error of ours is raised."""
        return PareSession(self.scenario, config=PareConfig(strict=True, **settings))

    @cached_property
    def solved(self) -> PareSession:
        """The session after the model solution."""
        return self.after_solution()

    def after_solution(self, **settings: Any) -> PareSession:
        """The session after the model solution, under other settings."""
        session, solver = self.opened(**settings), Solver(self.scenario)
        while not session.ended:
            session.apply(solver.next_action(session))
        return session

    def accepted(self) -> PareSession:
        """The session at the moment in which the solution's proposal has been accepted.

        Raises:
            ValueError: it is over before that.
        """
        session, solver = self.opened(), Solver(self.scenario)
        while session.standing.mode != "execute":
            if session.ended:
                raise ValueError("the solution's proposal is not accepted")
            session.apply(solver.next_action(session))
        return session

    def after_calls(self, calls: Iterable[ToolCall]) -> PareSession:
        """The session after these calls instead of the solution's, once its proposal has been accepted."""
        session = self.accepted()
        for call in calls:
            if session.standing.mode == "execute" and not session.ended:
                session.apply(call.to_text())
        if not session.ended:
            session.apply("Done.")
        return silent(session)

    def played_by(self, agent: str, **settings: Any) -> PareSession:
        """The session after an agent of that name."""
        env = PareEnv(strict=True, scenarios=self.scenarios, **settings)
        policy = make_agent(agent)
        observation, info = env.reset(options={"task": self.scenario.id, "variant": self.scenario.variant})
        policy.reset(observation, info, env)
        over = False
        while not over:
            observation, _, terminated, truncated, info = env.step(policy.act(observation, info))
            over = terminated or truncated
        assert env.session is not None
        return env.session

    def other_proposals(self, count: int) -> Iterator[str]:
        """The proposals that are right in other worlds of the scenario, those that differ."""
        own = "" if self.solution is None else self.solution.propose
        told = {own}
        for number in range(self.scenario.variant + 1, self.scenario.variant + 1 + 6 * count):
            solution = self.scenarios.instantiate(self.scenario.id, number).solution
            if solution is not None and solution.propose not in told and count:
                told.add(solution.propose)
                count -= 1
                yield solution.propose


def silent(session: PareSession) -> PareSession:
    """The session after an agent that says and does no more."""
    while not session.ended:
        session.apply(_WAIT)
    return session


def score(session: PareSession, name: str) -> float:
    """A score of a session that is over."""
    value = session.scores[name]
    assert value is not None
    return value


def settlements(session: PareSession) -> list[Mapping[str, Any]]:
    """The answers to proposals, in their order."""
    return [event.data for event in session.log if event.kind == "settled"]


def all_happened(session: PareSession) -> bool:
    """Whether nothing of the scenario's events is left."""
    return len(session.happened.at) >= len(session.scenario.events)
