"""The rule-based user: deterministic, free, the default."""

from __future__ import annotations

from pi_gym.packs.folder import HISTORY_FILE
from pi_gym.questions import Asked, asking_clauses, assign
from pi_gym.users.base import Answers, Decision, Satisfied, TurnView

# A shorter line can be the same by chance.
COPIED_LINE_CHARS = 25
LONG_REPLY_CHARS = 4_000

NO_PREFERENCE = "No preference there."
NO_PREFERENCE_ELSE = "No preference on the rest."


class RuleUser:
    """Judges by the task's predicates and asking patterns, and speaks in the task's own words."""

    name = "rule"

    def satisfied(self, view: TurnView, answers: Answers | None = None) -> Satisfied:
        """The open intents whose `satisfied_when` holds."""
        outcomes = ((intent.id, intent.satisfied.test(view.evidence)) for intent in view.open)
        return Satisfied({number: outcome.why for number, outcome in outcomes if outcome})

    def asked(self, view: TurnView, answers: Answers | None = None) -> Asked:
        """The open intents that an asking clause of the reply targets, within the user's patience."""
        known = [(intent.id, intent.asked) for intent in view.task.intents]
        return assign(
            asking_clauses(_own_words(view)), known, {intent.id for intent in view.open}, view.misses, view.patience
        )

    def message(self, view: TurnView, decision: Decision, answers: Answers | None = None) -> str:
        """The reveals of the stated intents; a shrug at what the user has no wish about."""
        said = "\n".join(intent.reveal for intent in decision.intents)
        if decision.kind == "answer":
            return f"{said}\n{NO_PREFERENCE_ELSE}" if decision.shrugs else said
        return f"{NO_PREFERENCE}\n{said}" if decision.shrugs else said


def _own_words(view: TurnView) -> str:
    """The reply without copied lines: a question in a file, or in the log of past sessions, is not asked now.

    The log is always looked at; all other files only for a long reply, which is where a dump of files would be.
    """
    workspace = view.evidence.start
    lines = view.reply.splitlines()
    log = workspace.text(HISTORY_FILE) or ""
    kept = [line for line in lines if len(line.strip()) < COPIED_LINE_CHARS or line.strip() not in log]
    if len(view.reply) > LONG_REPLY_CHARS:
        copied = {line.strip() for _, blob in workspace.walk() for line in (blob.text or "").splitlines()}
        kept = [line for line in kept if len(line.strip()) < COPIED_LINE_CHARS or line.strip() not in copied]
    return view.reply if len(kept) == len(lines) else "\n".join(kept)
