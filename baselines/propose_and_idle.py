"""An agent that proposes what is right, and does nothing about it."""

from __future__ import annotations

from pi_gym.baselines.with_phone.knowing import KnowingAgent
from pi_gym.pare.family import PARE
from pi_gym.pare.session import PareSession


class IdlingAgent(KnowingAgent):
    """Makes the right proposal, lets the consent lapse, and makes it again: what promises alone earn.

    A help is paid at its first acceptance; with `paper_reward=True` each of them pays.
    """

    name = "propose-and-idle"

    def move(self, session: PareSession) -> str:
        """The solution's next action, as long as it needs no doing."""
        return PARE.idle if session.standing.mode == "execute" else self.solver.next_action(session)


AGENT = IdlingAgent
