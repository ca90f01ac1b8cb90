"""Agents that know a scenario's model solution, and play it in their own way."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, cast

import gymnasium as gym

from pi_gym.baselines.reference import session_of
from pi_gym.environments import base_env
from pi_gym.pare.family import PARE
from pi_gym.pare.model_solution import Solver
from pi_gym.pare.scenario import Solution
from pi_gym.pare.scenario_set import ScenarioSet
from pi_gym.pare.session import PareSession

#: Further worlds of a scenario in which another solution is looked for.
OTHER_WORLDS = 60


class KnowingAgent(ABC):
    """An agent that is privileged as the reference is: it reads the scenario and follows the live session."""

    name = ""
    families = (PARE.name,)

    def reset(self, observation: Mapping[str, str], info: Mapping[str, Any], env: gym.Env[Any, Any]) -> None:
        """Take the session that opens."""
        self._session = cast(PareSession, session_of(env, self.name)[0])
        self.scenarios = scenarios_of(env)
        self.begin(self._session)

    def begin(self, session: PareSession) -> None:
        """Begin with a solver of the scenario."""
        self.solver = Solver(session.scenario)

    def act(self, observation: Mapping[str, str], info: Mapping[str, Any]) -> str:
        """The next action."""
        return self.move(self._session)

    @abstractmethod
    def move(self, session: PareSession) -> str:
        """The next action in the session as it stands."""


def scenarios_of(env: gym.Env[Any, Any]) -> ScenarioSet:
    """The set that an environment's sessions are of."""
    return cast(ScenarioSet, base_env(env).packs[0])


def solution_elsewhere(scenarios: ScenarioSet, task_id: str, variant: int) -> Solution | None:
    """The solution of the scenario's next world that wants another one; None where there is none.

    Args:
        scenarios: the set.
        task_id: the scenario.
        variant: the world that it is not to be of.
    """
    own = scenarios.instantiate(task_id, variant).solution
    others = (scenarios.instantiate(task_id, variant + step).solution for step in range(1, OTHER_WORLDS + 1))
    return next((one for one in others if one is not None and (own is None or one.propose != own.propose)), None)
