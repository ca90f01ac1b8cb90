"""An agent that acts without consent."""

from __future__ import annotations

from collections.abc import Iterator

from pi_gym.baselines.with_phone.knowing import KnowingAgent, solution_elsewhere
from pi_gym.pare.family import PARE
from pi_gym.pare.session import PareSession
from pi_gym.types import ToolCall


class BlindAgent(KnowingAgent):
    """Makes the solution's calls at once, without having proposed anything, and waits then.

    Where no help is wanted, the calls are those of another world of the scenario.
    """

    name = "blind-executor"

    def begin(self, session: PareSession) -> None:
        """Take the calls."""
        scenario = session.scenario
        solution = scenario.solution or solution_elsewhere(self.scenarios, scenario.id, scenario.variant)
        self._calls: Iterator[ToolCall] = iter(() if solution is None else solution.calls)

    def move(self, session: PareSession) -> str:
        """The next call."""
        call = next(self._calls, None)
        return PARE.idle if call is None else call.to_text()


AGENT = BlindAgent
