"""The rule-based user: deterministic, free, the default."""

from __future__ import annotations

from pi_gym.questions import Asked
from pi_gym.users.base import Answers, Decision, Satisfied, TurnView
from pi_gym.users.own_words import own_words

GO_AHEAD = "Go ahead."
IGNORED_REST = "The rest as you think best."
IGNORED_ALL = "As you think best, only this:"


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

    A wish that is brought up after questions were left unanswered may be what one of them asked: so it is said not to
    be left to the assistant.
    """
    remarks = list(decision.remarks)
    if decision.kind == "answer":
        return "\n".join([said, *remarks, *([IGNORED_REST] if decision.ignored else [])])
    if decision.ignored and decision.kind == "wait":
        remarks.append(IGNORED_REST)
    elif decision.ignored:
        remarks.append(IGNORED_ALL)
    return "\n".join([*remarks, said])
