"""The rule-based user: deterministic, free, the default."""

from __future__ import annotations

from pi_gym.models.role_requests import Answers
from pi_gym.questions import Asked
from pi_gym.users.base import Decision, Satisfied, TurnView
from pi_gym.users.own_words import own_words

GO_AHEAD = "Go ahead."
THE_REST = "The rest as you think best."
LEFT_TO_YOU = "That I leave to you."


class RuleUser:
    """Judges by the task's predicates and its files of questions, and speaks in the task's own words."""

    name = "rule"

    def satisfied(self, view: TurnView, answers: Answers | None = None) -> Satisfied:
        """The open intents whose `satisfied_when` holds."""
        outcomes = ((intent.id, intent.satisfied.test(view.evidence)) for intent in view.open)
        return Satisfied({number: outcome.why for number, outcome in outcomes if outcome})

    def asked(self, view: TurnView, answers: Answers | None = None) -> Asked:
        """The open intents that an asking clause of the reply targets, within the user's patience."""
        from pi_gym.questions import aim, asking_clauses, credit

        clauses = asking_clauses(own_words(view))
        ids = {intent.name: intent.id for intent in view.task.intents}
        open_ids = {intent.id for intent in view.open}
        aimed = aim(clauses, view.task.questions, ids, topics=not view.intents_only)
        return credit(aimed, open_ids, view.misses, view.patience, view.spared, view.room)

    def message(self, view: TurnView, decision: Decision, answers: Answers | None = None) -> str:
        """The words on the stated intents, and the remarks."""
        return with_remarks(reveals(decision), decision)


def reveals(decision: Decision) -> str:
    """The user's words on the intents of a decision, as the task has them."""
    return "\n".join(decision.points) if decision.kind != "wait" else GO_AHEAD


def with_remarks(said: str, decision: Decision) -> str:
    """The user's words on the stated intents, with the remarks on other questions.

    What is left to the assistant comes last: a wish that is brought up may be what one of the questions asked.
    """
    if decision.kind == "answer":
        lines = [said, *decision.remarks]
    else:
        lines = [*decision.remarks, said]
    if decision.leaves_rest:
        lines.append(LEFT_TO_YOU if decision.kind == "wait" and not decision.remarks else THE_REST)
    return "\n".join(lines)
