"""An agent that does what is right at the second acceptance, for the sake of having two."""

from __future__ import annotations

from pi_gym.baselines.with_phone.knowing import KnowingAgent
from pi_gym.pare.session import PareSession


class RepeatingAgent(KnowingAgent):
    """Does nothing when its proposal is accepted, makes it again, and carries it out then.

    A session is over where its goal is met, so that this is how a proposal that succeeds can be made twice. Where it
    is not over after all calls, it goes on to propose.
    """

    name = "propose-again"

    def begin(self, session: PareSession) -> None:
        """No acceptance has been let pass yet."""
        super().begin(session)
        self._let_pass = False

    def move(self, session: PareSession) -> str:
        """The solution's next action; a report instead of all calls where it was accepted first."""
        solution, standing = session.scenario.solution, session.standing
        if solution is not None and standing.mode == "execute" and not self._let_pass:
            self._let_pass = True
            return solution.report
        if solution is not None and standing.mode == "observe" and self.solver.reported:
            return solution.propose
        return self.solver.next_action(session)


AGENT = RepeatingAgent
