"""The model user: a language model judges intents and words the messages; the protocol's rules stay ours.

Stage 1 is one request over all open intents, stage 2 one that lists the reply's asking clauses, each by the sentence in
which it stands, with the intents that it hits, stage 3 one for the next message. What a clause earns, patience, and
which intent is revealed are decided as for the rule-based user. Nothing here calls a model: the requests go out as the
session's asks.

Source: the paper's appendix B.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from pi_gym.models.role_requests import Answers, Requests, role_request, single_value
from pi_gym.packs.task import Intent
from pi_gym.questions import AimedClause, Asked, Clause, Targets, credit, targets_of
from pi_gym.templates import Markup, block, quoted
from pi_gym.types import ModelRequest
from pi_gym.users.answer_forms import ClausesForm, DecisionsForm, MessageForm
from pi_gym.users.base import Decision, Satisfied, TurnView
from pi_gym.users.evidence_text import BUDGET_LETTERS, render_exhibits, turn_exhibits
from pi_gym.users.numbered_reply import number_sentences
from pi_gym.users.own_words import own_words
from pi_gym.users.rule import RuleUser, reveals, with_remarks

MAX_QUESTION_LETTERS = 12_000
MAX_SPOKEN_LETTERS = 2_000
MAX_LAST_REPLY_LETTERS = 6_000
MAX_EXCHANGES = 16
MAX_MESSAGE_CHARS = 4_000
_WORDS_BESIDE = 40
_SPEAKERS = {"reply": "assistant", "user": "user", "reminder": "assistants_reminder"}


class ModelUser:
    """Judges and speaks by a model.

    Args:
        verbatim: the messages are the tasks' own texts, without a model: the same whatever model judges.
        budget_letters: the most evidence in a prompt, in letters as `pi_gym.templates.blocks` counts them.

    Attributes:
        name: "model", or "model-verbatim"; which model answers is not the user's to know.
    """

    def __init__(self, verbatim: bool = False, *, budget_letters: int = BUDGET_LETTERS) -> None:
        self.verbatim, self.budget_letters = verbatim, budget_letters
        self.name = "model-verbatim" if verbatim else "model"

    def satisfied(self, view: TurnView, answers: Answers | None = None) -> Satisfied | Requests:
        """The open intents that the turn's evidence satisfies, by one decision for each.

        Raises:
            AnswerError: the answer has not the form that was asked for.
        """
        form = DecisionsForm(tuple(intent.id for intent in view.open))
        if answers is None:
            evidence = render_exhibits(turn_exhibits(view.evidence), self.budget_letters)
            given = {"intents": _intents(view.open), "evidence": block("evidence", evidence)}
            return (role_request("user_satisfied", form, ids=", ".join(form.ids), **given),)
        decisions = form.read(single_value(answers))
        return Satisfied({number: found.reason for number, found in decisions.items() if found.yes})

    def asked(self, view: TurnView, answers: Answers | None = None) -> Asked | Requests:
        """The open intents that the reply's asking clauses hit, within the user's patience.

        Raises:
            AnswerError: the answer has not the form that was asked for.
        """
        reply = own_words(view)
        deaf = view.patience is not None and view.misses >= view.patience
        if deaf or not reply.strip():
            return Asked((), (), view.misses, 0, view.spared)
        shown = number_sentences(reply, min(MAX_QUESTION_LETTERS, self.budget_letters))
        sentences = shown.sentences
        form = ClausesForm(tuple(sentences), tuple(intent.id for intent in view.task.intents))
        if answers is None:
            # An imperative asks without a question mark, so the model hears every reply.
            given = {"intents": _intents(view.task.intents), "reply": block("reply", shown.quoted())}
            return (role_request("user_asked", form, **given),)
        clauses = form.read(single_value(answers))
        aimed = (
            AimedClause(
                sentences[one.sentence], partial(_targets, view, sentences[one.sentence], one.intents), one.asks
            )
            for one in clauses
        )
        open_ids = {intent.id for intent in view.open}
        return credit(aimed, open_ids, view.misses, view.patience, view.spared, view.room)

    def message(self, view: TurnView, decision: Decision, answers: Answers | None = None) -> str | Requests:
        """The user's next message, in the persona's voice; remarks on other questions are added in fixed words.

        Raises:
            AnswerError: the answer is no text, empty, or far too long.
        """
        if self.verbatim or not decision.intents:
            return RuleUser().message(view, decision)
        if answers is None:
            return (self._message_request(view, decision),)
        said = _form_of_message(decision).read(single_value(answers))
        return with_remarks(said, decision)

    def _message_request(self, view: TurnView, decision: Decision) -> ModelRequest:
        persona = view.task.persona
        told = f"{persona.name}, {persona.role}\n{persona.voice}"
        # Only what is to be said is shown, so that no other intent can slip out.
        points = "".join(block("point", quoted(said)) for said in decision.points)
        words = _WORDS_BESIDE + 2 * sum(len(said.split()) for said in decision.points)
        return role_request(
            "user_message",
            _form_of_message(decision),
            # A message without end states who knows what; the task's own words state the points and nothing else.
            fallback=reveals(decision),
            persona=block("persona", quoted(told)),
            answering=decision.kind == "answer",
            words=words,
            conversation=block("conversation", _conversation(view)),
            points=block("points", Markup(points)),
        )


def _targets(view: TurnView, sentence: str, intents: tuple[str, ...]) -> Targets:
    """The targets of a clause: the intents that the model names, else what the task's own matcher finds in it."""
    if intents or view.intents_only:
        return Targets(intents)
    ids = {intent.name: intent.id for intent in view.task.intents}
    clause = Clause(sentence, "", "question")
    return Targets((), targets_of(clause, view.task.questions, ids).topics)


def _form_of_message(decision: Decision) -> MessageForm:
    # The task's own words must always pass.
    return MessageForm(max(MAX_MESSAGE_CHARS, len(reveals(decision))))


def _intents(intents: Sequence[Intent]) -> Markup:
    listed = "".join(block("intent", quoted(intent.text), id=intent.id) for intent in intents)
    return block("intents", Markup(listed))


def _conversation(view: TurnView) -> Markup:
    """The last exchanges, with who said what; the assistant's last reply may be longer.

    Reminders reach the assistant in the user's role; they are its own words, and shown as such.
    """
    spoken = [(_SPEAKERS[event.kind], event.data["text"]) for event in view.log if event.kind in _SPEAKERS]
    # What fell due before the session stands before its opening message.
    early = sum(event.kind == "reminder" and not event.step for event in view.log)
    spoken.insert(early, ("user", view.task.opening))
    spoken = spoken[-MAX_EXCHANGES:]
    last = len(spoken) - 1
    return Markup(
        "".join(
            block(who, quoted(text, MAX_LAST_REPLY_LETTERS if number == last else MAX_SPOKEN_LETTERS))
            for number, (who, text) in enumerate(spoken)
        )
    )
