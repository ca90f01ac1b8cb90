"""The model user: a language model judges intents and words the messages; the protocol's rules stay ours.

Stage 1 is one request over all open intents, stage 2 one that lists the reply's asking clauses with the intents that
they hit, stage 3 one for the next message. What a clause earns, patience, and which intent is revealed are decided as
for the rule-based user. Nothing here calls a model: the requests go out as the session's asks.

Source: the paper's appendix B.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial

from pi_gym.errors import AnswerError
from pi_gym.packs.task import Intent
from pi_gym.questions import AimedClause, Asked, credit
from pi_gym.templates import Markup, block, quoted, render_prompt
from pi_gym.types import ModelRequest
from pi_gym.users.answer_forms import (
    NamedClause,
    clauses_schema,
    decisions_schema,
    read_clauses,
    read_decisions,
)
from pi_gym.users.base import Answers, Decision, Requests, Satisfied, TurnView
from pi_gym.users.evidence_text import BUDGET_CHARS, render_exhibits, turn_exhibits
from pi_gym.users.own_words import own_words
from pi_gym.users.rule import RuleUser, with_shrugs

MAX_QUESTION_CHARS = 12_000
MAX_SPOKEN_CHARS = 2_000
MAX_LAST_REPLY_CHARS = 6_000
MAX_EXCHANGES = 16
MAX_MESSAGE_CHARS = 4_000
_WORDS_BESIDE = 40


class ModelUser:
    """Judges and speaks by a model.

    Args:
        verbatim: the messages are the tasks' own texts, without a model: the same whatever model judges.
        budget_chars: the most characters of evidence in a prompt; about four make a token.

    Attributes:
        name: "model", or "model-verbatim"; which model answers is not the user's to know.
    """

    def __init__(self, verbatim: bool = False, *, budget_chars: int = BUDGET_CHARS) -> None:
        self.verbatim, self.budget_chars = verbatim, budget_chars
        self.name = "model-verbatim" if verbatim else "model"

    def satisfied(self, view: TurnView, answers: Answers | None = None) -> Satisfied | Requests:
        """Which open intents the turn's evidence satisfies, by one decision for each.

        Raises:
            AnswerError: the answer has not the form that was asked for.
        """
        ids = tuple(intent.id for intent in view.open)
        if answers is None:
            evidence = render_exhibits(turn_exhibits(view.evidence), self.budget_chars)
            given = {"intents": _intents(view.open), "evidence": block("evidence", evidence), "ids": ", ".join(ids)}
            return (request("user_satisfied", decisions_schema(ids), **given),)
        decisions = read_decisions(_single(answers), ids)
        return Satisfied({number: found.reason for number, found in decisions.items() if found.yes})

    def asked(self, view: TurnView, answers: Answers | None = None) -> Asked | Requests:
        """Which open intents the reply's asking clauses hit, within the user's patience.

        Raises:
            AnswerError: the answer has not the form that was asked for.
        """
        reply = own_words(view)
        deaf = view.patience is not None and view.misses >= view.patience
        if deaf or not reply.strip():
            return Asked((), (), view.misses, 0, view.spared)
        ids = tuple(intent.id for intent in view.task.intents)
        if answers is None:
            # An imperative asks without a question mark, so the model hears every reply.
            shown = block("reply", quoted(reply, min(MAX_QUESTION_CHARS, self.budget_chars)))
            return (request("user_asked", clauses_schema(ids), intents=_intents(view.task.intents), reply=shown),)
        clauses = _without_repeats(read_clauses(_single(answers), ids), reply)
        aimed = (AimedClause(one.quote, partial(tuple, one.intents), one.reason) for one in clauses)
        return credit(aimed, {intent.id for intent in view.open}, view.misses, view.patience, view.spared)

    def message(self, view: TurnView, decision: Decision, answers: Answers | None = None) -> str | Requests:
        """The user's next message, in the persona's voice; a shrug at what hit nothing is added in fixed words.

        Raises:
            AnswerError: the answer is no text, empty, or far too long.
        """
        if self.verbatim:
            return RuleUser().message(view, decision)
        if answers is None:
            return (self._message_request(view, decision),)
        said = _single(answers)
        if not isinstance(said, str) or not said.strip():
            raise AnswerError(f"expected a message, got {said!r:.80}")
        if len(said) > MAX_MESSAGE_CHARS:
            raise AnswerError(f"a message of {len(said)} characters; at most {MAX_MESSAGE_CHARS} are taken")
        return with_shrugs(said.strip(), decision)

    def _message_request(self, view: TurnView, decision: Decision) -> ModelRequest:
        persona = view.task.persona
        told = f"{persona.name}, {persona.role}\n{persona.voice}"
        # Only what is to be said is shown, so that no other intent can slip out.
        points = "".join(block("point", quoted(intent.reveal)) for intent in decision.intents)
        words = _WORDS_BESIDE + 2 * sum(len(intent.reveal.split()) for intent in decision.intents)
        return request(
            "user_message",
            None,
            persona=block("persona", quoted(told)),
            answering=decision.kind == "answer",
            words=words,
            conversation=block("conversation", _conversation(view)),
            points=block("points", Markup(points)),
        )


def request(prompt: str, schema: dict[str, object] | None, **values: object) -> ModelRequest:
    """A request from two prompt files: NAME.md, the instructions, and NAME_input.md, what they are about.

    Args:
        prompt: the files' name, which names the schema too.
        schema: of the answer; None for text.
        values: for both files.
    """
    rules = render_prompt("data_rules.md").strip()
    instructions = render_prompt(f"{prompt}.md", data_rules=rules, **values)
    material = render_prompt(f"{prompt}_input.md", **values)
    messages = ({"role": "system", "content": instructions}, {"role": "user", "content": material})
    return ModelRequest(messages, schema, prompt)


def _intents(intents: Sequence[Intent]) -> Markup:
    listed = "".join(block("intent", quoted(intent.text), id=intent.id) for intent in intents)
    return block("intents", Markup(listed))


def _conversation(view: TurnView) -> Markup:
    """Who said what, the last exchanges only; the assistant's last reply may be longer."""
    spoken = [("user", view.task.opening)]
    spoken += [
        ("assistant" if event.kind == "reply" else "user", event.data["text"])
        for event in view.log
        if event.kind in ("reply", "user")
    ]
    spoken = spoken[-MAX_EXCHANGES:]
    last = len(spoken) - 1
    return Markup(
        "".join(
            block(who, quoted(text, MAX_LAST_REPLY_CHARS if number == last else MAX_SPOKEN_CHARS))
            for number, (who, text) in enumerate(spoken)
        )
    )


def _without_repeats(clauses: Sequence[NamedClause], reply: str) -> list[NamedClause]:
    """The clauses without what the model listed more often than the reply says it: that is no miss of the agent's."""
    kept: list[NamedClause] = []
    seen: Counter[str] = Counter()
    for one in clauses:
        if seen[one.quote] < max(1, reply.count(one.quote)):
            kept.append(one)
        seen[one.quote] += 1
    return kept


def _single(answers: Answers) -> object:
    if len(answers) != 1:
        raise AnswerError(f"expected one answer, got {len(answers)}")
    return answers[0].value
