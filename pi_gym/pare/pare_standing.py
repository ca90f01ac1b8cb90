"""The standing of a Pare session: its mode, its proposals, and what they have earned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

from pi_gym.pare.pare_settings import PARE_COMPONENTS, PareReward

Mode: TypeAlias = Literal["observe", "waiting", "execute"]
NO_PARE_SCORES: Mapping[str, float | None] = {"success": None, "score": None, "return": None}


@dataclass(frozen=True, slots=True)
class PareStanding:
    """The standing of a session; immutable.

    Args:
        mode: what the agent may do.
        proposal: the one that waits for an answer; "" where none does.
        agreed: the one that is being carried out.
        proposals, accepted, rejected, replaced: counts of proposals by what became of them.
        looked: for how many the person looked something up before an answer, whether one came or not.
        gathered, gathered_accepted: how many of these were answered, and how many were accepted.
        looking: the person looks something up for the proposal that waits.
        helped: the help was accepted.
        earned: by component, what was paid so far.
    """

    mode: Mode = "observe"
    proposal: str = ""
    agreed: str = ""
    proposals: int = 0
    accepted: int = 0
    rejected: int = 0
    replaced: int = 0
    looked: int = 0
    gathered: int = 0
    gathered_accepted: int = 0
    looking: bool = False
    helped: bool = False
    earned: Mapping[str, float] = field(default_factory=lambda: dict.fromkeys(PARE_COMPONENTS, 0.0))

    def paid(self, **amounts: float) -> PareStanding:
        """The standing with something earned."""
        return replace(self, earned={name: value + amounts.get(name, 0.0) for name, value in self.earned.items()})

    def with_proposal(self, text: str, reward: PareReward) -> PareStanding:
        """The standing after a proposal; one that waited is replaced."""
        paid = self.paid(interruptions=-reward.cost_per_interruption)
        if self.proposal:
            paid = replace(paid.paid(rejected=-reward.rejected), replaced=self.replaced + 1)
        return replace(paid, mode="waiting", proposal=text, proposals=self.proposals + 1, looking=False)

    def with_look(self) -> PareStanding:
        """The standing after the person did something; while a proposal waits they look something up for it."""
        return replace(self, looking=True, looked=self.looked + (not self.looking)) if self.proposal else self

    def with_acceptance(self, reward: PareReward, *, wanted: bool) -> PareStanding:
        """The standing after a proposal was accepted; a help is paid once, and where none is wanted there is none."""
        pays = reward.accepted if reward.every_acceptance or (wanted and not self.helped) else 0.0
        return replace(
            self.paid(accepted=pays),
            mode="execute",
            agreed=self.proposal,
            proposal="",
            accepted=self.accepted + 1,
            gathered=self.gathered + self.looking,
            gathered_accepted=self.gathered_accepted + self.looking,
            looking=False,
            helped=True,
        )

    def with_rejection(self, reward: PareReward) -> PareStanding:
        """The standing after a proposal was rejected."""
        return replace(
            self.paid(rejected=-reward.rejected),
            mode="observe",
            proposal="",
            rejected=self.rejected + 1,
            gathered=self.gathered + self.looking,
            looking=False,
        )

    def counts(self) -> dict[str, Any]:
        """The counts, as labels and infos have them."""
        return {
            "proposals": self.proposals,
            "accepted": self.accepted,
            "rejected": self.rejected,
            "replaced": self.replaced,
            "looked": self.looked,
            "gathered": self.gathered,
            "gathered_accepted": self.gathered_accepted,
        }


@dataclass(frozen=True, slots=True)
class PareGrading:
    """The result of a session.

    Args:
        success: whether the goal was met and nothing else changed, or, where no help was wanted, nothing was done.
        reasons: what speaks against it, a sentence each.
        components: the return by component.
        best: the greatest return of such a world.
    """

    success: bool
    reasons: tuple[str, ...]
    components: Mapping[str, float]
    best: float

    @property
    def scores(self) -> Mapping[str, float | None]:
        """The scores by name; "score" is the return over the best one, -1 at least, for bounds and curves."""
        total = sum(self.components.values())
        score = max(-1.0, total / self.best) if self.best else 0.0
        return {"success": float(self.success), "score": score, "return": total}
