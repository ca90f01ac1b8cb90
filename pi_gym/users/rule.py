"""The rule-based user: deterministic, free, the default."""

from __future__ import annotations

from pi_gym.questions import Asked
from pi_gym.users.base import Answers, Decision, Satisfied, TurnView
from pi_gym.users.own_words import own_words

NO_PREFERENCE = "No preference there."
NO_PREFERENCE_ELSE = "No preference on the rest."


class RuleUser:
    """Judges by the task's predicates and its files of questions, and speaks in the task's own words."""

    name = "rule"

    def satisfied(self, view: TurnView, answers: Answers | None = None) -> Satisfied:
        """The open intents whose `satisfied_when` holds."""
        outcomes = ((intent.id, intent.satisfied.test(view.evidence)) for intent in view.open)
        return Satisfied({number: outcome.why for number, outcome in outcomes if outcome})

    def asked(self, view: TurnView, answers: Answers | None = None) -> Asked:
        """The open intents that an asking clause of the reply targets, within the user's patience."""
        from pi_gym.questions import asking_clauses, assign

        ids = {intent.name: intent.id for intent in view.task.intents}
        open_ids = {intent.id for intent in view.open}
        clauses = asking_clauses(own_words(view))
        if not clauses:
            return Asked((), (), view.misses, 0, view.spared)  # without the task's words being looked at
        return assign(clauses, view.task.questions, ids, open_ids, view.misses, view.patience, view.spared)

    def message(self, view: TurnView, decision: Decision, answers: Answers | None = None) -> str:
        """The reveals of the stated intents; a shrug at what the user has no wish about."""
        return with_shrugs(reveals(decision), decision)


def reveals(decision: Decision) -> str:
    """The user's words on the intents of a decision, as the task has them."""
    return "\n".join(intent.reveal for intent in decision.intents)


def with_shrugs(said: str, decision: Decision) -> str:
    """The user's words on the stated intents, and a shrug where clauses hit nothing."""
    if not decision.shrugs:
        return said
    return f"{said}\n{NO_PREFERENCE_ELSE}" if decision.kind == "answer" else f"{NO_PREFERENCE}\n{said}"
