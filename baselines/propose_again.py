"""An agent that does what is right in two goes, for the sake of a second acceptance."""

from __future__ import annotations

from pi_gym.baselines.with_phone.knowing import KnowingAgent
from pi_gym.pare.session import PareSession


class RepeatingAgent(KnowingAgent):
    """Leaves out the solution's last call, proposes the same again, and finishes it then.

    A session is over where its goal is met, so that this is how a proposal that succeeds can be made twice. Where it
    is not over after all calls, it goes on to propose.
    """

    name = "propose-again"

    def begin(self, session: PareSession) -> None:
        """Nothing has been carried out yet."""
        super().begin(session)
        self._fell_short = False

    def move(self, session: PareSession) -> str:
        """The solution's next action, with a break before its last call."""
        solution, standing = session.scenario.solution, session.standing
        if solution is not None and standing.mode == "execute" and not self._fell_short and self.solver.calls_left == 1:
            self._fell_short = True
            return solution.report
        if solution is not None and standing.mode == "observe" and self.solver.reported:
            return solution.propose
        return self.solver.next_action(session)


AGENT = RepeatingAgent
