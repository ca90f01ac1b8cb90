"""The rule-based grader: predicates over the final state."""

from __future__ import annotations

from collections.abc import Sequence

from pi_gym.graders.base import FinalView
from pi_gym.models.role_requests import Answers
from pi_gym.packs.task import Item
from pi_gym.types import Verdict, VerdictName


class RuleGrader:
    """Judges every item by its `check`."""

    name = "rule"

    def grade(self, view: FinalView, answers: Answers | None = None) -> tuple[Verdict, ...]:
        """The verdicts, passed or failed, with the predicates' reasons; unknown where a predicate raised."""
        verdicts = []
        for item in view.items:
            outcome = item.check.test(view.evidence)
            verdict: VerdictName = "unknown" if outcome.broken else "passed" if outcome.holds else "failed"
            verdicts.append(Verdict(item.id, verdict, "rule", outcome.why))
        return tuple(verdicts)


def settle_guards(items: Sequence[Item], verdicts: Sequence[Verdict]) -> tuple[Verdict, ...]:
    """A guard ("nothing else was changed") passes only together with the item that it requires.

    An agent that does nothing breaks nothing; without this rule it would be paid for that.
    """
    by_id = {verdict.id: verdict for verdict in verdicts}
    guards = [item for item in items if item.requires]
    changed = True
    while changed:  # a guard may require a guard, so a fall can pull down others
        changed = False
        for item in guards:
            verdict, required = by_id[item.id], by_id[item.requires]
            if verdict.verdict == "passed" and required.verdict != "passed":
                reason = f"counts only together with {required.id}, which is {required.verdict}"
                by_id[item.id] = Verdict(verdict.id, required.verdict, verdict.grader, reason)
                changed = True
    return tuple([by_id[verdict.id] for verdict in verdicts])
