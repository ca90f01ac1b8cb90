"""The model solution of a scenario as actions: what a good assistant does, turn by turn."""

from __future__ import annotations

from pi_gym.pare.agent_tools import WAIT
from pi_gym.pare.pare_settings import PareConfig
from pi_gym.pare.scenario import Scenario
from pi_gym.pare.session import PareSession
from pi_gym.types import ToolCall


class Solver:
    """Plays a scenario's model solution: it waits for the evidence, proposes, does what was agreed, and reports.

    Args:
        scenario: the scenario in its world.

    Attributes:
        reported: it has carried the solution out, and said so.
    """

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._looked = self._done = 0
        self.reported = False

    def next_action(self, session: PareSession) -> str:
        """The next action, as text; a call that failed for noise is made again."""
        solution, help_ = self._scenario.solution, self._scenario.help
        if solution is None or help_ is None:
            return ToolCall(WAIT).to_text()
        if session.standing.mode == "execute":
            if self._done and self._failed(session):
                self._done -= 1
            if self._done < len(solution.calls):
                self._done += 1
                return solution.calls[self._done - 1].to_text()
            self.reported = True
            return solution.report
        if self.reported or session.standing.proposal or not session.happened.knows(help_.after):
            return ToolCall(WAIT).to_text()
        if self._looked < len(solution.look):
            self._looked += 1
            return solution.look[self._looked - 1].to_text()
        return solution.propose

    def _failed(self, session: PareSession) -> bool:
        step = session.step
        return step is not None and bool(step.failed)


def solution_actions(scenario: Scenario, config: PareConfig) -> tuple[str, ...]:
    """The actions of the model solution from the opening on, under these settings."""
    session, solver = PareSession(scenario, config=config), Solver(scenario)
    actions: list[str] = []
    while not session.ended:
        actions.append(solver.next_action(session))
        session.apply(actions[-1])
    return tuple(actions)
