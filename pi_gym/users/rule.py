"""The rule-based user: deterministic, free, the default."""

from __future__ import annotations

from pi_gym.packs.folder import HISTORY_FILE
from pi_gym.questions import Asked, asking_clauses, assign
from pi_gym.users.base import Answers, Decision, Satisfied, TurnView

COPIED_RUN = 3
LONG_REPLY_CHARS = 4_000
LOG_LABELS = ("user:", "assistant:")

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
        open_ids = {intent.id for intent in view.open}
        clauses = asking_clauses(_own_words(view))
        return assign(clauses, known, open_ids, view.misses, view.patience, view.spared)

    def message(self, view: TurnView, decision: Decision, answers: Answers | None = None) -> str:
        """The reveals of the stated intents; a shrug at what the user has no wish about."""
        said = "\n".join(intent.reveal for intent in decision.intents)
        if decision.kind == "answer":
            return f"{said}\n{NO_PREFERENCE_ELSE}" if decision.shrugs else said
        return f"{NO_PREFERENCE}\n{said}" if decision.shrugs else said


def _own_words(view: TurnView) -> str:
    """The reply without copied passages: a question in a file, or in the log of past sessions, is not asked now.

    A line counts as copied where it carries the log's own label, or stands among at least three copied in a row: one
    line alone may well be worded as before. Other files than the log are looked at only for a long reply, which is
    where a dump of files would be.
    """
    workspace = view.evidence.start
    lines = view.reply.splitlines()
    sources = [workspace.text(HISTORY_FILE) or ""]
    if len(view.reply) > LONG_REPLY_CHARS:
        sources += [blob.text or "" for _, blob in workspace.walk()]
    if len(lines) < COPIED_RUN and not any(line.lstrip().startswith(LOG_LABELS) for line in lines):
        return view.reply
    known = {line.strip() for source in sources for line in source.splitlines()} - {""}
    kept: list[str] = []
    run: list[str] = []
    for line in [*lines, None]:
        if line is not None and (line.strip() in known or (run and not line.strip())):
            run.append(line)
            continue
        copied = sum(bool(part.strip()) for part in run)
        kept += [part for part in run if copied < COPIED_RUN and not part.lstrip().startswith(LOG_LABELS)]
        run = []
        if line is not None:
            kept.append(line)
    return "\n".join(kept)
